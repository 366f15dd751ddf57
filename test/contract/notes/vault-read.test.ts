import { describe, expect, it } from 'vitest';
import { openServer, withServer } from '../../support/program/mcp-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { withVault } from '../../support/vault.ts';

const CUT = '... [truncated]';

/** A hub with more neighbours than an answer shows, and a chain. */
const linked = {
  'hub.md': `# Hub\n\n${Array.from({ length: 25 }, (_, index) => `[[leaf ${String(index).padStart(2, '0')}]]`).join(' ')}\n`,
  ...Object.fromEntries(
    Array.from({ length: 25 }, (_, index) => [`leaf ${String(index).padStart(2, '0')}.md`, `Leaf ${index}, see [[hub]].\n`]),
  ),
  'a.md': 'to [[b]] and ![[picture.png]] and [[nowhere#part|shown]]\n',
  'b.md': 'to [[c]]\n',
  'c.md': 'an end\n',
  'island.md': 'alone\n',
  'picture.png': 'png',
};

describe('reading one note', () => {
  it('S2-01 gives id, title, content, tags and links with resolved titles; an unresolved link keeps its target text', () =>
    withVault({ ...linked, 'b.md': '---\ntitle: The second\ntags: [x, y/z]\n---\nto [[c]] #inline\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const a = await ask('get_node', { id: 'a.md' });
        expect(a.links).toEqual([
          { id: 'b.md', title: 'The second' },
          { id: 'picture.png', title: 'picture.png' },
          { id: 'nowhere', title: 'nowhere' },
        ]);
        const b = await ask('get_node', { id: 'b' });
        expect(b).toMatchObject({ id: 'b.md', title: 'The second', content: 'to [[c]] #inline\n', tags: ['x', 'y/z', 'inline'] });
        expect(b.links).toEqual([{ id: 'c.md', title: 'c' }]);
      }),
    ));

  it('S2-02 gives the properties people wrote, and at most a hundred links with the number of the rest', () =>
    withVault(
      {
        'many.md': `---\nstatus: draft\ndue: 2024-01-15\ncount: 3\nproperties:\n  status: final\n---\n${Array.from({ length: 120 }, (_, index) => `[[n${index}]]`).join(' ')}\n`,
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const many = await ask('get_node', { id: 'many' });
          expect(many.properties).toEqual({ status: 'final', due: '2024-01-15', count: 3 });
          expect(many.links).toHaveLength(100);
          expect(many.links_omitted).toBe(20);
        }),
    ));

  it('S2-03 cuts bodies at 10,000, 500 and 200 characters, suffix included, and never inside a surrogate pair', () => {
    const long = `x${'😀'.repeat(8000)}`;
    return withVault(
      { 'long.md': long, 'near.md': `[[long]] needle ${'word '.repeat(300)}`, 'tagged.md': `#t ${'y'.repeat(900)}` },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const whole = await ask('get_node', { id: 'long' });
          expect(whole.content.length).toBeLessThanOrEqual(10_000);
          expect(whole.content.endsWith(CUT)).toBe(true);
          expect(whole.content.isWellFormed()).toBe(true);
          const [found] = await ask('search', { query: 'needle' });
          expect(found.content.length).toBeLessThanOrEqual(500);
          expect(found.content.endsWith(CUT)).toBe(true);
          const [tagged] = await ask('search_by_tags', { tags: ['t'] });
          expect(tagged.content).toHaveLength(500);
          const { neighbors } = await ask('get_node', { id: 'near', depth: 1 });
          expect(neighbors[0].content.length).toBeLessThanOrEqual(200);
          expect(neighbors[0].content.isWellFormed()).toBe(true);
        }),
    );
  });

  it('S2-04 reads on from next_offset to the end, and gives nothing past it', () => {
    const body = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join('\n');
    return withVault({ 'long.md': body }, (vault) =>
      withServer(vault, async ({ ask }) => {
        let text = '';
        let offset: number | undefined = 0;
        while (offset !== undefined) {
          const part: { content: string; next_offset?: number; path: string } = await ask('get_node', { id: 'long', offset });
          expect(part.path).toBe('long.md');
          text += part.next_offset === undefined ? part.content : part.content.slice(0, -CUT.length);
          offset = part.next_offset;
        }
        expect(text).toBe(body);
        expect((await ask('get_node', { id: 'long', offset: body.length + 5 })).content).toBe('');
      }),
    );
  });

  it('S2-06 answers what is not there with null and empty lists, not with errors', () =>
    withVault(linked, (vault) =>
      withServer(vault, async ({ ask, call }) => {
        expect(await ask('get_node', { id: 'no such note' })).toBeNull();
        expect(await ask('find_path', { source: 'a', target: 'island' })).toBeNull();
        expect((await call('find_path', { source: 'a', target: 'island' })).texts[1]).toContain(
          'No chain of links connects a.md with island.md',
        );
        expect(await ask('find_path', { source: 'a', target: 'no such note' })).toBeNull();
        expect(await ask('search', { query: 'zzzzqqqq' })).toEqual([]);
        expect(await ask('get_neighbors', { id: 'island' })).toEqual([]);
        expect(await ask('get_neighbors', { id: 'no such note' })).toEqual([]);
        expect(await ask('search_by_tags', { tags: ['nope'] })).toEqual([]);
        expect(await ask('random_node', { tags: ['nope'] })).toBeNull();
        expect(await ask('delete_node', { id: 'no such note' })).toEqual({ deleted: false });
      }),
    ));

  it('S2-07 sends one text block of compact JSON, null and [] included, and no structured content', () =>
    withVault(linked, (vault) =>
      withServer(vault, async ({ call, client }) => {
        const missing = await call('get_node', { id: 'no such note' });
        expect(missing.texts).toEqual(['null']);
        expect(missing.structured).toBeUndefined();
        const [text = ''] = (await call('get_hubs')).texts;
        expect(text).toBe(JSON.stringify(JSON.parse(text)));
        for (const tool of (await client.listTools()).tools) expect(tool.outputSchema).toBeUndefined();
      }),
    ));

  it('S2-13 with depth 1 gives at most 20 neighbours and the true totals', () =>
    withVault(linked, (vault) =>
      withServer(vault, async ({ ask }) => {
        const hub = await ask('get_node', { id: 'hub', depth: 1 });
        expect(hub.neighbors).toHaveLength(20);
        expect(hub).toMatchObject({ incomingCount: 25, outgoingCount: 25 });
        expect(await ask('get_node', { id: 'hub', depth: 0 })).not.toHaveProperty('neighbors');
      }),
    ));

  it('S2-14 says the direction of each neighbour, outgoing ones first', () =>
    withVault({ 'm.md': '[[out]] [[both]]', 'out.md': '', 'both.md': '[[m]]', 'in.md': '[[m]]' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { neighbors } = await ask('get_node', { id: 'm', depth: 1 });
        expect(neighbors.map((each: { id: string; direction: string }) => [each.id, each.direction])).toEqual([
          ['out.md', 'out'],
          ['both.md', 'both'],
          ['in.md', 'in'],
        ]);
      }),
    ));

  it('S2-24 finds a note by path in any case, with or without .md, with / or \\, by part of its path, title and alias', () =>
    withVault({ 'Folder/Sub/My Note.md': '---\naliases: [Nick]\ntitle: Given Name\n---\n', 'x.md': '' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        for (const id of [
          'Folder/Sub/My Note.md',
          'folder/sub/my note.md',
          'folder/sub/my note',
          'Folder\\Sub\\My Note',
          'sub/my note',
          'Sub/My Note.md',
          'my note',
          'given name',
          'nick',
          '[[My Note]]',
        ]) {
          expect((await ask('get_node', { id }))?.path, id).toBe('Folder/Sub/My Note.md');
        }
        expect((await ask('get_node', { node_id: 'nick' })).path).toBe('Folder/Sub/My Note.md');
      }),
    ));

  it('S2-24 names the candidates when a reference fits several notes', () =>
    withVault({ 'a/same.md': '', 'b/same.md': '' }, (vault) =>
      withServer(vault, async ({ refuse, ask }) => {
        const { error } = await refuse('get_node', { id: 'same' });
        expect(error.code).toBe('AMBIGUOUS');
        expect(error.details.candidates.map((candidate: { id: string }) => candidate.id)).toEqual(['a/same.md', 'b/same.md']);
        expect((await ask('get_node', { id: 'a/same' })).id).toBe('a/same.md');
      }),
    ));
});

