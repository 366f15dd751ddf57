import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fileFacts, graphOf, noteOf, putFile } from './graph-of.ts';
import type { GraphView } from '../../src/graph/view.ts';
import type { Link } from '../../src/note/note.ts';
import { noteWith } from '../../src/note/parse.ts';
import { runs } from '../support/effort.ts';

const around = (graph: GraphView, path: string, direction: 'in' | 'out' | 'both'): readonly (readonly [string, string])[] =>
  graph.walk.neighbors(path, direction).map((neighbor) => [neighbor.entry.path, neighbor.direction]);

describe('neighbours', () => {
  const graph = graphOf({
    'm.md': '[[z]] [[b]] [[z]] [[m]] [[#here]] [[missing]] ![[p.png]] [[secret]]',
    'b.md': '[[m]] [[m]]',
    'z.md': '',
    'a.md': 'up: [[m]]',
    'p.png': '',
  });
  putFile(graph, { path: 'secret.md', text: '[[m]]', isHidden: true });

  it('S2-14 S2-15 are each named once: outgoing in the order of the text, then incoming by path', () => {
    expect(around(graph, 'm.md', 'both')).toEqual([['z.md', 'out'], ['b.md', 'both'], ['a.md', 'in']]); // prettier-ignore
    expect(around(graph, 'm.md', 'out')).toEqual([['z.md', 'out'], ['b.md', 'both']]); // prettier-ignore
    expect(around(graph, 'm.md', 'in')).toEqual([['a.md', 'in'], ['b.md', 'both']]); // prettier-ignore
    for (const path of ['none.md', 'p.png', 'secret.md']) expect(around(graph, path, 'both')).toEqual([]);
  });

  it('S2-13 are counted without repeats, self links, attachments and hidden notes', () => {
    expect(graph.walk.degree('m.md')).toEqual({ in: 2, out: 2 });
    expect(graph.walk.degree('none.md')).toEqual({ in: 0, out: 0 });
    expect(graph.walk.degree('secret.md')).toEqual({ in: 0, out: 0 });
  });

  it('are what links and backlinks say, hidden ones and all', () => {
    expect(graph.links('m.md').map(({ linkpath }) => linkpath)).toEqual(['z', 'b', 'z', 'm', '', 'missing', 'p.png', 'secret']);
    expect(graph.backlinks('m.md').map(({ from }) => from)).toEqual(['a.md', 'b.md', 'b.md', 'm.md', 'm.md', 'secret.md']);
    expect(graph.backlinks('p.png')).toEqual([
      {
        from: 'm.md',
        target: { kind: 'attachment', path: 'p.png' },
        linkpath: 'p.png',
        subpath: '',
        isEmbed: true,
        form: 'wikilink',
        property: null,
        isAmbiguous: false,
      },
    ]);
  });
});

