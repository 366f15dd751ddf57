import { describe, expect, it } from 'vitest';
import type { HttpServer } from '../../support/program/http-server.ts';
import {
  answer,
  ask,
  CALLBACK,
  getCode,
  PASSWORD,
  pkce,
  postForm,
  redeem,
  register,
  withOauth,
} from '../../support/program/oauth-server.ts';
import type { OauthServer } from '../../support/program/oauth-server.ts';
import { useOnce } from '../../support/program/use-once.ts';

type Server = OauthServer & HttpServer;
const server = useOnce<Server>((use) => withOauth({ 'secret-name.md': 'SECRET\n' }, use));
const known = new Map<string, Promise<string>>();
/** A client with this description: the same each time, as registrations are limited. */
function newClient(metadata: object = {}): Promise<string> {
  const id = known.get(JSON.stringify(metadata)) ?? server().then(async (at) => (await register(at, metadata)).body.client_id as string);
  known.set(JSON.stringify(metadata), id);
  return id;
}

describe('O-01 attacks on the authorization endpoint', () => {
  it.each([
    ['another host', 'https://evil.example/callback'],
    ['a longer path', `${CALLBACK}/more`],
    ['a query of its own', `${CALLBACK}?next=https://evil.example`],
    ['another scheme', 'http://client.example/callback'],
    ['a user name', 'https://client.example@evil.example/callback'],
    ['a fragment', `${CALLBACK}#x`],
    ['javascript', 'javascript:alert(1)//https://client.example/callback'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['a backslash', 'https://evil.example\\@client.example/callback'],
    ['dots', 'https://client.example/x/../callback'],
    ['another port', 'https://client.example:8443/callback'],
    ['capitals', 'https://CLIENT.example/callback'],
    ['nothing valid', 'callback'],
  ])('O-01 an address that was not registered is never gone to: %s', async (_, redirect) => {
    const shown = await ask(await server(), { client_id: await newClient(), redirect_uri: redirect });
    expect(shown).toMatchObject({ status: 400, request: null, next: null });
    expect(shown.headers.get('location')).toBeNull();
    expect(shown.html).toContain('The redirect_uri is not one that the client registered.');
    expect(shown.html).not.toContain('evil.example');
    expect(shown.html).not.toContain('href=');
    await expect.poll(async () => (await server()).told()).toContain('OAuth refused an authorization request: The redirect_uri');
  });

  it('O-01 the port of a loopback address may differ, and nothing else of it', async () => {
    const id = await newClient({ redirect_uris: ['http://127.0.0.1:1/callback', 'http://localhost/cb'] });
    const status = async (redirect: string) => (await ask(await server(), { client_id: id, redirect_uri: redirect })).status;
    expect(await status('http://127.0.0.1:49152/callback')).toBe(200);
    expect(await status('http://localhost:8080/cb')).toBe(200);
    expect(await status('http://localhost:8080/callback')).toBe(400);
    expect(await status('http://127.0.0.1:1/callback?x')).toBe(400);
    expect(await status('http://127.0.0.2:1/callback')).toBe(400);
    expect(await status('http://127.0.0.1.evil.example/callback')).toBe(400);
    expect(await status('https://127.0.0.1:1/callback')).toBe(400);
  });

  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain by default', { code_challenge_method: undefined }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is none', { code_challenge: 'x' }, 'invalid_request'],
    ['tokens in the answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['tokens beside a code', { response_type: 'code token' }, 'unsupported_response_type'],
    ['an answer in a fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['the resource of another path', { resource: 'http://127.0.0.1/other' }, 'invalid_target'],
    ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
  ])('O-01 %s is refused, and the browser goes nowhere by itself', async (_, fields, error) => {
    const shown = await ask(await server(), { client_id: await newClient(), ...fields });
    expect(shown).toMatchObject({ status: 400, request: null, next: null });
    expect(shown.headers.get('location')).toBeNull();
    const back = new URL(/href="([^"]*)"/.exec(shown.html)?.[1]?.replaceAll('&amp;', '&') ?? '');
    expect(back.href.startsWith(`${CALLBACK}?`)).toBe(true);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'a state', iss: (await server()).url });
  });

  it('O-01 an unknown client, a repeated parameter and no parameters are refused', async () => {
    const { url } = await server();
    expect(await ask({ url }, { client_id: 'nobody' })).toMatchObject({ status: 400, request: null });
    const twice = await fetch(`${url}/authorize?client_id=${await newClient()}&client_id=other`, { redirect: 'manual' });
    expect(twice.status).toBe(400);
    expect((await fetch(`${url}/authorize`, { redirect: 'manual' })).status).toBe(400);
  });

  it('O-01 issuer and addresses are those of the setting, whatever a request says of itself', async () => {
    const { url, port } = await server();
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' };
    const response = await fetch(`http://localhost:${port}/.well-known/oauth-authorization-server`, { headers: forged });
    const metadata = await response.text();
    expect(metadata).not.toMatch(/evil|localhost/);
    expect(JSON.parse(metadata)).toMatchObject({ issuer: url, code_challenge_methods_supported: ['S256'] });
  });
});

