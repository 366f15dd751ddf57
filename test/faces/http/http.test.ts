import { readFileSync, renameSync, statSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it } from 'vitest';
import { leftFor, post, withServe } from '../../support/program/http-server.ts';
import { toSession } from '../../support/program/mcp-client.ts';
import { openTestVault, withVault } from '../../support/vault.ts';

async function withClient<T>(url: string, headers: Record<string, string>, run: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'http-test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }) as Transport);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

describe('the server over HTTP', () => {
  it('says in its health that the folder of the vault is gone, and that it is back', () =>
    withVault({ 'notes/a.md': 'apple\n' }, (place) =>
      withServe(openTestVault(place.path('notes')), [], async ({ url }) => {
        const status = async (): Promise<unknown> => ((await (await fetch(`${url}/health`)).json()) as { status?: unknown }).status;
        await expect.poll(status).toBe('ok');
        renameSync(place.path('notes'), place.path('away'));
        await expect.poll(status).toBe('gone');
        renameSync(place.path('away'), place.path('notes'));
        await expect.poll(status).toBe('ok');
      }),
    ));

  it('serves many clients at once, each its own session, and its health', () =>
    withVault({ 'a.md': 'apple [[gone]]\n' }, (vault) =>
      withServe(vault, [], async ({ url, stop }) => {
        expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
        await withClient(url, {}, (one) =>
          withClient(url, {}, async (two) => {
            for (const client of [one, two]) {
              const node = await toSession(client).ask('get_node', { id: 'a' });
              expect(node._warnings).toEqual(['Broken link: [[gone]]']);
            }
            await toSession(one).ask('create_node', { title: 'b', content: 'pear' });
            expect(await toSession(two).ask('search', { query: 'pear' })).toHaveLength(1);
          }),
        );
        expect((await fetch(`${url}/nothing`)).status).toBe(404);
        const address = (): string | undefined => leftFor(vault, 'json');
        expect(JSON.parse(address() ?? '')).toMatchObject({ url, vault: vault.root });
        expect(await stop()).toBe(0);
        expect(address()).toBeUndefined();
        expect(vault.exists('.roux/run')).toBe(false);
      }),
    ));

  it('F42 refuses other hosts, foreign origins, oversized bodies and sessions that are not there', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, [], async ({ port }) => {
        expect((await post(port, {})).status).toBe(200);
        for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '169.254.169.254']) {
          expect((await post(port, { headers: { host } })).status, host).toBeGreaterThanOrEqual(400);
        }
        for (const origin of ['http://evil.example', 'null', `http://localhost.evil.example:${port}`, 'file://']) {
          expect((await post(port, { headers: { origin } })).status, origin).toBe(403);
        }
        expect((await post(port, { headers: { origin: `http://127.0.0.1:${port}` } })).status).toBe(200);
        expect((await post(port, { headers: { 'mcp-session-id': 'made-up' } })).status).toBe(404);
        expect((await post(port, { body: '{"jsonrpc":"2.0","id":1,"method":"initialized"}' })).body).toContain('-32601');
        expect((await post(port, { body: 'garbage' })).status).toBe(400);
        const huge = await post(port, { body: `{"x":"${'y'.repeat(13 * 1024 * 1024)}"}` }).catch(() => ({ status: 413 }));
        expect(huge.status).toBe(413);
        expect((await post(port, {})).status).toBe(200);
      }),
    ));

  it('F42 with a token refuses requests without it, with a wrong or a shorter one', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ url, port, tokenFile }) => {
          const token = readFileSync(tokenFile(), 'utf8').trim();
          expect(statSync(tokenFile()).mode & 0o077).toBe(0);
          for (const authorization of ['', 'Bearer', `Bearer ${token.slice(0, -1)}`, `Bearer ${token}x`, `Basic ${token}`, token]) {
            const answer = await post(port, { headers: authorization === '' ? {} : { authorization } });
            expect(answer.status, authorization).toBe(401);
            expect(answer.body).not.toContain(token);
          }
          expect((await post(port, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
          await withClient(url, { authorization: `Bearer ${token}` }, async (client) => {
            expect(await toSession(client).ask('search', { query: 'apple' })).toHaveLength(1);
          });
          expect((await post(port, { path: '/health', method: 'GET', body: '' })).status).toBe(200);
        },
        { ROUX_HTTP_AUTH: 'token' },
      ),
    ));

  it('prints a client command that works: the kept token by its file, a given one by the variable that sets it, and no token itself', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      const given = 'a-token-of-our-own-choice';
      await withServe(vault, ['--token', given], async ({ port, told }) => {
        expect(told()).toContain('--header "Authorization: Bearer $ROUX_HTTP_TOKEN"');
        expect(told()).toContain('the one that you gave; put it into ROUX_HTTP_TOKEN');
        expect(told()).not.toContain(given);
        expect(leftFor(vault, 'token')).toBeUndefined();
        expect((await post(port, { headers: { authorization: `Bearer ${given}` } })).status).toBe(200);
      });
      await withServe(
        vault,
        [],
        ({ told, tokenFile }) => {
          expect(told()).toContain(`Token    ${tokenFile()}`);
          expect(told()).toContain('"headers":{"Authorization":"Bearer <token>"}');
          expect(told()).not.toContain(readFileSync(tokenFile(), 'utf8').trim());
          return Promise.resolve();
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
    }));

  it('says to git what stays on this machine, also where an older file says less', () =>
    withVault({ 'a.md': '', '.roux/.gitignore': 'mine/\ncache/' }, async (vault) => {
      await withServe(vault, [], () => Promise.resolve());
      const lines = vault.read('.roux/.gitignore').trimEnd().split('\n');
      expect(lines.slice(0, 2)).toEqual(['mine/', 'cache/']);
      expect(lines).toEqual(expect.arrayContaining(['journal/', 'run/', 'history/keys/', 'history/batches/']));
      expect(new Set(lines).size).toBe(lines.length);
    }));
});