describe('walking the links', () => {
  it('S2-15 gives a note that is linked both ways once, honours direction and limit', () =>
    withVault(linked, (vault) =>
      withServer(vault, async ({ ask }) => {
        const both = await ask('get_neighbors', { id: 'hub', limit: 50 });
        expect(both).toHaveLength(25);
        expect(new Set(both.map((each: { id: string }) => each.id)).size).toBe(25);
        expect(await ask('get_neighbors', { id: 'hub' })).toHaveLength(20);
        expect((await ask('get_neighbors', { id: 'b', direction: 'in' })).map((each: { id: string }) => each.id)).toEqual(['a.md']);
        expect((await ask('get_neighbors', { id: 'b', direction: 'out' })).map((each: { id: string }) => each.id)).toEqual(['c.md']);
        expect((await ask('get_neighbors', { id: 'b', include_content: false }))[0]).not.toHaveProperty('content');
      }),
    ));

  it('S2-16 finds the shortest path, the lexicographically first among equals, in both directions unless told otherwise', () =>
    withVault({ ...linked, 's.md': '[[p2]] [[p1]]', 'p1.md': '[[t]]', 'p2.md': '[[t]]', 't.md': '' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('find_path', { source: 'a', target: 'c' })).toEqual({ path: ['a.md', 'b.md', 'c.md'], length: 2 });
        expect(await ask('find_path', { source: 'c', target: 'a' })).toEqual({ path: ['c.md', 'b.md', 'a.md'], length: 2 });
        expect(await ask('find_path', { source: 'c', target: 'a', direction: 'out' })).toBeNull();
        expect(await ask('find_path', { source: 's', target: 't' })).toEqual({ path: ['s.md', 'p1.md', 't.md'], length: 2 });
        expect(await ask('find_path', { source: 'a', target: 'A.md' })).toEqual({ path: ['a.md'], length: 0 });
      }),
    ));

  it('S2-17 gives hubs by incoming or outgoing links, highest first, ties by id', () =>
    withVault({ 'x.md': '[[z]] [[y]]', 'w.md': '[[z]] [[y]] [[x]]', 'y.md': '', 'z.md': '' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('get_hubs', { limit: 3 })).toEqual([
          { id: 'y.md', title: 'y', score: 2 },
          { id: 'z.md', title: 'z', score: 2 },
          { id: 'x.md', title: 'x', score: 1 },
        ]);
        expect(await ask('get_hubs', { metric: 'out_degree', limit: 1 })).toEqual([{ id: 'w.md', title: 'w', score: 3 }]);
      }),
    ));

  it('S2-18 matches tags in any case, with or without #, nested ones and those in the text, any or all', () =>
    withVault(
      {
        'one.md': '---\ntags: [Red]\n---\n',
        'two.md': 'text #red/dark #big\n',
        'three.md': '---\ntags: "#Big"\n---\n',
        'four.md': '`#red`',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const ids = async (args: Record<string, unknown>) => (await ask('search_by_tags', args)).map((each: { id: string }) => each.id);
          expect(await ids({ tags: ['#RED'] })).toEqual(['one.md', 'two.md']);
          expect(await ids({ tags: ['red/dark'] })).toEqual(['two.md']);
          expect(await ids({ tags: ['red', 'big'], mode: 'all' })).toEqual(['two.md']);
          expect(await ids({ tags: ['red', 'big'] })).toEqual(['one.md', 'three.md', 'two.md']);
          expect(await ids({ tags: ['red', 'big'], limit: 1 })).toEqual(['one.md']);
        }),
    ));

  it('S2-19 draws a note, among those with any of the tags when asked, and null from an empty vault', () =>
    withVault({ 'a.md': '#t', 'b.md': '#u', 'c.md': '' }, async (vault) => {
      await withServer(vault, async ({ ask }) => {
        const seen = new Set<string>();
        for (let round = 0; round < 40; round += 1) seen.add((await ask('random_node', { tags: ['t', 'u'] })).id);
        expect([...seen].sort()).toEqual(['a.md', 'b.md']);
      });
      await withVault({}, (empty) => withServer(empty, async ({ ask }) => expect(await ask('random_node')).toBeNull()));
    }));

  it('S2-36 lists ids and titles page by page, by tag, folder and type, orphans or ghosts', () =>
    withVault({ ...linked, 'dir/one.md': '---\ntype: plant\ntags: [g]\n---\n', 'dir/two.md': '#g', 'dirt.md': '' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const first = await ask('list_nodes', { limit: 2 });
        expect(first).toEqual({
          nodes: [
            { id: 'a.md', title: 'a' },
            { id: 'b.md', title: 'b' },
          ],
          total: 33,
          next_offset: 2,
        });
        expect((await ask('list_nodes', { limit: 1000, offset: 2 })).nodes).toHaveLength(31);
        expect((await ask('list_nodes', { path: 'dir' })).nodes.map((each: { id: string }) => each.id)).toEqual([
          'dir/one.md',
          'dir/two.md',
        ]);
        expect((await ask('list_nodes', { tag: 'G', type: 'plant' })).total).toBe(1);
        expect((await ask('list_nodes', { orphans: true })).nodes.map((each: { id: string }) => each.id)).toEqual([
          'dir/one.md',
          'dir/two.md',
          'dirt.md',
          'island.md',
        ]);
        expect((await ask('list_nodes', { ghosts: true })).nodes).toMatchObject([{ id: 'nowhere', title: 'nowhere', links: 1 }]);
      }),
    ));

  it('S2-37 treats a missing link target as a node without content that counts in hubs and becomes a note when it appears', () =>
    withVault({ 'a.md': '[[Missing Thing]]', 'b.md': '[[missing thing#part]]' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('get_node', { id: 'missing thing' })).toMatchObject({ id: 'Missing Thing', content: null, links: [], path: null });
        expect(await ask('get_hubs', { limit: 1 })).toEqual([{ id: 'Missing Thing', title: 'Missing Thing', score: 2, ghost: true }]);
        expect((await ask('get_neighbors', { id: 'Missing Thing', direction: 'in' })).map((each: { id: string }) => each.id)).toEqual([
          'a.md',
          'b.md',
        ]);
        vault.write('Missing Thing.md', 'here I am');
        await waitFor(async () => (await ask('get_node', { id: 'missing thing' })).content !== null);
        expect(await ask('get_node', { id: 'missing thing' })).toMatchObject({ id: 'Missing Thing.md', content: 'here I am' });
        expect(await ask('get_hubs', { limit: 1 })).toEqual([{ id: 'Missing Thing.md', title: 'Missing Thing', score: 2 }]);
      }),
    ));

  it('S2-39 has aliases, counts of tags, property filters and pagination where agents asked for them', () =>
    withVault({ 'a.md': '---\nstatus: open\naliases: [First]\n---\nword', 'b.md': '---\nstatus: done\n---\nword' }, (vault) =>
      withServer(vault, async ({ ask, client }) => {
        expect((await ask('search', { query: 'word [status:open]' })).map((each: { id: string }) => each.id)).toEqual(['a.md']);
        const [first] = await ask('search', { query: 'word', limit: 1 });
        const [second] = await ask('search', { query: 'word', limit: 1, offset: 1 });
        expect(new Set([first.id, second.id])).toEqual(new Set(['a.md', 'b.md']));
        expect((await ask('get_node', { id: 'first' })).id).toBe('a.md');
        const { contents } = await client.readResource({ uri: 'roux://vault' });
        expect(JSON.parse(String((contents[0] as { text: string }).text))).toMatchObject({ notes: 2, attention: { orphans: 2 } });
      }),
    ));
});

describe('what tools there are', () => {
  it('S2-05 lists only tools that work, and calling another one is an error that lists them', () =>
    withVault(linked, async (vault) => {
      await withServer(vault, async ({ client, refuse }) => {
        const names = (await client.listTools()).tools.map((tool) => tool.name);
        expect(names).toEqual([...names].sort());
        expect(names).not.toContain('kg_search_facts');
        const { error } = await refuse('kg_search_facts', { query: 'x' });
        expect(error.code).toBe('INVALID_PARAMS');
        expect(error.message).toContain('search');
      });
      const session = await openServer(vault, { flags: ['--read-only'] });
      const { tools } = await session.client.listTools();
      await session.close();
      for (const writing of ['create_node', 'update_node', 'delete_node', 'graph_plan', 'create_entities']) {
        expect(tools.map((tool) => tool.name)).not.toContain(writing);
      }
    }));
});