describe('O-01 attacks on the consent form', () => {
  it('O-01 names client and target, and shows nothing of the vault', async () => {
    const hostile = '</h1><script>alert(1)</script>"\u202e';
    const id = await newClient({ client_name: hostile });
    const { html, headers } = await ask(await server(), { client_id: id, state: '"><script>' });
    expect(html).not.toContain('<script');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('\u202e');
    expect(html).toContain('It chose this name itself; nobody has checked it.');
    expect(html).toContain('<strong>client.example</strong>');
    expect(html).not.toMatch(/secret-name|SECRET/);
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('O-01 is taken once, from the page itself, and allows no more than was asked', async () => {
    const id = await newClient();
    const shown = async (fields = {}) => (await ask(await server(), { client_id: id, scope: 'read', ...fields })).request ?? '';
    const own = (await server()).url;
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: own, 'sec-fetch-site': 'same-site' },
    ]) {
      const { status, next } = await answer(await server(), { request: await shown() }, headers as Record<string, string>);
      expect({ headers, isRefused: status === 400 || status === 403, next }).toEqual({ headers, isRefused: true, next: null });
    }
    expect(await answer(await server(), { request: await shown(), scope: 'write' })).toMatchObject({ status: 400, next: null });
    expect(await answer(await server(), { request: await shown({ scope: 'read write' }), scope: 'admin' })).toMatchObject({
      status: 400,
      next: null,
    });
    expect(await answer(await server(), { request: 'invented' })).toMatchObject({ status: 400, next: null });

    const request = await shown();
    const first = await answer(await server(), { request, scope: 'read' });
    expect(first.next?.searchParams.get('code')).toMatch(/^[\w-]{22}\.[\w-]{43}$/);
    expect(await answer(await server(), { request, scope: 'read' })).toMatchObject({ status: 400, next: null });
    const both = await shown();
    const sent = await Promise.all([1, 2].map(async () => answer(await server(), { request: both, scope: 'read' })));
    expect(sent.filter(({ next }) => next !== null)).toHaveLength(1);
    await expect
      .poll(async () => (await server()).told())
      .toContain('OAuth refused a consent form: This form is too old, or was sent before.');
  });

  it('O-01 a form that is too large, or no text, is refused as such', async () => {
    const { url } = await server();
    const send = async (body: string | Uint8Array<ArrayBuffer>) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const response = await fetch(`${url}/authorize`, { method: 'POST', body, headers });
      return [response.status, await response.text()];
    };
    expect(await send(`request=${'x'.repeat(20_000)}`)).toEqual([413, expect.stringContaining('The request is too large.')]);
    expect(await send(new Uint8Array([0x61, 0xff]))).toEqual([400, expect.stringContaining('The body is not UTF-8.')]);
  });

  it('O-01 a denial needs no password, and tells the client', async () => {
    const { request } = await ask(await server(), { client_id: await newClient() });
    const { next } = await answer(await server(), { request: request ?? '', answer: 'deny', password: '' });
    expect(Object.fromEntries(next?.searchParams ?? [])).toEqual({ error: 'access_denied', state: 'a state', iss: (await server()).url });
  });

  it('O-01 folders that are none are said, and the form stays', async () => {
    const { request } = await ask(await server(), { client_id: await newClient() });
    const again = await answer(await server(), { request: request ?? '', scope: 'read', folders: 'a,../b' });
    expect(again).toMatchObject({ status: 400, request, next: null });
    expect(again.html).toContain('it is no folder of a vault');
    expect((await answer(await server(), { request: request ?? '', scope: 'read', folders: 'a, b/*' })).next).not.toBeNull();
  });

  it('O-01 who asks for nothing in particular is offered reading first; everything has to be asked for by name', async () => {
    const { html } = await ask(await server(), { client_id: await newClient(), scope: ' offline_access' });
    expect(html).toMatch(/value="read" checked/);
    expect(html).toContain('value="write"');
    expect(html).not.toContain('value="admin"');
    const all = await ask(await server(), { client_id: await newClient(), scope: 'read write admin' });
    expect(all.html).toMatch(/value="write" checked/);
    expect(all.html).toContain('value="admin"');
  });

  it('O-01 passwords are guessed slowly, a few times, and never twice at once; every attempt is logged', () =>
    withOauth({ 'a.md': '' }, async (own) => {
      const id = (await register(own)).body.client_id as string;
      const { request } = await ask(own, { client_id: id, scope: 'read' });
      const guess = (password: string, of = request) => answer(own, { request: of ?? '', scope: 'read', password });
      const wrong = await guess('not the password');
      expect(wrong).toMatchObject({ status: 403, next: null, request });
      expect(wrong.html).toContain('This is not your password.');
      await expect.poll(() => own.told()).toContain('OAuth refused a wrong password (1 in a row)');
      // All at once: some wait, the others are turned away unseen.
      const flood = await Promise.all(
        Array.from({ length: 12 }, async () => guess('guess', (await ask(own, { client_id: id, scope: 'read' })).request)),
      );
      expect(flood.every(({ next }) => next === null)).toBe(true);
      expect(flood.filter(({ status }) => status === 429).length).toBeGreaterThan(2);
      // Now even the right one is not looked at.
      for (let left = 10; left > 0 && (await guess('guess')).status === 403; left -= 1);
      const right = await guess(PASSWORD);
      expect(right.next).toBeNull();
      await expect.poll(() => own.told()).toContain('there were too many attempts');
      expect(own.told()).not.toContain('guess');
    }));
});

