import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderKey } from '../../../src/system/folder-key.ts';
import { cli } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import type { HttpServer } from '../../support/program/http-server.ts';
import {
  callTool,
  CALLBACK,
  getCode,
  PASSWORD,
  pkce,
  postForm,
  redeem,
  refresh,
  register,
  withOauth,
} from '../../support/program/oauth-server.ts';
import type { OauthServer } from '../../support/program/oauth-server.ts';
import { useOnce } from '../../support/program/use-once.ts';

type Server = OauthServer & HttpServer;
const server = useOnce<Server>((use) => withOauth({ 'a.md': 'APPLES\n', 'open/b.md': 'PEARS\n' }, use));

const reads = async (token: string): Promise<number> => (await callTool(await server(), token, 'get_node', { id: 'a.md' })).status;

const clients = useOnce<readonly [string, string]>(async (use) => {
  const id = async (): Promise<string> => (await register(await server())).body.client_id as string;
  await use([await id(), await id()]);
});
const codeOf = async (how: object = {}) => getCode(await server(), { clientId: (await clients())[0], ...how });
const otherClient = async (): Promise<string> => (await clients())[1];

/** A grant with its tokens. */
async function getTokens(how: object = {}) {
  const code = await codeOf(how);
  const { body } = await redeem(await server(), code);
  return { ...code, access: body.access_token as string, refresh: body.refresh_token as string, scope: body.scope as string };
}

