import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { createSharedVault, openSharedVault } from '../../../src/store/shared/database/open-shared-vault.ts';
import type { ClientEnvironment } from '../../../src/store/shared/database/settings/client-files.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { testPorts } from '../test-ports.ts';
import { startCluster } from './cluster.ts';
import type { Cluster, ClusterOptions } from './cluster.ts';
import { postgresPrograms } from './programs.ts';

/** Whether there is a PostgreSQL to test with; without one, tests that need it are skipped. */
export const hasPostgres = postgresPrograms !== null;

/** A machine of nobody's, with nothing in its home. */
export const nowhere: ClientEnvironment = { env: {}, home: '/nonexistent', user: 'nobody' };

/** The store of a test file, and vaults in it. */
export interface TestStore {
  readonly cluster: Cluster;
  /** The URL of a vault, over TCP as the role `writer`, or otherwise. */
  url(vault: string, options?: UrlOptions): string;
  /** Opens a vault, which is made and filled when it is not there; closed at the end of the file. */
  open(vault: string, options?: UrlOptions & OpenOptions): Promise<SharedVault>;
}

export interface UrlOptions {
  readonly user?: string;
  readonly password?: string | null;
  readonly port?: number;
  /** `?sslmode=disable` without it: a proxy reads along. */
  readonly query?: string;
  readonly database?: string;
}

interface OpenOptions {
  readonly machine?: string;
  readonly place?: ClientEnvironment;
  readonly log?: string[];
}

/** The password of the role `writer`, which may do everything in the database `team`. */
export const PASSWORD = 'a-s3cret:of/us@all?';

/** Takes away what tests have made: settings, databases, roles, and what is in the database `team`. */
async function empty(cluster: Cluster): Promise<void> {
  // Again where a test has failed while it was stopped.
  await cluster.start();
  await cluster.sql('ALTER SYSTEM RESET ALL');
  await cluster.sql('SELECT pg_reload_conf()');
  const named = async (names: string): Promise<readonly string[]> =>
    (await cluster.sql<{ name: string }>(`SELECT quote_ident(${names}`)).map(({ name }) => name);
  for (const name of await named(`datname) AS name FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'`))
    await cluster.sql(`DROP DATABASE ${name} WITH (FORCE)`);
  for (const name of await named(`rolname) AS name FROM pg_roles WHERE rolname <> 'admin' AND rolname !~ '^pg_'`))
    await cluster.sql(`DROP ROLE ${name}`);
}

/** What every test file finds. */
async function prepare(cluster: Cluster): Promise<void> {
  await cluster.sql(`CREATE ROLE writer LOGIN PASSWORD '${PASSWORD}'`);
  await cluster.sql('CREATE DATABASE team OWNER writer');
}

/** The PostgreSQL of this process that no test file has at the moment: a start takes longer than many a file. It ends with the process. */
let idle: Cluster | null = null;

async function takeIdle(): Promise<Cluster> {
  const found = idle;
  idle = null;
  if (found === null) return startCluster();
  try {
    await empty(found);
    return found;
  } catch {
    await found.remove();
    return startCluster();
  }
}

/** Gives a test file a PostgreSQL with nothing in it: one of its own where it is set up otherwise than most, or has a copy. */
export function useStore(options?: ClusterOptions): TestStore {
  let cluster: Cluster | null = null;
  const opened: SharedVault[] = [];
  const running = (): Cluster => {
    if (cluster === null) throw new Error('The store is there in tests only.');
    return cluster;
  };

  beforeAll(async () => {
    if (!hasPostgres) return;
    cluster = options === undefined ? await takeIdle() : await startCluster(options);
    await prepare(cluster);
  });
  afterAll(async () => {
    await Promise.all(opened.map((vault) => vault.close()));
    if (options === undefined && idle === null) idle = cluster;
    else await cluster?.remove();
  });

  // Mutation testing runs each test many times in one process: each begins with an empty store then.
  if (process.env['MUTANTS_WORK'] !== undefined)
    beforeEach(async () => {
      await Promise.all(opened.splice(0).map((vault) => vault.close()));
      if (cluster === null) return;
      await empty(cluster);
      await prepare(cluster);
    });

  const url: TestStore['url'] = (
    vault,
    { user = 'writer', password = PASSWORD, port, query = '?sslmode=disable', database = 'team' } = {},
  ) => {
    const secret = password === null ? '' : `:${encodeURIComponent(password)}`;
    return `postgres://${user}${secret}@127.0.0.1:${port ?? running().port}/${database}/${encodeURIComponent(vault)}${query}`;
  };
  return {
    get cluster() {
      return running();
    },
    url,
    async open(vault, how = {}) {
      const ports = testPorts(how.log);
      const parsed = parseStoreUrl(url(vault, how));
      const settings = { ports, machine: how.machine ?? 'a', client: how.place ?? nowhere };
      const there = how.user === undefined ? await createSharedVault(parsed, 'the same maker', settings) : null;
      const found = there ?? (await openSharedVault(parsed, settings));
      opened.push(found);
      return found;
    },
  };
}
