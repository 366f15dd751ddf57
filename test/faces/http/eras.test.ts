import { describe, expect, it } from 'vitest';
import { openServerFiles } from '../../../src/system/server-files.ts';
import { post, withServe } from '../../support/program/http-server.ts';
import { askModern, MODERN, withModernHttp } from '../../support/program/modern-client.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const claim = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const body = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** The one answer in a body, which comes as JSON or as a stream of one event. */
const answerOf = (text: string) =>
  JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as { readonly result?: Record<string, unknown>; readonly error?: { code: number } };

describe('/mcp in both eras', () => {
  it('answers clients of the handshake that do without a session', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, [], async ({ port }) => {
        const call = (name: string, args: object) => post(port, { body: body('tools/call', { name, arguments: args }) });
        const listed = await post(port, { body: body('tools/list') });
        expect([listed.status, listed.headers['mcp-session-id']]).toEqual([200, undefined]);
        expect(JSON.stringify(answerOf(listed.body).result)).toContain('create_node');
        expect((await call('get_node', { id: 'a' })).body).toContain('apple');
        // What it has read is known when it writes, though nothing says that it is the same client.
        expect((await call('update_node', { id: 'a', content: 'pear\n' })).body).not.toContain('_warnings');
        expect((await call('create_node', { title: 'b', content: '' })).body).toContain('b.md');
        expect(vault.read('b.md')).toContain('created_by: http\n');
        const refused = await post(port, { body: body('resources/subscribe', { uri: 'roux://note/a.md' }) });
        expect(refused.body).toContain('begin a session with initialize');
        expect((await post(port, { body: body('resources/list') })).body).toContain('roux://note/a.md');
        const version = { 'mcp-protocol-version': '2025-11-25' };
        expect((await post(port, { body: body('ping'), headers: version })).status).toBe(200);
        expect((await post(port, { body: body('ping'), headers: { 'mcp-protocol-version': '2001-01-01' } })).status).toBe(400);
        expect((await post(port, { method: 'GET', headers: { accept: 'text/event-stream' }, body: '' })).status).toBe(400);
      }),
    ));

  it('answers a request of the later era that contradicts itself with 400, and keeps nothing of it', () =>
    withVault({ 'a.md': '' }, (vault) =>
      withServe(vault, [], async ({ port }) => {
        const fits = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' };
        expect((await post(port, { body: body('tools/list', { _meta: claim }), headers: fits })).status).toBe(200);
        const wrong: readonly (readonly [Record<string, string>, object, number])[] = [
          [fits, {}, -32_602],
          [{}, { _meta: claim }, -32_020],
          [{ 'mcp-protocol-version': '2025-11-25' }, { _meta: claim }, -32_020],
          [{ ...fits, 'mcp-method': 'tools/call' }, { _meta: claim }, -32_020],
          [
            { ...fits, 'mcp-protocol-version': '2099-01-01' },
            { _meta: { ...claim, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
            -32_022,
          ],
        ];
        for (const [headers, params, code] of wrong) {
          const answer = await post(port, { body: body('tools/list', params), headers });
          expect([answer.status, answerOf(answer.body).error?.code], JSON.stringify([headers, params])).toEqual([400, code]);
        }
        for (const [text, status] of [
          ['garbage', 400],
          ['', 400],
          [`{"x":"${'y'.repeat(13 * 1024 * 1024)}"}`, 413],
        ] as const) {
          const answer = await post(port, { body: text, headers: fits }).catch(() => ({ status: 413 }));
          expect(answer.status).toBe(status);
        }
        expect(
          (await post(port, { body: body('tools/list', { _meta: claim }), headers: { ...fits, 'content-type': 'text/plain' } })).status,
        ).toBe(415);
      }),
    ));

  it('V-04 a token holds in the later era too: its scope, and its name in the history', () =>
    withVault({ 'a.md': 'one\n' }, async (vault) => {
      const { tokens } = openServerFiles(vault.root);
      const reader = tokens.add({ name: 'eyes', scope: 'read', folders: null });
      const writer = tokens.add({ name: 'hands', scope: 'write', folders: null });
      await withServe(
        vault,
        [],
        async ({ url, port }) => {
          const fits = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' };
          expect((await post(port, { body: body('tools/list', { _meta: claim }), headers: fits })).status).toBe(401);
          await withModernHttp(
            url,
            async (client) => {
              expect((await askModern(client, 'get_node', { id: 'a' })).content).toBe('one\n');
              await expect(askModern(client, 'create_node', { title: 'b', content: '' })).rejects.toThrow('FORBIDDEN');
            },
            { token: reader, clientName: 'same' },
          );
          await withModernHttp(
            url,
            async (client) => {
              // The other one, a client of the same name, has read it.
              const answer = await client.callTool({ name: 'update_node', arguments: { id: 'a', content: 'two\n' } });
              expect(JSON.stringify(answer.content)).toContain('_warnings');
              await askModern(client, 'create_node', { title: 'b', content: '' });
            },
            { token: writer, clientName: 'same' },
          );
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
      expect(vault.read('b.md')).toContain('created_by: same (hands)');
      expect(vault.read('a.md')).toContain('two');
    }));

  it('V-07 who listens in the later era is told that it is over when the server ends; no more listen than there may be sessions', () =>
    withVault({ 'a.md': 'one\n' }, (vault) =>
      withServe(
        vault,
        [],
        ({ url, stop }) =>
          withModernHttp(url, async (client) => {
            const first = await client.listen({ resourceSubscriptions: ['roux://note/a.md'] });
            const second = await client.listen({ resourcesListChanged: true });
            await expect(client.listen({ resourcesListChanged: true })).rejects.toThrow('Too many');
            await second.close();
            await waitFor(async () => (await client.listen({ resourcesListChanged: true })).close().then(() => true));
            expect(await stop()).toBe(0);
            expect(await first.closed).toBe('graceful');
          }),
        { ROUX_HTTP_MAX_SESSIONS: '2' },
      ),
    ));
});