describe('O-01 attacks on codes', () => {
  it('O-01 a code that is used twice is refused, and ends the grant that it made', async () => {
    const code = await codeOf();
    const first = await redeem(await server(), code);
    expect(first).toMatchObject({ status: 200, body: { scope: 'read write' } });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(await reads(first.body.access_token)).toBe(200);
    expect(await redeem(await server(), code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await reads(first.body.access_token)).toBe(401);
    expect(await refresh(await server(), code.clientId, first.body.refresh_token)).toMatchObject({ status: 400 });
    expect((await server()).told()).toMatch(/a code of "test-program[-\d]*" was used a second time, so that its access has ended/);
  });

  it('O-01 of two requests with one code at the same moment one at most is answered, and nothing of it stays', async () => {
    const code = await codeOf();
    const both = await Promise.all([redeem(await server(), code), redeem(await server(), code)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    const { body } = both.find(({ status }) => status === 200) ?? { body: {} };
    expect(await reads(body.access_token)).toBe(401);
  });

  it.each([
    ['for another client', async () => ({ client_id: await otherClient() }), 'issued to another client'],
    ['with another redirect', async () => ({ redirect_uri: 'https://client.example/other' }), 'not the one that the code was sent to'],
    ['with another verifier', async () => ({ code_verifier: pkce().verifier }), 'code_verifier does not match'],
    ['without a verifier', async () => ({ code_verifier: undefined }), 'code_verifier does not match'],
    ['with a verifier that is too short', async () => ({ code_verifier: 'short' }), 'code_verifier does not match'],
  ])('O-01 a code %s is refused and used up', async (_, change, told) => {
    const code = await codeOf();
    expect(await redeem(await server(), code, await change())).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: expect.stringContaining(told) },
    });
    expect(await redeem(await server(), code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await expect.poll(async () => (await server()).told()).toContain(`OAuth refused a token request: `);
  });

  it('O-01 a code for another resource is refused', async () => {
    const code = await codeOf();
    expect(await redeem(await server(), code, { resource: 'https://elsewhere.example/mcp' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    });
  });

  it('O-01 invented codes, tokens, clients and grant types are refused', async () => {
    const { url } = await server();
    const { clientId } = await codeOf();
    for (const [fields, error, status] of [
      [{ grant_type: 'authorization_code', code: 'x', client_id: clientId }, 'invalid_grant', 400],
      [{ grant_type: 'authorization_code', client_id: clientId }, 'invalid_grant', 400],
      [{ grant_type: 'refresh_token', refresh_token: 'x.y', client_id: clientId }, 'invalid_grant', 400],
      [{ grant_type: 'client_credentials', client_id: clientId }, 'unsupported_grant_type', 400],
      [{ grant_type: 'password', username: 'owner', password: PASSWORD, client_id: clientId }, 'unsupported_grant_type', 400],
      [{ grant_type: 'authorization_code', code: 'x', client_id: 'nobody' }, 'invalid_client', 401],
      [{ grant_type: 'authorization_code', code: 'x' }, 'invalid_request', 400],
    ] as const)
      expect(await postForm(`${url}/token`, fields), JSON.stringify(fields)).toMatchObject({ status, body: { error } });
  });
});

describe('O-01 attacks on tokens', () => {
  it('O-01 an old refresh token is refused, and ends the whole grant', async () => {
    const first = await getTokens();
    const second = await refresh(await server(), first.clientId, first.refresh);
    expect(second.status).toBe(200);
    expect(await reads(first.access)).toBe(200);
    expect(await refresh(await server(), first.clientId, first.refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(await server(), first.clientId, second.body.refresh_token)).toMatchObject({ status: 400 });
    expect(await reads(first.access)).toBe(401);
    expect(await reads(second.body.access_token)).toBe(401);
    expect((await server()).told()).toMatch(/a refresh token of "test-program[-\d]*" was used a second time/);
  });

  it('O-01 a refresh token is good for its client alone, raises no scope, and may lower it', async () => {
    const tokens = await getTokens({ answered: { scope: 'read' } });
    expect(tokens.scope).toBe('read');
    const other = await otherClient();
    expect(await refresh(await server(), other, tokens.refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(await server(), tokens.clientId, tokens.refresh, { scope: 'read write' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const renewed = await refresh(await server(), tokens.clientId, tokens.refresh, { scope: 'read offline_access' });
    expect(renewed).toMatchObject({ status: 200, body: { scope: 'read' } });
    const refused = await callTool(await server(), renewed.body.access_token, 'create_node', { title: 'No' });
    expect(refused.text).not.toContain('"path"');

    const writer = await getTokens();
    const less = await refresh(await server(), writer.clientId, writer.refresh, { scope: 'read' });
    expect(less.body.scope).toBe('read');
    const more = await refresh(await server(), writer.clientId, less.body.refresh_token, {});
    expect(more.body.scope).toBe('read write');
  });

  it('O-01 a token is for the MCP server alone, in the header alone, and reaches the folders that the owner chose', async () => {
    const { url } = await server();
    const tokens = await getTokens({ answered: { folders: 'open' } });
    const headers = { authorization: `Bearer ${tokens.access}` };
    expect((await fetch(`${url}/api/get_node?id=open/b.md`, { headers })).status).toBe(401);
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(401);
    expect((await fetch(`${url}/mcp?access_token=${tokens.access}`, { method: 'POST' })).status).toBe(401);
    await expect.poll(async () => (await server()).told()).toContain('a token in an address');
    expect((await server()).told()).not.toContain(tokens.access);
    expect((await callTool(await server(), tokens.access, 'get_node', { id: 'open/b.md' })).text).toContain('PEARS');
    expect((await callTool(await server(), tokens.access, 'get_node', { id: 'a.md' })).text).not.toContain('APPLES');
    // Nor is a refresh token one that opens anything.
    expect(await reads(tokens.refresh)).toBe(401);
  });

  it('O-01 a token of another vault, or of the same one at another public URL, opens nothing', async () => {
    const tokens = await getTokens();
    await withOauth({ 'a.md': 'OTHER\n' }, async (other) => {
      expect((await callTool(other, tokens.access, 'get_node', { id: 'a.md' })).status).toBe(401);
      expect((await refresh(other, tokens.clientId, tokens.refresh)).status).toBe(401);
      const code = await getCode(other);
      const own = await redeem(other, code);
      await other.stop();
      const flags = ['--port', String(other.port), '--public-url', 'https://notes.example.com'];
      await withServe(
        other.vault,
        flags,
        async (moved) => {
          expect((await callTool(moved, own.body.access_token, 'get_node', { id: 'a.md' })).status).toBe(401);
          expect(await refresh(moved, code.clientId, own.body.refresh_token)).toMatchObject({ status: 400 });
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
    });
    expect(await reads(tokens.access)).toBe(200);
  });

  it('O-01 a revocation ends the grant of its own client alone, and says nothing of others', async () => {
    const { url } = await server();
    const tokens = await getTokens();
    const other = await otherClient();
    const revoke = (fields: Record<string, string>) => postForm(`${url}/revoke`, fields);
    expect(await revoke({ token: tokens.access, client_id: other })).toMatchObject({ status: 200, body: {} });
    expect(await revoke({ token: 'unknown', client_id: tokens.clientId })).toMatchObject({ status: 200, body: {} });
    expect(await revoke({ token: tokens.access, client_id: 'nobody' })).toMatchObject({ status: 401 });
    expect(await reads(tokens.access)).toBe(200);
    expect(await revoke({ token: tokens.access, client_id: tokens.clientId })).toMatchObject({ status: 200 });
    expect(await reads(tokens.access)).toBe(401);
    expect((await refresh(await server(), tokens.clientId, tokens.refresh)).status).toBe(400);
  });

  it('O-01 a client with a secret needs it, in the header or in the form', async () => {
    const { url } = await server();
    const client = (await register(await server(), { token_endpoint_auth_method: 'client_secret_post' })).body;
    const code = () => getCode({ url }, { clientId: client.client_id });
    expect(await redeem({ url }, await code())).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await redeem({ url }, await code(), { client_secret: 'wrong' })).toMatchObject({ status: 401 });
    expect(await redeem({ url }, await code(), { client_secret: client.client_secret })).toMatchObject({ status: 200 });
    const { verifier, code: text } = await code();
    const authorization = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`;
    const fields = { grant_type: 'authorization_code', code: text, code_verifier: verifier, redirect_uri: CALLBACK };
    expect(await postForm(`${url}/token`, fields, { authorization })).toMatchObject({ status: 200 });
  });

  it('O-01 access that nobody used for 90 days has ended, and is not listed', () =>
    withOauth({ 'a.md': '' }, async (own) => {
      const code = await getCode(own);
      const { body } = await redeem(own, code);
      const listed = async () => (await cli(['token', '--vault', own.vault.root])).stdout;
      expect(await listed()).toContain('test-program');
      const file = join(process.env['XDG_STATE_HOME'] ?? '', 'roux/servers', `${folderKey(own.vault.root)}.oauth`);
      const long = new Date(Date.now() - 91 * 24 * 60 * 60_000).toISOString();
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"used": "[^"]*"/, `"used": "${long}"`));
      expect(await listed()).not.toContain('test-program');
      expect(await refresh(own, code.clientId, body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }));

  it('O-01 what is stored opens nothing, is private, and lies outside of the vault', async () => {
    const { vault } = await server();
    const tokens = await getTokens();
    const client = (await register(await server(), { token_endpoint_auth_method: 'client_secret_basic' })).body;
    const folder = join(process.env['XDG_STATE_HOME'] ?? '', 'roux/servers');
    const texts = readdirSync(folder).map((name) => {
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
      return readFileSync(join(folder, name), 'utf8');
    });
    expect(texts.join('')).toContain(tokens.clientId);
    for (const secret of [tokens.access, tokens.refresh, tokens.code, client.client_secret, PASSWORD])
      for (const text of texts) expect(text).not.toContain(secret);
    const inVault = readdirSync(vault.root, { recursive: true }).filter((name) => /oauth/.test(String(name)));
    expect(inVault).toEqual([]);
    const { stdout } = await cli(['token', '--json', '--vault', vault.root]);
    expect(stdout).toContain(tokens.clientId);
    for (const secret of [tokens.access, tokens.refresh, tokens.code]) expect(stdout).not.toContain(secret);
  });
});
