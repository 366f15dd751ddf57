import type { StoreUrl } from '../../store-url.ts';
import { refuseSettings } from './client-files.ts';
import type { ClientPlace } from './client-files.ts';
import { findPassword, USUAL_SOCKETS } from './password-file.ts';
import { readService } from './named-services.ts';
import { oneOf, readTls } from './tls-settings.ts';
import type { TlsAttempt } from './tls-settings.ts';

/** A server that may answer. */
export interface Target {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  /** How to speak to it, the next way where it does not take one. */
  readonly attempts: readonly TlsAttempt[];
  /** Its password, looked for when it asks for one; null: none is known. */
  readonly password: () => string | null;
}

/** How to get to a database: what PostgreSQL's own clients would do. */
export interface ConnectionSettings {
  /** In the order in which they are tried. */
  readonly targets: readonly Target[];
  readonly user: string;
  readonly database: string;
  readonly isTlsDirect: boolean;
  /** Nothing but a login that is bound to the server's certificate. */
  readonly isBound: boolean;
  /** In which ways the server may ask who this is; null: in any. */
  readonly logins: ReadonlySet<string> | null;
  /** Which of several servers is meant. */
  readonly session: SessionKind;
  readonly connectTimeoutMs: number;
  /** Command-line options of the server's process. */
  readonly serverOptions: string | null;
  /** The URL without a password. */
  readonly address: string;
}

export type SessionKind = 'any' | 'primary' | 'read-write' | 'read-only' | 'standby' | 'prefer-standby';
const SESSION_KINDS = ['any', 'primary', 'read-write', 'read-only', 'standby', 'prefer-standby'];
const LOGINS = ['password', 'md5', 'scram-sha-256', 'none'];
const CONNECT_TIMEOUT_S = 10;

/** Where an option is looked for in the environment. */
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
 * What the URL says, then the service file, then the environment, then what PostgreSQL's clients take without. One thing differs
 * from theirs: of several servers the one that takes writes is meant (`target_session_attrs=primary`), unless something else is said.
 * Throws `INVALID_CONFIG`.
 */
export function readConnectionSettings(url: StoreUrl, place: ClientPlace, random: () => number): ConnectionSettings {
  const variable = (name: string): string | undefined => place.env[VARIABLES[name] ?? ''] || undefined;
  const service = url.options.get('service') ?? variable('service');
  const ofService = service === undefined ? null : readService(service, place, url.options.get('servicefile') ?? variable('servicefile'));
  const option = (name: string): string | undefined => (url.options.get(name) ?? ofService?.get(name) ?? variable(name)) || undefined;

  if (option('gssencmode') === 'require') refuseSettings('gssencmode=require is nothing that roux can do; TLS is');
  const isBound = oneOf('channel_binding', option('channel_binding') ?? 'prefer', ['disable', 'prefer', 'require']) === 'require';
  const tls = readTls(option, place);
  if (isBound && tls.attempts.includes(null)) refuseSettings('channel_binding=require goes with sslmode=require or better');

  const user = option('user') ?? place.user;
  const database = option('dbname') ?? user;
  const targets = placesOf(option('host'), option('port')).map(({ host, port }): Target => {
    const password = (): string | null =>
      url.password() ??
      ofService?.get('password') ??
      variable('password') ??
      findPassword({ host, port, database, user }, place, option('passfile'));
    // A socket never leaves the machine, and servers offer no TLS there.
    return { host, port, password, attempts: isSocket(host) ? [null] : tls.attempts };
  });
  const isShuffled = oneOf('load_balance_hosts', option('load_balance_hosts') ?? 'disable', ['disable', 'random']) === 'random';

  return {
    targets: isShuffled ? shuffle(targets, random) : targets,
    user,
    database,
    isTlsDirect: tls.isDirect,
    isBound,
    logins: readLogins(option('require_auth')),
    session: oneOf('target_session_attrs', option('target_session_attrs') ?? 'primary', SESSION_KINDS) as SessionKind,
    connectTimeoutMs: 1000 * readNumber('connect_timeout', option('connect_timeout'), CONNECT_TIMEOUT_S),
    serverOptions: option('options') ?? null,
    address: url.url,
  };
}

/** Whether a host is the folder of a socket. */
export function isSocket(host: string): boolean {
  return host.startsWith('/');
}

/** Servers by their name and port: as many ports as hosts, or one for all. Without a host, this machine. */
function placesOf(hosts: string | undefined, ports: string | undefined): readonly { readonly host: string; readonly port: number }[] {
  const portList = (ports ?? '').split(',');
  const ownMachine =
    process.platform === 'win32' ? ['localhost'] : [...USUAL_SOCKETS.filter((folder) => folder !== '/run/postgresql'), 'localhost'];
  const hostList = hosts === undefined ? ownMachine : hosts.split(',').map((host) => host || 'localhost');
  if (portList.length > 1 && portList.length !== hostList.length)
    refuseSettings(`it names ${hostList.length} hosts and ${portList.length} ports`);
  return hostList.map((host, index) => {
    const port = readNumber('port', portList.length === 1 ? portList[0] : portList[index], 5432);
    if (port < 1 || port > 65_535) refuseSettings(`port is a number from 1 to 65535, and not ${port}`);
    return { host, port };
  });
}

/** `scram-sha-256,md5`: one of these; `!password,!md5`: none of these. */
function readLogins(text: string | undefined): ReadonlySet<string> | null {
  if (text === undefined) return null;
  const names = text.split(',').map((name) => name.trim());
  const barred = names.filter((name) => name.startsWith('!')).map((name) => name.slice(1));
  if (barred.length > 0 && barred.length < names.length) refuseSettings('require_auth names what is wanted or, with !, what is not');
  for (const name of names) oneOf('require_auth', name.replace(/^!/, ''), LOGINS);
  return new Set(barred.length > 0 ? LOGINS.filter((name) => !barred.includes(name)) : names);
}

function readNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise;
  return /^\d{1,9}$/.test(text) ? Number(text) : refuseSettings(`${name} is a number, and not ${JSON.stringify(text)}`);
}

function shuffle<T>(list: readonly T[], random: () => number): readonly T[] {
  const ranked = list.map((each) => ({ each, rank: random() }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ each }) => each);
}
