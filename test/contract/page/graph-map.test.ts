import { describe, expect, it } from 'vitest';
import { applyAnswer } from '../../../src/page/browser/views/graph/map-answer.ts';
import type { MapAnswer, MapNode } from '../../../src/page/browser/views/graph/map-answer.ts';
import { withPage } from '../../support/page-server.ts';
import type { PageServer } from '../../support/page-server.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const NOTES = {
  'a.md': '---\ntype: idea\ntags: [one, two]\n---\n[[b]] [[c]] [[b]] [[a]] ![[picture.png]]\n',
  'b.md': '[[c]] [[not there]]\n',
  'deep/in/c.md': '---\ntitle: Sea\n---\n[[Not There]]\n',
  'alone.md': 'nothing\n',
  'picture.png': 'bytes',
};

type Known = ReadonlyMap<number, MapNode>;

/** Asks until nothing is being laid out, putting each answer over the last. */
async function settled(
  server: PageServer,
  known: Known = new Map(),
  since?: string,
  more: object = {},
): Promise<{ nodes: Known; map: string; answers: MapAnswer[] }> {
  const answers: MapAnswer[] = [];
  let [nodes, map] = [known, since];
  await waitFor(
    async () => {
      const answer = (await server.page('graph_map', { ...more, ...(map === undefined ? {} : { since: map }) })) as MapAnswer;
      answers.push(answer);
      nodes = applyAnswer(nodes, answer);
      map = answer.map ?? undefined;
      return answer.layout.state === 'ready';
    },
    { what: 'the layout' },
  );
  return { nodes, map: map ?? '', answers };
}

const byPath = (nodes: Known): Readonly<Record<string, MapNode>> =>
  Object.fromEntries([...nodes.values()].map((node) => [node.path, node]));
const linksOf = (nodes: Known, path: string): readonly string[] =>
  (byPath(nodes)[path]?.out ?? []).map((id) => nodes.get(id)?.path ?? '?').toSorted();

