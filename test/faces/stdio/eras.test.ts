import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { MODERN } from '../../support/program/modern-client.ts';
import { withRaw } from '../../support/program/raw-server.ts';
import type { RawServer } from '../../support/program/raw-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

/** What each request of the later revision says of itself. */
const claim = (version: string = MODERN) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

const ask = (server: RawServer, id: number, method: string, params: object = {}) =>
  server.request(id, method, { ...params, _meta: claim() });

describe('a connection over stdio', () => {
  it('is of the era of its first message', () =>
    withVault({ 'a.md': 'one\n' }, async (vault) => {
      await withRaw(vault, async (server) => {
        expect((await server.request(1, 'initialize', hello)).result).toMatchObject({ protocolVersion: '2025-06-18' });
        expect((await server.request(2, 'ping')).result).toEqual({});
        expect((await server.request(3, 'logging/setLevel', { level: 'info' })).error).toMatchObject({ code: -32_601 });
        expect((await server.request(4, 'tools/list')).result).not.toHaveProperty('resultType');
      });
      await withRaw(vault, async (server) => {
        const discovered = await ask(server, 1, 'server/discover');
        expect(discovered.result).toMatchObject({
          supportedVersions: [MODERN],
          capabilities: { tools: {}, resources: { subscribe: true } },
        });
        expect(discovered.result?.['capabilities']).not.toHaveProperty('logging');
        expect((await ask(server, 2, 'tools/list')).result).toMatchObject({ resultType: 'complete' });
        expect((await ask(server, 3, 'ping')).error).toMatchObject({ code: -32_601 });
        expect((await ask(server, 4, 'logging/setLevel', { level: 'info' })).error).toMatchObject({ code: -32_601 });
        expect((await server.request(5, 'tools/list', {})).error).toMatchObject({ code: -32_602 });
        expect(server.noise).toEqual([]);
      });
    }));

  it('may begin with the handshake after it was asked what there is', () =>
    withVault({ 'a.md': 'one\n' }, (vault) =>
      withRaw(vault, async (server) => {
        expect((await ask(server, 1, 'server/discover')).result).toMatchObject({ supportedVersions: [MODERN] });
        const later = await server.request(2, 'tools/list', { _meta: claim('2099-01-01') });
        expect(later.error).toMatchObject({ code: -32_022, data: { supported: [MODERN], requested: '2099-01-01' } });
        expect((await server.request(3, 'initialize', hello)).result).toMatchObject({ serverInfo: { name: 'roux' } });
        server.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
        const { result } = await server.request(4, 'tools/call', { name: 'get_node', arguments: { id: 'a' } });
        expect(JSON.stringify(result)).toContain('one');
      }),
    ));

  it('of the later era answers what a pipe says though it ends at once', () =>
    withVault({ 'a.md': 'hello' }, async (vault) => {
      const messages = [
        { id: 1, method: 'server/discover', params: { _meta: claim() } },
        { id: 2, method: 'tools/call', params: { name: 'create_node', arguments: { title: 'b', content: 'c' }, _meta: claim() } },
        { id: 3, method: 'subscriptions/listen', params: { notifications: { resourcesListChanged: true }, _meta: claim() } },
      ];
      const { status, stdout } = await cli(['mcp', vault.root], {
        stdin: messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
      });
      const ids = stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id?: number }).id]));
      expect(ids).toEqual(expect.arrayContaining([1, 2]));
      expect(vault.read('b.md')).toContain('c');
      expect(status).toBe(0);
    }));

  it('of the later era is told that its subscription ends when the process is asked to end', () =>
    withVault({ 'a.md': 'one\n' }, (vault) =>
      withRaw(vault, async (server) => {
        const params = { notifications: { resourceSubscriptions: ['roux://note/a.md'] }, _meta: claim() };
        server.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }));
        await waitFor(() => server.messages.some(({ method }) => method === 'notifications/subscriptions/acknowledged'));
        vault.write('a.md', 'two\n');
        await waitFor(() => server.messages.some(({ method }) => method === 'notifications/resources/updated'));
        server.child.kill('SIGTERM');
        expect(await server.exited()).toBe(0);
        expect(server.messages.at(-1)).toMatchObject({ id: 7, result: { resultType: 'complete' } });
      }),
    ));
});
