import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConnectionSettings } from '../../../src/store/shared/database/settings/connection-settings.ts';
import type { ConnectionSettings } from '../../../src/store/shared/database/settings/connection-settings.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';

const place = { env: {}, home: '/nonexistent', user: 'me' };

function settingsOf(url: string, env: Record<string, string> = {}): ConnectionSettings {
  return readConnectionSettings(parseStoreUrl(url), { ...place, env }, () => 0.5);
}

describe('the URL of a store', () => {
  it.each([
    ['postgres://db.example/notes', 'postgres://db.example/notes', null],
    ['postgresql://me@db.example:5433/team/My%20notes', 'postgres://me@db.example:5433/team/My%20notes', 'My notes'],
    ['postgres://me:secret@db.example/team/notes/', 'postgres://me@db.example/team/notes', 'notes'],
    ['postgres://me:a@b:c@h/db/v', 'postgres://me@h/db/v', 'v'],
    ['postgres://h1:5433,h2/db/v?target_session_attrs=any', 'postgres://h1:5433,h2/db/v?target_session_attrs=any', 'v'],
    ['postgres://[::1]:5433/db/v', 'postgres://[::1]:5433/db/v', 'v'],
    ['postgres:///db/v?host=/run/pg&user=u', 'postgres://u@%2Frun%2Fpg/db/v', 'v'],
    ['postgres://%2Frun%2Fpg/db/v', 'postgres://%2Frun%2Fpg/db/v', 'v'],
    ['postgres:///?service=team', 'postgres:///?service=team', null],
    ['postgres://h/db/v?password=secret&sslmode=require', 'postgres://h/db/v?sslmode=require', 'v'],
    ['postgres://h/db/v?ssl=true', 'postgres://h/db/v?sslmode=require', 'v'],
    ['postgres://h/caf%C3%A9/%E7%AC%94%E8%AE%B0', 'postgres://h/caf%C3%A9/%E7%AC%94%E8%AE%B0', '笔记'],
  ])('P-16 %s is kept and shown as %s', (text, url, vault) => {
    const parsed = parseStoreUrl(text);
    expect([parsed.url, parsed.vault]).toEqual([url, vault]);
    // What is kept leads to the same place.
    expect({ ...parseStoreUrl(url), password: null }).toEqual({ ...parsed, password: null });
    expect(inspect(parsed, { depth: 9, showHidden: true })).not.toContain('secret');
  });

  it.each([
    'postgres://me:p/secret@h/db',
    'postgres://me:12/secret@h/db',
    'postgres://me:secret?x@h/db',
    'postgres://me:secret#x@h/db',
    'postgres://me:secret%@h/db',
    'postgres://me:secret@h:port/db',
    'postgres://me:secret@h/a/b/c',
    'postgres://me:secret@h/db?secret@x=1',
    'postgres://me:secret@h/db/v?unknown=1',
    'mysql://me:secret@h/db',
  ])('P-16 %s is refused in a message without the password', (text) => {
    let refused: unknown;
    try {
      parseStoreUrl(text);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: 'INVALID_CONFIG' });
    expect(inspect(refused, { depth: 9 })).not.toContain('secret');
  });

  it('passwords are decoded, and others than that of the URL come from where PostgreSQL clients take them', () => {
    expect(parseStoreUrl('postgres://me:a%40b%2Fc%25@h/db').password()).toBe('a@b/c%');
    expect(settingsOf('postgres://me:one@h/db', { PGPASSWORD: 'two' }).servers[0]?.password()).toBe('one');
    expect(settingsOf('postgres://me@h/db', { PGPASSWORD: 'two' }).servers[0]?.password()).toBe('two');
    expect(settingsOf('postgres://me@h/db').servers[0]?.password()).toBeNull();
  });

  it('what the URL leaves out comes from the environment, then from what PostgreSQL clients take', () => {
    const env = { PGHOST: 'a,b', PGPORT: '1,2', PGUSER: 'u', PGDATABASE: 'd', PGCONNECT_TIMEOUT: '3', PGSSLMODE: 'disable' };
    expect(settingsOf('postgres://', env)).toMatchObject({ user: 'u', database: 'd', connectTimeoutMs: 3000 });
    expect(settingsOf('postgres://', env).servers.map(({ host, port, attempts }) => [host, port, attempts])).toEqual([
      ['a', 1, [null]],
      ['b', 2, [null]],
    ]);
    expect(settingsOf('postgres://x@h:7/y', env)).toMatchObject({ user: 'x', database: 'y' });
    expect(settingsOf('postgres://h')).toMatchObject({
      user: 'me',
      database: 'me',
      session: 'primary',
      servers: [{ host: 'h', port: 5432 }],
    });
    expect(settingsOf('postgres:///db').servers.map(({ host }) => host)).toContain('localhost');
  });

  it.each([
    ['sslmode=sometimes', 'sslmode must be one of disable'],
    ['sslmode=verify-full', 'needs the root certificate'],
    ['sslmode=require&sslrootcert=system', 'needs sslmode=verify-full'],
    ['sslmode=require&sslrootcert=/nonexistent/ca.pem', 'does not exist'],
    ['sslnegotiation=direct', 'sslmode=require or stricter'],
    ['channel_binding=require', 'sslmode=require or stricter'],
    ['gssencmode=require', 'gssencmode=require'],
    ['require_auth=gss', 'require_auth must be'],
    ['port=0', 'port must be a number'],
    ['port=1,2', 'hosts and'],
    ['service=none', 'No service'],
    ['target_session_attrs=master', 'target_session_attrs must be one of any'],
  ])('P-17 what cannot be honoured is refused: %s', (query, why) => {
    expect(() => settingsOf(`postgres://h/db?${query}`)).toThrow(why);
  });

  it('P-17 sslmode is what PostgreSQL documents', () => {
    const attempts = (query: string): readonly (string | null)[] =>
      (settingsOf(`postgres://h/db?${query}`).servers[0]?.attempts ?? []).map((tls) =>
        tls === null ? null : `checked: ${tls.rejectUnauthorized}`,
      );
    expect(attempts('sslmode=disable')).toEqual([null]);
    expect(attempts('sslmode=allow')).toEqual([null, 'checked: false']);
    expect(attempts('')).toEqual(['checked: false', null]);
    expect(attempts('sslmode=require')).toEqual(['checked: false']);
    expect(attempts('sslrootcert=system')).toEqual(['checked: true']);
    // A socket never leaves the machine.
    expect(attempts('host=/run/pg&sslmode=require')).toEqual([null]);
  });
});
