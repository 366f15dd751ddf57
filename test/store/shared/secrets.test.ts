import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { ClientEnvironment } from '../../../src/store/shared/database/settings/client-files.ts';
import { makeCertificates } from '../../support/postgres/certificates.ts';
import { write } from '../../support/postgres/commits.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import type { UrlOptions } from '../../support/postgres/store.ts';

const tls = hasPostgres ? makeCertificates('localhost') : null;

describe.skipIf(!hasPostgres)('passwords and TLS', () => {
  const store = useStore({
    rules: [
      'hostnossl all plain 127.0.0.1/32 password',
      'hostssl all safe 127.0.0.1/32 scram-sha-256',
      'host all safe 127.0.0.1/32 reject',
    ],
    ...(tls === null ? {} : { settings: ['ssl = on'], files: { 'server.crt': tls.certificate, 'server.key': tls.key } }),
  });
  const home = mkdtempSync(join(tmpdir(), 'roux-home-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const file = (name: string, text: string, mode = 0o600): string => {
    const path = join(home, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const place = (env: Record<string, string> = {}): ClientEnvironment => ({ env, home, user: 'nobody' });
  const without: UrlOptions = { password: null };
  /** As it stands in a password file. */
  const written = PASSWORD.replaceAll(/[\\:]/g, '\\$&');

  it('P-16 the password of a URL opens the store, and is in nothing that is shown, logged, thrown or stored in the database', async () => {
    const log: string[] = [];
    const vault = await store.open('secret', { log });
    const seen: unknown[] = [vault, log];
    await write(vault, []);
    const activity = await store.cluster.sql('SELECT * FROM pg_stat_activity');
    seen.push(activity, await store.cluster.sql('SELECT * FROM roux.vault, roux.batch', 'team'));
    for (const wrong of [
      { password: `${PASSWORD}!` },
      { port: 1 },
      { database: 'none' },
      { query: '?sslmode=verify-full&sslrootcert=system' },
    ]) {
      const error: unknown = await store.open('secret', { user: 'writer', ...wrong }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: expect.stringMatching(/^(FORBIDDEN|STORE_UNAVAILABLE|VAULT_NOT_FOUND|INVALID_CONFIG)$/) });
      seen.push(error, error instanceof Error ? error.stack : '');
    }
    await store.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'writer'");
    await write(vault, []).catch((error: unknown) => seen.push(error));
    const shown = inspect(seen, { depth: 12, showHidden: true, maxArrayLength: null, maxStringLength: null });
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 's3cret']) expect(shown).not.toContain(secret);
  });

  it('P-16 passwords come from PGPASSWORD, from ~/.pgpass, from the file that is named, and from a service', async () => {
    const isReadable = async (options: UrlOptions, env: Record<string, string> = {}): Promise<unknown> =>
      store.open('notes', { ...options, place: place(env) }).then(
        () => true,
        (error: { code: string }) => error.code,
      );
    expect(await isReadable(without)).toBe('FORBIDDEN');
    expect(await isReadable(without, { PGPASSWORD: PASSWORD })).toBe(true);
    expect(await isReadable(without, { PGPASSWORD: 'wrong' })).toBe('FORBIDDEN');

    const named = file('named', `# comment\n127.0.0.1:${store.cluster.port}:other:writer:wrong\n*:*:team:writer:${written}\n`);
    expect(await isReadable(without, { PGPASSFILE: named })).toBe(true);
    expect(await isReadable({ ...without, query: `?passfile=${encodeURIComponent(named)}` })).toBe(true);
    // Others may read it: PostgreSQL's clients leave it alone too, and roux says why.
    chmodSync(named, 0o644);
    expect(await isReadable(without, { PGPASSFILE: named })).toBe('INVALID_CONFIG');

    file('real-pgpass', `127.0.0.1:${store.cluster.port}:team:writer:${written}`);
    symlinkSync(join(home, 'real-pgpass'), join(home, '.pgpass'));
    expect(await isReadable(without)).toBe(true);
    rmSync(join(home, '.pgpass'));

    const service = `[other]\nhost=nowhere\n\n[team]\n# the team's\nhost=127.0.0.1\nport = ${store.cluster.port}\nuser=writer\ndbname=team\npassword=${PASSWORD}\n`;
    file('.pg_service.conf', service);
    const { openSharedVault } = await import('../../../src/store/shared/database/open-shared-vault.ts');
    const { parseStoreUrl } = await import('../../../src/store/shared/store-url.ts');
    const { testPorts } = await import('../../support/test-ports.ts');
    const vault = await openSharedVault(parseStoreUrl('postgres:///team/notes?service=team'), {
      ports: testPorts(),
      machine: 'a',
      client: place(),
    });
    expect([vault.name, vault.address]).toEqual(['notes', 'postgres:///team/notes?service=team']);
    await vault.close();
  });

  describe.skipIf(tls === null)('P-17 TLS', () => {
    const connects = (options: UrlOptions, env: Record<string, string> = {}): Promise<unknown> =>
      store.open('tls', { ...options, place: place(env) }).then(
        async (vault) => ((await vault.feed.head()) === 0 ? 'connected' : 'another one'),
        (error: Error) => error.message,
      );
    const query = (rest: string): UrlOptions => ({ query: `?${rest}` });

    it('verify-full wants a certificate for this host, verify-ca one of the authority, require any, or one of the authority where that is known', async () => {
      const ca = file('ca.pem', tls?.authority ?? '', 0o644);
      const other = file('other.pem', makeCertificates('localhost')?.authority ?? '', 0o644);
      const known = (mode: string, path: string): UrlOptions => query(`sslmode=${mode}&sslrootcert=${encodeURIComponent(path)}`);
      const named = (options: UrlOptions): UrlOptions => ({ query: `${options.query}&host=localhost` });
      expect(await connects(named(known('verify-full', ca)))).toBe('connected');
      // The server is localhost by its certificate, and was asked for by its address.
      expect(await connects(known('verify-full', ca))).toMatch(/less safe than its URL requires.*(IP|altname)/i);
      expect(await connects(known('verify-ca', ca))).toBe('connected');
      expect(await connects(known('verify-ca', other))).toContain('less safe than its URL requires');
      expect(await connects(named(known('verify-full', other)))).toContain('less safe than its URL requires');
      expect(await connects(query('sslmode=require'))).toBe('connected');
      expect(await connects(known('require', other))).toContain('less safe than its URL requires');
      expect(await connects({ query: '?sslrootcert=system&host=localhost' })).toContain('less safe than its URL requires');
      file('.postgresql/root.crt', tls?.authority ?? '', 0o644);
      expect(await connects(query('sslmode=verify-ca'))).toBe('connected');
      rmSync(join(home, '.postgresql'), { recursive: true });
    });

    it('a login is bound to the certificate where that is demanded, and no password is sent in a way that is not allowed', async () => {
      expect(await connects(query('sslmode=require&channel_binding=require'))).toBe('connected');
      expect(await connects(query('sslmode=require&require_auth=scram-sha-256'))).toBe('connected');
      expect(await connects(query('sslmode=require&require_auth=!scram-sha-256'))).toContain('require_auth does not allow');
      // This role is asked for its password in clear text.
      await store.cluster.sql("CREATE ROLE plain LOGIN PASSWORD 'x'");
      const plain = { user: 'plain', password: 'x' };
      expect(await connects({ ...plain, query: '?sslmode=disable' })).toMatch(/GRANT|permission/);
      expect(await connects({ ...plain, query: '?sslmode=disable&require_auth=scram-sha-256' })).toContain('the server asks for password');
      // Let in without being asked who it is.
      const socket = { ...plain, query: `?require_auth=scram-sha-256&host=${encodeURIComponent(store.cluster.socket)}` };
      expect(await connects(socket)).toContain('the server asks for none');
    });

    it('without an sslmode TLS is taken where it is there, and where the rules of the server want it', async () => {
      await store.cluster.sql(`CREATE ROLE safe LOGIN PASSWORD 'x'`);
      await store.cluster.sql('GRANT USAGE ON SCHEMA roux TO safe; GRANT SELECT ON ALL TABLES IN SCHEMA roux TO safe', 'team');
      await store.open('tls');
      const safe = { user: 'safe', password: 'x' };
      expect(await connects({ ...safe, query: '?' })).toBe('connected');
      expect(await connects({ ...safe, query: '?sslmode=allow' })).toBe('connected');
      expect(await connects({ ...safe, query: '?sslmode=disable' })).toContain('refused the login as "safe"');
      const used = await store.cluster.sql("SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'safe'");
      expect(used).toEqual([{ ssl: true }]);
    });
  });
});

describe.skipIf(!hasPostgres)('a server without TLS', () => {
  const store = useStore();

  it('P-17 TLS that is demanded is refused without', async () => {
    for (const query of ['?sslmode=require', '?sslrootcert=system']) {
      await expect(store.open('notes', { query })).rejects.toMatchObject({
        code: 'INVALID_CONFIG',
        message: expect.stringContaining('the server does not support TLS'),
        retryable: false,
      });
    }
    for (const query of ['?', '?sslmode=prefer', '?sslmode=allow']) expect((await store.open('notes', { query })).isReadOnly).toBe(false);
  });
});
