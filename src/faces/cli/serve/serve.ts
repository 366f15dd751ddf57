import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../errors.ts';
import { HOME_FILES } from '../../../ops/care/git-files.ts';
import { isLoopback } from '../../http/guard.ts';
import { completeFiles } from '../care/complete-file.ts';
import { defineCommand, DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { quotedWord } from '../shell-word.ts';
import { count } from '../show.ts';
import { plain } from '../terminal.ts';
import { requireTools, TOOL_OPTIONS } from './mcp.ts';

/** The variable that sets the token, for the server as for a client's command. */
const TOKEN_VARIABLE = 'ROUX_HTTP_TOKEN';

/** One process for many clients. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'serve MCP over HTTP, for many clients at once',
  usage: '[vault]',
  group: 'serve',
  arity: 0,
  isFollowing: true,
  options: {
    port: { type: 'number', short: 'p', min: 0, max: 65_535, help: 'port (7411; 0 for any)', setting: 'http.port' },
    host: { type: 'string', value: 'H', help: 'address to bind (127.0.0.1)', setting: 'http.host' },
    token: { type: 'string', value: 'T', help: 'bearer token that clients have to send', setting: 'http.token' },
    ...TOOL_OPTIONS,
  },
  async run(context) {
    const { host } = context;
    const ended = new Promise<null>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve(null));
    });
    await requireTools(context);
    const { serveHttp } = await import('../../http/serve-http.ts');
    await completeHome(context);
    const token = chooseToken(context);
    const face = await serveHttp(host, { token: token?.text ?? null });
    const runFile = announce(context, face.url);
    try {
      banner(context, { url: face.url, token });
      const state = await Promise.race([host.ready(), ended]);
      if (state !== null) {
        context.note(`  ${count(state.notes, 'note')} ready. Ctrl+C ends it.`);
        for (const warning of state.warnings) context.note(`  ${context.paint.yellow('!')} ${warning}`);
        await ended;
      }
    } finally {
      if (runFile !== null) rmSync(runFile, { force: true });
      await face.close();
    }
    return DONE;
  },
});

/** Says to git what stays on this machine, also where an older file says less. */
async function completeHome({ host, note, vaultRoot, openFiles }: CommandContext): Promise<void> {
  const { left } = await completeFiles(await openFiles(vaultRoot), HOME_FILES);
  for (const { file, reason, isFailure } of left) {
    const text = plain(`${file} stays as it is: ${reason}.`);
    if (isFailure) host.log.info(text);
    else note(`roux: ${text}`);
  }
}

/** What clients have to send. */
interface Token {
  readonly text: string;
  /** Where people find it; null when they gave it themselves. */
  readonly file: string | null;
}

/** The token that clients need, or null: none is asked for on loopback unless the configuration says so. */
function chooseToken({ config, vaultRoot }: CommandContext): Token | null {
  const { auth, host, token } = config.http;
  if (token !== undefined) return { text: token, file: null };
  if (auth === 'none' && isLoopback(host)) return null;
  const file = join(runFolder(vaultRoot), 'token');
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    chmodSync(file, 0o600);
    if (kept.length >= 16) return { text: kept, file };
  }
  const made = randomBytes(32).toString('base64url');
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return { text: made, file };
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
  return folder;
}

function banner({ note, paint, vaultRoot, isJson, print }: CommandContext, { url, token }: { url: string; token: Token | null }): void {
  if (isJson) print(JSON.stringify({ url, mcp: `${url}/mcp`, vault: vaultRoot }));
  const header = token === null ? '' : ` --header "Authorization: Bearer ${inShell(token)}"`;
  const headers = token === null ? '' : ', "headers": {"Authorization": "Bearer <token>"}';
  note(
    [
      '',
      `  ${paint.bold('roux')} serves ${paint.cyan(plain(vaultRoot))}`,
      '',
      `  MCP      ${paint.green(`${url}/mcp`)}`,
      `  Health   ${url}/health`,
      ...(token === null ? [] : [`  Token    ${whereabouts(token)}`]),
      '',
      `  Claude Code   claude mcp add --transport http roux ${url}/mcp${header}`,
      `  Others        {"mcpServers": {"roux": {"url": "${url}/mcp"${headers}}}}`,
      '',
    ].join('\n'),
  );
}

/** The token as a shell gets it; it is itself never printed. */
function inShell({ file }: Token): string {
  return file === null ? `$${TOKEN_VARIABLE}` : `$(cat ${quotedWord(file)})`;
}

function whereabouts({ file }: Token): string {
  return plain(file ?? `the one that you gave; put it into ${TOKEN_VARIABLE} for the command below`);
}
