import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { repositoryRoot } from '../vault.ts';
import { waitFor } from '../wait-for.ts';
import { postgresPrograms } from './programs.ts';

/** A PostgreSQL of a test's own, on a free port and on a socket in its folder, with synchronous commits. */
export interface Cluster {
  readonly port: number;
  /** The folder of its socket, where everybody is let in without a password. */
  readonly socket: string;
  /** Runs statements as superuser in a database. */
  sql<Row = Record<string, unknown>>(statements: string, database?: string): Promise<readonly Row[]>;
  /** `immediate`: as if the power had gone. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** Where it runs, nothing. */
  start(): Promise<void>;
  /** Stops it, and nothing of it is left. */
  remove(): Promise<void>;
}

/** How a cluster is set up beside what every one of them has. */
export interface ClusterOptions {
  /** Lines for postgresql.conf. */
  readonly settings?: readonly string[];
  /** Lines for pg_hba.conf, before those that ask everybody but on the socket for a password. */
  readonly rules?: readonly string[];
  /** Files for its folder by name: certificates. */
  readonly files?: Readonly<Record<string, string>>;
  /** It begins as a copy of this one, which is stopped for a moment, and follows it from there on. */
  readonly follows?: Cluster;
}

/** Rules where nothing else is said: passwords over TCP, none on the socket. */
const RULES = ['local all all trust', 'local replication all trust', 'host all all 127.0.0.1/32 scram-sha-256'];
const SETTINGS = [
  'max_connections = 80',
  'shared_buffers = 32MB',
  "listen_addresses = '127.0.0.1'",
  'fsync = on',
  'logging_collector = off',
];

/**
 * Starts and stops a server at a word, and when nobody is there any more to say one, ends it and removes its folder: nothing is left
 * behind when tests are killed. `$1`: postgres, `$2`: the folder.
 */
const KEEPER = `pid=
while read word; do
  case "$word" in
    start) "$1" -D "$2/data" >>"$2/log" 2>&1 & pid=$!; continue;;
    immediate) kill -QUIT $pid;;
    *) kill -INT $pid;;
  esac
  wait $pid; pid=; echo stopped
done
if [ -n "$pid" ]; then kill -QUIT $pid; wait $pid; fi
rm -rf "$2"`;

