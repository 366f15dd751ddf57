import type { ClientConfig } from 'pg';
import { RouxError } from '../../../../errors.ts';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { isSocket } from '../settings/connection-settings.ts';
import type { ConnectionSettings, SessionKind, Server } from '../settings/connection-settings.ts';
import type { TlsAttempt } from '../settings/tls-settings.ts';
import { cancelledError, isRefusedByRule, isTlsFault, toStoreError, unavailableError } from '../store-error.ts';

/** A connection, and the server process behind it. */
export interface Session {
  readonly connection: Connection;
  /** The server takes no writes: it is a standby, or the role or the database is read-only. */
  readonly isReadOnly: boolean;
  /** The server replicates another one. */
  readonly isStandby: boolean;
  /** The server process, which another connection can terminate. */
  readonly backend: { readonly pid: number; readonly since: string };
}

/** Idle time after which TCP probes the connection. */
const KEEPALIVE_MS = 15_000;

/**
 * Settings of a session, as far as the server has them. A machine that is cut off loses the lock of the vault after half a minute (TCP) or a
 * minute (an idle transaction). Names are resolved in `pg_catalog` only. Prepared statements are planned once, as planning them for each commit
 * would take as long as running them; a value on which a good plan depends is part of the text of its statement.
 */
const SESSION_SETTINGS: readonly (readonly [string, string])[] = [
  ['search_path', 'pg_catalog'],
  ['client_encoding', 'UTF8'],
  ['client_min_messages', 'warning'],
  ['TimeZone', 'UTC'],
  ['jit', 'off'],
  ['plan_cache_mode', 'force_generic_plan'],
  ['lock_timeout', '30s'],
  ['statement_timeout', '10min'],
  ['idle_in_transaction_session_timeout', '60s'],
  ['tcp_keepalives_idle', '15'],
  ['tcp_keepalives_interval', '5'],
  ['tcp_keepalives_count', '3'],
  ['tcp_user_timeout', '30000'],
];

/**
 * Connects to the first server that answers and is of the required kind. Looks for a password only if a server asks for one. Rejects with
 * `STORE_UNAVAILABLE` if no server answers, and with another error if one refuses the login.
 */
export async function connect(settings: ConnectionSettings, name: string, signal?: AbortSignal): Promise<Session> {
  const failures: RouxError[] = [];
  // The second round accepts the servers that the first one rejected.
  const rounds: readonly SessionKind[] = settings.session === 'prefer-standby' ? ['standby', 'any'] : [settings.session];
  for (const kind of rounds) {
    for (const server of settings.servers) {
      if (signal?.aborted === true) throw cancelledError();
      try {
        return await connectTo(server, { settings, name, kind, signal });
      } catch (error) {
        const failure = toStoreError(error, settings);
        if (failure.code !== 'STORE_UNAVAILABLE') throw failure;
        failures.push(failure);
      }
    }
  }
  throw failures.at(-1) ?? unavailableError(settings, 'no server is named');
}

interface ConnectOptions {
  readonly settings: ConnectionSettings;
  readonly name: string;
  readonly kind: SessionKind;
  readonly signal: AbortSignal | undefined;
}