describe('O-01 odd requests', () => {
  it.each([
    ['no JSON', '{', 'invalid_client_metadata'],
    ['an array', '[]', 'invalid_client_metadata'],
    ['no addresses', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['javascript', { redirect_uris: ['javascript://x/%0aalert(1)'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${CALLBACK}#`] }, 'invalid_redirect_uri'],
    ['http elsewhere', { redirect_uris: ['http://client.example/'] }, 'invalid_redirect_uri'],
    ['a pattern', { redirect_uris: ['https://*.example/'] }, 'invalid_redirect_uri'],
    ['one bad among good ones', { redirect_uris: [CALLBACK, 'data:,x'] }, 'invalid_redirect_uri'],
    ['too many addresses', { redirect_uris: Array.from({ length: 11 }, (_, at) => `${CALLBACK}/${at}`) }, 'invalid_redirect_uri'],
    ['a long address', { redirect_uris: [`${CALLBACK}/${'x'.repeat(2_000)}`] }, 'invalid_redirect_uri'],
    ['a long name', { client_name: 'x'.repeat(2_000) }, 'invalid_client_metadata'],
    ['a name that is none', { client_name: { toString: 'x' } }, 'invalid_client_metadata'],
    ['a key', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    ['17 KB', { redirect_uris: [CALLBACK], software_statement: 'x'.repeat(17_000) }, 'invalid_request'],
  ])('O-01 a registration with %s is refused', async (_, metadata, error) => {
    const { status, body } = await register(await server(), metadata);
    expect(status === 400 || status === 413).toBe(true);
    expect(body).toMatchObject({ error, error_description: expect.any(String) });
  });

  it('O-01 programs register addresses of their own scheme; members that mean nothing here are left out', async () => {
    const redirectUris = ['cursor://anysphere.cursor-mcp/oauth/callback', 'com.example.app:/callback', 'http://[::1]:1/'];
    const { status, body } = await register(await server(), {
      redirect_uris: redirectUris,
      grant_types: ['implicit'],
      logo_uri: 'http://10.0.0.1/',
      __proto__: {},
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { redirect_uris: redirectUris, grant_types: ['authorization_code', 'refresh_token'] },
    });
    expect(body).not.toHaveProperty('logo_uri');
    // A scheme does not pass for a host, which the owner looks for.
    const scheme = await newClient({ redirect_uris: ['claude.ai:/callback'] });
    expect((await ask(await server(), { client_id: scheme, redirect_uri: 'claude.ai:/callback' })).html).toContain(
      '<strong>claude.ai://</',
    );
  });

  it('O-01 registrations are limited in time and number; those that have access stay', () =>
    withOauth({ 'a.md': '' }, async (own) => {
      const code = await getCode(own);
      await redeem(own, code);
      const statuses: number[] = [];
      for (let count = 0; count < 25; count += 1) statuses.push((await register(own)).status);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(2);
      expect((await ask(own, { client_id: code.clientId })).status).toBe(200);
    }));

  it('O-01 the token endpoint takes a form in the body alone, each parameter once, and of bounded size', async () => {
    const { url } = await server();
    const send = async (body: string, type = 'application/x-www-form-urlencoded', query = '') =>
      (await fetch(`${url}/token${query}`, { method: 'POST', body, headers: { 'content-type': type } })).status;
    const { clientId, code, verifier } = await getCode(await server(), { clientId: await newClient() });
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }).toString();
    expect(await send(JSON.stringify({ code }), 'application/json')).toBe(400);
    expect(await send('', undefined, `?${form}`)).toBe(400);
    expect(await send(`${form}&code=other`)).toBe(400);
    expect(await send(`${form}&x=${'x'.repeat(20_000)}`)).toBe(413);
    expect(await send('%E0%A4%A')).toBe(400);
    expect(await send(form)).toBe(200);
  });

  it('O-01 pages of other origins reach under the public name what needs a token, and nothing else', async () => {
    const { url } = await server();
    const origin = 'https://chatgpt.com';
    const asked = async (path: string, method = 'GET') => {
      const response = await fetch(`${url}${path}`, { method, headers: { origin } });
      return [response.status, response.headers.get('access-control-allow-origin')];
    };
    expect(await asked('/.well-known/oauth-protected-resource/mcp')).toEqual([200, origin]);
    expect(await asked('/mcp', 'POST')).toEqual([401, origin]);
    expect((await asked('/token', 'POST'))[0]).toBe(400);
    expect((await asked('/authorize'))[0]).toBe(403);
    expect((await asked('/api/search'))[0]).toBe(403);
    expect((await asked('/'))[0]).toBe(403);
    const preflight = await fetch(`${url}/token`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    // Under another name, names that lead to this machine could be used against it.
    const local = await fetch(`${url.replace('127.0.0.1', 'localhost')}/mcp`, { method: 'POST', headers: { origin } });
    expect(local.status).toBe(403);
  });

  it('O-01 a form that is sent to the wrong endpoint, or by another method, is refused', async () => {
    const { url } = await server();
    expect((await fetch(`${url}/token`)).status).toBe(401);
    expect((await fetch(`${url}/register`)).status).toBe(401);
    expect((await fetch(`${url}/authorize`, { method: 'PUT' })).status).toBe(401);
    expect(await postForm(`${url}/revoke`, { client_id: await newClient(), code_verifier: pkce().verifier })).toMatchObject({
      status: 400,
    });
  });
});
