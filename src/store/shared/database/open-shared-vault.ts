import { RouxError } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import { MAX_FILE_BYTES } from '../shared-vault.ts';
import type { SharedVault } from '../shared-vault.ts';
import { checkVaultName } from '../store-url.ts';
import type { StoreUrl } from '../store-url.ts';
import { openDatabaseVault } from './database-vault.ts';
import { FORMAT, formatOf, migrate, refuseNewer } from './migrate.ts';
import { connect } from './session/connect.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { ownClientPlace } from './settings/client-files.ts';
import type { ClientPlace } from './settings/client-files.ts';
import { readConnectionSettings } from './settings/connection-settings.ts';
import type { ConnectionSettings } from './settings/connection-settings.ts';
import { noRight, noVaults } from './store-error.ts';

export interface StoreOptions {
  readonly ports: Pick<Ports, 'log' | 'random' | 'newId'>;
  /** What the others see of this machine: a name for people. */
  readonly machine: string;
  /** The most bytes that a file may have on its way here or from here; `MAX_FILE_BYTES` without it. */
  readonly maxFileBytes?: number;
  /** Where PostgreSQL's clients look for what a URL leaves out; this process's, without it. */
  readonly place?: ClientPlace;
  readonly signal?: AbortSignal;
}

/** A vault as a list has it. */
export interface StoredVault {
  readonly name: string;
  readonly id: string;
  readonly isIncomplete: boolean;
  readonly seq: number;
}

interface VaultColumns {
  readonly id: number;
  readonly ulid: string;
  readonly maker: string;
  readonly is_filling: boolean;
}

/**
 * Opens a vault of a store. Rejects with `STORE_UNAVAILABLE` (retryable) when the store cannot be reached now, `VAULT_NOT_FOUND` when
 * it has no such vault, `FORBIDDEN` for a wrong password or a role without any right, `INVALID_CONFIG` for settings that cannot be
 * honoured and for a store that a newer roux has changed.
 */
export async function openSharedVault(url: StoreUrl, options: StoreOptions): Promise<SharedVault> {
  return withSession(url, options, async (session, settings) => {
    const { connection } = session;
    const isReader = await checkRights(connection, settings);
    const name = nameOf(url, settings);
    const found = await findVault(connection, name);
    if (found === null) {
      const message = `The store ${settings.address} has no vault ${JSON.stringify(name)}; "roux share" puts a folder in under that name.`;
      throw new RouxError('VAULT_NOT_FOUND', message, { vault: name });
    }
    return openFound({ name, found, settings, session, isReader }, options);
  });
}

/**
 * Makes a vault in a store, and the store's tables where there are none. `maker` is a token that the caller has kept before: with the
 * same one, the vault that was made with it is given again, however far it came, so that a share which was killed can go on.
 * Rejects as `openSharedVault`, and with `CONFLICT` when the name is another vault's.
 */
export async function createSharedVault(url: StoreUrl, maker: string, options: StoreOptions): Promise<SharedVault> {
  return withSession(url, options, async (session, settings) => {
    const { connection } = session;
    const name = nameOf(url, settings);
    checkVaultName(name);
    await migrate(connection, settings);
    if (await checkRights(connection, settings)) throw noRight(settings, 'permission denied to write');
    await connection.query({
      text: 'INSERT INTO roux.vault (ulid, name, maker, format) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING',
      values: [options.ports.newId(), name, maker, FORMAT],
    });
    const found = await findVault(connection, name);
    if (found === null || found.maker !== maker) {
      const message = `The store ${settings.address} has a vault ${JSON.stringify(name)} already: "roux clone" follows it, another name makes another vault.`;
      throw new RouxError('CONFLICT', message, { vault: name });
    }
    return openFound({ name, found, settings, session, isReader: false }, options);
  });
}

/** The vaults of a store, by name; none where there are no tables. */
export async function listSharedVaults(url: StoreUrl, options: StoreOptions): Promise<readonly StoredVault[]> {
  return withSession(url, options, async ({ connection }, settings) => {
    const format = await formatOf(connection);
    refuseNewer(format, settings);
    if (format === 0) return [];
    const { rows } = await connection.run<{ name: string; ulid: string; is_filling: boolean; seq: string }>(
      'SELECT name, ulid, is_filling, seq FROM roux.vault ORDER BY name',
    );
    return rows.map(({ name, ulid, is_filling: isIncomplete, seq }) => ({ name, id: ulid, isIncomplete, seq: Number(seq) }));
  });
}

/** Runs something on a connection of its own. */
async function withSession<T>(
  url: StoreUrl,
  { ports, place, signal }: StoreOptions,
  task: (session: Session, settings: ConnectionSettings) => Promise<T>,
): Promise<T> {
  const settings = readConnectionSettings(url, place ?? ownClientPlace(), ports.random);
  const session = await connect(settings, 'roux', signal);
  try {
    return await task(session, settings);
  } finally {
    await session.connection.close();
  }
}

/** A vault whose URL names none is called like its database. */
function nameOf(url: StoreUrl, settings: ConnectionSettings): string {
  return (url.vault ?? settings.database).normalize('NFC');
}

async function findVault(connection: Connection, name: string): Promise<VaultColumns | null> {
  const [found] = await connection.query<VaultColumns>({
    text: 'SELECT id, ulid, maker, is_filling FROM roux.vault WHERE name = $1',
    values: [name],
  });
  return found ?? null;
}

/** Whether the role may only read; `FORBIDDEN` when it may not even that. Brings older tables to this program's format, with the right to it. */
async function checkRights(connection: Connection, settings: ConnectionSettings): Promise<boolean> {
  const format = await formatOf(connection);
  if (format === 0) throw noVaults(settings);
  refuseNewer(format, settings);
  if (format < FORMAT) await migrate(connection, settings);
  const {
    rows: [rights],
  } = await connection.run<{ reads: boolean; writes: boolean }>(
    `SELECT bool_and(has_table_privilege(oid, 'SELECT')) AS reads,
        bool_and(has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) AS writes
      FROM pg_class WHERE relnamespace = to_regnamespace('roux') AND relname IN ('vault', 'blob', 'file', 'batch', 'change')`,
  );
  if (rights?.reads !== true) throw noRight(settings, 'permission denied to read');
  return !rights.writes;
}

interface Found {
  readonly name: string;
  readonly found: VaultColumns;
  readonly settings: ConnectionSettings;
  readonly session: Session;
  /** The role may only read. */
  readonly isReader: boolean;
}

function openFound(
  { name, found, settings, session, isReader }: Found,
  { ports, machine, maxFileBytes = MAX_FILE_BYTES }: StoreOptions,
): SharedVault {
  return openDatabaseVault({
    vault: { id: found.id, ulid: found.ulid, name, place: settings },
    isReadOnly: isReader || session.isReadOnly,
    isIncomplete: found.is_filling,
    machine,
    maxFileBytes,
    ports,
    connect: (as, signal) => connect(settings, as, signal),
  });
}
