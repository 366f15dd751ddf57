import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { COMMON_OPTIONS, toParseOptions } from './faces/cli/command.ts';
import { findVault, refusePartOfVault } from './faces/cli/find-vault.ts';
import { MCP_OPTIONS } from './faces/cli/serve/tool-options.ts';
import type { Found, Self } from './faces/stdio/proxy/find-server.ts';
import type { Streams } from './faces/stdio/serve-stdio.ts';
import { isRecord } from './is-record.ts';
import { runningServer } from './system/running-server.ts';
import { userConfigFolder } from './system/user-folders.ts';

/**
 * `roux mcp` where a server of the vault runs already: a script of its own, since a process that only hands messages on needs little of
 * the program, and ten of them are ten processes. Gives false where the program has to be run instead: there is no such server, or what
 * was asked for is for the program to answer, mistakes too. `runAlone`: the program, for a client whose server died.
 */
export async function relay(argv: readonly string[], runAlone: (client: Streams) => Promise<void>): Promise<boolean> {
  const started = readArguments(argv);
  if (started === null) return false;
  const find = async (): Promise<Found | null> => {
    try {
      const server = runningServer(started.vaultRoot);
      if (server === null) return null;
      // Loaded where there is one: without, a start waits for this script and then for the program.
      const { agreeWith } = await import('./faces/stdio/proxy/find-server.ts');
      return await agreeWith(server, started.self);
    } catch {
      // Whatever is wrong is told by the program, which comes to it as well.
      return null;
    }
  };
  const found = await find();
  if (found === null) return false;
  const { serveThrough } = await import('./faces/stdio/proxy/serve-through.ts');
  await serveThrough(found, { find, serveAlone: runAlone });
  return true;
}

/** The vault, and what its settings are made of besides their files; null for what the program has to look at. */
function readArguments(argv: readonly string[]): { readonly vaultRoot: string; readonly self: Self } | null {
  try {
    const options = { ...MCP_OPTIONS, ...COMMON_OPTIONS };
    const { values, positionals } = parseArgs({ args: [...argv], options: toParseOptions(options), allowPositionals: true });
    if (values['help'] === true || values['no-proxy'] === true || positionals.length > 1) return null;
    const { vault = positionals[0] ?? process.env['ROUX_VAULT'] } = values;
    const vaultRoot = findVault({ named: typeof vault === 'string' ? vault : undefined, cwd: process.cwd() });
    refusePartOfVault(vaultRoot);
    const flags = Object.entries(MCP_OPTIONS).flatMap(([name, option]) => {
      const value = values[name];
      const key = 'setting' in option ? option.setting : undefined;
      return key === undefined || (typeof value !== 'string' && typeof value !== 'boolean') ? [] : [{ source: `--${name}`, key, value }];
    });
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('ROUX_')));
    return { vaultRoot, self: { version: readVersion(), configFolder: userConfigFolder(), flags, env } };
  } catch {
    return null;
  }
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return isRecord(manifest) ? String(manifest['version']) : '';
}
