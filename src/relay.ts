import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { COMMON_OPTIONS, toParseOptions } from './faces/cli/options.ts';
import { findVault, refusePartOfVault } from './faces/cli/find-vault.ts';
import { MCP_OPTIONS } from './faces/cli/serve/tool-options.ts';
import { greet } from './faces/stdio/proxy/greeting.ts';
import type { Greeting } from './faces/stdio/proxy/greeting.ts';
import { serveThrough } from './faces/stdio/proxy/serve-through.ts';
import type { Failover, Place } from './faces/stdio/proxy/serve-through.ts';
import { isRecord } from './is-record.ts';
import { nameProcess, thisProcess } from './store/folder/process-identity.ts';
import { openVaultSockets } from './system/vault-sockets.ts';
import type { VaultSockets } from './system/vault-sockets.ts';
import { userConfigFolder } from './system/user-folders.ts';

const ALONE: Place = { kind: 'alone' };
/** Each attempt finds a process that serves, becomes one, or has been overtaken by another one. */
const MAX_ATTEMPTS = 100;

/**
 * Runs `roux mcp` by forwarding messages to a process that serves the vault to others, or makes this process the one that does. It is a
 * separate script, so that ten clients are not ten processes with the whole program. Returns false if the program has to be run as if there
 * was no other process; it also reports mistakes in the arguments. `runProgram` runs it for a client.
 */
export async function relay(argv: readonly string[], runProgram: Failover['runProgram']): Promise<boolean> {
  const started = readArguments(argv);
  if (started === null) return false;
  const lost = new Set<number>();
  const find = async (hasReadElsewhere: boolean): Promise<Place> => {
    try {
      const sockets = openVaultSockets(started.vaultRoot);
      return sockets === null ? ALONE : await findPlace(sockets, { ...started.greeting, hasReadElsewhere }, lost);
    } catch {
      // The program will find the same problem and report it, or serves its own client all the same.
      return ALONE;
    }
  };
  const place = await find(false);
  const id = started.greeting.client;
  if (place.kind === 'alone') return false;
  if (place.kind === 'served') await serveThrough(place, { id, find, runProgram });
  else await runProgram({ id, input: process.stdin, output: process.stdout, socket: place.socket });
  return true;
}

/**
 * Asks the processes that serve the vault, newest first. If none would answer as this process, it serves others itself. `lost`: the numbers of
 * those that have served it before. They are not asked again: one that is stopped still takes connections, and would be waited for again.
 */
async function findPlace(sockets: VaultSockets, greeting: Greeting, lost: Set<number>): Promise<Place> {
  const asked = new Set<number>();
  const gone: number[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const numbers = sockets.list();
    const next = numbers.find((number) => !asked.has(number));
    if (next === undefined) {
      const socket = await sockets.listen((numbers[0] ?? 0) + 1);
      if (socket === null) continue;
      sockets.remove(gone);
      return { kind: 'first', socket };
    }
    asked.add(next);
    // A file that is no socket is passed over.
    const socket = await sockets.connect(next).catch(() => undefined);
    if (socket === null) gone.push(next);
    if (!socket) continue;
    if (!lost.has(next) && (await greet(socket, greeting))) {
      lost.add(next);
      return { kind: 'served', socket };
    }
    socket.destroy();
  }
  return ALONE;
}

/** Parses the vault and the settings that are not in files; null if the program has to handle the arguments. */
function readArguments(
  argv: readonly string[],
): { readonly vaultRoot: string; readonly greeting: Omit<Greeting, 'hasReadElsewhere'> } | null {
  try {
    const options = { ...MCP_OPTIONS, ...COMMON_OPTIONS };
    const { values, positionals } = parseArgs({ args: [...argv], options: toParseOptions(options), allowPositionals: true });
    if (values['help'] === true || values['alone'] === true || positionals.length > 1) return null;
    const { vault = positionals[0] ?? process.env['ROUX_VAULT'] } = values;
    const vaultRoot = findVault({ named: typeof vault === 'string' ? vault : undefined, cwd: process.cwd() });
    refusePartOfVault(vaultRoot);
    const flags = Object.entries(MCP_OPTIONS).flatMap(([name, option]) => {
      const value = values[name];
      const key = 'setting' in option ? option.setting : undefined;
      return key === undefined || (typeof value !== 'string' && typeof value !== 'boolean') ? [] : [{ source: `--${name}`, key, value }];
    });
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('ROUX_')));
    const timeZone = process.env['TZ'] ?? '';
    return {
      vaultRoot,
      greeting: {
        version: readVersion(),
        configFolder: userConfigFolder(),
        flags,
        env,
        timeZone,
        client: randomUUID(),
        connection: nameProcess(thisProcess()).name,
      },
    };
  } catch {
    return null;
  }
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return isRecord(manifest) ? String(manifest['version']) : '';
}