/** Makes and starts a cluster; the programs are there (`postgresPrograms`). */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const programs = postgresPrograms ?? '';
  const folder = mkdtempSync(join(folderForData(), 'roux-pg-'));
  const user = otherUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const own = (file: string, text: string): void => {
    writeFileSync(join(folder, 'data', file), text, { mode: 0o600 });
    if (user !== null) chownSync(join(folder, 'data', file), user.uid, user.gid);
  };
  const { follows } = options;
  await follows?.stop('fast');
  const source = follows === undefined ? emptyData(programs, user) : join(follows.socket, 'data');
  const made = spawnSync('cp', ['-a', source, join(folder, 'data')], { encoding: 'utf8' });
  await follows?.start();
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`No cluster was made: ${made.stderr}${made.error?.message ?? ''}`);
  }

  const port = await freePort();
  for (const [file, text] of Object.entries(options.files ?? {})) own(file, text);
  own('pg_hba.conf', [...(options.rules ?? []), ...RULES, ''].join('\n'));
  if (follows !== undefined) own('standby.signal', '');
  const primary =
    follows === undefined ? [] : [`primary_conninfo = 'host=${follows.socket} port=${follows.port} user=admin application_name=copy'`];
  const settings = [...SETTINGS, ...primary, `port = ${port}`, `unix_socket_directories = '${folder}'`, ...(options.settings ?? [])];
  appendFileSync(join(folder, 'data/postgresql.conf'), `\n${settings.join('\n')}\n`);

  // A group of its own: what interrupts the tests is not for it.
  const keeper = spawn('sh', ['-c', KEEPER, 'sh', join(programs, 'postgres'), folder], {
    ...user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const gone = once(keeper, 'close');
  // Tests that end without a word are not kept from it.
  keeper.unref();
  let isRunning = false;
  const connections = keepConnections((database) => new Client({ host: folder, port, user: 'admin', database, ssl: false }));

  const cluster: Cluster = {
    port,
    socket: folder,
    async sql<Row>(statements: string, database = 'postgres') {
      const client = await connections.take(database);
      try {
        const result: unknown = await client.query(statements);
        const last = (Array.isArray(result) ? result.at(-1) : result) as { rows: Row[] };
        return last.rows;
      } finally {
        await connections.give(database, client);
      }
    },
    async start() {
      if (isRunning) return;
      keeper.stdin.write('start\n');
      isRunning = true;
      await waitFor(() => cluster.sql('SELECT 1'), { what: `a PostgreSQL in ${folder} that answers`, timeoutMs: 40_000 }).catch(
        (error: unknown) => {
          const log = existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : '';
          throw new Error(`PostgreSQL did not start: ${log.slice(-2000)}`, { cause: error });
        },
      );
    },
    async stop(how) {
      if (!isRunning) return;
      isRunning = false;
      await connections.end();
      const stopped = once(keeper.stdout, 'data');
      keeper.stdin.write(`${how}\n`);
      await stopped;
    },
    async remove() {
      await connections.end();
      keeper.ref();
      keeper.stdin.end();
      await gone;
    },
  };
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

/** Connections that are used again, as a new one costs the server more than most statements. */
function keepConnections(create: (database: string) => Client) {
  const idle = new Map<string, Client>();
  const works = (client: Client, statement: string): Promise<boolean> =>
    client.query(statement).then(
      () => true,
      () => false,
    );
  return {
    /** Takes the idle connection to a database, or a new one where there is none or somebody has ended it. */
    async take(database: string): Promise<Client> {
      const kept = idle.get(database);
      idle.delete(database);
      if (kept !== undefined && (await works(kept, 'SELECT 1'))) return kept;
      const client = create(database);
      client.on('error', () => undefined);
      await client.connect();
      return client;
    },
    /** Gives it back, with nothing of what was set. */
    async give(database: string, client: Client): Promise<void> {
      if (!idle.has(database) && (await works(client, 'DISCARD ALL'))) idle.set(database, client);
      else await client.end();
    },
    async end(): Promise<void> {
      const all = [...idle.values()];
      idle.clear();
      await Promise.all(all.map((client) => client.end()));
    },
  };
}

/** In memory where there is enough: a commit waits for the disk otherwise, and no test takes the power from it. */
function folderForData(): string {
  const inMemory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize > 2 ** 31 ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** PostgreSQL does not run as root: another user of the machine then. */
function otherUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string, name: string): number | null => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : null;
  };
  const name = idOf('-u', 'postgres') === null ? 'nobody' : 'postgres';
  return { uid: idOf('-u', name) ?? 65_534, gid: idOf('-g', name) ?? 65_534 };
}

/** The data of an empty cluster: made once and kept beside the translated modules, as `initdb` takes longer than most tests. */
function emptyData(programs: string, user: { readonly uid: number; readonly gid: number } | null): string {
  const { stdout } = spawnSync(join(programs, 'initdb'), ['--version'], { encoding: 'utf8' });
  const name = `postgres-${stdout.replaceAll(/[^\d.]+/g, '')}-${user?.uid ?? process.getuid?.() ?? 0}`;
  const data = join(repositoryRoot, '.vitest', name);
  if (existsSync(data)) return data;
  const made = mkdtempSync(join(tmpdir(), 'roux-pg-'));
  try {
    // As that user, who may not get at the folder of the repository.
    if (user !== null) chownSync(made, user.uid, user.gid);
    const flags = ['-D', join(made, 'data'), '-U', 'admin', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    const { status, stderr, error } = spawnSync(join(programs, 'initdb'), flags, { ...user, cwd: made, encoding: 'utf8' });
    if (status !== 0) throw new Error(`No cluster was made: ${stderr}${error?.message ?? ''}`);
    mkdirSync(dirname(data), { recursive: true });
    const copy = `${data}.${process.pid}`;
    spawnSync('cp', ['-a', join(made, 'data'), copy]);
    try {
      renameSync(copy, data);
    } catch {
      // Another process was first.
      rmSync(copy, { recursive: true, force: true });
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return data;
}

/**
 * Below the ports that a system gives to whoever asks for any: those are taken by connections of other tests at any moment, also while a
 * PostgreSQL is stopped and to be started again.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