describe('graph_map', () => {
  const notes = useOnce<PageServer>((use) => withVault(NOTES, (vault) => withPage(vault, use)));

  it('tells notes, what they are and link to, what is not written yet, and a place for each', async () => {
    const server = await notes();
    const { nodes } = await settled(server);
    expect(Object.keys(byPath(nodes)).toSorted()).toEqual(['a.md', 'alone.md', 'b.md', 'deep/in/c.md', 'not there']);
    expect(byPath(nodes)['a.md']).toMatchObject({ title: 'a', folder: '', type: 'idea', tags: ['one', 'two'], kind: 'note' });
    expect(byPath(nodes)['deep/in/c.md']).toMatchObject({ title: 'Sea', folder: 'deep/in', type: null, tags: [] });
    expect(byPath(nodes)['not there']).toMatchObject({ kind: 'unresolved', title: 'not there' });
    expect(linksOf(nodes, 'a.md')).toEqual(['b.md', 'deep/in/c.md']);
    expect(linksOf(nodes, 'b.md')).toEqual(['deep/in/c.md', 'not there']);
    expect(linksOf(nodes, 'deep/in/c.md')).toEqual(['not there']);
    for (const { x, y } of nodes.values()) expect([x, y].every(Number.isFinite)).toBe(true);
    const { nodes: withFiles } = await settled(server, new Map(), undefined, { attachments: true, unresolved: false });
    expect(Object.keys(byPath(withFiles)).toSorted()).toEqual(['a.md', 'alone.md', 'b.md', 'deep/in/c.md', 'picture.png']);
    expect(Number.isFinite(byPath(withFiles)['picture.png']?.x)).toBe(true);
    // What else is looked at moves nothing.
    expect(byPath(withFiles)['a.md']?.x).toBe(byPath(nodes)['a.md']?.x);
  });

  it('since an answer only what changed is told, from an editor and from a tool, and nothing else moves', () =>
    withVault(
      {
        ...NOTES,
        ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`many/${at}.md`, `[[${(at + 1) % 40}]] [[${(at * 7) % 40}]]`])),
      },
      (vault) =>
        withPage(vault, async (server) => {
          const first = await settled(server);
          const quiet = (await server.page('graph_map', { since: first.map })) as MapAnswer;
          expect({ whole: quiet.whole, count: quiet.nodes.count, moved: quiet.moved.id, gone: quiet.gone }).toEqual({
            whole: false,
            count: 0,
            moved: '',
            gone: [],
          });
          vault.write('new.md', '[[a]]\n');
          vault.remove('alone.md');
          await waitFor(async () => 'new.md' in byPath((await settled(server)).nodes), { what: 'the new note' });
          const agent = await server.agent('gardener');
          await agent.ask('update_node', { id: 'b', title: 'bee' });
          const second = await settled(server, first.nodes, first.map);
          expect(second.answers.every(({ whole }) => !whole)).toBe(true);
          const now = byPath(second.nodes);
          expect(now['alone.md']).toBeUndefined();
          expect(now['bee.md']?.id).toBe(byPath(first.nodes)['b.md']?.id);
          expect(linksOf(second.nodes, 'a.md')).toEqual(['bee.md', 'deep/in/c.md']);
          expect(linksOf(second.nodes, 'new.md')).toEqual(['a.md']);
          for (let at = 0; at < 40; at += 1) expect(now[`many/${at}.md`]?.x, String(at)).toBe(byPath(first.nodes)[`many/${at}.md`]?.x);
        }),
    ));

  it('a layout is kept for the next start, which has it at once; a vault that is served read-only is written nothing', () =>
    withVault(NOTES, async (vault) => {
      await withPage(
        vault,
        async (server) => {
          await settled(server);
        },
        { flags: ['--read-only'] },
      );
      expect(vault.exists('.roux/cache/layout')).toBe(false);
      const before = await withPage(vault, async (server) => {
        expect(vault.exists('.roux/cache/layout')).toBe(false);
        const { nodes } = await settled(server);
        await waitFor(() => vault.exists('.roux/cache/layout'), { what: 'the file of the layout' });
        return byPath(nodes);
      });
      await withPage(vault, async (server) => {
        const answer = (await server.page('graph_map')) as MapAnswer;
        expect(answer.layout).toEqual({ state: 'ready', done: 1 });
        expect(byPath(applyAnswer(new Map(), answer))).toEqual(before);
      });
      vault.write('later.md', '[[a]]\n');
      await withPage(vault, async (server) => {
        const { nodes } = await settled(server);
        expect(Number.isFinite(byPath(nodes)['later.md']?.x)).toBe(true);
        expect(byPath(nodes)['alone.md']).toMatchObject({ x: before['alone.md']?.x, y: before['alone.md']?.y });
      });
      // What is damaged is made anew.
      vault.write('.roux/cache/layout', 'nonsense');
      await withPage(vault, async (server) => {
        expect((await settled(server)).nodes.size).toBe(6);
      });
    }));

  it('the surroundings of a note end after so many steps and so many notes, and start with the note', () =>
    withVault(
      {
        'chain 0.md': '[[chain 1]]',
        'chain 1.md': '[[chain 2]]',
        'chain 2.md': '[[chain 3]]',
        'chain 3.md': '',
        'hub.md': '[[chain 3]]',
        ...Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`leaf ${at}.md`, '[[hub]]'])),
      },
      (vault) =>
        withPage(vault, async (server) => {
          const around = async (note: string, depth: number) => {
            const answer = (await server.page('graph_map', { around: note, depth })) as MapAnswer;
            return { answer, names: [...applyAnswer(new Map(), answer).values()].map(({ title }) => title) };
          };
          expect((await around('chain 0', 1)).names).toEqual(['chain 0', 'chain 1']);
          expect((await around('chain 0', 3)).names).toEqual(['chain 0', 'chain 1', 'chain 2', 'chain 3']);
          const { answer, names } = await around('hub', 1);
          expect(names[0]).toBe('hub');
          expect([names.length, answer.left_out, answer.map]).toEqual([400, 202, null]);
          expect(await server.answer('graph_map', { around: 'no such note' })).toMatchObject({ status: 404 });
          expect(await server.answer('graph_map', { around: 'hub', depth: 4 })).toMatchObject({ status: 400 });
        }),
    ));

  it('names of every kind are values and nothing else', () =>
    withVault(
      {
        '__proto__.md': '[[constructor]] [[<img src=x>]]',
        'a".md': '[[__proto__]]',
        '知识.md': '---\ntags: [__proto__]\ntype: constructor\n---\n',
      },
      (vault) =>
        withPage(vault, async (server) => {
          const { nodes } = await settled(server);
          expect([...nodes.values()].map(({ path }) => path).toSorted()).toEqual(
            ['<img src=x>', '__proto__.md', 'a".md', 'constructor', '知识.md'].toSorted(),
          );
          expect([...nodes.values()].find(({ path }) => path === '知识.md')).toMatchObject({ tags: ['__proto__'], type: 'constructor' });
          expect([...nodes.values()].find(({ path }) => path === 'a".md')?.out.map((id) => nodes.get(id)?.path)).toEqual(['__proto__.md']);
        }),
    ));

  it('a since that is none of this server, or of another choice, is answered with the whole', async () => {
    const server = await notes();
    const { map } = await settled(server);
    for (const since of ['x', 'abc.1.1.10', `${map}0`.slice(0, 120)])
      expect(((await server.page('graph_map', { since })) as MapAnswer).whole, since).toBe(true);
    expect(((await server.page('graph_map', { since: map, attachments: true })) as MapAnswer).whole).toBe(true);
    expect(((await server.page('graph_map', { since: map })) as MapAnswer).whole).toBe(false);
  });
});
