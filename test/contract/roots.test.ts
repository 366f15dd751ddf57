import { mkdirSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withServer } from '../support/program/mcp-server.ts';
import type { McpInside } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

/** A project with one task, and two entities with a relation. */
async function fill({ ask }: McpInside): Promise<string> {
  await ask('graph_open', { project: 'Shed', goal: 'Blue' });
  const { created } = await ask('graph_plan', { project: 'Shed', nodes: [{ ref: 'a', summary: 'Paint apple green' }] });
  await ask('create_entities', {
    entities: [
      { name: 'Ada', entityType: 'person', observations: ['likes apple'] },
      { name: 'Bob', entityType: 'person', observations: [] },
    ],
  });
  await ask('create_relations', { relations: [{ from: 'Ada', to: 'Bob', relationType: 'knows' }] });
  return created[0].id;
}

const run = (vault: TestVault, ...args: string[]) => cli([...args, '--vault', vault.root]);

describe('X-23: the roots of tasks and memory', () => {
  it('are moved by no tool as a whole, nor with a folder around them; folders of kinds are, and keep the kinds', () =>
    withVault({ '.rouxrc.json': '{"tasks": {"root": "work/todo"}}', 'work/x.md': 'x\n', 'notes/n.md': '[[ada]]\n' }, (vault) =>
      withServer(vault, async (session) => {
        await fill(session);
        const before = vault.files();
        for (const [folder, setting] of [
          ['work/todo/', 'tasks.root'],
          ['Work/', 'tasks.root'],
          ['memory/', 'memory.root'],
        ] as const) {
          const refused = await run(vault, 'move', folder, 'elsewhere');
          expect({ folder, ...refused }).toMatchObject({ folder, status: 2, stdout: '', stderr: expect.stringContaining(setting) });
        }
        expect(vault.files()).toEqual(before);
        expect(await run(vault, 'move', 'memory/person/', 'memory/people')).toMatchObject({ status: 0 });
        const found = await waitFor(
          async () => {
            const { entities, relations } = await session.ask('open_nodes', { names: ['Ada'] });
            return vault.exists('memory/people/person/ada.md') && { type: entities[0].entityType, relations };
          },
          { what: 'the move' },
        );
        expect(found).toEqual({ type: 'person', relations: [{ from: 'Ada', to: 'Bob', relationType: 'knows' }] });
        await session.ask('add_observations', { observations: [{ entityName: 'Ada', contents: ['was moved'] }] });
        expect(vault.read('memory/people/person/ada.md')).toContain('was moved');
      }),
    ));

  it('of which nothing is there may be moved like any folder', () =>
    withVault({ 'projects/plain.md': 'No task.\n', 'memory/x.md': 'x\n' }, async (vault) => {
      expect(await run(vault, 'move', 'projects/', 'archive')).toMatchObject({ status: 0 });
      expect(vault.exists('archive/projects/plain.md')).toBe(true);
      expect((await run(vault, 'doctor', '--json')).status).toBe(0);
    }));

  it('moved by a person are a finding, and a warning of their tools until the setting names them again', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      await withServer(vault, fill);
      mkdirSync(vault.path('work'));
      renameSync(vault.path('projects'), vault.path('work/todo'));
      renameSync(vault.path('memory'), vault.path('work/known'));
      await withServer(
        vault,
        async ({ call, ask }) => {
          const warned = async (tool: string, args = {}): Promise<string> => (await call(tool, args)).texts.slice(1).join('\n');
          expect(await warned('graph_open')).toMatch(
            /tasks\.root says that they live, but 2 elsewhere, such as work\/todo\/shed\/.*Set tasks\.root to/,
          );
          expect(await warned('search_nodes', { query: 'Ada' })).toMatch(/memory\.root says that they live, but 2 elsewhere/);
          expect(await warned('search', { query: 'apple' })).toBe('');
          const { findings } = await ask('vault_health', { kinds: ['vault'] });
          expect(findings.map(({ message }: { message: string }) => message.slice(0, 40))).toEqual([
            'There are no notes for the memory tools ',
            'There are no notes for the tasks tools i',
          ]);
        },
        { flags: ['--toolsets', 'all'] },
      );
      const doctor = await run(vault, 'doctor');
      expect(doctor).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('Set tasks.root to "work/todo" and restart, or move them back'),
      });
      vault.write('.rouxrc.json', '{"tasks": {"root": "work/todo"}, "memory": {"root": "work/known"}}');
      await withServer(vault, async ({ call }) => {
        expect((await call('graph_open')).texts).toHaveLength(1);
        expect((await call('graph_open')).value.projects).toHaveLength(1);
        expect((await call('search_nodes', { query: 'Ada' })).value.entities).toHaveLength(1);
      });
      expect((await run(vault, 'doctor')).status).toBe(0);
    }));

  it('are not missed where a person has tasks of another kind elsewhere', () =>
    withVault({ 'todo/a.md': '---\ntype: task\n---\n', 'todo/b.md': '---\ntype: task\nid: b\n---\n' }, (vault) =>
      withServer(vault, async ({ call }) => {
        expect((await call('graph_open')).texts).toHaveLength(1);
        expect((await run(vault, 'doctor')).status).toBe(0);
      }),
    ));
});

describe('X-24: ignore that names a root of tasks or memory', () => {
  const CONFIGS: readonly Readonly<Record<string, string>>[] = [
    { '.rouxrc.json': '{"ignore": ["projects/", "memory/"]}' },
    { '.obsidian/app.json': '{"userIgnoreFilters": ["projects/", "memory/"]}' },
  ];

  it.each(CONFIGS)('leaves their notes out of search and lists, and the tools go on: %j', (config) =>
    withVault({ ...config, 'a.md': 'apple\n' }, (vault) =>
      withServer(vault, async (session) => {
        const { ask } = session;
        const id = await fill(session);
        const [next] = (await ask('graph_next', { project: 'Shed', claim: true })).nodes;
        expect(next.node.id).toBe(id);
        expect((await ask('graph_open')).projects).toHaveLength(1);
        expect(
          (await ask('graph_update', { updates: [{ node_id: id, resolved: true, add_evidence: [{ type: 'note', ref: 'x' }] }] })).updated,
        ).toBeDefined();
        expect((await ask('graph_query', { project: 'Shed', filter: { resolved: true } })).nodes).toHaveLength(1);
        expect((await ask('read_graph')).entities).toHaveLength(2);
        expect((await ask('search_nodes', { query: 'apple' })).entities).toHaveLength(1);
        // Neither found nor listed; who names one gets it.
        expect((await ask('search', { query: 'apple' })).map((each: { id: string }) => each.id)).toEqual(['a.md']);
        expect((await ask('list_nodes')).nodes.map((each: { id: string }) => each.id)).toEqual(['a.md']);
        expect((await ask('get_node', { id })).id).toBe(id);
        expect((await run(vault, 'tree', '--json')).stdout).toContain(id);
        // Once more from what was kept, and no half-made second project.
        await withServer(vault, async (again) => {
          expect((await again.ask('graph_open', { project: 'Shed' })).summary.total).toBe(2);
        });
        expect(vault.list('projects').map((name) => name.toLowerCase())).toEqual(['shed']);
      }),
    ),
  );
});
