import { cpSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withServer } from '../support/program/mcp-server.ts';
import type { McpInside } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const all = { flags: ['--toolsets', 'all'] };

/** Copies a file as a file manager does, and waits until the server has seen it. */
async function copy(vault: TestVault, { ask }: McpInside, from: string, to: string): Promise<void> {
  cpSync(vault.path(from), vault.path(to));
  await waitFor(async () => (await ask('get_node', { id: to })) !== null, { what: to });
}

/** Runs in a fresh vault, in one whose file names are titles. */
const withCopies = (run: (session: McpInside, vault: TestVault) => Promise<void>): Promise<void> =>
  withVault({ '.rouxrc.json': '{"filenames": "title"}\n' }, (vault) => withServer(vault, (session) => run(session, vault), all));

describe('X-05 the file of a node that a person copied', () => {
  it('X-05 a task: the original is served by every tool and counted once, the copy is a finding, and no deletion by that id', () =>
    withCopies(async (session, vault) => {
      const { ask, refuse } = session;
      const { root } = await ask('graph_open', { project: 'shed', goal: 'G' });
      const { created } = await ask('graph_plan', { project: 'shed', nodes: [{ ref: 'w', summary: 'Walls' }] });
      const [{ id }] = created;
      // By name alone the copy would come first.
      await copy(vault, session, 'projects/shed/Walls.md', 'projects/shed/Walls 1.md');
      await copy(vault, session, 'projects/shed/Walls.md', 'projects/A.md');
      const nodes: readonly { id: string }[] = (await ask('graph_query', { project: 'shed' })).nodes;
      expect(nodes).toHaveLength(2);
      expect(new Set(nodes.map((node) => node.id))).toEqual(new Set([root.id, id]));
      expect((await ask('graph_next', { project: 'shed', count: 10 })).nodes).toHaveLength(1);
      expect((await ask('get_node', { id })).path).toBe('projects/shed/Walls.md');
      await ask('graph_update', { updates: [{ node_id: id, state: 'mine' }] });
      await ask('update_node', { id, content: 'Of wood.\n' });
      expect(vault.read('projects/shed/Walls.md')).toContain('Of wood.');
      for (const other of ['projects/shed/Walls 1.md', 'projects/A.md']) expect(vault.read(other)).not.toMatch(/state|wood/);
      expect((await refuse('delete_node', { id })).error).toMatchObject({ code: 'CONFLICT' });
      const restructure = { operations: [{ op: 'delete', node_id: id }] };
      expect((await refuse('graph_restructure', restructure)).error.message).toContain('projects/shed/Walls 1.md');
      expect((await cli(['doctor', '--vault', vault.root])).stdout).toContain(`have the same id ${id}`);
      // The way out: by path.
      for (const path of ['projects/shed/Walls 1.md', 'projects/A.md']) await ask('delete_node', { id: path });
      expect((await ask('graph_query', { project: 'shed' })).nodes).toHaveLength(2);
      expect(await ask('graph_restructure', restructure)).toMatchObject({ applied: 1 });
    }));

  it('O-10 a conflict copy of a task is no task beside its original, and the task that is left where that is gone', () =>
    withCopies(async (session, vault) => {
      const { ask } = session;
      await ask('graph_open', { project: 'shed', goal: 'G' });
      const { created } = await ask('graph_plan', { project: 'shed', nodes: [{ ref: 'w', summary: 'Walls' }] });
      const [path, other] = ['projects/shed/Walls.md', 'projects/shed/Walls.sync-conflict-20260102-030405-ABCDEFG.md'];
      await copy(vault, session, path, other);
      const ready = async (): Promise<readonly string[]> =>
        (await ask('graph_next', { project: 'shed', count: 10 })).nodes.map(({ node }: { node: { id: string } }) => node.id);
      expect(await ready()).toEqual([created[0].id]);
      vault.remove(path);
      await waitFor(async () => (await ready())[0] === other, { what: 'the copy alone' });
      await copy(vault, session, other, path);
      expect(await ready()).toEqual([created[0].id]);
    }));

  it('X-05 an entity: under the same name and under another one', () =>
    withCopies(async (session, vault) => {
      const { ask, refuse, call } = session;
      await ask('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['tall'] }] });
      await copy(vault, session, 'memory/person/Ada.md', 'memory/person/Ada 1.md');
      await copy(vault, session, 'memory/person/Ada.md', 'memory/Ada.md');
      await ask('add_observations', { observations: [{ entityName: 'Ada', contents: ['gentle'] }] });
      expect((await ask('read_graph', {})).entities).toEqual([{ name: 'Ada', entityType: 'person', observations: ['tall', 'gentle'] }]);
      expect((await ask('search_nodes', { query: 'tall' })).entities).toHaveLength(1);
      for (const other of ['memory/person/Ada 1.md', 'memory/Ada.md']) expect(vault.read(other)).not.toContain('gentle');
      expect((await call('delete_entities', { entityNames: ['Ada'] })).texts[0]).toContain(
        'memory/Ada.md and memory/person/Ada 1.md and memory/person/Ada.md',
      );
      expect((await refuse('delete_node', { id: (await ask('get_node', { id: 'memory/person/Ada.md' })).id })).error.code).toBe('CONFLICT');
      expect(vault.read('memory/person/Ada.md')).toContain('gentle');
      for (const path of ['memory/person/Ada 1.md', 'memory/Ada.md']) await ask('delete_node', { id: path });
      await ask('delete_entities', { entityNames: ['Ada'] });
      expect((await ask('read_graph', {})).entities).toEqual([]);
    }));

  it('X-05 a singleton: the same one each time, counted once, also by a server that starts later and when the original is moved', () =>
    withCopies(async (session, vault) => {
      const { ask } = session;
      await ask('create_ontology', { node_types: ['Config'], connection_types: [] });
      const wanted = { type: 'Config', content: 'x', encoding: 'utf-8', format: 'markdown' };
      const { node_id } = await ask('ensure_singleton_node', wanted);
      await cli(['move', 'Config.md', 'settings', '--vault', vault.root]);
      await copy(vault, session, 'settings/Config.md', 'A.md');
      for (const again of [1, 2]) {
        expect(await ask('ensure_singleton_node', wanted), String(again)).toEqual({ node_id, created: false });
        expect(await ask('query_nodes', { type: 'Config' })).toEqual({ node_ids: [node_id] });
      }
      await ask('update_node', { id: node_id, properties: { flag: 1 } });
      expect(vault.read('settings/Config.md')).toContain('flag: 1');
      expect(vault.read('A.md')).not.toContain('flag');
      await withServer(vault, async (later) => {
        expect((await later.ask('get_node', { id: node_id })).path).toBe('settings/Config.md');
      });
    }));

  it('X-05 a copy that was made the moment before, right after the start of the server and later', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const wanted = { type: 'cfg', content: 'one', encoding: 'utf-8', format: 'text/markdown' };
      await withServer(
        vault,
        async ({ ask, refuse }) => {
          await ask('create_ontology', { node_types: ['cfg'], connection_types: [] });
          const { node_id } = await ask('ensure_singleton_node', wanted);
          for (let round = 0; round < 20; round++) {
            // Of what happens after the answer to an asking of the system, the kernel tells in the next turn of the loop at the earliest.
            await stat(vault.root);
            cpSync(vault.path('cfg.md'), vault.path('cfg copy.md'));
            expect((await refuse('delete_node', { id: node_id })).error).toMatchObject({ code: 'CONFLICT' });
            await ask('delete_node', { id: 'cfg copy.md' });
          }
        },
        all,
      );
      expect(vault.files()).toContain('cfg.md');
    }));
});
