import { RouxError } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import type { BlobStore, CommitFeed, SharedVault } from '../shared-vault.ts';
import { readBlob, readBlobs, uploadBlobs } from './blobs.ts';
import type { BlobLimits } from './blobs.ts';
import { commitUnderLock } from './commit-under-lock.ts';
import { readCommits, readFilesAt, readListing } from './feed.ts';
import { createFollowing, listFollowers } from './followers.ts';
import { createOutcomes } from './outcomes.ts';
import { prune } from './prune.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { openConnectionPool } from './session/connection-pool.ts';
import { cancelledError } from './store-error.ts';
import { createSharedVectors } from './vectors.ts';
import { markComplete, readFeedState, toFeedState } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

interface DatabaseVaultOptions {
  readonly vault: VaultRow;
  readonly isReadOnly: boolean;
  readonly isIncomplete: boolean;
  readonly machine: string;
  readonly maxFileBytes: number;
  readonly ports: Pick<Ports, 'log' | 'random'>;
  /** Opens a connection under a name that other machines see. */
  readonly connect: (name: string, signal: AbortSignal | undefined) => Promise<Session>;
}

/** Beside the connection that commits and the one that listens. */
const MAX_READERS = 3;

/** Opens a vault in PostgreSQL. Connects when it is first used. */
export function openDatabaseVault(options: DatabaseVaultOptions): SharedVault {
  const { vault, isReadOnly, isIncomplete, machine, maxFileBytes, ports, connect } = options;
  const { store, name } = vault;
  const { random, log } = ports;
  const closing = new AbortController();
  const untilClosed = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);

  /** Connects, and checks the vault: after a restore or on another server, the same row may be another vault. */
  async function open(as: string, signal: AbortSignal | undefined): Promise<Session> {
    const session = await connect(as, untilClosed(signal));
    try {
      const [row] = await session.connection.query<StateRow>({
        text: 'SELECT seq, kept_after, format FROM roux.vault WHERE id = $1 AND ulid = $2',
        values: [vault.id, vault.ulid],
      });
      toFeedState(row, vault);
      return session;
    } catch (error) {
      session.connection.destroy();
      throw error;
    }
  }

  const writers = openConnectionPool((signal) => open('roux', signal), 1);
  const readers = openConnectionPool((signal) => open('roux', signal), MAX_READERS);
  const lostSessions = new Set<Session>();
  const outcomes = createOutcomes({ vault, open: (signal) => open('roux', signal), random, log });
  const following = createFollowing({ vault, open, machine, random, log });

  const read = <T>(query: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> =>
    readers.use(query, untilClosed(signal));
  /** Large contents wait for each other, whatever the limit of each call is. */
  const queue = { last: Promise.resolve() };
  const limitsOf = ({ maxBytes = maxFileBytes }): BlobLimits => ({ maxBytes: Math.min(maxBytes, maxFileBytes), queue });
  const checkWritable = (): void => {
    if (!isReadOnly) return;
    const message = `The vault ${JSON.stringify(name)} at ${store.address} may only be read with this role or server.`;
    throw new RouxError('READ_ONLY', message);
  };

  const feed: CommitFeed = {
    head: async () => (await read((connection) => readFeedState(connection, vault))).seq,
    commitsAfter: (seq, limit, how) => read((connection) => readCommits(connection, vault, seq, limit, how)),
    listing: () => read((connection) => readListing(connection, vault)),
    filesAt: (seq) => read((connection) => readFilesAt(connection, vault, seq)),
    async findOutcome(batch, signal) {
      checkWritable();
      if (untilClosed(signal).aborted) throw cancelledError();
      return outcomes.find(batch, { signal: untilClosed(signal) });
    },
  };

  const blobs: BlobStore = {
    maxBytes: maxFileBytes,
    get: (hash, how = {}) => readBlob(read, vault.id, hash, limitsOf(how)),
    getAll: (hashes, { onTooLarge, ...how } = {}) =>
      readBlobs(read, vault.id, hashes, { limits: limitsOf(how), ...(onTooLarge === undefined ? {} : { onTooLarge }) }),
    async upload(given, signal) {
      checkWritable();
      await uploadBlobs((query) => read(query, signal), vault.id, given);
    },
  };

  return {
    id: vault.ulid,
    name,
    address: store.address,
    isReadOnly,
    isIncomplete,
    feed,
    blobs,
    followers: {
      follow: (onNotice, signal) => following.follow(onNotice, untilClosed(signal)),
      reportCheckpoint: (seq) => following.reportCheckpoint(seq),
      list: () => read((connection) => listFollowers(connection, vault)),
    },
    vectors: createSharedVectors({ vault, isReadOnly, run: read, checkWritable }),
    async commitUnderLock(run, how = {}) {
      checkWritable();
      return commitUnderLock({ vault, writers, outcomes, lostSessions, closing: closing.signal }, run, how);
    },
    async markComplete() {
      checkWritable();
      await read((connection) => markComplete(connection, vault));
    },
    async prune(how = {}) {
      checkWritable();
      return read((connection) => prune(connection, vault, how));
    },
    async close() {
      closing.abort();
      await Promise.all([writers.close(), readers.close()]);
    },
  };
}
