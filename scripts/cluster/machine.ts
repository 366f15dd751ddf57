import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { program, testEnvironment } from '../../test/support/program/cli.ts';
import { openTestVault, repositoryRoot } from '../../test/support/vault.ts';
import type { TestVault } from '../../test/support/vault.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { storeUrl } from './database.ts';
import type { Ledger } from './ledger.ts';
import { FAKETIME } from './needs.ts';
import { onHost } from './network.ts';
import type { HostNumber, Network } from './network.ts';
import { PASSWORDS } from './patroni-config.ts';
import type { Told } from './work.ts';

/** A machine with a working copy, a `roux serve` on it, an agent and somebody who edits. */
export interface Machine {
  readonly host: HostNumber;
  readonly copy: TestVault;
  /** Makes a working copy, under this name, of what is in the store. */
  clone(name: string): Promise<TestVault>;
  share(): Promise<void>;
  /** Starts the server, with a clock that is off by so much (`+1h`), and waits until it is ready. */
  serve(clock?: string): Promise<void>;
  /** `kill -9`. */
  killServer(): Promise<void>;
  stopServer(): Promise<void>;
  /** The agent and the editor begin a round. */
  go(round: string): void;
  /** They finish what they are at. */
  rest(): Promise<void>;
}

const PORT = 7411;

/** A machine of the network, with its account in this folder. What its agent and its editor write goes into the ledger. */
export function openMachine(
  host: HostNumber,
  place: { readonly network: Network; readonly folder: string; readonly ledger: Ledger },
): Machine {
  const { network, ledger } = place;
  const home = join(place.folder, `home${host}`);
  const log = join(place.folder, `roux${host}.log`);
  mkdirSync(join(home, 'tmp'), { recursive: true });
  const env = testEnvironment({
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    TMPDIR: join(home, 'tmp'),
    PGPASSWORD: PASSWORDS.writer,
    ROUX_HTTP_AUTH: 'none',
  });
  const copy = openTestVault(join(home, 'notes'));
  let server: ChildProcess | null = null;
  let worker: ChildProcess | null = null;
  let atRest: (() => void) | null = null;

  /** Starts a program of Node on the machine. */
  function start(args: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess {
    const settings = Object.entries(more).map(([name, value]) => `${name}=${value}`);
    const [command = '', ...rest] = onHost(network, host, ['env', ...settings, process.execPath, ...args]);
    return spawn(command, rest, { cwd: repositoryRoot, env, stdio: ['pipe', 'pipe', 'pipe'] });
  }

  /** Runs roux on the machine to its end. */
  async function roux(...args: readonly string[]): Promise<void> {
    const child = start([program, ...args]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const status = await ended(child);
    if (status !== 0) throw new Error(`roux ${args[0]} on machine ${host} ended with ${status}: ${said}`);
  }

  function openWorker(): ChildProcess {
    const child = start(['--import', 'tsx', join(import.meta.dirname, 'work.ts'), String(host), copy.root, `http://127.0.0.1:${PORT}`]);
    child.stderr?.on('data', (chunk: Buffer) => appendFileSync(log, chunk));
    if (child.stdout === null) throw new Error('There is no way to hear the worker.');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const told = JSON.parse(line) as Told;
      if (told.what === 'resting') atRest?.();
      else ledger.note(told);
    });
    return child;
  }

  return {
    host,
    copy,
    async clone(name) {
      await roux('clone', storeUrl, join(home, name));
      return openTestVault(join(home, name));
    },
    share: () => roux('share', storeUrl, copy.root),
    async serve(clock) {
      const faked: Record<string, string> =
        clock === undefined ? {} : { LD_PRELOAD: FAKETIME ?? '', FAKETIME: clock, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' };
      const child = start([program, 'serve', copy.root, '--port', String(PORT)], faked);
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          appendFileSync(log, chunk);
        });
      server = child;
      await waitFor(() => said.includes('ready') || child.exitCode !== null, { what: `the server of machine ${host}`, timeoutMs: 60_000 });
      if (child.exitCode !== null) throw new Error(`The server of machine ${host} ended: ${said}`);
    },
    async killServer() {
      server?.kill('SIGKILL');
      if (server !== null) await ended(server);
    },
    async stopServer() {
      server?.kill('SIGTERM');
      if (server !== null) await ended(server);
    },
    go(round) {
      worker ??= openWorker();
      worker.stdin?.write(`go ${round}\n`);
    },
    async rest() {
      const resting = new Promise<void>((resolve) => (atRest = resolve));
      worker?.stdin?.write('rest\n');
      await resting;
    },
  };
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', (status) => resolve(status)));
}
