import { renameSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const all = { flags: ['--toolsets', 'all'] };

it('X-02 tasks, roots, entities and typed nodes that a person renames: the tools follow at once, and links in notes that roux made are rewritten', () =>
  withVault({ '.rouxrc.json': '{"filenames": "title"}\n', 'people.md': 'See [[Walls]] and [[Tea]].\n' }, (vault) =>
    withServer(
      vault,
      async ({ ask }) => {
        const { root } = await ask('graph_open', { project: 'shed', goal: 'G' });
        const { created } = await ask('graph_plan', {
          project: 'shed',
          nodes: [
            { ref: 'a', summary: 'Walls' },
            { ref: 'b', summary: 'Roof', parent_ref: 'a' },
            { ref: 'c', summary: 'Door', depends_on: ['a'] },
          ],
        });
        const ids = Object.fromEntries(created.map(({ ref, id }: { ref: string; id: string }) => [ref, id]));
        await ask('create_entities', { entities: ['Ada', 'Tea'].map((name) => ({ name, entityType: 'x', observations: [] })) });
        await ask('create_relations', { relations: [{ from: 'Ada', to: 'Tea', relationType: 'likes' }] });
        await ask('create_ontology', {
          node_types: ['Doc'],
          connection_types: [{ name: 'CITES', from_types: ['Doc'], to_types: ['Doc'] }],
        });
        const [one, two] = [
          await ask('create_node', { title: 'One', type: 'Doc' }),
          await ask('create_node', { title: 'Two', type: 'Doc' }),
        ];
        const { connection_id } = await ask('create_connection', { type: 'CITES', from_node_id: one.id, to_node_id: two.id });

        const moves = [
          ['projects/shed/Walls.md', 'projects/shed/Brick walls.md'],
          ['projects/shed/shed.md', 'projects/shed/The goal.md'],
          ['memory/x/Tea.md', 'memory/x/Green tea.md'],
          ['Two.md', 'Second.md'],
        ] as const;
        for (const [from, to] of moves) renameSync(vault.path(from), vault.path(to));
        const now = async (): Promise<unknown> => ({
          parent: (await ask('graph_context', { node_id: ids['b'] })).node.parent,
          waits: (await ask('graph_context', { node_id: ids['c'] })).depends_on.map(({ node }: { node: { id: string } }) => node.id),
          above: (await ask('graph_context', { node_id: ids['a'] })).node.parent,
          relations: (await ask('read_graph', {})).relations,
          to: (await ask('get_connection', { connection_id })).to_node_id,
        });
        const wanted = {
          parent: ids['a'],
          waits: [ids['a']],
          above: root.id,
          relations: [{ from: 'Ada', to: 'Green tea', relationType: 'likes' }],
          to: 'Second.md',
        };
        await waitFor(async () => (await ask('get_node', { id: 'Second.md' })) !== null, { what: 'the renames' });
        expect(await now()).toEqual(wanted);
        expect(vault.read('projects/shed/Roof.md')).toContain('[[Walls]]');
        await waitFor(
          () =>
            moves.every(
              ([from]) =>
                !vault.files().some((file) => file !== 'people.md' && vault.read(file).includes(`[[${from.replace(/^.*\/|\.md$/g, '')}`)),
            ),
          {
            what: 'the rewriting of links',
          },
        );
        expect(await now()).toEqual(wanted);
        // People's notes are changed where they ask for it; they are told.
        expect(vault.read('people.md')).toBe('See [[Walls]] and [[Tea]].\n');
      },
      all,
    ),
  ));

it.each([
  ['get_node', 'Tea.md', 'new\n'],
  ['get_node', 'Other.md', '---\ntitle: Tea\n---\nnew\n'],
  ['update_node', 'Tea.md', 'new\n'],
  ['update_node', 'Other.md', '---\ntitle: Tea\n---\nnew\n'],
])('A-05 a name that a person took from one note and gave to another leads there at once (%s, %s)', (tool, path, text) =>
  withVault({ 'far/Old.md': '---\naliases: [Tea]\n---\nold\n', 'Other.md': 'other\n' }, (vault) =>
    withServer(vault, async ({ ask }) => {
      expect(await ask('get_node', { id: 'Tea' })).toMatchObject({ path: 'far/Old.md' });
      vault.write('far/Old.md', 'old\n');
      vault.write(path, text);
      expect(await ask(tool, { id: 'Tea', ...(tool === 'get_node' ? {} : { append: 'more' }) })).toMatchObject({ path });
      expect(vault.read('far/Old.md')).toBe('old\n');
    }),
  ),
);
