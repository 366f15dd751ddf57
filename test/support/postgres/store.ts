import { createHash } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { NewCommit, SharedChange, SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { createSharedVault, openSharedVault } from '../../../src/store/shared/database/open-shared-vault.ts';
import type { ClientPlace } from '../../../src/store/shared/database/settings/client-files.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { testPorts } from '../test-ports.ts';
import { startCluster } from './cluster.ts';
import type { Cluster, ClusterOptions } from './cluster.ts';
import { postgresPrograms } from './programs.ts';

/** Whether there is a PostgreSQL to test with; without one, tests that need it are skipped. */
export const hasPostgres = postgresPrograms !== null;

/** A machine of nobody's, with nothing in its home. */
export const nowhere: ClientPlace = { env: {}, home: '/nonexistent', user: 'nobody' };

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
  readonly place?: ClientPlace;
  readonly log?: string[];
}

/** The password of the role `writer`, which may do everything in the database `team`. */
export const PASSWORD = 'a-s3cret:of/us@all?';

/** Starts a PostgreSQL for a test file, and stops it at its end. */
export function useStore(options: ClusterOptions = {}): TestStore {
  let cluster: Cluster | null = null;
  const opened: SharedVault[] = [];
  const running = (): Cluster => {
    if (cluster === null) throw new Error('The store is there in tests only.');
    return cluster;
  };

  beforeAll(async () => {
    if (!hasPostgres) return;
    cluster = await startCluster(options);
    await cluster.sql(`CREATE ROLE writer LOGIN PASSWORD '${PASSWORD}'`);
    await cluster.sql('CREATE DATABASE team OWNER writer');
  });
  afterAll(async () => {
    await Promise.all(opened.map((vault) => vault.close()));
    await cluster?.remove();
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
      const settings = { ports, machine: how.machine ?? 'a', place: how.place ?? nowhere };
      const there = how.user === undefined ? await createSharedVault(parsed, 'the same maker', settings) : null;
      const found = there ?? (await openSharedVault(parsed, settings));
      opened.push(found);
      return found;
    },
  };
}

const ports = testPorts();

/** A commit of changes, with the contents that it needs. */
export function commitOf(changes: readonly Change[], rest: Partial<NewCommit> = {}): NewCommit {
  return {
    batch: ports.newId(),
    agent: 'tester',
    machine: 'a',
    operation: 'update_node',
    at: '2026-01-05T12:00:00.000Z',
    changes: changes.map(({ op, path, oldPath, before, hash, size, event }) => ({ op, path, oldPath, before, hash, size, event })),
    blobs: new Map(changes.flatMap(({ text, hash }) => (text === null || hash === null ? [] : [[hash, Buffer.from(text)]]))),
    ...rest,
  };
}

/** A change with the new text of its file. */
export type Change = SharedChange & { readonly text: string | Uint8Array | null };

/** A change by what it does: the texts before and after, null where there is no file. */
export function change(path: string, before: string | null, text: string | Uint8Array | null, oldPath: string | null = null): Change {
  const op = oldPath !== null ? 'rename' : before === null ? 'create' : text === null ? 'delete' : 'update';
  return {
    op,
    path,
    oldPath,
    before: before === null ? null : sha(before),
    hash: text === null ? null : sha(text),
    size: text === null ? 0 : Buffer.byteLength(text),
    event: { op, path },
    text,
  };
}

/** Writes in a turn of its own, and gives the commit's number. */
export function write(vault: SharedVault, changes: readonly Change[], rest: Partial<NewCommit> = {}): Promise<number> {
  return vault.decide((turn) => turn.append(commitOf(changes, rest)));
}

export function sha(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The hash by path of every file. */
export async function filesOf(vault: SharedVault): Promise<Readonly<Record<string, string>>> {
  const { files } = await vault.listing();
  return Object.fromEntries(files.map(({ path, hash }): [string, string] => [path, hash]).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the whole feed comes to, applied from the start. */
export async function replay(vault: SharedVault): Promise<Readonly<Record<string, string>>> {
  const files = new Map<string, string>();
  for (let seq = 0; ;) {
    const commits = await vault.commitsAfter(seq);
    if (commits === null) throw new Error('The feed does not begin at the start.');
    for (const { changes } of commits) {
      for (const { op, path, oldPath } of changes) if (op !== 'create') files.delete(oldPath ?? path);
      for (const { path, hash } of changes) if (hash !== null) files.set(path, hash);
    }
    if (commits.length === 0) break;
    seq = commits.at(-1)?.seq ?? seq;
  }
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
