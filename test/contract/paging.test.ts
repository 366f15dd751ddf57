import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../support/effort.ts';
import type { McpSession, ToolAnswer } from '../support/program/mcp-client.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { withVault } from '../support/vault.ts';

const MOST = 40_000;
/** More pages than any of these lists has. */
const MAX_PAGES = 300;

// oxlint-disable-next-line typescript/no-explicit-any
type Row = any;

/** A list that comes in pages: the tool, what is asked of it, where its rows are and what names one of them. */
interface Paged {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly rows: (value: Row) => readonly Row[];
  readonly name: (row: Row) => string;
}

/** How an answer says to go on: a field of it, or the words beside it. */
function goOn({ value, texts }: ToolAnswer): Record<string, unknown> | null {
  if (value.next_cursor !== undefined) return { cursor: value.next_cursor };
  if (value.next_offset !== undefined) return { offset: value.next_offset };
  const said = /(?:Use|with) offset (\d+)/.exec(texts[1] ?? '');
  return said === null ? null : { offset: Number(said[1]) };
}

/** All rows of a list in the order in which its pages give them. */
async function walk({ call }: McpSession, { tool, args, rows, name }: Paged): Promise<readonly string[]> {
  const seen: string[] = [];
  let next: Record<string, unknown> | null = {};
  for (let pages = 0; next !== null; pages += 1) {
    expect(pages, `pages of ${tool}`).toBeLessThan(MAX_PAGES);
    const answer: ToolAnswer = await call(tool, { ...args, ...next });
    expect(answer.isError, answer.texts[0]).toBe(false);
    expect(answer.texts[0]!.length, tool).toBeLessThanOrEqual(MOST);
    seen.push(...rows(answer.value).map(name));
    next = goOn(answer);
  }
  return seen;
}

const flags = ['--toolsets', 'all'];
const pad = (index: number): string => String(index).padStart(3, '0');
const notes = Array.from({ length: 70 }, (_, index) => `n${pad(index)}`);

/** A note whose title, links, tags, properties or text are longer than anybody writes them. */
function hostileNote(name: string, index: number): string {
  const title = index % 7 === 0 ? `${name} ${'very long '.repeat(index % 14 === 0 ? 4_500 : 300)}` : name;
  const links = index % 5 === 0 ? Array.from({ length: 40 }, (_, link) => `[[${`far ${link} `.repeat(60)}]]`).join(' ') : '';
  const text = index % 3 === 0 ? '\u0001'.repeat(700) : 'words '.repeat(200);
  const frontmatter = `---\nid: ${name}\ntype: thing\ntitle: ${JSON.stringify(title)}\ntags: [all]\nlong: ${JSON.stringify('p'.repeat(550))}\n---\n`;
  return `${frontmatter}rather [[hub]] ${text} ${links}\n`;
}

const vaultOfLongNotes: Readonly<Record<string, string>> = {
  'hub.md': '---\nid: hub\n---\nThe middle.\n',
  ...Object.fromEntries(notes.map((name, index) => [`${name}.md`, hostileNote(name, index)])),
};

