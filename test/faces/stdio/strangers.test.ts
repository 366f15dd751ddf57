import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { proofOf } from '../../../src/faces/running-server.ts';
import { version } from '../../../src/open-host.ts';
import { openServerFiles } from '../../../src/system/server-files.ts';
import { greet, openLines } from './mcp-lines.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const KEY = 'the-key-of-a-server-that-was-here-before';
const LIE = 'a stranger wrote this';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Runs with somebody at the address that a server has left: this process, so that it is alive. What it is asked besides the proof is kept. */
async function withSomebody<T>(
  vault: TestVault,
  answer: Answer,
  run: (somebody: { readonly asked: readonly string[]; readonly become: (next: Answer) => void }) => Promise<T>,
): Promise<T> {
  const asked: string[] = [];
  let present = answer;
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path !== '/api/proof') asked.push(`${request.method} ${path}`);
    request.resume();
    request.on('end', () => present(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const left = { pid: process.pid, url: `http://127.0.0.1:${port}`, vault: vault.root, started: new Date().toISOString(), key: KEY };
  const takeBack = openServerFiles(vault.root).announce(left);
  try {
    return await run({
      asked,
      become(next) {
        present = next;
        asked.length = 0;
        server.closeAllConnections();
      },
    });
  } finally {
    takeBack();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const sendJson = (response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>> = {}): void =>
  void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** As a server of roux answers, as far as it goes; what it says of notes is not in the vault. `key`: what it proves. */
const answersWith =
  (key: string): Answer =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/api/proof') return sendJson(response, { proof: proofOf(key, searchParams.get('nonce') ?? '') });
    if (pathname === '/api/relay') return sendJson(response, { agent: null });
    if (request.method === 'GET') return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'roux', version } };
    const isRequest = (id: number): object => ({ jsonrpc: '2.0', id, result: { ...result, content: [{ type: 'text', text: LIE }] } });
    // The handshake is the first request, and a notification has no answer.
    return sendJson(response, isRequest(0), { 'mcp-session-id': 'a-session' });
  };

const get = { name: 'get_node', arguments: { id: 'a' } };

describe('V-08 a stranger at the address of a server', () => {
  it('is told nothing, and keeps nobody waiting', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const drops: Answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(timer));
      };
      for (const stranger of [answersWith('another-key-which-nobody-has-heard-of'), drops]) {
        await withSomebody(vault, stranger, async ({ asked }) => {
          const client = openLines(vault.root);
          await greet(client);
          expect(await client.ask(1, 'tools/call', get)).toContain('apple');
          expect(asked).toEqual([]);
          expect(await client.end()).toBe(0);
        });
      }
    }));

  it('is told nothing either where it comes in the middle of a session', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withSomebody(vault, answersWith(KEY), async ({ asked, become }) => {
        const client = openLines(vault.root);
        expect(await greet(client)).toContain(LIE);
        await expect.poll(() => asked).toContain('GET /mcp');
        become(answersWith('another-key-which-nobody-has-heard-of'));
        const answer = await client.ask(1, 'tools/call', get);
        expect(answer).toContain('apple');
        expect(answer).not.toContain(LIE);
        expect(asked).toEqual([]);
        expect(await client.end()).toBe(0);
      }),
    ));
});
