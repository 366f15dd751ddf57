import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Clients } from '../../../src/faces/http/oauth/clients.ts';
import { folderKey } from '../../../src/system/folder-key.ts';
import { withServe } from '../../support/program/http-server.ts';
import {
  answer,
  ask,
  CALLBACK,
  getCode,
  postForm,
  redeem,
  refresh,
  register,
  withOauth,
  withOauthHere,
} from '../../support/program/oauth-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const DOCUMENT = 'https://client.example/mcp.json';
const DAY_MS = 24 * 60 * 60_000;
const KEYS = 'https://keys.example/jwks.json';

/** Returns the file of a vault's clients and grants. */
const oauthFile = (vault: string): string => join(process.env['XDG_STATE_HOME'] ?? '', 'roux/servers', `${folderKey(vault)}.oauth`);

/** Does something often, a few at a time, as a stranger would. */
async function often<T>(count: number, act: (number: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let at = 0; at < count; at += 20)
    results.push(...(await Promise.all(Array.from({ length: Math.min(20, count - at) }, (_, next) => act(at + next)))));
  return results;
}

/** Does something until it is refused for coming too often. */
async function untilRefused(act: (number: number) => Promise<{ readonly status: number }>): Promise<void> {
  for (let at = 0; at < 5_000; at += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, next) => act(at + next)));
    if (answers.some(({ status }) => status === 429)) return;
  }
  throw new Error('nothing was refused');
}

const later = (ms: number): void => {
  const then = Date.now() + ms;
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(then);
};
afterEach(() => void vi.useRealTimers());

