import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { createSharedVault, openSharedVault } from '../../../src/store/shared/database/open-shared-vault.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { startCluster } from '../../../test/support/postgres/cluster.ts';
import type { Cluster } from '../../../test/support/postgres/cluster.ts';
import { change, commitOf } from '../../../test/support/postgres/commits.ts';
import { postgresPrograms } from '../../../test/support/postgres/programs.ts';
import { withHomes } from '../../../test/support/sharing/home.ts';
import type { Home } from '../../../test/support/sharing/home.ts';
import { openHttpServer } from '../../../test/support/sharing/server.ts';
import type { HomeServer } from '../../../test/support/sharing/server.ts';
import { testPorts } from '../../../test/support/test-ports.ts';
import { makeVault } from '../../make-vault.ts';
import { cpuOf, residentOf } from '../measure/process.ts';
import { machine, median, megabytes, ms, percentile, toTable, type Row } from '../measure/rows.ts';

/**
 * `npx tsx scripts/bench/shared/machines.ts [--only writes,news,followers,clones] [--notes 10000]`: what a vault costs that several machines
 * share, with a PostgreSQL that is started for it, synchronous commits, and the built program on loopback (`npm run build`). What the
 * database alone does is in `commits.ts`.
 */

const SECONDS = 8;
/** In all; each machine makes its part. */
const WRITES = 5_000;
const MACHINES = 4;
const NEWS = 200;
const FOLLOWERS = [0, 25, 100];
const PASSWORD = 'bench';

const { only, notes } = readArguments(process.argv.slice(2));
if (postgresPrograms === null) throw new Error('There is no PostgreSQL on this machine.');
const cluster = await startCluster({ settings: ['max_connections = 300'] });
const rows: Row[] = [];
const urlOf = (vault: string): string => `postgres://writer@127.0.0.1:${cluster.port}/team/${encodeURIComponent(vault)}?sslmode=disable`;

try {
  await cluster.sql(`CREATE ROLE writer LOGIN PASSWORD '${PASSWORD}'`);
  await cluster.sql('CREATE DATABASE team OWNER writer');
  if (only.includes('writes')) for (const count of [1, MACHINES]) await withMachines(`writes${count}`, count, measureWrites);
  if (only.includes('news')) await withMachines('news', 2, measureNews);
  if (only.includes('followers')) for (const count of FOLLOWERS) await measureFollowers(count);
  if (only.includes('clones')) for (const count of [notes / 10, notes]) await measureClone(cluster, count);
  console.log(`${machine()}, ${(loadavg()[0] ?? 0).toFixed(1)} processes ready to run in the last minute`);
  console.log(toTable(rows));
} finally {
  await cluster.remove();
}