describe('links', () => {
  it('keep subpath, property and form', () => {
    const graph = graphOf({ 'b.md': '' });
    const place = { start: 0, end: 1, target: { start: 0, end: 1 } };
    const links: readonly Link[] = [
      { ...place, kind: 'link', form: 'wikilink', link: 'b#One', property: 'up' },
      { ...place, kind: 'embed', form: 'wikilink', link: 'b', property: 'rel.0' },
      { ...place, kind: 'link', form: 'markdown', link: 'b.md#two words' },
      { ...place, kind: 'link', form: 'wikilink', link: 'b^c #^d#e' },
      { ...place, kind: 'link', form: 'reference', link: 'b.md' },
      { ...place, kind: 'link', form: 'wikilink', link: '##x' },
    ];
    graph.put(noteWith(noteOf('a.md', ''), { links }), fileFacts());
    expect(
      graph.links('a.md').map((link) => [link.linkpath, link.subpath, link.property, link.form, link.isEmbed, link.target.kind]),
    ).toEqual([
      ['b', '#One', 'up', 'wikilink', false, 'note'],
      ['b', '', 'rel.0', 'wikilink', true, 'note'],
      ['b.md', '#two words', null, 'markdown', false, 'note'],
      ['b^c', '#^d#e', null, 'wikilink', false, 'unresolved'],
      ['b.md', '', null, 'reference', false, 'note'],
      ['', '##x', null, 'wikilink', false, 'note'],
    ]);
  });

  it('say when more than one file fits, whoever asks', () => {
    const graph = graphOf({ 'x/N.md': '', 'y/N.md': '', 'y/a.md': '[[N]] [[x/N]]', 'b.md': '[[N]]' });
    expect(graph.ambiguous().map(({ from, target }) => [from, target.kind === 'note' ? target.path : null])).toEqual([['b.md', 'x/N.md'], ['y/a.md', 'y/N.md']]); // prettier-ignore
    expect(graph.resolve({ linkpath: 'N', from: 'y/a.md' })).toEqual({ kind: 'note', path: 'y/N.md', isAmbiguous: true });
    expect(graph.resolve({ linkpath: 'x/N', from: 'y/a.md' })).toEqual({ kind: 'note', path: 'x/N.md' });
    graph.remove('x/N.md');
    expect(graph.ambiguous()).toEqual([]);
  });

  it('are found by any name that their target could have', () => {
    const graph = graphOf({ 'a.md': '[[Note]] [[x/note.md]] [[Other]]', 'b.md': '[x](NOTE.md) ![[./Note#h]] [[Note.png]]' });
    expect(graph.linksByKey('deep/Note.md').map(({ from, linkpath }) => [from, linkpath])).toEqual([
      ['a.md', 'Note'],
      ['a.md', 'x/note.md'],
      ['b.md', 'NOTE.md'],
      ['b.md', './Note'],
    ]);
    expect(graph.linksByKey('Note.png').map(({ linkpath }) => linkpath)).toEqual(['Note.png']);
    expect(graph.linksByKey('nobody.md')).toEqual([]);
  });
});

describe('ghosts', () => {
  it('S2-37 are linkpaths that find nothing, counted over all spellings, and become notes when the note appears', () => {
    const graph = graphOf({ 'b.md': '[[Missing#h]] [[missing]] [[Missing]]', 'a.md': '[x](Missing.md) [[./Other]]' });
    putFile(graph, { path: 'hidden.md', text: '[[Missing]] [[Only here]]', isHidden: true });
    expect(graph.unresolved()).toEqual([
      { linkpath: './Other', count: 1, sources: ['a.md'], areWikilinks: true },
      { linkpath: 'Missing', count: 4, sources: ['a.md', 'b.md'], areWikilinks: false },
    ]);
    putFile(graph, { path: 'deep/missing.md' });
    expect(graph.unresolved().map(({ linkpath }) => linkpath)).toEqual(['./Other']);
    expect(graph.walk.degree('deep/missing.md')).toEqual({ in: 2, out: 0 });
    graph.remove('deep/missing.md');
    expect(graph.unresolved().map(({ count }) => count)).toEqual([1, 4]);
    putFile(graph, { path: 'a.md' });
    graph.remove('b.md');
    expect(graph.unresolved()).toEqual([]);
  });
});

describe('orphans and dead ends', () => {
  it('have no links to notes; attachments, hidden notes and themselves do not count, ghosts do', () => {
    const graph = graphOf({
      'alone.md': '[[alone]] ![[p.png]] [[secret]]',
      'ghostly.md': '[[nowhere]]',
      'from.md': '[[to]]',
      'to.md': '',
      'p.png': '',
    });
    putFile(graph, { path: 'secret.md', text: '[[alone]]', isHidden: true });
    expect(graph.walk.orphans().map(({ path }) => path)).toEqual(['alone.md']);
    expect(graph.walk.deadEnds().map(({ path }) => path)).toEqual(['alone.md', 'to.md']);
  });
});

