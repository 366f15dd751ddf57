import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { Entry } from '../../src/graph/entry.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import type { NoteEntry } from '../../src/graph/view.ts';
import type { NotePath } from '../../src/note/path.ts';
import { runAtOnce } from '../../src/store/slices.ts';
import { fileFacts, graphOf, noteOf, putFile } from './graph-of.ts';

const paths = (entries: Iterable<NoteEntry>): readonly string[] => [...entries].map((entry) => entry.path);

describe('entries', () => {
  it('come by path, also those below a folder, and hidden ones when asked for', () => {
    const graph = graphOf({ 'b.md': '', 'a/z.md': '', 'a.md': '', 'a/b/c.md': '', 'ab/x.md': '', 'a-b.md': '', 'p.png': '' });
    putFile(graph, { path: 'a/hidden.md', isHidden: true });
    expect(paths(graph.entries())).toEqual(['a-b.md', 'a.md', 'a/b/c.md', 'a/z.md', 'ab/x.md', 'b.md']);
    expect(paths(graph.entries({ under: 'a' }))).toEqual(['a/b/c.md', 'a/z.md']);
    expect(paths(graph.entries({ under: 'a/', includeHidden: true }))).toEqual(['a/b/c.md', 'a/hidden.md', 'a/z.md']);
    expect(paths(graph.entries({ under: 'none' }))).toEqual([]);
    expect(graph.size).toBe(7);
  });

  it('with links without quotes are followed, and no note is looked at to find them', () => {
    const nested = '---\nup: [[X]]\n---\n';
    const graph = graphOf({ 'a.md': nested, 'b.md': '---\nup: "[[[X]]"\n---\n', 'c.md': 'No [[link]].\n' });
    const unquoted = () => paths(graph.entries({ includeHidden: true, withUnquotedLinks: true }));
    expect(unquoted()).toEqual(['a.md']);
    putFile(graph, { path: 'c.md', text: '---\nup:\n  - - X\n---\n' });
    putFile(graph, { path: 'd.md', text: nested, isHidden: true });
    putFile(graph, { path: 'a.md', text: '---\nup: "[[X]]"\n---\n' });
    expect(unquoted()).toEqual(['c.md', 'd.md']);
    expect(paths(graph.entries({ withUnquotedLinks: true }))).toEqual(['c.md']);
    graph.move('d.md' as NotePath, noteOf('e/d.md', nested), fileFacts());
    graph.remove('c.md');
    expect(unquoted()).toEqual(['e/d.md']);
    expect(unquoted()).toEqual(paths(graphOf({ 'e/d.md': nested }).entries({ withUnquotedLinks: true })));
    const asked = vi.spyOn(Entry.prototype, 'properties', 'get');
    unquoted();
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
  });

  it('of a packed graph are all there, whatever was asked before it was unpacked', () => {
    const packed = runAtOnce(graphOf({ 'a.md': '---\nup: [[X]]\ntags: [t]\n---\n' }).pack());
    const graph = openGraph();
    const asked = () => [
      paths(graph.entries({ withUnquotedLinks: true })),
      paths(graph.listed({ tag: 't' }).slice(0, 10)),
      paths(graph.listed({}).slice(0, 10)),
    ];
    expect(asked().flat()).toEqual([]);
    runAtOnce(graph.unpack(packed));
    const read = vi.spyOn(Entry.prototype, 'yaml', 'get');
    expect(asked()).toEqual([['a.md'], ['a.md'], ['a.md']]);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });

  it('may be read while the graph changes: what went is left out', () => {
    const graph = graphOf({ 'a.md': '', 'b.md': '', 'c.md': '' });
    const seen: string[] = [];
    for (const entry of graph.entries()) {
      seen.push(entry.path);
      graph.remove('b.md');
      putFile(graph, { path: 'd.md' });
    }
    expect(seen).toEqual(['a.md', 'c.md']);
  });

  it('stay in order through many changes at once', () => {
    const graph = openGraph();
    const names = Array.from({ length: 500 }, (_, n) => `${(n * 7919) % 1000}.md`);
    graph.batch(() => {
      for (const path of names) putFile(graph, { path });
    });
    expect(paths(graph.entries())).toEqual([...new Set(names)].sort());
    graph.batch(() => {
      for (const path of names.slice(0, 300)) graph.remove(path);
      for (const path of names.slice(0, 10)) putFile(graph, { path });
    });
    expect(paths(graph.entries())).toEqual([...new Set([...names.slice(300), ...names.slice(0, 10)])].sort());
  });

  it('know headings, blocks, type, problems and all properties', () => {
    const graph = graphOf({
      'a.md': '---\ntype: task\nn: 1\nm: { k: [1, x] }\n---\n# One\n\n## "Two"\\ é\n\ntext ^blk\n',
      'bad.md': '---\na: [\n---\n',
    });
    const entry = graph.get('a.md');
    expect(entry?.headings.map(({ level, text }) => [level, text])).toEqual([[1, 'One'], [2, '"Two"\\ é']]); // prettier-ignore
    expect(entry?.blocks).toEqual(['blk']);
    expect(entry?.type).toBe('task');
    expect(entry?.properties).toEqual({ type: 'task', n: 1, m: { k: [1, 'x'] } });
    expect(graph.get('bad.md')?.properties).toEqual({});
    expect(graph.get('bad.md')?.problems.map(({ code }) => code)).toEqual(['frontmatter-malformed']);
    expect(graph.get('none.md')).toBe(null);
  });

  it('hold on to nothing of the text of their notes', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const graph = openGraph();
    const before = used();
    const body = 'a line of text that nobody links to and nobody asks for\n'.repeat(2000);
    for (let n = 0; n < 300; n += 1) {
      const frontmatter = `---\nid: identifier_of_note_${n}\ntitle: The long title of note ${n}\ntype: some_longer_type_${n}\naliases: [another long alias ${n}]\ntags: [a-long-tag-of/note-${n}]\n---\n`;
      const links = `[[A long link to note ${n}#A long subpath ${n}]] #an-inline-tag-of-${n}\n\n# A long heading ${n}\n\ntext ^a-long-block-id-${n}\n`;
      putFile(graph, { path: `folder/note number ${n}.md`, text: `${frontmatter}${links}${body}` });
    }
    // The texts are 33 MB.
    expect(used() - before).toBeLessThan(3 * 2 ** 20);
    expect(graph.unresolved()).toHaveLength(300);
  });
});

