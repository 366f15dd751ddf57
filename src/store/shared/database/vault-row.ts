import { RouxError } from '../../../errors.ts';
import { checkFormat } from './migrate.ts';
import type { Connection } from './session/connection.ts';
import type { StoreAddress } from './store-error.ts';

/** The row of an open vault. */
export interface VaultRow {
  readonly id: number;
  /** The id of the vault outside of the database. */
  readonly ulid: string;
  readonly name: string;
  readonly store: StoreAddress;
}

/** Returns the notification channel of a vault. */
export function channelOf(vault: VaultRow): string {
  return `roux_${vault.id}`;
}

/** The extent of a feed. */
export interface FeedState {
  readonly seq: number;
  /** The last commit that the feed no longer has; 0 if it has all. */
  readonly prunedSeq: number;
}

export interface StateRow {
  readonly seq: string;
  readonly kept_after: string;
  readonly format: number;
}

/** Converts the row of a vault. Throws `VAULT_NOT_FOUND` if the vault was removed, `INVALID_CONFIG` if its format is newer than this program. */
export function toFeedState(row: StateRow | undefined, { name, store }: VaultRow): FeedState {
  if (row === undefined) {
    throw new RouxError('VAULT_NOT_FOUND', `The vault ${JSON.stringify(name)} is no longer in the store ${store.address}.`);
  }
  checkFormat(row.format, store);
  return { seq: Number(row.seq), prunedSeq: Number(row.kept_after) };
}

/** Locks the row of a vault until the transaction ends. `NO KEY`: contents, which refer to the row, can be inserted meanwhile. */
export function lockStatement(vault: VaultRow): string {
  return `SELECT seq, kept_after, format FROM roux.vault WHERE id = ${vault.id} FOR NO KEY UPDATE`;
}

export async function readFeedState(connection: Connection, vault: VaultRow): Promise<FeedState> {
  const [row] = await connection.query<StateRow>({
    name: 'state',
    text: 'SELECT seq, kept_after, format FROM roux.vault WHERE id = $1',
    values: [vault.id],
  });
  return toFeedState(row, vault);
}

/** Implements `SharedVault.markComplete`. */
export async function markComplete(connection: Connection, vault: VaultRow): Promise<void> {
  // PostgreSQL does not know yet that the tables are large. A role without the right to analyze them only gets a warning.
  await connection.run('ANALYZE roux.blob, roux.file, roux.batch, roux.change', { timeoutMs: 300_000 });
  await connection.query({ text: 'UPDATE roux.vault SET is_filling = false WHERE id = $1', values: [vault.id] });
}