describe('lists that come in pages', () => {
  it('X-27 X-35 every list of notes is told whole to who follows its pages, however long its rows are', async () => {
    const id = (row: Row): string => row.id;
    const lists: readonly Paged[] = [
      { tool: 'list_nodes', args: { type: 'thing', limit: 1000 }, rows: (value) => value.nodes, name: id },
      {
        tool: 'list_nodes',
        args: { where: 'type == "thing"', fields: ['title', 'long', 'file.links'] },
        rows: (value) => value.nodes,
        name: id,
      },
      { tool: 'search', args: { query: 'rather', limit: 50, mode: 'exact', include_content: false }, rows: (value) => value, name: id },
      { tool: 'search_by_tags', args: { tags: ['all'], limit: 100 }, rows: (value) => value, name: id },
      { tool: 'get_neighbors', args: { id: 'hub', limit: 50 }, rows: (value) => value, name: id },
      { tool: 'query_nodes', args: { type: 'thing' }, rows: (value) => value.node_ids, name: String },
      { tool: 'search_content', args: { query: 'rather', limit: 30 }, rows: (value) => value.node_ids, name: String },
    ];
    await withVault(vaultOfLongNotes, (vault) =>
      withServer(
        vault,
        async (session) => {
          // Ranked pages have one order once the index is complete.
          const ranked = { tool: 'search', args: { query: 'rather', limit: 50 }, rows: (value: Row) => value, name: id };
          await waitFor(async () => JSON.stringify((await walk(session, ranked)).toSorted()) === JSON.stringify(notes));
          for (const list of lists) expect((await walk(session, list)).toSorted(), JSON.stringify(list.args)).toEqual(notes);
        },
        { flags },
      ),
    );
  });

  it('X-27 X-35 ids that are as long as paths are told whole, too', async () => {
    const folder = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(180)).join('/');
    const paths = Array.from({ length: 60 }, (_, index) => `${folder}/${pad(index)}.md`);
    const files = Object.fromEntries(paths.map((path) => [path, '---\ntype: thing\n---\nrather\n']));
    const name = String;
    await withVault(files, (vault) =>
      withServer(
        vault,
        async (session) => {
          const { ask } = session;
          await ask('create_ontology', {
            node_types: ['thing', 'middle'],
            connection_types: [{ name: 'USES', from_types: ['middle'], to_types: ['thing'] }],
          });
          const { id: middle } = await ask('create_node', { title: 'Middle', type: 'middle', content: '' });
          const made: string[] = [];
          for (const path of paths) {
            const { connection_id } = await ask('create_connection', { type: 'USES', from_node_id: middle, to_node_id: path });
            made.push(connection_id);
          }
          const ids = (value: Row): readonly Row[] => value.node_ids;
          expect(await walk(session, { tool: 'query_nodes', args: { type: 'thing' }, rows: ids, name })).toEqual(paths);
          expect(await walk(session, { tool: 'get_connected_nodes', args: { node_id: middle }, rows: ids, name })).toEqual(paths);
          const found = await walk(session, { tool: 'search_content', args: { query: 'rather', limit: 1000 }, rows: ids, name });
          expect(found.toSorted()).toEqual(paths);
          const connections = { tool: 'query_connections', args: {}, rows: (value: Row) => value.connection_ids, name };
          expect(await walk(session, connections)).toEqual(made);
        },
        { flags },
      ),
    );
  });

  it('E-30 every paged list is followed to its end by what it says, whatever the sizes of its rows', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(3), fc.nat(400), fc.constantFrom('x', '"', '\u0001', 'ü')), { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 50 }),
        async (sizes, limit) => {
          const files = sizes.map(([pages, length, unit], index): [string, string] => {
            const long = unit.repeat(length * (pages === 3 ? 60 : 1));
            const frontmatter = `type: thing\ntags: [all]\nlong: ${JSON.stringify(long)}`;
            return [`n${pad(index)}.md`, `---\nid: n${pad(index)}\n${frontmatter}\n---\nrather [[hub]] ${long}\n`];
          });
          const names = files.map(([file]) => file.slice(0, -3));
          const id = (row: Row): string => row.id;
          const fields = { where: 'file.hasTag("all")', fields: ['long'], sort: '-long' };
          const lists: readonly Paged[] = [
            { tool: 'list_nodes', args: { limit, type: 'thing' }, rows: (value) => value.nodes, name: id },
            { tool: 'list_nodes', args: { limit, ...fields }, rows: (value) => value.nodes, name: id },
            { tool: 'search', args: { query: 'rather', limit, mode: 'exact' }, rows: (value) => value, name: id },
            { tool: 'search_by_tags', args: { tags: ['all'], limit }, rows: (value) => value, name: id },
            { tool: 'get_neighbors', args: { id: 'hub', limit }, rows: (value) => value, name: id },
            { tool: 'query_nodes', args: { type: 'thing' }, rows: (value) => value.node_ids, name: String },
          ];
          await withVault({ 'hub.md': '', ...Object.fromEntries(files) }, (vault) =>
            withServer(
              vault,
              async (session) => {
                for (const list of lists) expect((await walk(session, list)).toSorted(), list.tool).toEqual(names);
              },
              { flags },
            ),
          );
        },
      ),
      { numRuns: runs(10) },
    ));

  it('S1-87 X-27 a page of the history that is cut for its length goes on where it was cut', async () => {
    await withVault({}, (vault) =>
      withServer(vault, async (session) => {
        const { root } = await session.ask('graph_open', { project: 'shed', goal: 'A shed' });
        const states = Array.from({ length: 25 }, (_, index) => `${index} `.repeat(index % 8 === 0 ? 16_000 : 1_500));
        for (const state of states) await session.ask('graph_update', { updates: [{ node_id: root.id, state }] });
        const stateOf = (event: Row): string => event.changes.find((change: Row) => change.field === 'state')?.after.split(' ', 1)[0] ?? '';
        for (const limit of [3, 20, 100]) {
          const list = { tool: 'graph_history', args: { node_id: root.id, limit }, rows: (value: Row) => value.events, name: stateOf };
          expect(await walk(session, list)).toEqual(
            [...states.map((_, index) => String(index)), ''].toSorted((a, b) => (a === '' ? 1 : b === '' ? -1 : Number(b) - Number(a))),
          );
        }
      }),
    );
  });

  it('S1-20 S1-72 X-27 all ids of a plan of 1,000 tasks can be had, in the order of the call, and every query lists them all', async () => {
    await withVault({}, (vault) =>
      withServer(vault, async (session) => {
        await session.ask('graph_open', { project: 'shed', goal: 'A shed' });
        const nodes = Array.from({ length: 1_000 }, (_, index) => ({
          ref: `n${index}`,
          summary: `Nail ${index} ${index % 100 === 0 ? 'very '.repeat(380) : ''}`.trim(),
        }));
        const { value: planned, texts } = await session.call('graph_plan', { nodes });
        expect(texts[0]!.length).toBeLessThanOrEqual(MOST);
        expect(planned.created.map(({ ref }: Row) => ref)).toEqual(nodes.slice(0, planned.created.length).map(({ ref }) => ref));
        expect(planned.hint).toContain(`${1_000 - planned.created.length}`);
        const query = (args: Record<string, unknown>, name: (row: Row) => string): Promise<readonly string[]> =>
          walk(session, { tool: 'graph_query', args: { project: 'shed', limit: 100, ...args }, rows: (value) => value.nodes, name });
        const rest = await query({ sort: 'created', cursor: planned.next_cursor }, ({ summary }) => summary);
        expect(rest).toEqual(nodes.slice(planned.created.length).map(({ summary }) => summary));
        const ids: readonly string[] = [
          ...planned.created.map(({ id }: Row) => id),
          ...(await query({ sort: 'created', cursor: planned.next_cursor }, ({ id }) => id)),
        ];
        expect(new Set(ids).size).toBe(1_000);
        for (const sort of ['readiness', 'depth', 'recent', 'created']) {
          const found = await query({ sort, filter: { text: 'Nail' } }, ({ id }) => id);
          expect(found.toSorted(), sort).toEqual(ids.toSorted());
        }
      }),
    );
  });

  it('X-27 the body of a note whose links, tags and properties fill the answer is read to its end', async () => {
    const text = Array.from({ length: 9_000 }, (_, index) => `"\t\\${index % 10}\n`).join('');
    const tags = Array.from({ length: 600 }, (_, index) => `tag${'x'.repeat(20)}${index}`).join(', ');
    await withVault({ 'long.md': `---\ntags: [${tags}]\nlong: ${'p'.repeat(5_900)}\n---\n${text}`, 'other.md': '[[long]]\n' }, (vault) =>
      withServer(vault, async ({ call }) => {
        let read = '';
        for (let next: number | undefined = 0; next !== undefined;) {
          const { value, texts }: ToolAnswer = await call('get_node', { id: 'long.md', depth: 1, offset: next });
          expect(texts[0]!.length).toBeLessThanOrEqual(MOST);
          next = value.next_offset;
          read += next === undefined ? value.content : value.content.replace(/\.\.\. \[truncated\]$/, '');
        }
        expect(read).toBe(text);
      }),
    );
  });

  it('S4-08 S4-16 X-27 every list of entities is told whole to who follows its offset, however long they are', async () => {
    const entities = Array.from({ length: 60 }, (_, index) => ({
      name: index % 9 === 0 ? `${pad(index)} ${'long name '.repeat(190)}` : pad(index),
      entityType: 'thing',
      observations: Array.from(
        { length: index % 13 === 0 ? 300 : 2 },
        (_, at) => `${at} ${'"seen" '.repeat(index % 7 === 0 && at === 1 ? 4_000 : 20)}`,
      ),
    }));
    const names = entities.map(({ name }) => name);
    const relations = names.map((name, index) => ({ from: name, to: names[(index * 7 + 1) % names.length], relationType: 'NEXT' }));
    await withVault({}, (vault) =>
      withServer(vault, async (session) => {
        const { value, texts } = await session.call('create_entities', { entities });
        expect(texts[0]!.length).toBeLessThanOrEqual(MOST);
        expect(value.length).toBeLessThan(60);
        expect(texts[1]).toContain('all of it was carried out');
        await session.ask('create_relations', { relations });
        const name = (row: Row): string => row.name ?? JSON.stringify(row);
        for (const [tool, args] of [
          ['read_graph', {}],
          ['search_nodes', { query: 'type:thing' }],
          ['open_nodes', { names }],
        ] as const) {
          expect(await walk(session, { tool, args, rows: (graph) => graph.entities, name })).toEqual(names);
          const told = await walk(session, { tool, args, rows: (graph) => graph.relations, name });
          expect([...new Set(told)].toSorted()).toEqual(
            relations.map(({ from, to, relationType }) => name({ from, to, relationType })).toSorted(),
          );
        }
      }),
    );
  });

  it('S1-13 more projects than an answer holds are listed in part, and it says where all are', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `projects/p${pad(index)}/p${pad(index)}.md`,
        `---\nid: r${pad(index)}\ntype: project\nsummary: ${'long '.repeat(60)}\n---\n`,
      ]),
    );
    await withVault(files, (vault) =>
      withServer(vault, async (session) => {
        const { projects, hint } = await session.ask('graph_open');
        expect(hint).toContain(`${300 - projects.length} more`);
        const all = await walk(session, {
          tool: 'list_nodes',
          args: { type: 'project' },
          rows: (value) => value.nodes,
          name: ({ id }) => id,
        });
        expect(all).toHaveLength(300);
      }),
    );
  });
});
