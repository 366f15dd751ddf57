import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it } from 'vitest';
import { testEnvironment } from '../../support/program/cli.ts';
import { post, withServe } from '../../support/program/http-server.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const TOKEN = 'a-token-of-our-own-choice';

/** Whether an address is of the vault: everything below `/api` but what describes the server. */
function isClosed(path: string): boolean {
  return path.startsWith('/api/') && !['/api/openapi.json', '/api/ticket'].includes(path);
}

describe('npm start', () => {
  it('V-01 prints one address first that lets in whoever opens it, and lines for clients that work as they are pasted', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const child = spawn(process.execPath, [join(repositoryRoot, 'scripts/start.mjs'), '--port', '0'], {
        env: testEnvironment({ ROUX_VAULT: vault.root }),
        stdio: 'pipe',
      });
      let told = '';
      child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
      const bin = mkdtempSync(join(tmpdir(), 'roux-bin-'));
      try {
        await waitFor(() => told.includes('ready'), { what: 'the server' });
        const [address = ''] = /https?:\/\/\S+/.exec(told) ?? [];
        expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#ticket=[\w-]{32}$/);
        const { origin, hash } = new URL(address);
        expect((await fetch(address)).headers.get('content-type')).toContain('text/html');
        const body = JSON.stringify({ ticket: hash.slice('#ticket='.length) });
        const answer = await fetch(`${origin}/api/ticket`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        const { token } = (await answer.json()) as { token: string };
        const authorization = `Bearer ${token}`;
        const session = await fetch(`${origin}/api/session`, { headers: { authorization } });
        expect(await session.json()).toMatchObject({ name: 'owner', scope: 'admin' });
        // What is printed may be kept: a log holds no token.
        expect(told).not.toContain(token);
        expect((await fetch(`${origin}/api/session`)).status).toBe(401);

        // A program of that name that writes down what it was given, in the words of the line as a shell reads it.
        const [line = ''] = /claude mcp add .*/.exec(told) ?? [];
        const fake = join(bin, 'claude');
        writeFileSync(fake, `#!/bin/sh\nfor word in "$@"; do printf '%s\\n' "$word"; done > "${bin}/words"\n`);
        chmodSync(fake, 0o755);
        execFileSync('sh', ['-c', line], { env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
        const words = readFileSync(join(bin, 'words'), 'utf8').trimEnd().split('\n');
        const url = words.find((word) => word.startsWith('http://')) ?? '';
        const [, value = ''] = /^Authorization: (.*)$/.exec(words.at(-1) ?? '') ?? [];
        const client = new Client({ name: 'pasted', version: '1' });
        await client.connect(
          new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: value } } }) as Transport,
        );
        expect((await client.listTools()).tools.length).toBeGreaterThan(20);
        await client.close();
      } finally {
        child.kill('SIGTERM');
        await new Promise((resolve) => child.once('exit', resolve));
        rmSync(bin, { recursive: true, force: true });
      }
    }));

  it('V-02 without a token nothing of the vault leaves, on any route, by any method', () =>
    withVault({ 'secret-note.md': 'secret-word [[secret-link]] #secret-tag\n', 'secret.png': 'secret-bytes' }, (vault) =>
      withServe(vault, ['--token', TOKEN, '--toolsets', 'all'], async ({ port }) => {
        const paths = [
          '/',
          '/search?q=secret',
          '/note/secret-note.md',
          '/graph',
          '/tasks',
          '/memory',
          '/knowledge',
          '/activity',
          '/mcp',
          '/api',
          '/api/openapi.json',
          '/api/ticket',
          '/api/session',
          '/api/events',
          '/api/search?query=secret',
          '/api/get_node?id=secret-note',
          '/api/list_nodes',
          '/api/home_page',
          '/api/file/secret.png',
          '/api/kg/SearchFacts',
          '/metrics',
          '/health',
          '/assets/secret.png',
          '/secret-note.md',
          '/.roux/history',
          '//api/list_nodes',
          '/api//list_nodes',
          '/API/list_nodes',
          '/assets/../api/list_nodes',
          '/assets/%2e%2e/api/list_nodes',
        ];
        for (const path of paths) {
          for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
            for (const authorization of [undefined, 'Bearer wrong-token-of-some-length']) {
              const headers = authorization === undefined ? {} : { authorization };
              const {
                status,
                headers: answered,
                body,
              } = await post(port, { path, method, headers, body: /^(?:POST|PUT|PATCH)$/.test(method) ? '{}' : '' });
              const said = `${JSON.stringify(answered)} ${body}`.replaceAll(path, '');
              expect({ method, path, said: /secret-(?:note|word|link|tag|bytes)/.exec(said)?.[0] }).toEqual({
                method,
                path,
                said: undefined,
              });
              // Who tries too often is told to wait, whatever was tried.
              const isRefused = status === 401 || status === 429;
              expect({ method, path, isRefused: isRefused || !isClosed(path) }).toEqual({ method, path, isRefused: true });
            }
          }
        }
      }),
    ));
});
