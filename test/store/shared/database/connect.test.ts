import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../../../src/store/shared/database/session/connect.ts';
import type { Session } from '../../../../src/store/shared/database/session/connect.ts';
import { readConnectionSettings } from '../../../../src/store/shared/database/settings/connection-settings.ts';
import type { ConnectionSettings, Server } from '../../../../src/store/shared/database/settings/connection-settings.ts';
import { parseStoreUrl } from '../../../../src/store/shared/store-url.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { startServer } from './one-server.ts';
import type { OneServer, ServerManners } from './one-server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

type Kind = 'primary' | 'standby' | 'reading';

/** What a server says of itself. */
const rowsOf = (kind: Kind): NonNullable<ServerManners['rows']> => ({
  pg_backend_pid: { pid: '77', since: 'then', is_standby: kind === 'standby' ? 't' : 'f', is_read_only: kind === 'primary' ? 'f' : 't' },
});

async function serverOf(manners: ServerManners = {}, kind: Kind = 'primary'): Promise<OneServer> {
  const server = await startServer({ rows: rowsOf(kind), ...manners });
  opened.push(server);
  return server;
}

/** Settings for these servers; `change`: what differs from those of the URL. */
function settingsOf(
  servers: readonly { readonly port: number }[],
  query = 'sslmode=disable',
  change: Partial<ConnectionSettings> = {},
): ConnectionSettings {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const url = parseStoreUrl(`postgres://me:secret@${hosts}/team/notes?${query}`);
  return { ...readConnectionSettings(url, { env: {}, home: '/nonexistent', user: 'me' }, () => 0.5), ...change };
}

async function sessionTo(settings: ConnectionSettings, signal?: AbortSignal): Promise<Session> {
  const session = await connect(settings, 'roux here', signal);
  opened.push(session.connection);
  return session;
}

describe('a new connection', () => {
  it('goes under its name to the database, and says what is on its other side', async () => {
    const server = await serverOf();
    const session = await sessionTo(settingsOf([server], 'sslmode=disable&options=-c%20a%3Db'));
    expect(session).toMatchObject({ isReadOnly: false, isStandby: false, backend: { pid: '77', since: 'then' } });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ user: 'me', database: 'team', application_name: 'roux here', options: '-c a=b' });
    const [settings] = server.heard;
    for (const setting of ["('search_path', 'pg_catalog')", "('idle_in_transaction_session_timeout', '60s')", "('jit', 'off')"])
      expect(settings).toContain(setting);
    expect(session.connection.isLost).toBe(false);
    const plain = await serverOf();
    await sessionTo(settingsOf([plain]));
    expect(plain.seen[0]).not.toHaveProperty('options');
  });

  it('to a server that only answers readers is one for reading', async () => {
    for (const [kind, isStandby] of [
      ['standby', true],
      ['reading', false],
    ] as const)
      expect(await sessionTo(settingsOf([await serverOf({}, kind)], 'sslmode=disable&target_session_attrs=any'))).toMatchObject({
        isReadOnly: true,
        isStandby,
      });
  });

  it('to one that does not say who it is is refused', async () => {
    const server = await serverOf({ rows: {} });
    await expect(connect(settingsOf([server]), 'roux')).rejects.toMatchObject({ code: 'IO_ERROR' });
    await waitFor(() => server.open() === 0, { what: 'the end of the connection' });
  });
});

