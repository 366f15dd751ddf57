import { RouxError } from '../../../errors.ts';
import { MAX_FILE_BYTES } from '../shared-vault.ts';
import type { LockedVault } from '../shared-vault.ts';
import { appendCommit, findKey } from './append.ts';
import { readBlob } from './blobs.ts';
import { readCommits, readFiles } from './feed.ts';
import type { Connection } from './session/connection.ts';
import type { VaultRow } from './vault-row.ts';

/** A turn as `decide` has it. */
export interface OpenTurn extends LockedVault {
  /** The ids of what was appended. */
  readonly batches: readonly string[];
  /** Waits for what is under way, and refuses the rest. Rejects with what broke the transaction, although somebody may have caught it. */
  end(): Promise<void>;
}

/** What is refused before anything is written leaves the transaction as it was. */
const REFUSALS: ReadonlySet<string> = new Set(['CONFLICT', 'NODE_EXISTS', 'NOT_FOUND', 'INVALID_ENCODING']);

/** A turn on a connection that has the vault's row. What is asked of it runs one after the other. */
export function openTurn(connection: Connection, vault: VaultRow, begun: number): OpenTurn {
  const batches: string[] = [];
  let seq = begun;
  let queue: Promise<unknown> = Promise.resolve();
  let failure: unknown = null;
  let isOver = false;

  function ask<T>(question: () => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(new Error('The turn is over.'));
    const answer = queue.then(question);
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
    commitsAfter: (after, limit, how) => ask(() => readCommits(connection, vault, after, limit, how)),
    findFiles: (paths) => ask(() => readFiles(connection, vault, [...paths])),
    findKey: (key) => ask(() => findKey(connection, vault, key)),
    getBlob: (hash) =>
      ask(() => readBlob((question) => question(connection), vault.id, hash, { maxBytes: MAX_FILE_BYTES, last: Promise.resolve() })),
    append: (commit) =>
      ask(async () => {
        seq = await appendCommit(connection, vault, seq, commit);
        batches.push(commit.batch);
        return seq;
      }),
    async end() {
      isOver = true;
      await queue;
      if (failure !== null) throw failure;
    },
  };
}
