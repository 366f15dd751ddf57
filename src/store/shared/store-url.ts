import { RouxError } from '../../errors.ts';

/**
 * Where a shared vault is: `postgres://[user@]host[:port][,host…]/database[/vault][?option=value&…]`.
 *
 * It is the URL of PostgreSQL's own clients with the vault's name as a second part of the path; without one the vault is called
 * like the database, so that a database for one vault needs one name. The options are those of PostgreSQL's clients
 * (`sslmode`, `service`, `target_session_attrs` …); what is not in the URL comes from where they take it.
 */
export interface StoreUrl {
  /** The URL without the password, as it is shown and saved. */
  readonly url: string;
  /** Null: the vault with the name of the database. */
  readonly vault: string | null;
  /** By the names that PostgreSQL's clients have for them: `host`, `port`, `user`, `dbname`, `sslmode` … */
  readonly options: ReadonlyMap<string, string>;
  /** The password of the URL, or null: a function, so that nothing which prints the rest prints it. */
  readonly password: () => string | null;
}

/** The host part ends as PostgreSQL's clients see it: at the first slash or question mark. */
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/([^@?#]*))?(?:\?([^#]*))?$/i;

/** The options of PostgreSQL's clients. Others are refused, as by these clients. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'host port user dbname password passfile service servicefile options sslmode sslrootcert sslcert sslkey sslcrl sslnegotiation ' +
    'ssl_min_protocol_version ssl_max_protocol_version connect_timeout target_session_attrs load_balance_hosts channel_binding ' +
    'require_auth gssencmode ' +
    // Ignored: roux names its connections, uses UTF-8 and checks its connections itself.
    'application_name fallback_application_name client_encoding keepalives keepalives_idle keepalives_interval keepalives_count ' +
    'tcp_user_timeout'
  ).split(' '),
);

/** Reads the URL of a store; `INVALID_CONFIG`, in a message without the password, if it is invalid. */
export function parseStoreUrl(text: string): StoreUrl {
  const [, userInfo, hosts, path = '', query = ''] = SHAPE.exec(text.trim()) ?? refuse('it is not of that form');
  const [database = '', vault, ...rest] = path.replace(/\/$/, '').split('/').map(decode);
  if (rest.length > 0) refuse('its path has more than a database and a vault');
  if (vault !== undefined) checkVaultName(vault);

  const [user, password] = splitOnce(userInfo ?? '', ':');
  const given = new Map<string, string>();
  const give = (name: string, value: string | undefined): void => void (value && given.set(name, value));
  give('user', decode(user));
  give('password', password === undefined ? undefined : decode(password));
  for (const [name, value] of readHosts(hosts ?? '')) give(name, value);
  give('dbname', database);
  for (const [name, value] of readQuery(query)) give(name, value);

  const secret = given.get('password') ?? null;
  given.delete('password');
  return { url: composeUrl(given, vault ?? null), vault: vault ?? null, options: given, password: () => secret };
}

/** Throws `INVALID_CONFIG` for a name that no vault can have: it is part of URLs and messages. */
export function checkVaultName(name: string): void {
  if (name.trim() === '' || name.length > 100 || /[\p{C}/]/u.test(name)) {
    throw new RouxError('INVALID_CONFIG', 'The name of a vault in a store has 1 to 100 characters, and no slash among them.', {
      vault: name,
    });
  }
}

function readHosts(text: string): readonly (readonly [string, string])[] {
  const each = text.split(',').map((one) => /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(one) ?? refuse('a host is not of the form name:port'));
  const hosts = each.map(([, host = '']) => decode(host.replace(/^\[|\]$/g, ''))).join(',');
  const ports = each.map(([, , port = '']) => port).join(',');
  return [['host', hosts] as const, ['port', /\d/.test(ports) ? ports : ''] as const];
}

function readQuery(text: string): readonly (readonly [string, string])[] {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name, value = ''] = splitOnce(part, '=').map((piece) => decode(piece ?? ''));
      // As in other clients.
      if (name === 'ssl' && value === 'true') return ['sslmode', 'require'];
      if (name === undefined || !KNOWN.has(name)) refuse(`roux does not know the option ${/^\w{1,40}$/.exec(name ?? '')?.[0] ?? 'in it'}`);
      return [name, value];
    });
}

/** Returns the URL in its normal form. */
function composeUrl(options: ReadonlyMap<string, string>, vault: string | null): string {
  const hosts = options.get('host')?.split(',') ?? [];
  const ports = options.get('port')?.split(',') ?? [];
  const place = hosts.map((host, index) => {
    const port = ports.length === 1 ? ports[0] : ports[index];
    return `${host.includes(':') ? `[${host}]` : encodeURIComponent(host)}${port ? `:${port}` : ''}`;
  });
  const inPlace = hosts.length > 0 ? ['user', 'host', 'port', 'dbname'] : ['user', 'dbname'];
  const query = [...options].filter(([name]) => !inPlace.includes(name)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const user = options.get('user');
  const path = [options.get('dbname') ?? '', ...(vault === null ? [] : [vault])].map(encodeURIComponent).join('/');
  return `postgres://${user === undefined ? '' : `${encodeURIComponent(user)}@`}${place.join(',')}/${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function splitOnce(text: string, by: string): readonly [string, string | undefined] {
  const at = text.indexOf(by);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + by.length)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('it has a percent sign that encodes nothing');
  }
}

/** Throws. The message does not quote the URL: a password with an unexpected character may be anywhere in it. */
function refuse(why: string): never {
  throw new RouxError(
    'INVALID_CONFIG',
    `This is no URL of a store: ${why}. Write postgres://user@host:5432/database/vault, with %40, %2F, %3A, %3F and %23 for @ / : ? # in a name or password.`,
  );
}