describe('of several servers', () => {
  /** Which server is taken, by its place, or the message of the refusal. */
  async function taken(kinds: readonly Kind[], wanted: string): Promise<number | string> {
    const servers = await Promise.all(kinds.map((kind) => serverOf({}, kind)));
    const session = await sessionTo(settingsOf(servers, `sslmode=disable&target_session_attrs=${wanted}`)).catch((error: Error) => error);
    if (session instanceof Error) {
      await waitFor(() => servers.every((server) => server.open() === 0), { what: 'the end of the others' });
      return session.message;
    }
    const open = servers.map((server) => server.open());
    await waitFor(() => servers.reduce((sum, server) => sum + server.open(), 0) === 1, { what: `the end of the others: ${open.join()}` });
    return servers.findIndex((server) => server.open() === 1);
  }

  it('the first of the kind that is meant is taken, and the others are let go', async () => {
    const all = ['reading', 'standby', 'primary'] as const;
    expect(await taken(['standby', 'reading', 'primary'], 'primary')).toBe(1);
    expect(await taken(all, 'any')).toBe(0);
    expect(await taken(all, 'read-write')).toBe(2);
    expect(await taken(all, 'standby')).toBe(1);
    expect(await taken(['primary', 'reading'], 'read-only')).toBe(1);
    expect(await taken(['primary', 'standby'], 'read-only')).toBe(1);
    expect(await taken(['primary', 'standby'], 'prefer-standby')).toBe(1);
    expect(await taken(['primary', 'reading'], 'prefer-standby')).toBe(0);
  });

  it('where none is of that kind, it is said what the last one is', async () => {
    expect(await taken(['standby'], 'primary')).toContain(
      '127.0.0.1 follows another server and takes no writes, and target_session_attrs=primary is asked for',
    );
    expect(await taken(['standby'], 'read-write')).toContain('127.0.0.1 takes no writes, and');
    expect(await taken(['reading'], 'read-write')).toContain('takes no writes, and');
    expect(await taken(['reading'], 'standby')).toContain('follows no other server, and');
    expect(await taken(['primary'], 'read-only')).toContain('takes writes, and');
  });

  it('one that is away or full is passed over, and the last one’s reason is given where all are', async () => {
    const gone = await startServer();
    await gone.close();
    const server = await serverOf();
    await sessionTo(settingsOf([gone, await serverOf({ refuses: '53300' }), server]));
    expect(server.open()).toBe(1);
    await expect(connect(settingsOf([await serverOf({ refuses: '53300' }), gone]), 'roux')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(connect({ ...settingsOf([gone]), servers: [] }, 'roux')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('no server is named'),
    });
  });

  it('one that answers and lets nobody in is the end of it', async () => {
    const next = await serverOf();
    await expect(connect(settingsOf([await serverOf({ refuses: '28P01' }), next]), 'roux')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(next.seen).toEqual([]);
  });

  it('none is asked once the signal has come, and one that does not answer is left', async () => {
    const server = await serverOf();
    await expect(connect(settingsOf([server]), 'roux', AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(server.seen).toEqual([]);
    const silent = await serverOf({ isSilent: true });
    const stop = new AbortController();
    const waiting = connect(settingsOf([silent, server]), 'roux', stop.signal);
    waiting.catch(() => undefined);
    await waitFor(() => silent.seen.length === 1);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(server.seen).toEqual([]);
  });

  it('one that does not answer in time is passed over', async () => {
    const [silent, server] = [await serverOf({ isSilent: true }), await serverOf()];
    await sessionTo(settingsOf([silent, server], 'sslmode=disable', { connectTimeoutMs: 50 }));
    expect(server.open()).toBe(1);
  });
});

describe('TLS', () => {
  const seen = ({ seen: all }: OneServer): readonly string[] => all.map((each) => (each === 'tls' ? 'tls' : 'plain'));

  it('is asked for first or last, as it is said, and done without where that is allowed', async () => {
    const server = await serverOf();
    await sessionTo(settingsOf([server], 'sslmode=prefer'));
    expect(seen(server)).toEqual(['tls', 'plain']);
    const other = await serverOf();
    await sessionTo(settingsOf([other], 'sslmode=allow'));
    expect(seen(other)).toEqual(['plain']);
    const none = await serverOf();
    await sessionTo(settingsOf([none]));
    expect(seen(none)).toEqual(['plain']);
  });

  it('is tried where a rule refuses the login without, and nothing else is', async () => {
    const server = await serverOf({ refuses: '28000' });
    await expect(connect(settingsOf([server], 'sslmode=allow'), 'roux')).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(seen(server)).toEqual(['plain', 'tls']);
    const wrong = await serverOf({ refuses: '28P01' });
    await expect(connect(settingsOf([wrong], 'sslmode=allow'), 'roux')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(seen(wrong)).toEqual(['plain']);
  });

  it('that is demanded is not done without', async () => {
    const server = await serverOf();
    await expect(connect(settingsOf([server], 'sslmode=require'), 'roux')).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('the server does not support TLS'),
    });
    expect(seen(server)).toEqual(['tls']);
  });

  it('from the first byte on is no question of the protocol', async () => {
    const server = await serverOf();
    await expect(
      connect(settingsOf([server], 'sslmode=require&sslnegotiation=direct', { connectTimeoutMs: 200 }), 'roux'),
    ).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(seen(server)).toEqual([]);
  });
});

describe('who this is', () => {
  const login = async (how: NonNullable<ServerManners['login']>, query: string, change: Partial<ConnectionSettings> = {}) => {
    const server = await serverOf({ login: how });
    const result = await sessionTo(settingsOf([server], `sslmode=disable&${query}`, change)).then(
      () => 'in',
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    );
    return { result, heard: server.heard, server };
  };

  it('is said in any way that the server asks, where nothing else was said', async () => {
    for (const how of ['none', 'password', 'md5'] as const) expect((await login(how, '')).result, how).toBe('in');
    expect((await login('password', '')).heard[0]).toBe('secret');
    expect((await login('md5', '')).heard[0]).toMatch(/^md5[0-9a-f]{32}$/);
  });

  it('is not said in a way that is not allowed: no password is sent', async () => {
    for (const [how, allowed] of [
      ['none', 'scram-sha-256'],
      ['password', 'md5'],
      ['md5', '!md5'],
      ['scram-sha-256', 'password'],
    ] as const) {
      const { result, heard, server } = await login(how, `require_auth=${allowed}`);
      expect(result).toMatch(new RegExp(`^INVALID_CONFIG: .*the server asks for ${how}, which require_auth does not allow`));
      expect(
        heard.filter((text) => !text.startsWith('SCRAM')),
        how,
      ).toEqual([]);
      await waitFor(() => server.open() === 0, { what: 'the end of the connection' });
    }
    for (const how of ['none', 'password', 'md5'] as const) expect((await login(how, `require_auth=${how}`)).result).toBe('in');
  });

  it('bound to a certificate, is not said where the server offers no such login', async () => {
    for (const how of ['none', 'password', 'scram-sha-256'] as const) {
      const { result, heard } = await login(how, '', { isBound: true });
      expect(result).toMatch(/^INVALID_CONFIG: .*the server does not support channel binding/);
      expect(heard).toEqual([]);
    }
  });

  it('fails without a password, and the error says where to put one', async () => {
    const withPassword =
      (password: string | null) =>
      (target: Server): Server => ({ ...target, password: () => password });
    for (const password of [null, '']) {
      const server = await serverOf({ login: 'password' });
      const settings = settingsOf([server]);
      await expect(connect({ ...settings, servers: settings.servers.map(withPassword(password)) }, 'roux')).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('asks for a password. Set PGPASSWORD'),
      });
      expect(server.heard).toEqual([]);
    }
  });
});
