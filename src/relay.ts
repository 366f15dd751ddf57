import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { COMMON_OPTIONS, toParseOptions } from './faces/cli/options.ts';
import { findVault, refusePartOfVault } from './faces/cli/find-vault.ts';
import { MCP_OPTIONS } from './faces/cli/serve/tool-options.ts';
import type { CompatibleServer, OwnSettings } from './faces/stdio/proxy/find-server.ts';
import type { Streams } from './faces/stdio/serve-stdio.ts';
import { isRecord } from './is-record.ts';
import type * as proxy from './faces/stdio/proxy/relay-proxy.ts';
import { findRunningServer } from './system/running-server.ts';
import { userConfigFolder } from './system/user-folders.ts';

/**
 * Runs `roux mcp` by forwarding messages to the vault's running server. It is a separate script, so that ten clients are not ten processes
 * with the whole program. Returns false if the program has to be run instead, because no server runs or the arguments need the program,
 * which also reports mistakes. `loadProxy` loads what forwards them, only if a server runs. `runAlone` runs the program for a client whose
 * server ended.
 */
export async function relay(
  argv: readonly string[],
  loadProxy: () => typeof proxy,
  runAlone: (client: Streams) => Promise<void>,
): Promise<boolean> {
  const started = readArguments(argv);
  if (started === null) return false;
  const find = async (): Promise<CompatibleServer | null> => {
    try {
      const server = findRunningServer(started.vaultRoot);
      return server === null ? null : await loadProxy().checkCompatible(server, started.own);
    } catch {
      // The program will find the same problem and report it.
      return null;
    }
  };
  const found = await find();
  if (found === null) return false;
  await loadProxy().serveThrough(found, { find, serveAlone: runAlone });
  return true;
}

/** Parses the vault and the settings that are not in files; null if the program has to handle the arguments. */
function readArguments(argv: readonly string[]): { readonly vaultRoot: string; readonly own: OwnSettings } | null {
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
    return { vaultRoot, own: { version: readVersion(), configFolder: userConfigFolder(), flags, env } };
  } catch {
    return null;
  }
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return isRecord(manifest) ? String(manifest['version']) : '';
}
