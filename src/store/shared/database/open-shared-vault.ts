import { RouxError } from '../../../errors.ts';
import type { Ports } from '../../../ports.ts';
import { MAX_FILE_BYTES } from '../shared-vault.ts';
import type { SharedVault } from '../shared-vault.ts';
import { checkVaultName } from '../store-url.ts';
import type { StoreUrl } from '../store-url.ts';
import { openDatabaseVault } from './database-vault.ts';
import { FORMAT, readFormat, migrate, checkFormat } from './migrate.ts';
import { connect } from './session/connect.ts';
import type { Session } from './session/connect.ts';
import type { Connection } from './session/connection.ts';
import { readClientEnvironment } from './settings/client-files.ts';
import type { ClientEnvironment } from './settings/client-files.ts';
import { readConnectionSettings } from './settings/connection-settings.ts';
import type { ConnectionSettings } from './settings/connection-settings.ts';
import { noRightError, noVaultsError } from './store-error.ts';

export interface StoreOptions {
  readonly ports: Pick<Ports, 'log' | 'random' | 'newId'>;
  /** The name of this machine, which other machines see. */
  readonly machine: string;
  /** The most bytes of a file that is uploaded or downloaded (`MAX_FILE_BYTES`). */
  readonly maxFileBytes?: number;
  /** Where PostgreSQL's clients look for what a URL leaves out (the environment of this process). */
  readonly client?: ClientEnvironment;
  readonly signal?: AbortSignal;
}

/** A vault in the list of a store. */
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
 * Opens a vault of a store. Rejects with `STORE_UNAVAILABLE` (retryable) if the store cannot be reached, `VAULT_NOT_FOUND` if it has no such
 * vault, `FORBIDDEN` for a wrong password or a role without any right, `INVALID_CONFIG` for settings that cannot be met and for a store that a
 * newer roux has changed.
 */
export async function openSharedVault(url: StoreUrl, options: StoreOptions): Promise<SharedVault> {
  return withSession(url, options, async (session, settings) => {
    const { connection } = session;
    const isReader = await checkRights(connection, settings);
    const name = vaultName(url, settings);
    const found = await findVault(connection, name);
    if (found === null) {
      const message = `The store ${settings.address} has no vault ${JSON.stringify(name)}. "roux share" creates it from a folder.`;
      throw new RouxError('VAULT_NOT_FOUND', message, { vault: name });
    }
    return toSharedVault({ name, found, settings, session, isReader }, options);
  });
}

/**
 * Creates a vault in a store, and the tables of the store if there are none. `maker` is a token that the caller has saved before: if a vault of
 * that name was created with the same token it is opened, so that a share can go on after a crash. Rejects as `openSharedVault` does, and with
 * `CONFLICT` if another vault has the name.
 */
export async function createSharedVault(url: StoreUrl, maker: string, options: StoreOptions): Promise<SharedVault> {
  return withSession(url, options, async (session, settings) => {
    const { connection } = session;
    const name = vaultName(url, settings);
    checkVaultName(name);
    await migrate(connection, settings);
    if (await checkRights(connection, settings)) throw noRightError(settings, 'permission denied to write');
    await connection.query({
      text: 'INSERT INTO roux.vault (ulid, name, maker, format) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING',
      values: [options.ports.newId(), name, maker, FORMAT],
    });
    const found = await findVault(connection, name);
    if (found === null || found.maker !== maker) {
      const message = `The store ${settings.address} has a vault ${JSON.stringify(name)} already. Follow it with "roux clone", or choose another name.`;
      throw new RouxError('CONFLICT', message, { vault: name });
    }
    return toSharedVault({ name, found, settings, session, isReader: false }, options);
  });
}

/** Lists the vaults of a store by name; none if it has no tables. */
export async function listSharedVaults(url: StoreUrl, options: StoreOptions): Promise<readonly StoredVault[]> {
  return withSession(url, options, async ({ connection }, settings) => {
    const format = await readFormat(connection);
    checkFormat(format, settings);
    if (format === 0) return [];
    const { rows } = await connection.run<{ name: string; ulid: string; is_filling: boolean; seq: string }>(
      'SELECT name, ulid, is_filling, seq FROM roux.vault ORDER BY name',
    );
    return rows.map(({ name, ulid, is_filling: isIncomplete, seq }) => ({ name, id: ulid, isIncomplete, seq: Number(seq) }));
  });
}

/** Runs a task on a new connection, which is closed afterwards. */
async function withSession<T>(
  url: StoreUrl,
  { ports, client = readClientEnvironment(), signal }: StoreOptions,
  task: (session: Session, settings: ConnectionSettings) => Promise<T>,
): Promise<T> {
  const settings = readConnectionSettings(url, client, ports.random);
  const session = await connect(settings, 'roux', signal);
  try {
    return await task(session, settings);
  } finally {
    await session.connection.close();
  }
}

/** Returns the name of the vault; if the URL has none, that of the database. */
function vaultName(url: StoreUrl, settings: ConnectionSettings): string {
  return (url.vault ?? settings.database).normalize('NFC');
}

async function findVault(connection: Connection, name: string): Promise<VaultColumns | null> {
  const [found] = await connection.query<VaultColumns>({
    text: 'SELECT id, ulid, maker, is_filling FROM roux.vault WHERE name = $1',
    values: [name],
  });
  return found ?? null;
}

/** Returns whether the role may only read; throws `FORBIDDEN` if it may not even do that. Migrates older tables if it may. */
async function checkRights(connection: Connection, settings: ConnectionSettings): Promise<boolean> {
  const format = await readFormat(connection);
  if (format === 0) throw noVaultsError(settings);
  checkFormat(format, settings);
  if (format < FORMAT) {
    // Format 1 has everything but vectors, which a machine that may not change the tables does without.
    await migrate(connection, settings).catch((error: unknown) => {
      if (connection.isLost) throw error;
    });
  }
  const {
    rows: [rights],
  } = await connection.run<{ reads: boolean; writes: boolean }>(
    `SELECT bool_and(has_table_privilege(oid, 'SELECT')) AS reads,
        bool_and(has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) AS writes
      FROM pg_class WHERE relnamespace = to_regnamespace('roux') AND relname IN ('vault', 'blob', 'file', 'batch', 'change')`,
  );
  if (rights?.reads !== true) throw noRightError(settings, 'permission denied to read');
  return !rights.writes;
}

interface OpenedVault {
  readonly name: string;
  readonly found: VaultColumns;
  readonly settings: ConnectionSettings;
  readonly session: Session;
  /** The role may only read. */
  readonly isReader: boolean;
}

function toSharedVault(
  { name, found, settings, session, isReader }: OpenedVault,
  { ports, machine, maxFileBytes = MAX_FILE_BYTES }: StoreOptions,
): SharedVault {
  return openDatabaseVault({
    vault: { id: found.id, ulid: found.ulid, name, store: settings },
    isReadOnly: isReader || session.isReadOnly,
    isIncomplete: found.is_filling,
    machine,
    maxFileBytes,
    ports,
    connect: (as, signal) => connect(settings, as, signal),
  });
}
