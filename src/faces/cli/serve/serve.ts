import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../errors.ts';
import { isLoopback } from '../../http/guard.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { count } from '../show.ts';
import { GITIGNORE } from './clients.ts';
import { TOOL_OPTIONS } from './mcp.ts';

/** One process for many clients. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'serve MCP over HTTP, for many clients at once',
  usage: '[vault]',
  group: 'serve',
  arity: 0,
  isFollowing: true,
  options: {
    port: { type: 'string', short: 'p', value: 'N', help: 'port (7411; 0 for any)', setting: 'http.port' },
    host: { type: 'string', value: 'H', help: 'address to bind (127.0.0.1)', setting: 'http.host' },
    token: { type: 'string', value: 'T', help: 'bearer token that clients have to send', setting: 'http.token' },
    ...TOOL_OPTIONS,
  },
  async run(context) {
    const { host, config } = context;
    const ended = new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    });
    if (config.tools !== undefined) await host.operations();
    const { serveHttp } = await import('../../http/serve-http.ts');
    const token = chooseToken(context);
    const face = await serveHttp(host, { token });
    const runFile = announce(context, face.url);
    try {
      banner(context, { url: face.url, token });
      const vault = await host.vault();
      await Promise.race([vault.ready, ended]);
      context.note(`  ${count(vault.graph.size, 'note')} ready. Ctrl+C ends it.`);
      for (const warning of vault.warnings()) context.note(`  ${context.paint.yellow('!')} ${warning}`);
      await ended;
    } finally {
      if (runFile !== null) rmSync(runFile, { force: true });
      await face.close();
    }
    return DONE;
  },
});

/** The token that clients need, or null: none is asked for on loopback unless the configuration says so. */
function chooseToken({ config, vaultRoot }: CommandContext): string | null {
  const { auth, host, token } = config.http;
  if (token !== undefined) return token;
  if (auth === 'none' && isLoopback(host)) return null;
  const file = join(runFolder(vaultRoot), 'token');
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    chmodSync(file, 0o600);
    if (kept.length >= 16) return kept;
  }
  const made = randomBytes(32).toString('base64url');
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}

/** Leaves the address where other programs on this machine find it. */
function announce({ vaultRoot, host }: CommandContext, url: string): string | null {
  try {
    const file = join(runFolder(vaultRoot), 'server.json');
    writeFileSync(file, `${JSON.stringify({ pid: process.pid, url, started: new Date().toISOString() })}\n`, { mode: 0o600 });
    return file;
  } catch (error) {
    host.log.info(`the address could not be left in .roux/run: ${errorMessage(error)}`);
    return null;
  }
}

function runFolder(vaultRoot: string): string {
  const folder = join(vaultRoot, '.roux/run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ignore = join(vaultRoot, '.roux/.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, GITIGNORE);
  return folder;
}

function banner({ note, paint, vaultRoot, isJson, print }: CommandContext, { url, token }: { url: string; token: string | null }): void {
  if (isJson) print(JSON.stringify({ url, mcp: `${url}/mcp`, vault: vaultRoot }));
  const header = token === null ? '' : ` --header "Authorization: Bearer $(cat ${join(vaultRoot, '.roux/run/token')})"`;
  note(
    [
      '',
      `  ${paint.bold('roux')} serves ${paint.cyan(vaultRoot)}`,
      '',
      `  MCP      ${paint.green(`${url}/mcp`)}`,
      `  Health   ${url}/health`,
      '',
      `  Claude Code   claude mcp add --transport http roux ${url}/mcp${header}`,
      `  Others        {"mcpServers": {"roux": {"url": "${url}/mcp"}}}`,
      '',
    ].join('\n'),
  );
}