/** Runs with servers on working copies of one new vault. */
async function withMachines(vault: string, count: number, run: (servers: readonly HomeServer[]) => Promise<void>): Promise<void> {
  await withHomes({ count, password: PASSWORD }, async (...homes) => {
    const [first, ...others] = homes;
    first?.folder('notes').write('start.md', '# Start\n');
    await roux(first, 'share', urlOf(vault), 'notes');
    for (const home of others) await roux(home, 'clone', urlOf(vault), 'notes');
    const servers = await Promise.all(homes.map((home) => openHttpServer(home, ['notes'])));
    try {
      await run(servers);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
}

/** An agent on each machine makes one note of 2 KB after the other. */
async function measureWrites(servers: readonly HomeServer[]): Promise<void> {
  const times: number[] = [];
  const cpu = (): number => servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const [before, size] = [cpu(), await storeBytes(cluster)];
  const beginning = performance.now();
  await Promise.all(
    servers.map(async (server, index) => {
      for (let count = 0; count < WRITES / servers.length; count += 1) {
        const begun = performance.now();
        await server.call('create_node', { title: `note ${index} ${count}`, content: `${count} `.repeat(700).slice(0, 2000) });
        times.push(performance.now() - begun);
      }
    }),
  );
  const seconds = (performance.now() - beginning) / 1000;
  const grown = ((await storeBytes(cluster)) - size) / times.length;
  const [connections] = await cluster.sql<{ count: string }>("SELECT count(*) FROM pg_stat_activity WHERE usename = 'writer'");
  rows.push({
    work: `notes made by tools, ${servers.length} ${servers.length === 1 ? 'machine' : 'machines'} on one vault`,
    measured: `${Math.round(times.length / seconds)} commits a second`,
    beside: `${ms(median(times))} in the median, ${ms(percentile(times, 0.99))} at 99 %; ${ms((cpu() - before) / times.length)} of CPU in all servers for each; the store grows by ${(grown / 1000).toFixed(1)} KB each; ${connections?.count} connections`,
  });
}

/** One machine writes; how long after its answer a tool of another one has it. */
async function measureNews([writer, reader]: readonly HomeServer[]): Promise<void> {
  const times: number[] = [];
  for (let count = 0; count < NEWS; count += 1) {
    await writer?.call('create_node', { title: `news ${count}`, content: 'words' });
    const begun = performance.now();
    while ((await reader?.call('get_node', { id: `news-${count}` }).catch(() => null)) === null)
      await new Promise((resolve) => setTimeout(resolve, 2));
    times.push(performance.now() - begun);
  }
  rows.push({
    work: `from one machine's answer until another machine's tool reads the note, ${NEWS} times`,
    measured: `${ms(median(times))} in the median, ${ms(Math.max(...times))} at most`,
  });
}

/** One machine commits while so many others listen, each of which reads every commit; the database's part alone. */
async function measureFollowers(count: number): Promise<void> {
  const url = parseStoreUrl(urlOf(`followed by ${count}`));
  const place = { env: { PGPASSWORD: PASSWORD }, home: '/nonexistent', user: 'writer' };
  const options = (name: string): Parameters<typeof openSharedVault>[1] => ({ ports: testPorts(), machine: name, client: place });
  const writer = await createSharedVault(url, 'bench', options('writer'));
  const others = await Promise.all(Array.from({ length: count }, (_, index) => openSharedVault(url, options(`follower ${index}`))));
  const ended = new AbortController();
  let read = 0;
  for (const vault of others) {
    let seq = 0;
    vault.followers.follow(() => {
      void vault.feed.commitsAfter(seq).then(
        (commits) => {
          read += commits?.length ?? 0;
          seq = commits?.at(-1)?.seq ?? seq;
        },
        () => undefined,
      );
    }, ended.signal);
  }
  const times: number[] = [];
  const end = performance.now() + (SECONDS * 1000) / 2;
  for (let made = 0; performance.now() < end; made += 1) {
    const begun = performance.now();
    await writer.commitUnderLock((turn) => turn.append(commitOf([change(`${made}.md`, null, `${made} `.padEnd(2000, '-'))])));
    times.push(performance.now() - begun);
  }
  ended.abort();
  await Promise.all([writer, ...others].map((vault) => vault.close()));
  rows.push({
    work: `commits of one machine that ${count} others follow, the database's part and theirs in one process`,
    measured: `${Math.round((times.length * 2) / SECONDS)} commits a second`,
    beside: `${ms(median(times))} in the median; ${Math.round((read * 2) / SECONDS)} commits a second read by followers`,
  });
}

/** A vault put into the store and cloned, beside copying its folder; and what a server on it takes. */
async function measureClone(store: Cluster, count: number): Promise<void> {
  await withHomes({ count: 2, password: PASSWORD }, async (one, two) => {
    if (one === undefined || two === undefined) return;
    const [from, to] = [one.folder('notes'), two.folder('notes')];
    makeVault(from.root, count);
    const size = await storeBytes(store);
    const shareMs = await timed(() => roux(one, 'share', urlOf(`clones${count}`), 'notes'));
    const taken = (await storeBytes(store)) - size;
    const cloneMs = await timed(() => roux(two, 'clone', urlOf(`clones${count}`), 'notes'));
    const copyMs = await timed(async () => void spawnSync('cp', ['-r', from.root, `${to.root}-copied`]));
    const server = await openHttpServer(two, ['notes']);
    const { now } = residentOf(server.pid);
    await server.stop();
    rows.push(
      { work: `${count} notes cloned`, measured: ms(cloneMs), beside: `cp -r ${ms(copyMs)}; put into the store ${ms(shareMs)}` },
      { work: `${count} notes in the store`, measured: megabytes(taken), beside: 'tables and indexes, feed included' },
      { work: `a server on a copy of ${count} notes, once it is ready`, measured: `${Math.round(now)} MB resident` },
    );
  });
}

async function storeBytes(store: Cluster): Promise<number> {
  const [row] = await store.sql<{ size: string }>("SELECT pg_database_size('team') AS size");
  return Number(row?.size);
}

async function timed(task: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await task();
  return performance.now() - begun;
}

async function roux(home: Home | undefined, ...args: readonly string[]): Promise<void> {
  const done = await home?.run(args);
  if (done?.status !== 0) throw new Error(`roux ${args[0]}: ${done?.stderr}`);
}

function readArguments(args: readonly string[]): { readonly only: readonly string[]; readonly notes: number } {
  const after = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  return { only: (after('--only') ?? 'writes,news,followers,clones').split(','), notes: Number(after('--notes') ?? 10_000) };
}
