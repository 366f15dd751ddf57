import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../../support/cli.ts';
import { toSession } from '../../support/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

interface HttpServer {
  readonly url: string;
  readonly port: number;
  readonly stop: () => Promise<number | null>;
  /** What it has told people so far. */
  readonly told: () => string;
}

async function withServe<T>(vault: TestVault, flags: readonly string[], run: (server: HttpServer) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [program, 'serve', vault.root, '--port', '0', '--json', ...flags], {
    env: testEnvironment(),
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
  try {
    await waitFor(() => out.includes('\n') && err.includes('ready'), { what: `the server (${err})` });
    const { url } = JSON.parse(out) as { url: string };
    return await run({ url, port: Number(new URL(url).port), stop: () => (child.kill('SIGTERM'), exit), told: () => err });
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const mcpHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** One bare request, with whatever headers: `fetch` would not let us lie about the host. */
function post(
  port: number,
  options: { headers?: Record<string, string>; body?: string; path?: string; method?: string },
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path: options.path ?? '/mcp',
        method: options.method ?? 'POST',
        headers: { ...mcpHeaders, ...options.headers },
      },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body ?? initialize);
  });
}

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
        expect(JSON.parse(vault.read('.roux/run/server.json'))).toMatchObject({ url });
        expect(await stop()).toBe(0);
        expect(vault.exists('.roux/run/server.json')).toBe(false);
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
        expect((await post(port, { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })).status).toBe(400);
        expect((await post(port, { body: 'garbage' })).status).toBe(400);
        const huge = await post(port, { body: `{"x":"${'y'.repeat(13 * 1024 * 1024)}"}` }).catch(() => ({ status: 413 }));
        expect(huge.status).toBe(413);
        expect((await post(port, {})).status).toBe(200);
      }),
    ));

  it('F42 with a token refuses requests without it, with a wrong or a shorter one', () =>
    withVault({ 'a.md': 'apple\n', '.rouxrc.json': '{"http": {"auth": "token"}}' }, (vault) =>
      withServe(vault, [], async ({ url, port }) => {
        const token = vault.read('.roux/run/token').trim();
        expect(statSync(vault.path('.roux/run/token')).mode & 0o077).toBe(0);
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
      }),
    ));

  it('prints a client command that works: the kept token by its file, a given one by the variable that sets it, and no token itself', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      const given = 'a-token-of-our-own-choice';
      await withServe(vault, ['--token', given], async ({ port, told }) => {
        expect(told()).toContain('--header "Authorization: Bearer $ROUX_HTTP_TOKEN"');
        expect(told()).toContain('the one that you gave; put it into ROUX_HTTP_TOKEN');
        expect(told()).not.toContain(given);
        expect(vault.exists('.roux/run/token')).toBe(false);
        expect((await post(port, { headers: { authorization: `Bearer ${given}` } })).status).toBe(200);
      });
      vault.write('.rouxrc.json', '{"http": {"auth": "token"}}');
      await withServe(vault, [], ({ told }) => {
        const [, file = ''] = /Bearer \$\(cat '(.*)'\)/.exec(told()) ?? [];
        expect(file).toBe(vault.path('.roux/run/token'));
        expect(told()).toContain('"headers": {"Authorization": "Bearer <token>"}');
        expect(told()).not.toContain(vault.read('.roux/run/token').trim());
        return Promise.resolve();
      });
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
