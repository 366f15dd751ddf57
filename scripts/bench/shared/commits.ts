import { createSharedVault } from '../../../src/store/shared/database/open-shared-vault.ts';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { startCluster } from '../../../test/support/postgres/cluster.ts';
import { change, commitOf } from '../../../test/support/postgres/commits.ts';
import { postgresPrograms } from '../../../test/support/postgres/programs.ts';
import { testPorts } from '../../../test/support/test-ports.ts';
import { machine, median, toTable, type Row } from '../measure/rows.ts';

/** `npx tsx scripts/bench/shared/commits.ts [seconds]`: commits a second on a PostgreSQL that is started for it, with synchronous commits, on loopback. */

const seconds = Number(process.argv[2] ?? 5);
const HUNDRED = 100;
const CLIENTS = [1, 4, 20];
const FILES = 10_000;
const FILES_A_COMMIT = 500;

if (postgresPrograms === null) throw new Error('There is no PostgreSQL on this machine.');
const cluster = await startCluster({ settings: ['max_connections = 300'] });
const rows: Row[] = [];
const place = { env: {}, home: '/nonexistent', user: 'admin' };

/** A machine of its own for each client: a vault has one connection that writes. */
const open = (name: string, client: number): Promise<SharedVault> =>
  createSharedVault(parseStoreUrl(`postgres://admin@127.0.0.1:${cluster.port}/postgres/${name}?sslmode=disable`), 'bench', {
    ports: testPorts(),
    machine: `client ${client}`,
    client: place,
  });

try {
  await cluster.sql("CREATE ROLE bench; ALTER ROLE admin PASSWORD 'x'");
  Object.assign(place.env, { PGPASSWORD: 'x' });
  for (const clients of CLIENTS) {
    await measure(`one vault, ${clients} machines`, clients, async (client) => [await open(`one of ${clients}`, client)]);
  }
  for (const clients of CLIENTS) {
    await measure(`${HUNDRED} vaults, ${clients} machines`, clients, (client) =>
      Promise.all(Array.from({ length: HUNDRED / clients }, (_, index) => open(`${clients}-${client}-${index}`, client))),
    );
  }
  await measureWhole();
  console.log(machine());
  console.log(toTable(rows));
} finally {
  await cluster.remove();
}

/** Puts a folder of notes of 2 KB in, and takes it out again, as sharing and cloning do. */
async function measureWhole(): Promise<void> {
  const vault = await open('whole', 0);
  const begun = performance.now();
  for (let count = 0; count < FILES; count += FILES_A_COMMIT) {
    const some = Array.from({ length: FILES_A_COMMIT }, (_, index) =>
      change(`${count + index}.md`, null, `${count + index} `.padEnd(2000, `${index} `)),
    );
    await vault.commitUnderLock((turn) => turn.append(commitOf(some)));
  }
  const shared = performance.now();
  const { files } = await vault.feed.listing();
  let bytes = 0;
  for await (const blob of vault.blobs.getAll(files.map(({ hash }) => hash))) bytes += blob.bytes.length;
  const cloned = performance.now();
  await vault.close();
  const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
  rows.push({ work: `${FILES.toLocaleString('en')} notes in, ${FILES_A_COMMIT} a commit`, measured: seconds(begun, shared) });
  rows.push({ work: 'all of them out', measured: seconds(shared, cloned), beside: `${(bytes / 1e6).toFixed(0)} MB` });
}

/** Each client commits one changed note at a time, of 2 KB, after it has read the commits of the others, to its vaults in turn. */
async function measure(work: string, clients: number, vaultsOf: (client: number) => Promise<readonly SharedVault[]>): Promise<void> {
  const all = await Promise.all(Array.from({ length: clients }, (_, client) => vaultsOf(client)));
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    all.map(async (vaults, client) => {
      const seen = new Map<SharedVault, number>();
      for (let count = 0; performance.now() < end; count += 1) {
        const vault = vaults[count % vaults.length] as SharedVault;
        const text = `${client} ${count} `.padEnd(2000, `${count} `);
        const begun = performance.now();
        await vault.commitUnderLock(async (turn) => {
          if (turn.seq > (seen.get(vault) ?? 0)) await turn.commitsAfter(seen.get(vault) ?? 0);
          seen.set(vault, await turn.append(commitOf([change(`${client}/${count}.md`, null, text)])));
        });
        times.push(performance.now() - begun);
      }
    }),
  );
  await Promise.all(all.flat().map((vault) => vault.close()));
  const slow = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  rows.push({
    work,
    measured: `${Math.round(times.length / seconds)} commits a second`,
    beside: `${median(times).toFixed(1)} ms in the median, ${slow.toFixed(1)} ms at 99 %`,
  });
}
