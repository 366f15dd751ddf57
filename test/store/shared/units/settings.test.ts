import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { readConnectionSettings } from '../../../../src/store/shared/database/settings/connection-settings.ts';
import type { ConnectionSettings } from '../../../../src/store/shared/database/settings/connection-settings.ts';
import { checkVaultName, parseStoreUrl } from '../../../../src/store/shared/store-url.ts';
import { tooLargeError } from '../../../../src/store/shared/too-large.ts';

/** Runs with a home in which these files are, readable for their owner alone. */
function withHome<T>(
  files: Readonly<Record<string, string>>,
  run: (read: (url: string, env?: Record<string, string>) => ConnectionSettings, home: string) => T,
): T {
  const home = mkdtempSync(join(tmpdir(), 'roux-settings-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text.replaceAll('HOME', home), { mode: 0o600 });
    }
    // What the machine has of services is none of the test's.
    const read = (url: string, env: Record<string, string> = {}): ConnectionSettings =>
      readConnectionSettings(
        parseStoreUrl(url.replaceAll('HOME', home)),
        { env: { PGSYSCONFDIR: join(home, 'etc'), ...env }, home, user: 'me' },
        () => 0.5,
      );
    return run(read, home);
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** How a URL is spelled once it was read; null where it is refused. */
function spellingOf(text: string): string | null {
  try {
    return parseStoreUrl(text).url;
  } catch (error) {
    if (error instanceof RouxError && error.code === 'INVALID_CONFIG') return null;
    throw error;
  }
}

describe('the URL of a store', () => {
  it('has one spelling for what was given', () => {
    for (const [text, url] of [
      ['postgres://', 'postgres:///'],
      [' postgres://h ', 'postgres://h/'],
      ['postgres://h?', 'postgres://h/'],
      ['postgres://h/?', 'postgres://h/'],
      ['POSTGRES://h/db', 'postgres://h/db'],
      ['postgres://h:/db', 'postgres://h/db'],
      ['postgres://h1,h2:2/db', 'postgres://h1,h2:2/db'],
      ['postgres://h1:1,h2:1/db', 'postgres://h1:1,h2:1/db'],
      ['postgres://h1,h2/db?port=7', 'postgres://h1:7,h2:7/db'],
      ['postgres://u:@h/db', 'postgres://u@h/db'],
      ['postgres://u%40x@h/a%2Fb', 'postgres://u%40x@h/a%2Fb'],
      ['postgres:///db?user=u&sslmode=require&options=-c%20a%3Db', 'postgres://u@/db?sslmode=require&options=-c%20a%3Db'],
      ['postgres:///db?port=7', 'postgres:///db?port=7'],
      ['postgres://h/db?sslmode=', 'postgres://h/db'],
      ['postgres://h/db?ssl=false', null],
      ['postgres://h/db?ssl=true&', 'postgres://h/db?sslmode=require'],
      ['postgres://h/db?options', 'postgres://h/db'],
      ['postgres://h:x/db', null],
      ['postgres://h1:1:2/db', null],
      ['postgres://h/a/b/c', null],
      ['postgres://h/db/%20', null],
      ['http://h/db', null],
      ['postgres://h/%zz', null],
    ] as const) {
      expect(spellingOf(text), text).toBe(url);
    }
  });

  it('gives its parts by the names that PostgreSQL has for them', () => {
    const { options, password, vault } = parseStoreUrl('postgres://u:p%3Aq@[::1]:5433/db/v?sslmode=require&password=other');
    expect(Object.fromEntries(options)).toEqual({ user: 'u', host: '::1', port: '5433', dbname: 'db', sslmode: 'require' });
    expect([password(), vault]).toEqual(['other', 'v']);
    expect(parseStoreUrl('postgres://u@h/db').password()).toBe(null);
    expect(parseStoreUrl('postgres://h/db').options.has('password')).toBe(false);
    expect(parseStoreUrl('postgres://a,b:2/db').options.get('port')).toBe(',2');
    expect(parseStoreUrl('postgres://a,b/db').options.has('port')).toBe(false);
  });

  it('is refused for an option that roux does not know, by its name if it has one', () => {
    for (const [query, name] of [
      ['nonsense=1', 'nonsense'],
      ['=1', 'in it'],
      ['pass%20word=x', 'in it'],
      [`${'x'.repeat(41)}=1`, 'in it'],
    ] as const)
      expect(() => parseStoreUrl(`postgres://h/db?${query}`), query).toThrow(new RegExp(`the option ${name}\\b`));
  });

  it('names a vault of up to a hundred characters', () => {
    expect(() => checkVaultName('x'.repeat(100))).not.toThrow();
    for (const name of ['x'.repeat(101), '', ' ', 'a/b', 'a\nb']) expect(() => checkVaultName(name)).toThrow('1 to 100 characters');
  });

  it('a file that is too large for a store is named with both sizes', () => {
    expect(tooLargeError(5 * 1024 * 1024 + 1, 1024 * 1024).message).toContain('it has 6 MB, and a file of a shared vault may have 1 MB');
  });
});

describe('connection settings', () => {
  it('an empty variable is none, and an option of the URL wins over it', () =>
    withHome({}, (read) => {
      expect(read('postgres://h/db', { PGUSER: '' }).user).toBe('me');
      expect(read('postgres://h/db?connect_timeout=7', { PGCONNECT_TIMEOUT: '3' }).connectTimeoutMs).toBe(7_000);
      expect(read('postgres://h/db').connectTimeoutMs).toBe(10_000);
      expect(() => read('postgres://h/db?connect_timeout=soon')).toThrow('connect_timeout must be a number, not "soon"');
      expect(read('postgres://h/db').serverOptions).toBe(null);
      expect(read('postgres://h/db?options=-c%20a%3Db').serverOptions).toBe('-c a=b');
      expect(read('postgres://h/db/v?sslmode=require').address).toBe('postgres://h/db/v?sslmode=require');
    }));

  it('servers are named with as many ports, or with one for all; without a name they are this machine’s', () =>
    withHome({}, (read) => {
      const places = (url: string) => read(url).servers.map(({ host, port }) => `${host} ${port}`);
      expect(places('postgres://a:1,b:2/db')).toEqual(['a 1', 'b 2']);
      expect(places('postgres://a,b:2/db')).toEqual(['a 5432', 'b 2']);
      expect(places('postgres://a,b/db?port=7')).toEqual(['a 7', 'b 7']);
      expect(places('postgres:///db?host=,b')).toEqual(['localhost 5432', 'b 5432']);
      expect(places('postgres:///db')).toEqual(['/var/run/postgresql 5432', '/tmp 5432', 'localhost 5432']);
      expect(places('postgres://h:65535/db')).toEqual(['h 65535']);
      expect(places('postgres://h:1/db')).toEqual(['h 1']);
      for (const port of ['0', '65536', '99999999']) expect(() => places(`postgres://h:${port}/db`)).toThrow('from 1 to 65535');
      expect(() => places('postgres://a,b/db?port=1,2,3')).toThrow('names 2 hosts and 3 ports');
    }));

  it('servers are tried in the order in which they are named, or in any', () => {
    const ranks = [0.9, 0.1, 0.5];
    const hosts = (query: string): readonly string[] =>
      readConnectionSettings(
        parseStoreUrl(`postgres://a,b,c/db${query}`),
        { env: {}, home: '/nonexistent', user: 'me' },
        () => ranks[at++ % 3]!,
      ).servers.map(({ host }) => host);
    let at = 0;
    expect(hosts('')).toEqual(['a', 'b', 'c']);
    expect(hosts('?load_balance_hosts=disable')).toEqual(['a', 'b', 'c']);
    expect(hosts('?load_balance_hosts=random')).toEqual(['b', 'c', 'a']);
    expect(() => hosts('?load_balance_hosts=yes')).toThrow('load_balance_hosts must be one of disable, random');
  });

  it('ways to log in are those that are named, or all others', () =>
    withHome({}, (read) => {
      const logins = (query: string) => read(`postgres://h/db${query}`).logins;
      expect(logins('')).toBe(null);
      expect([...logins('?require_auth=md5,%20scram-sha-256')!]).toEqual(['md5', 'scram-sha-256']);
      expect([...logins('?require_auth=!password,!md5')!]).toEqual(['scram-sha-256', 'none']);
      expect(() => logins('?require_auth=!password,md5')).toThrow('lists either allowed methods or, with !, excluded ones');
      expect(() => logins('?require_auth=!sspi')).toThrow('require_auth must be one of password');
    }));

  it('a login that is bound to the certificate goes with TLS alone', () =>
    withHome({}, (read) => {
      expect(read('postgres://h/db').isBound).toBe(false);
      expect(read('postgres://h/db?sslmode=require&channel_binding=require').isBound).toBe(true);
      expect(() => read('postgres://h/db?channel_binding=require')).toThrow('sslmode=require or stricter');
      expect(() => read('postgres://h/db?channel_binding=maybe')).toThrow('channel_binding must be');
    }));

  it('a password is that of the URL, the service, the environment, or the password file', () =>
    withHome({ '.pg_service.conf': '[team]\npassword=of service\nhost=h\n[other]\nhost=h\n', '.pgpass': 'h:*:*:*:of file\n' }, (read) => {
      const of = (url: string, env: Record<string, string> = {}) => read(url, env).servers[0]?.password();
      expect(of('postgres://u:own@h/db?service=team', { PGPASSWORD: 'of env' })).toBe('own');
      expect(of('postgres://u@h/db?service=team', { PGPASSWORD: 'of env' })).toBe('of service');
      expect(of('postgres://u@h/db?service=other', { PGPASSWORD: 'of env' })).toBe('of env');
      expect(of('postgres://u@h/db')).toBe('of file');
      expect(of('postgres://u@elsewhere/db')).toBe(null);
    }));
});

describe('the password file', () => {
  const FILE = [
    '# h:*:*:*:comment',
    'h:*:*:few fields',
    'h:1:db:me:first',
    '*:2:db:me:second',
    'h:3:d\\:b:me:with\\:colons:and\\\\more',
    'localhost:4:db:me:on this machine',
    'h:5:*:you:not mine',
    'h:5:*:me:mine\r',
    'h:6:db:me:late:r',
    'h:7:db:me:end\\',
    '',
  ].join('\n');
  const find = (url: string) => withHome({ '.pgpass': FILE }, (read) => read(url).servers.map(({ password }) => password())[0]);

  it('has a line for each login, a star for any', () => {
    expect(find('postgres://h:1/db')).toBe('first');
    expect(find('postgres://any:2/db')).toBe('second');
    expect(find('postgres://h:3/d%3Ab')).toBe('with:colons:and\\more');
    expect(find('postgres:///db?host=/tmp&port=4')).toBe('on this machine');
    expect(find('postgres:///db?host=/elsewhere&port=4')).toBe(null);
    expect(find('postgres://h:5/db')).toBe('mine');
    expect(find('postgres://h:6/db')).toBe('late:r');
    expect(find('postgres://h:7/db')).toBe('end\\');
    expect(find('postgres://h:8/db')).toBe(null);
  });

  it('may be another one that is named, which has to be there and private', () =>
    withHome({ mine: 'h:*:*:*:named' }, (read, home) => {
      const password = (url: string) => read(url).servers[0]?.password();
      expect(password('postgres://h/db?passfile=HOME/mine')).toBe('named');
      expect(password('postgres://h/db')).toBe(null);
      expect(() => password('postgres://h/db?passfile=HOME/none')).toThrow('does not exist');
      chmodSync(join(home, 'mine'), 0o644);
      expect(() => password('postgres://h/db?passfile=HOME/mine')).toThrow('mine');
    }));
});

describe('the service file', () => {
  const FILES = {
    '.pg_service.conf':
      '# comment\n\n[team]\nhost = db.example\r\nport=7\ndbname=\n[team]\nhost=later\n[broken]\nhost=h\nsecret in a line\n[last]\nuser= me too',
    'etc/pg_service.conf': '[team]\nhost=of.machine\n[machine]\nhost=of.machine\n',
    'named.conf': '[named]\nhost=named\n',
  };

  it('has the options of each service, the user’s before the machine’s', () =>
    withHome(FILES, (read) => {
      expect(read('postgres:///?service=team')).toMatchObject({ user: 'me', database: 'me', servers: [{ host: 'db.example', port: 7 }] });
      expect(read('postgres:///db?service=machine').servers[0]?.host).toBe('of.machine');
      expect(read('postgres:///db', { PGSERVICE: 'machine' }).servers[0]?.host).toBe('of.machine');
      expect(read('postgres:///db?service=last')).toMatchObject({ user: 'me too' });
      expect(read('postgres:///db?service=named&servicefile=HOME/named.conf').servers[0]?.host).toBe('named');
      expect(read('postgres:///db?service=machine&servicefile=HOME/named.conf').servers[0]?.host).toBe('of.machine');
      expect(() => read('postgres:///db?service=none')).toThrow(/^No service "none" in .*\.pg_service\.conf or .*pg_service\.conf\.$/);
      expect(() => read('postgres:///db?service=named&servicefile=HOME/none.conf')).toThrow('does not exist');
    }));

  it('with a line that says nothing is refused in a message without the line', () =>
    withHome(FILES, (read) => {
      expect(() => read('postgres:///db?service=broken')).toThrow(/^Service "broken" in .* has a line that is not name=value\.$/);
    }));
});

describe('TLS', () => {
  const FILES = {
    '.postgresql/root.crt': 'ROOT',
    '.postgresql/root.crl': 'REVOKED',
    'my.crt': 'MINE',
    'my.key': 'KEY',
    'other.crt': 'OTHER',
  };
  const NO_FILES = { 'my.crt': 'MINE', 'my.key': 'KEY', 'other.crt': 'OTHER' };

  it.each([
    ['disable', false, [null]],
    ['allow', false, [null, 'tls']],
    ['prefer', false, ['tls', null]],
    ['require', false, ['tls']],
    ['verify-ca', true, ['tls']],
    ['verify-full', true, ['tls']],
  ] as const)('sslmode=%s', (mode, isRootNeeded, attempts) =>
    withHome(isRootNeeded ? FILES : NO_FILES, (read) => {
      const { servers, isTlsDirect } = read(`postgres://h/db?sslmode=${mode}`);
      expect(servers[0]?.attempts.map((tls) => tls && 'tls')).toEqual(attempts);
      expect(isTlsDirect).toBe(false);
      const tls = servers[0]?.attempts.find((each) => each !== null);
      if (tls === undefined) return;
      expect(tls.rejectUnauthorized).toBe(isRootNeeded);
      expect(tls.checkServerIdentity === undefined).toBe(mode === 'verify-full');
      expect(tls.checkServerIdentity?.('h', {} as never)).toBe(undefined);
      expect(tls.minVersion).toBe('TLSv1.2');
      expect('maxVersion' in tls).toBe(false);
    }),
  );

  it('a root certificate that is there is checked against, with what it has revoked', () =>
    withHome(FILES, (read) => {
      const tls = (query: string) => read(`postgres://h/db?${query}`).servers[0]?.attempts.at(-1);
      expect(tls('sslmode=require')).toMatchObject({ ca: 'ROOT', crl: 'REVOKED', rejectUnauthorized: true });
      expect(tls('sslmode=require&sslrootcert=HOME/other.crt')).toMatchObject({ ca: 'OTHER' });
      const system = tls('sslrootcert=system');
      expect(system).toMatchObject({ rejectUnauthorized: true });
      expect(['ca', 'crl', 'checkServerIdentity'].filter((name) => name in system!)).toEqual([]);
      expect(() => tls('sslmode=verify-ca&sslrootcert=system')).toThrow('needs sslmode=verify-full');
      expect(() => tls('sslmode=disable&sslcrl=HOME/none')).not.toThrow();
      expect(() => tls('sslmode=require&sslcrl=HOME/none')).toThrow('does not exist');
    }));

  it('without one nothing can be verified, and nothing is said of what it has revoked', () =>
    withHome(NO_FILES, (read) => {
      for (const mode of ['verify-ca', 'verify-full'])
        expect(() => read(`postgres://h/db?sslmode=${mode}`)).toThrow('needs the root certificate');
      const tls = read('postgres://h/db?sslmode=require').servers[0]?.attempts[0];
      expect(['ca', 'crl'].filter((name) => name in tls!)).toEqual([]);
      // A certificate that is not asked for is not looked for.
      expect(() => read('postgres://h/db?sslmode=require&sslcrl=HOME/none')).not.toThrow();
    }));

  it('the certificate of this machine comes with its key, which is shown nowhere', () =>
    withHome(NO_FILES, (read, home) => {
      const tls = (query: string) => read(`postgres://h/db?sslmode=require&${query}`).servers[0]?.attempts[0];
      const own = tls('sslcert=HOME/my.crt&sslkey=HOME/my.key');
      expect([own?.cert, own?.key]).toEqual(['MINE', 'KEY']);
      expect(JSON.stringify(own)).not.toContain('KEY');
      expect('cert' in tls('')!).toBe(false);
      expect(() => tls('sslcert=HOME/my.crt')).toThrow('the certificate of this machine has no key');
      chmodSync(join(home, 'my.key'), 0o644);
      expect(() => tls('sslcert=HOME/my.crt&sslkey=HOME/my.key')).toThrow('my.key');
      expect(() => tls('sslcert=HOME/none.crt')).toThrow('does not exist');
    }));

  it('versions and direct TLS are what is said', () =>
    withHome(NO_FILES, (read) => {
      const settings = read(
        'postgres://h/db?sslmode=require&sslnegotiation=direct&ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.3',
      );
      expect(settings.isTlsDirect).toBe(true);
      expect(settings.servers[0]?.attempts[0]).toMatchObject({ minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' });
      expect(read('postgres://h/db?sslmode=disable&sslnegotiation=direct').isTlsDirect).toBe(false);
      expect(() => read('postgres://h/db?sslmode=prefer&sslnegotiation=direct')).toThrow('sslmode=require or stricter');
      expect(() => read('postgres://h/db?sslnegotiation=later')).toThrow('sslnegotiation must be');
      expect(() => read('postgres://h/db?ssl_min_protocol_version=SSLv3')).toThrow('ssl_min_protocol_version must be');
    }));
});
