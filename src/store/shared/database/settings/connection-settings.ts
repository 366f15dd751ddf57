import type { StoreUrl } from '../../store-url.ts';
import { rejectSettings } from './client-files.ts';
import type { ClientEnvironment } from './client-files.ts';
import { findPassword, SOCKET_FOLDERS } from './password-file.ts';
import { readService } from './named-services.ts';
import { checkChoice, readTls } from './tls-settings.ts';
import type { TlsAttempt } from './tls-settings.ts';

/** A server to try. */
export interface Server {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  /** The ways to connect, each tried if the server does not accept the one before. */
  readonly attempts: readonly TlsAttempt[];
  /** Looks for the password when the server asks for one; null if there is none. */
  readonly password: () => string | null;
}

/** How to connect to a database, as PostgreSQL's own clients would. */
export interface ConnectionSettings {
  /** In the order in which they are tried. */
  readonly servers: readonly Server[];
  readonly user: string;
  readonly database: string;
  readonly isTlsDirect: boolean;
  /** Requires channel binding: the login is bound to the certificate of the server. */
  readonly isBound: boolean;
  /** The allowed methods of authentication; null for all. */
  readonly logins: ReadonlySet<string> | null;
  /** Which of several servers is used. */
  readonly session: SessionKind;
  readonly connectTimeoutMs: number;
  /** Command-line options for the server process. */
  readonly serverOptions: string | null;
  /** The URL without a password. */
  readonly address: string;
}

export type SessionKind = 'any' | 'primary' | 'read-write' | 'read-only' | 'standby' | 'prefer-standby';
const SESSION_KINDS = ['any', 'primary', 'read-write', 'read-only', 'standby', 'prefer-standby'];
const LOGINS = ['password', 'md5', 'scram-sha-256', 'none'];
const DEFAULT_CONNECT_TIMEOUT_S = 10;

/** The environment variables of options. */
const VARIABLES: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  dbname: 'PGDATABASE',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  service: 'PGSERVICE',
  servicefile: 'PGSERVICEFILE',
  options: 'PGOPTIONS',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslcrl: 'PGSSLCRL',
  sslnegotiation: 'PGSSLNEGOTIATION',
  ssl_min_protocol_version: 'PGSSLMINPROTOCOLVERSION',
  ssl_max_protocol_version: 'PGSSLMAXPROTOCOLVERSION',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  load_balance_hosts: 'PGLOADBALANCEHOSTS',
  channel_binding: 'PGCHANNELBINDING',
  require_auth: 'PGREQUIREAUTH',
  gssencmode: 'PGGSSENCMODE',
};

/**
 * Reads the settings from the URL, then the service file, the environment, and the defaults of PostgreSQL's clients. One default differs: of
 * several servers the one that takes writes is used (`target_session_attrs=primary`). Throws `INVALID_CONFIG`.
 */
export function readConnectionSettings(url: StoreUrl, client: ClientEnvironment, random: () => number): ConnectionSettings {
  const variable = (name: string): string | undefined => client.env[VARIABLES[name] ?? ''] || undefined;
  const serviceName = url.options.get('service') ?? variable('service');
  const service =
    serviceName === undefined ? null : readService(serviceName, client, url.options.get('servicefile') ?? variable('servicefile'));
  const option = (name: string): string | undefined => (url.options.get(name) ?? service?.get(name) ?? variable(name)) || undefined;

  if (option('gssencmode') === 'require') rejectSettings('roux does not support gssencmode=require; use TLS');
  const isBound = checkChoice('channel_binding', option('channel_binding') ?? 'prefer', ['disable', 'prefer', 'require']) === 'require';
  const tls = readTls(option, client);
  if (isBound && tls.attempts.includes(null)) rejectSettings('channel_binding=require needs sslmode=require or stricter');

  const user = option('user') ?? client.user;
  const database = option('dbname') ?? user;
  const servers = parseServers(option('host'), option('port')).map(({ host, port }): Server => {
    const password = (): string | null =>
      url.password() ??
      service?.get('password') ??
      variable('password') ??
      findPassword({ host, port, database, user }, client, option('passfile'));
    // A socket does not leave the machine, and servers offer no TLS on it.
    return { host, port, password, attempts: isSocket(host) ? [null] : tls.attempts };
  });
  const isShuffled = checkChoice('load_balance_hosts', option('load_balance_hosts') ?? 'disable', ['disable', 'random']) === 'random';

  return {
    servers: isShuffled ? shuffle(servers, random) : servers,
    user,
    database,
    isTlsDirect: tls.isDirect,
    isBound,
    logins: parseLogins(option('require_auth')),
    session: checkChoice('target_session_attrs', option('target_session_attrs') ?? 'primary', SESSION_KINDS) as SessionKind,
    connectTimeoutMs: 1000 * readNumber('connect_timeout', option('connect_timeout'), DEFAULT_CONNECT_TIMEOUT_S),
    serverOptions: option('options') ?? null,
    address: url.url,
  };
}

/** Whether a host is the folder of a socket. */
export function isSocket(host: string): boolean {
  return host.startsWith('/');
}

/** Parses lists of hosts and ports: as many ports as hosts, or one for all. Without a host, servers of this machine. */
function parseServers(hosts: string | undefined, ports: string | undefined): readonly { readonly host: string; readonly port: number }[] {
  const portList = (ports ?? '').split(',');
  const ownMachine =
    process.platform === 'win32' ? ['localhost'] : [...SOCKET_FOLDERS.filter((folder) => folder !== '/run/postgresql'), 'localhost'];
  const hostList = hosts === undefined ? ownMachine : hosts.split(',').map((host) => host || 'localhost');
  if (portList.length > 1 && portList.length !== hostList.length)
    rejectSettings(`it names ${hostList.length} hosts and ${portList.length} ports`);
  return hostList.map((host, index) => {
    const port = readNumber('port', portList.length === 1 ? portList[0] : portList[index], 5432);
    if (port < 1 || port > 65_535) rejectSettings(`port must be a number from 1 to 65535, not ${port}`);
    return { host, port };
  });
}

/** Parses `require_auth`: `scram-sha-256,md5` allows these methods, `!password,!md5` all others. */
function parseLogins(text: string | undefined): ReadonlySet<string> | null {
  if (text === undefined) return null;
  const names = text.split(',').map((name) => name.trim());
  const excluded = names.filter((name) => name.startsWith('!')).map((name) => name.slice(1));
  if (excluded.length > 0 && excluded.length < names.length)
    rejectSettings('require_auth lists either allowed methods or, with !, excluded ones');
  for (const name of names) checkChoice('require_auth', name.replace(/^!/, ''), LOGINS);
  return new Set(excluded.length > 0 ? LOGINS.filter((name) => !excluded.includes(name)) : names);
}

function readNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise;
  return /^\d{1,9}$/.test(text) ? Number(text) : rejectSettings(`${name} must be a number, not ${JSON.stringify(text)}`);
}

function shuffle<T>(list: readonly T[], random: () => number): readonly T[] {
  const ranked = list.map((each) => ({ each, rank: random() }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ each }) => each);
}
