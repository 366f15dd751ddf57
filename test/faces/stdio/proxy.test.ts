import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderKey } from '../../../src/system/folder-key.ts';
import { sample, upTo } from '../../support/effort.ts';
import { withServe } from '../../support/program/http-server.ts';
import { openMcp } from '../../support/program/mcp-client.ts';
import { greet, isThin, openLines } from './mcp-lines.ts';
import type { Lines } from './mcp-lines.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const get = { name: 'get_node', arguments: { id: 'a' } };

function historyOf(vault: TestVault): string {
  return readdirSync(vault.path('.roux/history'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => vault.read(`.roux/history/${name}`))
    .join('');
}

describe('roux mcp beside roux serve', () => {
  it('V-08 answers byte for byte what it answers alone', () =>
    withVault({ 'a.md': 'apple [[b]]\n', 'b.md': '# B\n' }, async (vault) => {
      const conversation = async (client: Lines): Promise<readonly string[]> => {
        await greet(client);
        client.say('not json');
        client.say('[]');
        client.say('{"jsonrpc":"2.0","id":50,"method":7}');
        await waitFor(() => client.lines().length >= 4, { what: 'refusals' });
        const asked: readonly (readonly [string, unknown])[] = [
          ['tools/list', {}],
          ['resources/list', {}],
          ['resources/templates/list', {}],
          ['prompts/list', {}],
          ['resources/read', { uri: 'roux://note/a.md' }],
          ['resources/read', { uri: 'roux://note/none.md' }],
          ['tools/call', { name: 'get_node', arguments: { id: 'a', depth: 1 } }],
          ['tools/call', { name: 'get_node', arguments: { id: 'nobody' } }],
          ['tools/call', { name: 'nothing', arguments: {} }],
          ['tools/call', { name: 'search', arguments: { query: 'apple' } }],
          ['tools/call', { name: 'search', arguments: { query: 7, wrong: 1 } }],
          ['tools/call', { arguments: {} }],
          ['completion/complete', { ref: { type: 'ref/resource', uri: 'roux://note/{path}' }, argument: { name: 'path', value: 'a' } }],
          ['nothing/at/all', {}],
          ['ping', {}],
        ];
        let id = 100;
        for (const [method, params] of asked) await client.ask((id += 1), method, params);
        return client.lines();
      };
      const alone = openLines(vault.root, ['--alone']);
      const expected = await conversation(alone);
      expect(await alone.end()).toBe(0);
      await withServe(vault, [], async () => {
        const through = openLines(vault.root);
        expect(await conversation(through)).toEqual(expected);
        expect(isThin(through.pid)).toBe(true);
        expect(await through.end()).toBe(0);
      });
    }));

  it('V-08 writes under the name that its own configuration gives, and is told of changes', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, ['--agent', 'server'], async () => {
        const client = openLines(vault.root, ['--agent', 'max']);
        await greet(client);
        await client.ask(1, 'resources/subscribe', { uri: 'roux://note/a.md' });
        await client.ask(2, 'tools/call', { name: 'update_node', arguments: { id: 'a', append: 'pear' } });
        await waitFor(() => client.lines().some((line) => line.includes('notifications/resources/updated')), { what: 'the update' });
        await waitFor(() => historyOf(vault).includes('"agent":"max"'), { what: 'its name' });
        const unnamed = openLines(vault.root);
        await greet(unnamed);
        await unnamed.ask(2, 'tools/call', { name: 'update_node', arguments: { id: 'a', append: 'plum' } });
        await waitFor(() => historyOf(vault).includes('"agent":"ada"'), { what: 'its name' });
        expect(historyOf(vault)).not.toContain('"agent":"server"');
        await Promise.all([client.end(), unnamed.end()]);
      }),
    ));

  it('V-08 goes on alone within a second when the server dies, with what it had subscribed to', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const client = await withServe(vault, [], async () => {
        const opened = openLines(vault.root);
        await greet(opened);
        await opened.ask(1, 'resources/subscribe', { uri: 'roux://note/a.md' });
        await opened.ask(2, 'tools/call', { name: 'get_node', arguments: { id: 'a' } });
        return opened;
        // Killed here.
      });
      const started = performance.now();
      expect(await client.ask(3, 'tools/call', { name: 'get_node', arguments: { id: 'a' } })).toContain('apple');
      // Starts of programs take longer on a machine at work; what is asserted is that nobody waits for a timeout.
      expect(performance.now() - started).toBeLessThan(18_000);
      vault.write('a.md', 'pear\n');
      await waitFor(() => client.lines().some((line) => line.includes('notifications/resources/updated')), { what: 'the update' });
      expect(client.lines().filter((line) => line.includes('"id":1}'))).toHaveLength(1);
      expect(client.lines().some((line) => line.includes('roux-again'))).toBe(false);
      expect(await client.end()).toBe(0);
    }));

  it('V-08 what it read through the server that died may be stale: it is not written over unread', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const begin = (): Promise<Lines> =>
        withServe(vault, [], async () => {
          const opened = openLines(vault.root);
          await greet(opened);
          await opened.ask(2, 'tools/call', { name: 'get_node', arguments: { id: 'a' } });
          return opened;
        });
      const overwrite = { name: 'update_node', arguments: { id: 'a', content: 'mine\n' } };
      const alone = await begin();
      vault.write('a.md', 'a person wrote this\n');
      expect(await alone.ask(3, 'tools/call', overwrite)).toContain('CONFLICT');
      expect(vault.read('a.md')).toBe('a person wrote this\n');
      await alone.ask(4, 'tools/call', { name: 'get_node', arguments: { id: 'a' } });
      expect(await alone.ask(5, 'tools/call', overwrite)).not.toContain('isError');
      await alone.end();
      const next = await begin();
      vault.write('a.md', 'a person wrote this\n');
      await withServe(vault, [], async () => {
        expect(await next.ask(3, 'tools/call', overwrite)).toContain('CONFLICT');
        expect(vault.read('a.md')).toBe('a person wrote this\n');
      });
      await next.end();
    }));

  it('V-08 of the clients of a server that died one opens the vault, and serves the other', () =>
    withVault({ 'a.md': 'apple\n' }, async (vault) => {
      const clients = await withServe(vault, [], async () => {
        const opened = [openLines(vault.root), openLines(vault.root)];
        for (const client of opened) await greet(client);
        expect(opened.map(({ pid }) => isThin(pid))).toEqual([true, true]);
        return opened;
      });
      for (const client of clients) expect(await client.ask(3, 'tools/call', get)).toContain('apple');
      await waitFor(() => clients.some(({ pid }) => !isThin(pid)), { what: 'one that opens the vault' });
      expect(clients.filter(({ pid }) => isThin(pid))).toHaveLength(1);
      expect(await Promise.all(clients.map((client) => client.end()))).toEqual([0, 0]);
    }));

  it('V-08 calls that are under way when the server is killed are carried out, each once', () =>
    withVault({ 'log.md': 'Log\n' }, async (vault) => {
      const clients = [];
      for (const round of sample(upTo(5), 2)) {
        const client = await withServe(vault, [], async () => {
          const opened = openLines(vault.root);
          await greet(opened);
          for (let at = 0; at < 10; at += 1) {
            const params = { name: 'update_node', arguments: { id: 'log', append: `line ${round}.${at};` } };
            opened.say(JSON.stringify({ jsonrpc: '2.0', id: 10 + at, method: 'tools/call', params }));
          }
          // Killed when some of them are answered, and others are not.
          await waitFor(() => opened.answers().length > 1 + round * 2, { what: 'some answers' });
          return opened;
        });
        await waitFor(() => client.answers().length >= 11, { what: `all answers (${client.answers().length}, ${client.err()})` });
        for (const line of client.answers()) expect(line).not.toContain('isError');
        clients.push(client);
        const text = vault.read('log.md');
        for (let at = 0; at < 10; at += 1)
          expect({ line: `${round}.${at}`, times: text.split(`line ${round}.${at};`).length - 1 }).toEqual({
            line: `${round}.${at}`,
            times: 1,
          });
      }
      await Promise.all(clients.map((client) => client.end()));
    }));

  it('V-08 a client of 2026-07-28 is served as without a server', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, [], async () => {
        const client = openLines(vault.root);
        const meta = {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'm', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        };
        expect(await client.ask(1, 'server/discover', { _meta: meta })).toContain('2026-07-28');
        expect(await client.ask(2, 'tools/call', { name: 'get_node', arguments: { id: 'a' }, _meta: meta })).toContain('apple');
        expect(await client.end()).toBe(0);
      }),
    ));

  it('V-08 nobody else is taken for the server: another version, other settings, a stranger at its address, none at all', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, [], async () => {
        // Started with other tools it opens the vault itself, and offers those.
        const other = await openMcp(vault, { flags: ['--toolsets', 'memory'] });
        expect((await other.client.listTools()).tools.map(({ name }) => name)).not.toContain('search');
        await other.close();
        const readOnly = await openMcp(vault, { flags: ['--read-only'] });
        expect((await readOnly.client.listTools()).tools.map(({ name }) => name)).not.toContain('create_node');
        await readOnly.close();
      }),
    ));

  it('V-08 a process for which the server has no room opens the vault itself', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, [], async () => {
        const folder = join(process.env['XDG_STATE_HOME'] ?? '', 'roux/sockets', folderKey(vault.root).slice(0, 20));
        const [name = ''] = readdirSync(folder);
        const others = Array.from({ length: 256 }, () => connect(join(folder, name)));
        await Promise.all(others.map((each) => new Promise((resolve) => each.once('connect', resolve))));
        const client = openLines(vault.root);
        await greet(client);
        expect(await client.ask(1, 'tools/call', get)).toContain('apple');
        await waitFor(() => !isThin(client.pid), { what: 'it to open the vault itself' });
        for (const each of others) each.destroy();
        expect(await client.end()).toBe(0);
      }),
    ));

  it('V-08 a message that is too long is refused, and the next one is answered', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, [], async () => {
        const client = openLines(vault.root);
        await greet(client);
        client.say('x'.repeat(64 * 1024 * 1024 + 1));
        expect(await client.ask(1, 'tools/call', get)).toContain('apple');
        expect(client.lines().filter((line) => line.includes('at most 67108864 bytes'))).toHaveLength(1);
        expect(isThin(client.pid)).toBe(true);
        expect(await client.end()).toBe(0);
      }),
    ));

  it('V-08 a call that its client takes back is not answered, and the server is asked on', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withServe(vault, [], async () => {
        const client = openLines(vault.root);
        await greet(client);
        for (let id = 100; id < 120; id += 1) {
          const params = { name: 'search', arguments: { query: 'apple' } };
          client.say(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
          client.say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
        }
        expect(await client.ask(1, 'tools/call', { name: 'get_node', arguments: { id: 'a' } })).toContain('apple');
        expect(isThin(client.pid)).toBe(true);
        expect(await client.end()).toBe(0);
      }),
    ));
});