describe('tags', () => {
  const graph = graphOf({
    'b.md': '---\ntags: [Area/Work, x]\n---\n#area/WORK/deep',
    'a.md': '#AREA/work and #y',
    'c.md': '#areal #area',
  });
  putFile(graph, { path: 'hidden.md', text: '#y #secret', isHidden: true });

  it('S2-18 find notes in any case, with # or without, and those with nested tags', () => {
    expect(paths(graph.facets.byTag('area'))).toEqual(['a.md', 'b.md', 'c.md']);
    expect(paths(graph.facets.byTag('#Area/Work'))).toEqual(['a.md', 'b.md']);
    expect(paths(graph.facets.byTag('area/work/'))).toEqual(['a.md', 'b.md']);
    expect(paths(graph.facets.byTag('area/work/deep'))).toEqual(['b.md']);
    expect(paths(graph.facets.byTag('are'))).toEqual([]);
    expect(paths(graph.facets.byTag('y'))).toEqual(['a.md']);
    for (const tag of ['', '#', 'secret']) expect(paths(graph.facets.byTag(tag))).toEqual([]);
  });

  it('are tested on a note as they find notes', () => {
    for (const tag of ['area', '#Area/Work', 'area/work/', 'area/work/deep', 'are', 'y', '', '#', 'secret']) {
      const tested = [...graph.entries({ includeHidden: true })].filter(graph.facets.tagTest(tag));
      expect({ tag, notes: paths(tested) }).toEqual({ tag, notes: paths(graph.facets.byTag(tag)) });
    }
  });

  it('are counted by note in the case of the first note, the most used first', () => {
    expect(graph.facets.tags()).toEqual([
      { tag: 'AREA/work', count: 2 },
      { tag: 'area', count: 1 },
      { tag: 'area/WORK/deep', count: 1 },
      { tag: 'areal', count: 1 },
      { tag: 'x', count: 1 },
      { tag: 'y', count: 1 },
    ]);
  });
});

