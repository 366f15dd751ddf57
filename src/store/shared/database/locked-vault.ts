import { RouxError } from '../../../errors.ts';
import { MAX_FILE_BYTES } from '../shared-vault.ts';
import type { LockedVault } from '../shared-vault.ts';
import { appendCommit, findKey } from './append.ts';
import { readBlob } from './blobs.ts';
import { readCommits, findFiles } from './feed.ts';
import type { Connection } from './session/connection.ts';
import type { VaultRow } from './vault-row.ts';

/** A locked vault, for the code that holds the lock. */
export interface OpenLockedVault extends LockedVault {
  /** The ids of the appended commits. */
  readonly batches: readonly string[];
  /** Waits for running queries and rejects further ones. Rejects with an error that broke the transaction, even if the callback caught it. */
  end(): Promise<void>;
}

/** Errors that are thrown before anything is written, and leave the transaction intact. */
const REFUSALS: ReadonlySet<string> = new Set(['CONFLICT', 'NODE_EXISTS', 'NOT_FOUND', 'INVALID_ENCODING']);

/** Opens a vault on a connection whose transaction holds its row. Queries run one after the other. `lockedSeq`: the last commit. */
export function openLockedVault(connection: Connection, vault: VaultRow, lockedSeq: number): OpenLockedVault {
  const batches: string[] = [];
  let seq = lockedSeq;
  let queue: Promise<unknown> = Promise.resolve();
  let failure: unknown = null;
  let hasEnded = false;

  function enqueue<T>(query: () => Promise<T>): Promise<T> {
    if (hasEnded) return Promise.reject(new Error('The lock of the vault is released.'));
    const answer = queue.then(query);
    queue = answer.catch((error: unknown) => {
      if (!(error instanceof RouxError && REFUSALS.has(error.code))) failure ??= error;
    });
    return answer;
  }

  return {
    get seq() {
      return seq;
    },
    batches,
    commitsAfter: (after, limit, how) => enqueue(() => readCommits(connection, vault, after, limit, how)),
    findFiles: (paths) => enqueue(() => findFiles(connection, vault, [...paths])),
    findKey: (key) => enqueue(() => findKey(connection, vault, key)),
    getBlob: (hash) =>
      enqueue(() =>
        readBlob((query) => query(connection), vault.id, hash, { maxBytes: MAX_FILE_BYTES, queue: { last: Promise.resolve() } }),
      ),
    append: (commit) =>
      enqueue(async () => {
        seq = await appendCommit(connection, vault, seq, commit);
        batches.push(commit.batch);
        return seq;
      }),
    async end() {
      hasEnded = true;
      await queue;
      if (failure !== null) throw failure;
    },
  };
}
