import { RouxError } from '../../../errors.ts';
import { refuseNewer } from './migrate.ts';
import type { Connection } from './session/connection.ts';
import type { Place } from './store-error.ts';

/** A vault's row, as it is known once it is opened. */
export interface VaultRow {
  readonly id: number;
  /** The vault's id for everybody else. */
  readonly ulid: string;
  readonly name: string;
  readonly place: Place;
}

/** What those that follow a vault listen to. */
export function channelOf(vault: VaultRow): string {
  return `roux_${vault.id}`;
}

/** What the vault's row says of the feed. */
export interface FeedState {
  readonly seq: number;
  /** The feed has every commit after this one. */
  readonly keptAfter: number;
}

export interface StateRow {
  readonly seq: string;
  readonly kept_after: string;
  readonly format: number;
}

/** `VAULT_NOT_FOUND` once the vault was removed, `INVALID_CONFIG` once its format is newer than this program. */
export function feedState(row: StateRow | undefined, { name, place }: VaultRow): FeedState {
  if (row === undefined) {
    throw new RouxError('VAULT_NOT_FOUND', `The vault ${JSON.stringify(name)} is no longer in the store ${place.address}.`);
  }
  refuseNewer(row.format, place);
  return { seq: Number(row.seq), keptAfter: Number(row.kept_after) };
}

/** Takes the vault's row until the transaction ends. Others may refer to the vault meanwhile (`NO KEY`): contents come in beside it. */
export function lockStatement(vault: VaultRow): string {
  return `SELECT seq, kept_after, format FROM roux.vault WHERE id = ${vault.id} FOR NO KEY UPDATE`;
}

export async function readState(connection: Connection, vault: VaultRow): Promise<FeedState> {
  const [row] = await connection.query<StateRow>({
    name: 'state',
    text: 'SELECT seq, kept_after, format FROM roux.vault WHERE id = $1',
    values: [vault.id],
  });
  return feedState(row, vault);
}