describe('types and properties', () => {
  it('find notes by type', () => {
    const graph = graphOf({
      'b.md': '---\ntype: task\n---\n',
      'a.md': '---\ntype: task\n---\n',
      'c.md': '---\ntype: Task\n---\n',
      'd.md': '',
    });
    expect(paths(graph.facets.byType('task'))).toEqual(['a.md', 'b.md']);
    expect(graph.facets.types()).toEqual([{ type: 'task', count: 2 }, { type: 'Task', count: 1 }]); // prettier-ignore
  });

  it('give the values of a property, of the map of properties before those of the frontmatter', () => {
    const graph = graphOf({
      'a.md': '---\nn: 1\nlist: [x, 2, null]\nproperties: { rating: 5, n: 2 }\n---\n',
      'b.md': '---\nn: "1"\nempty:\n"a.b": 1\n---\n',
      'c.md': '---\n"n\\u0065w": 1\n---\n',
    });
    const found = (key: string): readonly unknown[] => [...graph.entries()].map((entry) => graph.facets.propertyOf(entry, key));
    expect(found('n')).toEqual([2, '1', undefined]);
    expect(found('list')).toEqual([['x', 2, null], undefined, undefined]);
    expect(found('rating')).toEqual([5, undefined, undefined]);
    expect(found('empty')).toEqual([undefined, null, undefined]);
    expect(found('a.b')).toEqual([undefined, 1, undefined]);
    expect(found('new')).toEqual([undefined, undefined, 1]);
    expect(found('toString')).toEqual([undefined, undefined, undefined]);
  });

  it('follow edits after they were asked for', () => {
    const graph = graphOf({ 'a.md': '---\ns: open\n---\n', 'b.md': '---\ns: done\n---\n' });
    const found = (): readonly unknown[] => [...graph.entries()].map((entry) => graph.facets.propertyOf(entry, 's'));
    expect(found()).toEqual(['open', 'done']);
    putFile(graph, { path: 'a.md', text: '---\ns: done\n---\n' });
    putFile(graph, { path: 'b.md', text: 'no more' });
    putFile(graph, { path: 'c.md', text: '---\ns: [open, done]\n---\n' });
    expect(found()).toEqual(['done', undefined, ['open', 'done']]);
  });

  it('answer for more properties than are cached', () => {
    const graph = graphOf({ 'a.md': `---\n${Array.from({ length: 200 }, (_, n) => `k${n}: ${n}\n`).join('')}---\n` });
    const [entry] = graph.entries();
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 200; n += 1) expect(graph.facets.propertyOf(entry!, `k${n}`)).toBe(n);
    }
  });
});

it('tells whether notes share an id, whatever came and went', () => {
  const withId = (id: string): string => `---\nid: ${id}\n---\n`;
  const graph = graphOf({ 'a.md': withId('n1'), 'b.md': withId('n2') });
  const isShared = (): boolean => graph.facets.hasSharedIds();
  expect(isShared()).toBe(false);
  for (const path of ['c.md', 'd.md']) putFile(graph, { path, text: withId('N1') });
  putFile(graph, { path: 'e.md', text: withId('n2') });
  expect(isShared()).toBe(true);
  for (const path of ['c.md', 'a.md', 'e.md']) graph.remove(path);
  expect(isShared()).toBe(false);
  putFile(graph, { path: 'b.md', text: withId('n1') });
  expect(isShared()).toBe(true);
  graph.remove('d.md');
  expect(isShared()).toBe(false);
  putFile(graph, { path: 'f.md', text: withId('n1') });
  expect(isShared()).toBe(true);
});