describe('O-01 what strangers do often keeps nobody else out', () => {
  it('O-01 behind a tunnel, who brings no token or an old one is told how to get one, whatever strangers send', () =>
    withOauth({ 'a.md': '' }, async ({ url }) => {
      const call = async (token?: string) => {
        const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
        const { status, headers: answered } = await fetch(`${url}/mcp`, { method: 'POST', headers });
        return [status, answered.get('www-authenticate')?.includes('resource_metadata=')];
      };
      await untilRefused(() => fetch(`${url}/api/search`, { headers: { authorization: 'Bearer guessed' } }));
      const told = await Promise.all(Array.from({ length: 10 }, (_, at) => call(at % 2 === 0 ? undefined : 'one-that-has-ended')));
      expect(told.every(([status, isHelp]) => status === 401 && isHelp)).toBe(true);
      const elsewhere = await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/api/search`)));
      expect(elsewhere.every(({ status }) => status === 401)).toBe(true);
    }));

  it('O-01 the requests of one client push out none of another that wait for the owner', () =>
    withOauth({ 'a.md': '' }, async (server) => {
      const [wanted, flooding] = [await register(server), await register(server)].map(({ body }) => body.client_id as string);
      const { request } = await ask(server, { client_id: wanted });
      const flood = await often(1_005, () => ask(server, { client_id: flooding }));
      expect(flood.every(({ status }) => status === 200)).toBe(true);
      expect((await answer(server, { request: request ?? '' })).next?.searchParams.get('code')).toBeTruthy();
      expect((await answer(server, { request: flood[0]?.request ?? '' })).next).toBeNull();
    }));

  it('O-01 programs that have access refresh it while strangers use up what the token endpoint answers', () =>
    withOauth({ 'a.md': '' }, async (server) => {
      const code = await getCode(server);
      const tokens = (await redeem(server, code)).body;
      const waiting = await getCode(server);
      const invented = { grant_type: 'refresh_token', refresh_token: 'x.y', client_id: code.clientId };
      const guess = () => postForm(`${server.url}/token`, invented);
      await untilRefused(guess);
      const [refreshed, redeemed] = await Promise.all([
        often(40, guess).then(() => refresh(server, code.clientId, tokens.refresh_token)),
        often(40, guess).then(() => redeem(server, waiting)),
        often(80, guess),
      ]);
      expect(refreshed).toMatchObject({ status: 200 });
      expect(redeemed).toMatchObject({ status: 200 });
    }));

  it('O-01 a wrong password is logged while strangers use up the lines of the log', () =>
    withOauth({ 'a.md': '' }, async (server) => {
      const { request } = await ask(server, { client_id: (await register(server)).body.client_id });
      const flood = () => often(100, () => ask(server, { client_id: 'nobody' }));
      await flood();
      const [guess] = await Promise.all([answer(server, { request: request ?? '', password: 'not the password' }), flood()]);
      expect(guess.status).toBe(403);
      await waitFor(() => server.told().includes('a wrong password (1 in a row)'), { what: 'the attempt in the log' });
    }));

  it('O-01 invented tokens and codes write nothing', () =>
    withOauth({ 'a.md': '' }, async (server) => {
      const code = await getCode(server);
      const { status } = await redeem(server, code);
      const stamp = () => {
        const { ino, mtimeNs } = statSync(oauthFile(server.vault.root), { bigint: true });
        return { status, ino, mtimeNs };
      };
      const before = stamp();
      expect(await refresh(server, code.clientId, 'x.y')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect(await redeem(server, { ...code, code: 'x.y' })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect(await postForm(`${server.url}/revoke`, { token: 'x.y', client_id: code.clientId })).toMatchObject({ status: 200 });
      expect(stamp()).toEqual(before);
    }));

  it('O-01 descriptions that strangers ask for keep none of a program that has access from being fetched', () =>
    withOauthHere(
      { 'a.md': '' },
      async (url) => ({ client_id: url.href, client_name: 'Program', redirect_uris: [CALLBACK] }),
      async (server) => {
        const code = await getCode(server, { clientId: DOCUMENT });
        const tokens = (await redeem(server, code)).body;
        later(11 * 60_000);
        await untilRefused((number) => ask(server, { client_id: `https://client.example/${number}.json` }));
        expect(await refresh(server, DOCUMENT, tokens.refresh_token)).toMatchObject({ status: 200 });
      },
    ));

  it('O-01 signatures with unknown keys have the keys fetched again once in a minute', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const fetched: string[] = [];
    const description = {
      client_id: DOCUMENT,
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: KEYS,
    };
    await withOauthHere(
      { 'a.md': '' },
      async (url) => {
        fetched.push(url.href);
        return url.href === KEYS ? { keys: [] } : description;
      },
      async (server) => {
        const attempt = async () => {
          const assertion = new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'unknown' }).setSubject(DOCUMENT);
          return postForm(`${server.url}/token`, {
            grant_type: 'refresh_token',
            refresh_token: 'x.y',
            client_assertion: await assertion.sign(privateKey),
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          });
        };
        for (let count = 0; count < 5; count += 1) expect((await attempt()).status).toBe(401);
        expect(fetched).toEqual([DOCUMENT, KEYS]);
        later(61_000);
        for (let count = 0; count < 5; count += 1) expect((await attempt()).status).toBe(401);
        expect(fetched).toEqual([DOCUMENT, KEYS, KEYS]);
      },
    );
  });

  it('O-01 a client that loses its access after weeks is still known for some days, so that it can ask again', () =>
    withOauthHere(
      { 'a.md': '' },
      async () => null,
      async (server) => {
        const code = await getCode(server);
        const { refresh_token: first } = (await redeem(server, code)).body;
        later(30 * DAY_MS);
        expect(await refresh(server, code.clientId, first)).toMatchObject({ status: 200 });
        expect(await refresh(server, code.clientId, first)).toMatchObject({ status: 400 });
        await register(server);
        expect(await ask(server, { client_id: code.clientId })).toMatchObject({ status: 200 });
        later(8 * DAY_MS);
        await register(server);
        expect(await ask(server, { client_id: code.clientId })).toMatchObject({ status: 400 });
      },
    ));

  it('O-01 a file of tokens that is damaged is told of now and then, not with each request, and stops no start', () =>
    withOauth({ 'a.md': '' }, async ({ url, told, vault, stop }) => {
      writeFileSync(oauthFile(vault.root), '{');
      const statuses = await often(60, async () => (await fetch(`${url}/mcp`, { method: 'POST' })).status);
      expect(new Set(statuses)).toEqual(new Set([401]));
      const lines = told()
        .split('\n')
        .filter((line) => line.includes('cannot be read'));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.length).toBeLessThan(20);
      await stop();
      await withServe(vault, ['--public-url', 'https://notes.example.com'], async (next) => {
        expect((await fetch(`${next.url}/health`)).status).toBe(200);
        await waitFor(() => next.told().includes('cannot be read'), { what: 'what is wrong with the file' });
      });
    }));
});

describe('O-01 what is fetched for a client', () => {
  it.each(['http://keys.example/x', 'https://keys.example:8443/x', 'https://user:word@keys.example/x', 'ftp://keys.example/x'])(
    'O-01 is https without a port or a user, also where any host is named: not %s',
    async (address) => {
      const fetched: string[] = [];
      const clients = new Clients({
        file: { read: () => ({ clients: [], grants: [] }) } as unknown as ConstructorParameters<typeof Clients>[0]['file'],
        hosts: ['*'],
        fetchJson: async ({ href }) => void fetched.push(href),
      });
      await expect(clients.fetchDocument(new URL(address), DOCUMENT)).rejects.toMatchObject({ code: 'invalid_client' });
      expect(fetched).toEqual([]);
    },
  );
});
