import { RouxError } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import type { BlobStore, CommitFeed, SharedVault } from '../shared-vault.ts';
import { readBlob, readBlobs, uploadBlobs } from './blobs.ts';
import type { LargeContents } from './blobs.ts';
import { decide } from './decide.ts';
import { readCommits, readFilesAt, readListing } from './feed.ts';
import { openFollowing, readFollowers } from './follow.ts';
import { openOutcomes } from './outcome.ts';
import { prune } from './prune.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { openConnections } from './session/connections.ts';
import { cancelled } from './store-error.ts';
import { feedState, readState } from './vault-row.ts';
import type { StateRow, VaultRow } from './vault-row.ts';

interface DatabaseVaultOptions {
  readonly vault: VaultRow;
  readonly isReadOnly: boolean;
  readonly isIncomplete: boolean;
  readonly machine: string;
  readonly maxFileBytes: number;
  readonly ports: Pick<Ports, 'log' | 'random'>;
  /** A new connection under a name that others see. */
  readonly connect: (name: string, signal: AbortSignal | undefined) => Promise<Session>;
}

/** Besides the one that decides and the one that listens. */
const READERS = 3;

/** A vault in PostgreSQL. Connects when it is asked something. */
export function openDatabaseVault(options: DatabaseVaultOptions): SharedVault {
  const { vault, isReadOnly, isIncomplete, machine, maxFileBytes, ports, connect } = options;
  const { place, name } = vault;
  const { random, log } = ports;
  const closing = new AbortController();
  const until = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);

  /** The same row in another database, after a restore or a change of servers, may be another vault. */
  async function open(as: string, signal: AbortSignal | undefined): Promise<Session> {
    const session = await connect(as, until(signal));
    try {
      const [row] = await session.connection.query<StateRow>({
        text: 'SELECT seq, kept_after, format FROM roux.vault WHERE id = $1 AND ulid = $2',
        values: [vault.id, vault.ulid],
      });
      feedState(row, vault);
      return session;
    } catch (error) {
      session.connection.destroy();
      throw error;
    }
  }

  const writers = openConnections((signal) => open('roux', signal), 1);
  const readers = openConnections((signal) => open('roux', signal), READERS);
  const leftBehind = new Set<Session>();
  const outcomes = openOutcomes({ vault, open: (signal) => open('roux', signal), random, log });
  const following = openFollowing({ vault, open, machine, random, log });

  const ask = <T>(question: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> =>
    readers.use(question, until(signal));
  const large: LargeContents = { maxBytes: maxFileBytes, last: Promise.resolve() };
  /** All that are large wait for one another, whatever is the most for one. */
  const limited = ({ maxBytes = maxFileBytes }: { readonly maxBytes?: number }): LargeContents => ({
    maxBytes: Math.min(maxBytes, maxFileBytes),
    get last() {
      return large.last;
    },
    set last(next) {
      large.last = next;
    },
  });
  const mayWrite = (): void => {
    if (!isReadOnly) return;
    throw new RouxError('READ_ONLY', `The vault ${JSON.stringify(name)} at ${place.address} may only be read with this role or server.`);
  };

  const feed: CommitFeed = {
    head: async () => (await ask((connection) => readState(connection, vault))).seq,
    commitsAfter: (seq, limit, how) => ask((connection) => readCommits(connection, vault, seq, limit, how)),
    listing: () => ask((connection) => readListing(connection, vault)),
    filesAt: (seq) => ask((connection) => readFilesAt(connection, vault, seq)),
    async findOutcome(batch, signal) {
      mayWrite();
      if (until(signal).aborted) throw cancelled();
      return outcomes.outcomeOf(batch, { signal: until(signal) });
    },
  };

  const blobs: BlobStore = {
    maxBytes: maxFileBytes,
    get: (hash, how = {}) => readBlob(ask, vault.id, hash, limited(how)),
    getAll: (hashes, { onTooLarge, ...how } = {}) =>
      readBlobs(ask, vault.id, hashes, { large: limited(how), ...(onTooLarge === undefined ? {} : { onTooLarge }) }),
    async upload(given, signal) {
      mayWrite();
      await uploadBlobs((question) => ask(question, signal), vault.id, given);
    },
  };

  return {
    id: vault.ulid,
    name,
    address: place.address,
    isReadOnly,
    isIncomplete,
    feed,
    blobs,
    followers: {
      follow: (onNotice, signal) => following.follow(onNotice, until(signal)),
      reportCheckpoint: (seq) => following.standAt(seq),
      list: () => ask((connection) => readFollowers(connection, vault)),
    },
    async commitUnderLock(run, options = {}) {
      mayWrite();
      return decide({ vault, writers, outcomes, leftBehind, closing: closing.signal }, run, options);
    },
    async markComplete() {
      mayWrite();
      await ask(async (connection) => {
        // PostgreSQL does not know yet that the tables are large. A role without the right to analyze them only gets a warning.
        await connection.run('ANALYZE roux.blob, roux.file, roux.batch, roux.change', { withinMs: 300_000 });
        await connection.query({ text: 'UPDATE roux.vault SET is_filling = false WHERE id = $1', values: [vault.id] });
      });
    },
    async prune(options = {}) {
      mayWrite();
      return ask((connection) => prune(connection, vault, options));
    },
    async close() {
      closing.abort();
      await Promise.all([writers.close(), readers.close()]);
    },
  };
}
