import { renameSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliProcess } from '../../support/program/cli.ts';
import { askModern, withModernStdio } from '../../support/program/modern-client.ts';
import { engineOf } from '../../support/program/mcp-client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { greet, isThin, openLines } from '../stdio/mcp-lines.ts';
import type { Lines } from '../stdio/mcp-lines.ts';

const FILES = { 'a/notes/log.md': 'Log of a\n', 'b/notes/log.md': 'Log of b\n' };

/** A client of the vaults in these folders. */
function openBoth(place: TestVault, folders: readonly string[] = ['a/notes', 'b/notes']): Lines {
  const [first = '', ...others] = folders.map((folder) => place.path(folder));
  return openLines(first, others);
}

const append = (vault: string | null, text: string): object => ({
  name: 'update_node',
  arguments: { id: 'log', append: text, ...(vault === null ? {} : { vault }) },
});

interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Record<string, unknown>; readonly required?: readonly string[] };
}

describe('O-02 several vaults over stdio', () => {
  it('O-02 each tool takes the vault, and says which there are; what a call is about is that vault alone', () =>
    withVault(FILES, async (place) => {
      const client = openBoth(place);
      expect(await greet(client)).toContain('This server has 2 vaults: notes, notes-2.');
      const { tools } = (JSON.parse(await client.ask(1, 'tools/list')) as { result: { tools: readonly Tool[] } }).result;
      for (const { name, inputSchema } of tools) {
        expect([name, inputSchema.properties['vault'], inputSchema.required?.[0]]).toEqual([
          name,
          { description: 'Name of the vault', enum: ['notes', 'notes-2'] },
          'vault',
        ]);
      }
      const refused = await client.ask(2, 'tools/call', append(null, 'x'));
      expect(refused).toContain('vault is required: one of notes, notes-2.');
      expect(await client.ask(3, 'tools/call', append('nots', 'x'))).toContain('There is no vault \\\\\\"nots\\\\\\"');
      expect(await client.ask(4, 'tools/call', append('notes-2', 'added'))).not.toContain('isError');
      expect([place.read('a/notes/log.md'), place.read('b/notes/log.md')]).toEqual(['Log of a\n', 'Log of b\nadded\n']);
      const envelope = await client.ask(5, 'tools/call', { name: 'graph_next', arguments: { vault: 'x' } });
      expect(envelope).toContain('isError');
      expect(client.err()).toContain(`the vault "notes-2" is ${place.path('b/notes')}`);
      await client.end();
    }));

  it('O-02 tasks, memory and repeats of one are unknown in the other', () =>
    withVault(FILES, async (place) => {
      const client = openBoth(place);
      await greet(client);
      const call = async (id: number, name: string, args: object) =>
        (JSON.parse(await client.ask(id, 'tools/call', { name, arguments: args })) as { result: { content: { text: string }[] } }).result
          .content[0]?.text ?? '';
      const plan = { vault: 'notes', project: 'Shed', goal: 'A shed', nodes: [{ ref: 'a', summary: 'Build' }] };
      await call(1, 'graph_open', { vault: 'notes', project: 'Shed', goal: 'A shed' });
      await call(2, 'graph_plan', plan);
      expect(await call(3, 'graph_open', { vault: 'notes' })).toContain('Shed');
      expect(await call(4, 'graph_open', { vault: 'notes-2' })).not.toContain('Shed');
      const entity = { name: 'Ada', entityType: 'person', observations: ['likes tea'] };
      await call(5, 'create_entities', { vault: 'notes', entities: [entity] });
      expect(await call(6, 'read_graph', { vault: 'notes' })).toContain('likes tea');
      expect(await call(7, 'read_graph', { vault: 'notes-2' })).not.toContain('likes tea');
      const once = { title: 'Once', content: 'x', idempotency_key: 'k' };
      await call(8, 'create_node', { vault: 'notes', ...once });
      await call(9, 'create_node', { vault: 'notes-2', ...once });
      expect([place.exists('a/notes/once.md'), place.exists('b/notes/once.md')]).toEqual([true, true]);
      await client.end();
    }));

  it('O-02 resources, prompts and completions name the vault, and a subscription is told of its note alone', () =>
    withVault(FILES, async (place) => {
      const client = openBoth(place);
      await greet(client);
      const uri = 'roux://vaults/notes-2/note/log.md';
      expect(await client.ask(1, 'resources/list')).toContain('"uri":"roux://vaults/notes/note/log.md","name":"notes: log"');
      expect(await client.ask(2, 'resources/list', { cursor: '1 ' })).toContain(`"uri":"${uri}"`);
      expect(await client.ask(3, 'resources/list', { cursor: 'x' })).toContain('-32602');
      expect(await client.ask(4, 'resources/read', { uri })).toContain('Log of b');
      expect(await client.ask(5, 'resources/read', { uri: 'roux://note/log.md' })).toContain('Resource not found: roux://note/log.md');
      expect(await client.ask(6, 'resources/read', { uri: 'roux://vaults/notes/note/none.md' })).toContain(
        'roux://vaults/notes/note/none.md',
      );
      expect(await client.ask(7, 'resources/templates/list')).toContain('roux://vaults/{vault}/note/{path}');
      expect(await client.ask(8, 'resources/subscribe', { uri })).toContain('result');
      expect(await client.ask(9, 'resources/subscribe', { uri: 'roux://note/log.md' })).toContain('-32602');
      await client.ask(10, 'tools/call', append('notes', 'one'));
      await client.ask(11, 'tools/call', append('notes-2', 'two'));
      const updates = () => client.lines().filter((line) => line.includes('notifications/resources/updated'));
      await waitFor(() => updates().length > 0, { what: 'the notification' });
      expect(updates().every((line) => line.includes(uri))).toBe(true);
      expect(await client.ask(12, 'prompts/list')).toContain(
        '"arguments":[{"name":"vault","description":"Name of the vault","required":true}',
      );
      expect(await client.ask(13, 'prompts/get', { name: 'tidy' })).toContain('vault is required: one of notes, notes-2.');
      expect(await client.ask(14, 'prompts/get', { name: 'tidy', arguments: { vault: 'notes-2' } })).toContain('notes-2');
      const complete = (id: number, name: string, value: string, more: object = {}) =>
        client.ask(id, 'completion/complete', {
          ref: { type: 'ref/resource', uri: 'roux://vaults/{vault}/note/{path}' },
          argument: { name, value },
          ...more,
        });
      expect(await complete(15, 'vault', 'no')).toContain('"values":["notes","notes-2"]');
      expect(await complete(16, 'path', 'lo', { context: { arguments: { vault: 'notes' } } })).toContain('"values":["log","log.md"]');
      await client.end();
    }));

  it('O-02 the first process serves others, of both vaults and of each; when it is killed, the next takes over, and each write is made once', () =>
    withVault(FILES, async (place) => {
      const clients = [openBoth(place)];
      const [first] = clients;
      if (first === undefined) throw new Error('no client');
      await greet(first);
      expect(await first.ask(1, 'tools/call', append('notes', 'line 0;'))).not.toContain('isError');
      clients.push(openBoth(place), openBoth(place, ['b/notes', 'a/notes']), openBoth(place, ['a/notes']), openBoth(place, ['b/notes']));
      const vaultsOf = ['notes', 'notes', 'notes-2', null, null];
      for (const [at, client] of clients.entries()) if (at > 0) await greet(client);
      const writeAll = async (id: number, from: number) => {
        const written = clients
          .slice(from)
          .map((client, at) => client.ask(id, 'tools/call', append(vaultsOf[from + at] ?? null, `line ${id}.${from + at};`)));
        for (const answer of await Promise.all(written)) expect(answer).not.toMatch(/isError|"error"/);
      };
      await writeAll(2, 1);
      expect(clients.map(({ pid }) => isThin(pid))).toEqual([false, true, true, true, true]);
      await first.kill();
      await writeAll(3, 1);
      // By the order in which they named them, `notes` of the third is the other folder.
      const [a, b] = [place.read('a/notes/log.md'), place.read('b/notes/log.md')];
      for (const line of ['line 2.1;', 'line 2.2;', 'line 2.3;', 'line 3.1;', 'line 3.2;', 'line 3.3;'])
        expect(a.split(line)).toHaveLength(2);
      for (const line of ['line 2.4;', 'line 3.4;']) expect(b.split(line)).toHaveLength(2);
      await Promise.all(clients.slice(1).map((client) => client.end()));
    }));

  it('O-02 one that cannot be opened is told by its own calls, and the others answer', () =>
    withVault(FILES, async (place) => {
      const client = openBoth(place);
      await waitFor(() => client.err().includes('is /'), { what: 'the start' });
      place.remove('b/notes');
      await greet(client);
      expect(await client.ask(1, 'tools/call', append('notes', 'x'))).not.toContain('isError');
      expect(await client.ask(2, 'tools/call', append('notes-2', 'x'))).toContain('isError');
      expect(await client.ask(3, 'resources/list')).toContain('roux://vaults/notes/note/log.md');
      await client.end();
    }));

  it('O-02 one that is gone when the next process takes over keeps no client from the others, and is used when it is back', () =>
    withVault(FILES, async (place) => {
      const client = openBoth(place);
      await greet(client);
      expect(await client.ask(1, 'tools/call', append('notes-2', 'x'))).not.toContain('isError');
      renameSync(place.path('b/notes'), place.path('b/away'));
      process.kill(engineOf(client.pid), 'SIGKILL');
      expect(await client.ask(2, 'tools/call', append('notes', 'still there'))).not.toContain('isError');
      expect(await client.ask(3, 'tools/call', append('notes-2', 'gone'))).toContain('VAULT_NOT_FOUND');
      renameSync(place.path('b/away'), place.path('b/notes'));
      expect(await client.ask(4, 'tools/call', append('notes-2', 'back'))).not.toContain('isError');
      expect(place.read('a/notes/log.md')).toBe('Log of a\nstill there\n');
      expect(place.read('b/notes/log.md')).toMatch(/back\n$/);
      await client.end();
    }));

  it('O-02 a client that names a folder by a link has the vault under that name, whoever serves it', () =>
    withVault(FILES, async (place) => {
      symlinkSync(place.path('a/notes'), place.path('diary'));
      const [first, second] = [openBoth(place), openBoth(place, ['diary', 'b/notes'])];
      await greet(first);
      expect(await greet(second)).toContain('This server has 2 vaults: diary, notes.');
      expect(await second.ask(1, 'tools/call', append('diary', 'x'))).not.toContain('isError');
      expect(place.read('a/notes/log.md')).toBe('Log of a\nx\n');
      await Promise.all([first.end(), second.end()]);
    }));

  it('O-02 a client of revision 2026-07-28 is offered the same, and told of changes in each', () =>
    withVault(FILES, (place) =>
      withModernStdio(
        { root: place.path('a/notes') },
        async (client) => {
          expect(client.getInstructions()).toContain('This server has 2 vaults: notes, notes-2.');
          const told: string[] = [];
          client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
          const uri = 'roux://vaults/notes-2/note/log.md';
          const { contents } = await client.readResource({ uri });
          expect(contents).toEqual([expect.objectContaining({ uri, text: 'Log of b\n' })]);
          const stream = await client.listen({ resourceSubscriptions: [uri] });
          expect(await askModern(client, 'update_node', { vault: 'notes-2', id: 'log', append: 'more' })).toHaveProperty('batch');
          await waitFor(() => told.length > 0, { what: 'the notification' });
          expect(new Set(told)).toEqual(new Set([uri]));
          await stream.close();
        },
        { flags: [place.path('b/notes')] },
      ),
    ));

  it('O-02 a vault whose name is empty is refused, not taken for the current folder; an empty variable names none', () =>
    withVault(FILES, async (place) => {
      for (const args of [
        ['mcp', ''],
        ['mcp', place.path('a/notes'), ''],
        ['stats', '--vault', ''],
      ]) {
        const { status, stderr } = await cliProcess(args, { cwd: place.path('b/notes') });
        expect([status, stderr]).toEqual([2, expect.stringContaining('the name of the vault is empty')]);
      }
      place.write('a/notes/.rouxrc.json', '{}');
      place.write('a/notes/sub/x.md', 'x\n');
      const { stdout } = await cliProcess(['get', 'log'], { cwd: place.path('a/notes/sub'), env: { ROUX_VAULT: '' } });
      expect(stdout).toBe('Log of a\n');
    }));

  it('O-02 one vault that is named twice, under whatever path, is one vault, offered as ever', () =>
    withVault(FILES, async (place) => {
      symlinkSync(place.path('a/notes'), place.path('link'));
      const client = openBoth(place, ['a/notes', 'link', 'a/notes/.']);
      expect(await greet(client)).not.toContain('This server has');
      expect(await client.ask(1, 'tools/list')).not.toContain('"vault":{');
      expect(await client.ask(2, 'tools/call', append(null, 'x'))).not.toContain('isError');
      await client.end();
    }));
});