describe('hubs', () => {
  it('S2-17 are the notes of the highest degree, then by id', () => {
    const graph = graphOf({
      'a.md': '---\nid: zz\n---\n[[c]] [[b]]',
      'b.md': '[[a]] [[c]]',
      'c.md': '[[b]] [[a]] [[c]] [[a]]',
      'd.md': '[[c]]',
    });
    const hubs = (metric: 'in_degree' | 'out_degree', limit: number): readonly (readonly [string, number])[] =>
      graph.walk.hubs({ metric, limit }).map(({ entry, score }) => [entry.id, score]);
    expect(hubs('in_degree', 10)).toEqual([['c.md', 3], ['b.md', 2], ['zz', 2], ['d.md', 0]]); // prettier-ignore
    expect(hubs('out_degree', 2)).toEqual([['b.md', 2], ['c.md', 2]]); // prettier-ignore
    expect(hubs('in_degree', 0)).toEqual([]);
    graph.remove('d.md');
    expect(hubs('in_degree', 1)).toEqual([['b.md', 2]]);
  });
});

describe('the shortest way', () => {
  it('S2-16 follows links, or goes both ways, and is null where there is none', () => {
    const graph = graphOf({ 'a.md': '[[b]]', 'b.md': '[[c]]', 'c.md': '', 'far.md': '', 'p.png': '' });
    const way = (source: string, target: string, direction: 'out' | 'both' = 'out') => graph.walk.findPath({ source, target, direction });
    expect(way('a.md', 'c.md')).toEqual(['a.md', 'b.md', 'c.md']);
    expect(way('c.md', 'a.md')).toBe(null);
    expect(way('c.md', 'a.md', 'both')).toEqual(['c.md', 'b.md', 'a.md']);
    expect(way('a.md', 'a.md')).toEqual(['a.md']);
    expect(way('a.md', 'far.md', 'both')).toBe(null);
    for (const missing of ['none.md', 'p.png']) {
      expect(way('a.md', missing)).toBe(null);
      expect(way(missing, 'a.md')).toBe(null);
      expect(way(missing, missing)).toBe(null);
    }
  });

  it('does not lead through hidden notes', () => {
    const graph = graphOf({ 'a.md': '[[h]]', 'b.md': '' });
    putFile(graph, { path: 'h.md', text: '[[b]]', isHidden: true });
    expect(graph.walk.findPath({ source: 'a.md', target: 'b.md', direction: 'both' })).toBe(null);
    putFile(graph, { path: 'h.md', text: '[[b]]' });
    expect(graph.walk.findPath({ source: 'a.md', target: 'b.md', direction: 'both' })).toEqual(['a.md', 'h.md', 'b.md']);
  });

  it('is the lexicographically first of all shortest ones', () => {
    const edges = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 24 });
    fc.assert(
      fc.property(edges, fc.constantFrom('out', 'both'), fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9 }), (pairs, direction, order) => {
        const name = (n: number): string => `n${n}.md`;
        const texts = order.map((n) => [name(n), pairs.flatMap(([from, to]) => (from === n ? [`[[n${to}]]`] : [])).join(' ')] as const);
        const graph = graphOf(Object.fromEntries(texts));
        const next = (n: number): number[] =>
          pairs.flatMap(([from, to]) => [...(from === n ? [to] : []), ...(direction === 'both' && to === n ? [from] : [])]);
        for (const source of order) {
          for (const target of order) {
            expect(graph.walk.findPath({ source: name(source), target: name(target), direction })).toEqual(firstWay({ source, target, next })?.map(name) ?? null);
          }
        }
      }),
      { numRuns: runs(60) },
    ); // prettier-ignore
  });
});

/** Every way of growing length, tried in order. */
function firstWay({ source, target, next }: { source: number; target: number; next: (n: number) => number[] }): number[] | null {
  let ways: number[][] = [[source]];
  const seen = new Set([source]);
  while (ways.length > 0) {
    const found = ways.filter((way) => way.at(-1) === target).sort((a, b) => (a.join() < b.join() ? -1 : 1))[0];
    if (found !== undefined) return found;
    const longer = ways.flatMap((way) => [...new Set(next(way.at(-1) ?? -1))].filter((n) => !seen.has(n)).map((n) => [...way, n]));
    for (const way of longer) seen.add(way.at(-1) ?? -1);
    ways = longer;
  }
  return null;
}
