import { expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import type { McpInside } from '../support/program/mcp-server.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const all = { flags: ['--toolsets', 'all'] };

/** A task, an entity and a note that all speak of quince; gives the id of the task. */
async function setUp({ ask }: McpInside): Promise<string> {
  await ask('graph_open', { project: 'shed', goal: 'A shed' });
  const { created } = await ask('graph_plan', { nodes: [{ ref: 'a', summary: 'Plant the quince tree' }] });
  await ask('create_entities', {
    entities: [
      { name: 'Ada', entityType: 'person', observations: ['grows quince and quince', '{"type":"x","data":{"at":"[[Soil#Old heading]]"}}'] },
      { name: 'Bo', entityType: 'person', observations: ['none of it'] },
    ],
  });
  await ask('create_node', { title: 'Recipe', content: 'A jelly of quince.', type: 'recipe' });
  return created[0].id as string;
}

it('X-29 search finds tasks by summary and entities by observation, each once, labelled by type and filterable', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        await setUp(session);
        const { ask, host } = session;
        const find = async (query: string): Promise<readonly string[]> =>
          (await ask('search', { query, limit: 50 })).map(({ path, type }: { path: string; type: string }) => `${type} ${path}`).toSorted();
        const every = ['entity memory/person/ada.md', 'recipe recipe.md', 'task projects/shed/plant-the-quince-tree.md'];
        // The same before the index is there and afterwards.
        for (const isIndexed of [false, true]) {
          if (isIndexed) await waitFor(async () => (await host.state()).search === 'ready', { what: 'the index' });
          expect(await find('quince')).toEqual(every);
          expect(await find('quince type:task')).toEqual(every.slice(2));
          expect(await find('quince type:entity')).toEqual(every.slice(0, 1));
          expect(await find('quince -type:entity -type:task')).toEqual(every.slice(1, 2));
          expect(await find('"plant the quince"')).toEqual(every.slice(2));
          expect(await find('"grows quince"')).toEqual(every.slice(0, 1));
        }
        expect((await ask('search_nodes', { query: 'quince' })).entities.map(({ name }: { name: string }) => name)).toEqual(['Ada']);
        const tasks = await ask('graph_query', { project: 'shed', filter: { text: 'quince' } });
        expect(tasks.nodes.map(({ summary }: { summary: string }) => summary)).toEqual(['Plant the quince tree']);
      },
      all,
    ),
  ));

it('X-22 a renamed heading is followed in tasks, entities and typed nodes as in any note; no typed field and no JSON observation changes', () =>
  withVault({ 'Soil.md': '# Soil\n\n## Old heading\n\nText\n', '.rouxrc.json': '{"filenames": "title"}\n' }, (vault) =>
    withServer(
      vault,
      async (session) => {
        const { ask } = session;
        const id = await setUp(session);
        const link = '[[Soil#Old heading]]';
        await ask('create_ontology', { node_types: ['recipe'], connection_types: [] });
        await ask('create_node', {
          title: 'Typed',
          type: 'recipe',
          content: `As in ${link}.`,
          properties: { plain: 'Old heading', see: link },
        });
        await ask('graph_update', {
          updates: [
            { node_id: id, properties: { note: 'Old heading' }, state: { text: 'Old heading' }, add_context_links: ['Soil.md#L3'] },
          ],
        });
        await ask('update_node', { id, content: `Read ${link}.` });
        await ask('add_observations', { observations: [{ entityName: 'Bo', contents: [`read ${link}`, 'Old heading'] }] });
        const notes = vault.files().filter((file) => file.endsWith('.md'));
        const before = new Map(notes.map((file) => [file, vault.read(file)]));
        const { status, stderr } = await cli(['rename', 'Soil#Old heading', 'New heading', '--vault', vault.root]);
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        const task = notes.find((file) => file.includes('quince')) ?? '';
        const follows = ['Soil.md', 'Typed.md', task, 'memory/person/Bo.md', 'memory/person/bo.md'];
        for (const [file, text] of before) {
          const bare = (note: string): string => note.replace(/^(?:rev|updated_at): .*\n/gm, '');
          const wanted = follows.includes(file) ? text.replaceAll(link, '[[Soil#New heading]]').replace('\n## Old', '\n## New') : text;
          expect(bare(vault.read(file)), file).toBe(bare(wanted));
        }
        const { node } = await ask('graph_context', { node_id: id });
        expect(node).toMatchObject({ properties: { note: 'Old heading' }, state: { text: 'Old heading' }, context_links: ['Soil.md#L3'] });
        const { entities } = await ask('open_nodes', { names: ['Ada', 'Bo'] });
        expect(entities[0].observations[1]).toBe('{"type":"x","data":{"at":"[[Soil#Old heading]]"}}');
        expect(entities[1].observations).toEqual(['none of it', 'read [[Soil#New heading]]', 'Old heading']);
      },
      all,
    ),
  ));
