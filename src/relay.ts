import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { COMMON_OPTIONS, toParseOptions } from './faces/cli/options.ts';
import { findVaults, vaultInEnvironment } from './faces/cli/find-vault.ts';
import { MCP_OPTIONS } from './faces/cli/serve/tool-options.ts';
import { FirstAnswers } from './faces/stdio/proxy/first-answers.ts';
import { greet } from './faces/stdio/proxy/greeting.ts';
import type { Greeting } from './faces/stdio/proxy/greeting.ts';
import type { Ending, OwnServer, OwnClient } from './faces/stdio/proxy/own-server.ts';
import { serveThrough } from './faces/stdio/proxy/serve-through.ts';
import type { FindPlace } from './faces/stdio/proxy/serve-through.ts';
import { nameVaults } from './faces/vault-names.ts';
import { isRecord } from './is-record.ts';
import { nameProcess, thisProcess } from './store/folder/process-identity.ts';
import { readSmallFile } from './small-file.ts';
import { folderKey } from './system/folder-key.ts';
import { holdDefaults } from './system/settings-files/default-settings.ts';
import { openVaultSockets } from './system/vault-sockets.ts';
import { userConfigFolder } from './system/user-folders.ts';

/** The first argument of a process that opens a vault for a front; the next one is its `OwnClient`. scripts/run-program.mjs reads both. */
const OWN_SERVER = '--own-server';
/**
 * What glibc reads when a process starts; other systems do not know it. By default it takes ever larger pieces for ordinary ones, once one of
 * them was freed, and then keeps as much of what is freed in each thread: a server would hold a third more memory than it uses.
 */
const MEMORY_SETTINGS = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
/** How long a process that was told to end may take. It gives up its own waits before. */
const MAX_END_MS = 5_000;
/** How often to look for a socket that another process is about to have. */
const POLL_MS = 20;
/** How long to wait for it: about as long as for the answer to a greeting. */
const MAX_TURN_MS = 10_000;

/**
 * Runs `roux mcp` by forwarding messages to a process that has the vault open: one that serves others too, or one that it starts. It is a
 * separate script, so that ten clients are not ten processes with the whole program. Returns false if the program has to be run in this
 * process, which also reports mistakes in the arguments.
 */
export async function relay(argv: readonly string[]): Promise<boolean> {
  const started = readArguments(argv);
  if (started === null) return false;
  const { vaultRoot, greeting } = started;
  const { client: id, connection } = greeting;
  const lost = new Set<number>();
  const find: FindPlace = async ({ hasReadElsewhere, wasServed }) => {
    const found = await findPlace(vaultRoot, { ...greeting, hasReadElsewhere }, lost);
    if (found.socket !== null) return { kind: 'served', socket: found.socket };
    return { kind: 'own', own: startOwnServer({ id, connection, hasReadElsewhere, wasServed }), onServing: found.release };
  };
  await serveThrough(find, hasDefaultSettings(started) ? readFirstAnswers() : null);
  return true;
}

/** What the arguments and the environment say. */
interface Started {
  readonly vaultRoot: string;
  readonly greeting: Omit<Greeting, 'hasReadElsewhere'>;
}

/** Whether the program would offer what it offers with default settings. */
function hasDefaultSettings({ vaultRoot, greeting: { flags, env, vaults, configFolder } }: Started): boolean {
  // Whether notes are embedded changes no tool.
  const isDefault = ([name, value]: readonly [string, string | undefined]): boolean =>
    name === 'ROUX_VAULT' || value === '' || (name === 'ROUX_EMBEDDINGS' && value === 'none');
  const isPlain = flags.length === 0 && vaults === undefined && Object.entries(env).every(isDefault);
  return isPlain && holdDefaults(vaultRoot, configFolder);
}

/** A process that serves the vault, or the right to start one; `release` is to be called once that one serves. */
type Found = { readonly socket: Socket } | { readonly socket: null; readonly release: () => void };

const ALONE: Found = { socket: null, release: () => undefined };

/**
 * Asks the processes that serve the vault, newest first, and those that are about to. Of several vaults `vaultRoot` is the first: a process
 * with all of them listens at the socket of each. If none would answer as this one, it may start one. `lost`: the numbers of those that have
 * served the client before. They are not asked again, because one that is stopped still takes connections, and would be waited for again.
 */
async function findPlace(vaultRoot: string, greeting: Greeting, lost: Set<number>): Promise<Found> {
  const asked = new Set<number>();
  const gone: number[] = [];
  const until = performance.now() + MAX_TURN_MS;
  try {
    const sockets = openVaultSockets(vaultRoot);
    while (sockets !== null && performance.now() < until) {
      const numbers = sockets.list();
      const next = numbers.find((number) => !asked.has(number));
      if (next === undefined) {
        const release = sockets.reserve((numbers[0] ?? 0) + 1, { self: nameProcess(thisProcess()), gone });
        if (release !== null) return { socket: null, release };
        await setTimeout(POLL_MS);
        continue;
      }
      asked.add(next);
      // A file that is no socket is passed over.
      const socket = await sockets.connect(next).catch(() => undefined);
      if (socket === null) gone.push(next);
      if (!socket) continue;
      if (!lost.has(next) && (await greet(socket, greeting))) {
        lost.add(next);
        return { socket };
      }
      socket.destroy();
    }
  } catch {
    // The program will find the same problem and report it, or serves its own client all the same.
  }
  return ALONE;
}

/** Starts the program for this client, with the arguments of this process. */
function startOwnServer(client: OwnClient): OwnServer {
  const [, script = '', ...args] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, script, OWN_SERVER, JSON.stringify(client), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    windowsHide: true,
    env: { ...MEMORY_SETTINGS, ...process.env },
  });
  // Fails when it has ended, which is noticed by `ended`.
  child.stdin.on('error', () => undefined);
  const ended = endOf(child);
  return {
    input: child.stdout,
    output: child.stdin,
    ended,
    // On Windows every signal would kill it.
    signal: (name) => void (process.platform === 'win32' ? child.stdin.end() : child.kill(name)),
    cut: () => void child.kill('SIGKILL'),
    async finish() {
      const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), MAX_END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('close', (status, signal) => resolve({ status, signal }));
    // It could not be started.
    child.once('error', () => resolve({ status: null, signal: null }));
  });
}

/** Parses the vaults and the settings that are not in files; null if the program has to handle the arguments. */
function readArguments(argv: readonly string[]): Started | null {
  try {
    const options = { ...MCP_OPTIONS, ...COMMON_OPTIONS };
    const { values, positionals } = parseArgs({ args: [...argv], options: toParseOptions(options), allowPositionals: true });
    if (values['help'] === true) return null;
    const named = [...positionals, ...[values['vault'] ?? []].flat().map(String)];
    const query = { named: named.length === 0 ? [vaultInEnvironment(process.env)] : named, cwd: process.cwd() };
    const roots = findVaults(query);
    const [vaultRoot] = roots;
    const names = nameVaults(roots);
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
        ...(roots.length === 1 ? {} : { vaults: roots.map((root, at) => ({ key: folderKey(root), name: names[at] ?? '' })) }),
        client: randomUUID(),
        connection: nameProcess(thisProcess()).name,
      },
    };
  } catch {
    return null;
  }
}

/** Null if the build has kept none. */
function readFirstAnswers(): FirstAnswers | null {
  const file = readSmallFile(fileURLToPath(new URL('first-answers.json', import.meta.url)));
  return file.kind === 'text' ? new FirstAnswers(file.text) : null;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return isRecord(manifest) ? String(manifest['version']) : '';
}
