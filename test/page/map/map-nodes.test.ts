import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CountedGraph } from '../../../src/graph/graph.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { isNotePath } from '../../../src/note/path.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { MapNodes } from '../../../src/page/map/map-nodes.ts';
import { fileFacts, graphOf, noteOf, putFile } from '../../graph/graph-of.ts';
import { runs } from '../../support/effort.ts';

const PATHS = ['a.md', 'b.md', 'x/a.md', 'y/c.md', 'p.png', 'x/p.png'];
const LINKS = ['[[a]]', '[[b]]', '[[x/a]]', '[[c]]', '[[gone]]', '[[Gone]]', '![[p.png]]', '[[x/p.png]]', '[[#here]]'];
const path = fc.constantFrom(...PATHS);
const text = fc.subarray(LINKS).map((links) => links.join(' '));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), path, text, isHidden: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      path: fc.constantFrom('a.md', 'b.md'),
      to: fc.constantFrom('z.md', 'x/a.md'),
      text,
    }),
  },
);

function filled(graph: CountedGraph): MapNodes {
  const nodes = new MapNodes(graph);
  for (const steps = nodes.fill(); steps.next().done !== true;);
  return nodes;
}

/** What a map says, by names. What does not exist is called as some link calls it. */
function told(nodes: MapNodes): Readonly<Record<string, readonly string[]>> {
  const name = (id: number): string => {
    const node = nodes.get(id);
    return node === null ? 'gone' : `${node.kind} ${node.kind === 'unresolved' ? node.name.toLowerCase() : node.name}`;
  };
  return Object.fromEntries([...nodes.nodes()].map(({ id, out }) => [name(id), out.map(name).toSorted()] as const));
}

describe('the nodes of a map', () => {
  it('that followed changes are those of a map that is made anew, whatever was put, removed, moved or hidden, and whoever asked between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 14 }), (steps) => {
        const graph = openGraph();
        const nodes = filled(graph);
        graph.onChange((changes) => nodes.follow(changes));
        const tell = (file: string): void => void (isNotePath(file) || nodes.followFiles([file]));
        for (const [taken, isAsked] of steps) {
          if (taken.kind === 'remove') graph.remove(taken.path);
          else if (taken.kind === 'put') putFile(graph, taken);
          else graph.move(taken.path as NotePath, noteOf(taken.to, taken.text), fileFacts());
          tell(taken.path);
          if (isAsked) nodes.catchUp();
        }
        nodes.catchUp();
        expect(told(nodes)).toEqual(told(filled(graph)));
      }),
      { numRuns: runs(400) },
    );
  });

  it('since a version it tells what is new or otherwise, and what is gone; a note that was renamed keeps its number', () => {
    const graph = graphOf({ 'a.md': '[[b]]', 'b.md': '', 'c.md': '' });
    const nodes = filled(graph);
    graph.onChange((changes) => nodes.follow(changes));
    const [a, b, c] = ['a.md', 'b.md', 'c.md'].map((name) => nodes.idOf('note', name));
    const { version } = nodes;
    putFile(graph, { path: 'c.md', text: '[[a]] [[new]]' });
    nodes.catchUp();
    expect([...nodes.nodes(version)].map(({ id, name }) => [id, name])).toEqual([
      [c, 'c.md'],
      [3, 'new'],
    ]);
    expect(nodes.takeTouched()).toEqual(new Set([c, a, 3]));
    const next = nodes.version;
    graph.move('b.md' as NotePath, noteOf('new.md', ''), fileFacts());
    nodes.catchUp();
    expect(nodes.idOf('note', 'new.md')).toBe(b);
    expect(nodes.removedSince(next)).toEqual([3]);
    expect(told(nodes)).toEqual({
      'note a.md': ['unresolved b'],
      'note c.md': ['note a.md', 'note new.md'],
      'note new.md': [],
      'unresolved b': [],
    });
    expect(nodes.version).toBe(next + 1);
    nodes.catchUp();
    expect(nodes.version).toBe(next + 1);
  });
});
