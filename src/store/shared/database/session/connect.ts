import type { ClientConfig } from 'pg';
import { RouxError } from '../../../../errors.ts';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { isSocket } from '../settings/connection-settings.ts';
import type { ConnectionSettings, SessionKind, Target } from '../settings/connection-settings.ts';
import type { TlsAttempt } from '../settings/tls-settings.ts';
import { cancelled, isRefusedByRule, isTlsFault, toStoreError, unavailable } from '../store-error.ts';

/** A connection, and what is on its other side. */
export interface Session {
  readonly connection: Connection;
  /** The server only answers readers: it follows another one, or the role or database is set so. */
  readonly isReadOnly: boolean;
  /** It follows another one. */
  readonly isStandby: boolean;
  /** The process that serves this connection, for ending it from another one. */
  readonly backend: { readonly pid: number; readonly since: string };
}

/** After so long without a word the system asks whether the other side is there still. */
const KEEPALIVE_MS = 15_000;

/**
 * What the server is told about a connection, as far as it knows these. A machine that was cut off loses the vault's row after half
 * a minute (TCP) or a minute (a turn in which nothing is said). Names are looked for where PostgreSQL has its own. What is asked for each
 * commit is planned once: for its values, each time, that would be as much work as the answer. A value that a good plan hangs on is in the
 * text of its statement.
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
 * A new connection to the first server that answers and is of the kind that is meant. A password is looked for when a server asks
 * for one. `STORE_UNAVAILABLE` when none answers; another error when one answers and lets nobody in.
 */
export async function connect(settings: ConnectionSettings, name: string, signal?: AbortSignal): Promise<Session> {
  const failures: RouxError[] = [];
  // The second round is for those that were not liked in the first.
  const rounds: readonly SessionKind[] = settings.session === 'prefer-standby' ? ['standby', 'any'] : [settings.session];
  for (const kind of rounds) {
    for (const target of settings.targets) {
      if (signal?.aborted === true) throw cancelled();
      try {
        return await connectTo(target, { settings, name, kind, signal });
      } catch (error) {
        const failure = toStoreError(error, settings);
        if (failure.code !== 'STORE_UNAVAILABLE') throw failure;
        failures.push(failure);
      }
    }
  }
  throw failures.at(-1) ?? unavailable(settings, 'no server is named');
}

interface HowToConnect {
  readonly settings: ConnectionSettings;
  readonly name: string;
  readonly kind: SessionKind;
  readonly signal: AbortSignal | undefined;
}

async function connectTo(target: Target, how: HowToConnect): Promise<Session> {
  const { settings, kind, signal } = how;
  const connection = await firstThatIsTaken(target, how);
  try {
    const session = await beginSession(connection, signal);
    const why = whyOther(kind, session);
    if (why !== null) throw unavailable(settings, `${target.host} ${why}, and target_session_attrs=${kind} is asked for`);
    const { is_standby: isStandby, is_read_only: isReadOnly, pid, since } = session;
    return { connection, isReadOnly: isStandby || isReadOnly, isStandby, backend: { pid, since } };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** The ways that `sslmode` has, until the server takes one. */
async function firstThatIsTaken(target: Target, how: HowToConnect): Promise<Connection> {
  let last: unknown;
  for (const attempt of target.attempts) {
    try {
      return await login(target, attempt, how);
    } catch (error) {
      last = error;
      if (!isTlsFault(error) && !isRefusedByRule(error)) throw error;
    }
  }
  throw last;
}

async function login(target: Target, tls: TlsAttempt, { settings, name, signal }: HowToConnect): Promise<Connection> {
  const { Client } = await import('pg');
  const isBound = settings.isBound && tls !== null;
  /** In which way the server asks who this is. */
  let asked: 'none' | 'password' | 'md5' | 'scram-sha-256' = 'none';
  let isBindingOffered = false;

  const checkLogin = (): void => {
    if (settings.logins !== null && !settings.logins.has(asked))
      throw demand(settings, `it asks for ${asked}, which require_auth does not allow`);
    if (settings.isBound && !isBindingOffered)
      throw demand(settings, 'it offers no login that is bound to its certificate (channel_binding=require)');
  };
  const config: ClientConfig = {
    host: target.host,
    port: target.port,
    user: settings.user,
    database: settings.database,
    // Asked before a word of it is sent.
    password: () => {
      checkLogin();
      const password = target.password();
      if (password !== null && password !== '') return password;
      const message = `The store ${settings.address} asks for a password, and none is known: set PGPASSWORD, or write it into ~/.pgpass.`;
      throw new RouxError('FORBIDDEN', message);
    },
    // The driver knows the key of a certificate by the name alone.
    ssl: tls ?? false,
    ...(settings.isTlsDirect && !isSocket(target.host) ? { sslnegotiation: 'direct' as const } : {}),
    enableChannelBinding: isBound,
    application_name: name,
    ...(settings.serverOptions === null ? {} : { options: settings.serverOptions }),
    connectionTimeoutMillis: settings.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  };
  const client = new Client(config);
  client.connection.prependListener('authenticationCleartextPassword', () => (asked = 'password'));
  client.connection.prependListener('authenticationMD5Password', () => (asked = 'md5'));
  client.connection.prependListener('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
    asked = 'scram-sha-256';
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

function demand({ address }: ConnectionSettings, why: string): RouxError {
  return new RouxError('INVALID_CONFIG', `No connection to the store ${address} that is safe as its URL demands: ${why}.`);
}

interface SessionRow {
  readonly pid: number;
  readonly since: string;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

async function beginSession(connection: Connection, signal: AbortSignal | undefined): Promise<SessionRow> {
  const rows = SESSION_SETTINGS.map(([name, value]) => `('${name}', '${value}')`).join(', ');
  // Who set a server to acknowledge before it has kept a commit did not mean this one.
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
  if (row === undefined) throw new RouxError('IO_ERROR', 'The store answered nothing to who it is.');
  return row;
}

/** Why a server is not of a kind, as the end of a sentence that begins with its name; null when it is. */
function whyOther(kind: SessionKind, { is_standby: isStandby, is_read_only: isReadOnly }: SessionRow): string | null {
  if (kind === 'primary' && isStandby) return 'follows another server and takes no writes';
  if (kind === 'read-write' && (isStandby || isReadOnly)) return 'takes no writes';
  if (kind === 'standby' && !isStandby) return 'follows no other server';
  if (kind === 'read-only' && !isStandby && !isReadOnly) return 'takes writes';
  return null;
}