async function connectTo(server: Server, how: ConnectOptions): Promise<Session> {
  const { settings, kind, signal } = how;
  const connection = await connectByAttempts(server, how);
  try {
    const session = await beginSession(connection, signal);
    const why = describeMismatch(kind, session);
    if (why !== null) throw unavailableError(settings, `${server.host} ${why}, and target_session_attrs=${kind} is asked for`);
    const { is_standby: isStandby, is_read_only: isReadOnly, pid, since } = session;
    return { connection, isReadOnly: isStandby || isReadOnly, isStandby, backend: { pid, since } };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** Tries the ways to connect that `sslmode` allows, until the server accepts one. */
async function connectByAttempts(server: Server, how: ConnectOptions): Promise<Connection> {
  let last: unknown;
  for (const attempt of server.attempts) {
    try {
      return await login(server, attempt, how);
    } catch (error) {
      last = error;
      if (!isTlsFault(error) && !isRefusedByRule(error)) throw error;
    }
  }
  throw last;
}

async function login(server: Server, tls: TlsAttempt, { settings, name, signal }: ConnectOptions): Promise<Connection> {
  const { Client } = await import('pg');
  const isBound = settings.isBound && tls !== null;
  /** How the server authenticates this client. */
  let method: 'none' | 'password' | 'md5' | 'scram-sha-256' = 'none';
  let isBindingOffered = false;

  const checkLogin = (): void => {
    if (settings.logins !== null && !settings.logins.has(method))
      throw unsafeError(settings, `the server asks for ${method}, which require_auth does not allow`);
    if (settings.isBound && !isBindingOffered)
      throw unsafeError(settings, 'the server does not support channel binding (channel_binding=require)');
  };
  const config: ClientConfig = {
    host: server.host,
    port: server.port,
    user: settings.user,
    database: settings.database,
    // The driver calls this before it sends anything of the password.
    password: () => {
      checkLogin();
      const password = server.password();
      if (password !== null && password !== '') return password;
      const message = `The store ${settings.address} asks for a password. Set PGPASSWORD, or add it to ~/.pgpass.`;
      throw new RouxError('FORBIDDEN', message);
    },
    // The key of a certificate is not enumerable; the driver reads it by name.
    ssl: tls ?? false,
    ...(settings.isTlsDirect && !isSocket(server.host) ? { sslnegotiation: 'direct' as const } : {}),
    enableChannelBinding: isBound,
    application_name: name,
    ...(settings.serverOptions === null ? {} : { options: settings.serverOptions }),
    connectionTimeoutMillis: settings.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  };
  const client = new Client(config);
  client.connection.prependListener('authenticationCleartextPassword', () => (method = 'password'));
  client.connection.prependListener('authenticationMD5Password', () => (method = 'md5'));
  client.connection.prependListener('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
    method = 'scram-sha-256';
    isBindingOffered = isBound && mechanisms.includes('SCRAM-SHA-256-PLUS');
  });
  const connection = await openConnection(client, settings, signal);
  try {
    checkLogin();
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return connection;
}

function unsafeError({ address }: ConnectionSettings, why: string): RouxError {
  return new RouxError('INVALID_CONFIG', `The connection to the store ${address} would be less safe than its URL requires: ${why}.`);
}

interface SessionRow {
  readonly pid: number;
  readonly since: string;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

async function beginSession(connection: Connection, signal: AbortSignal | undefined): Promise<SessionRow> {
  const rows = SESSION_SETTINGS.map(([name, value]) => `('${name}', '${value}')`).join(', ');
  // A server may be set to acknowledge commits before they are durable; that does not hold for these.
  await connection.run(
    `SELECT pg_catalog.set_config(s.name, w.value, false)
       FROM (VALUES ${rows}) AS w(name, value) JOIN pg_catalog.pg_settings s ON s.name = w.name;
     SELECT pg_catalog.set_config('synchronous_commit', 'on', false)
      WHERE pg_catalog.current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')`,
    { signal },
  );
  const {
    rows: [row],
  } = await connection.run<SessionRow>(
    `SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only,
            (SELECT backend_start::text FROM pg_stat_get_activity(pg_backend_pid())) AS since`,
    { signal },
  );
  if (row === undefined) throw new RouxError('IO_ERROR', 'The store did not say which server process answers.');
  return row;
}

/** Returns why a server is not of a kind, as the end of a sentence that begins with its name; null if it is. */
function describeMismatch(kind: SessionKind, { is_standby: isStandby, is_read_only: isReadOnly }: SessionRow): string | null {
  if (kind === 'primary' && isStandby) return 'follows another server and takes no writes';
  if (kind === 'read-write' && (isStandby || isReadOnly)) return 'takes no writes';
  if (kind === 'standby' && !isStandby) return 'follows no other server';
  if (kind === 'read-only' && !isStandby && !isReadOnly) return 'takes writes';
  return null;
}
