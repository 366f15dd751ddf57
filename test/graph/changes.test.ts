import { describe, expect, it } from 'vitest';
import { openGraph } from '../../src/graph/open-graph.ts';
import type { GraphChange } from '../../src/graph/view.ts';
import type { NotePath } from '../../src/note/path.ts';
import { plainEntry } from './describe-graph.ts';
import { fileFacts, graphOf, noteOf, putFile } from './graph-of.ts';

function told(changes: readonly GraphChange[]): readonly (readonly [string | null, string | null])[] {
  return changes.map(({ before, after }) => [before?.path ?? null, after?.path ?? null]);
}

describe('change events', () => {
  it('tell a new note, an edit, a move and a removal, each with both sides', () => {
    const graph = openGraph();
    const events: GraphChange[] = [];
    graph.onChange((changes) => events.push(...changes));
    putFile(graph, { path: 'a.md', text: '---\nn: 1\n---\n# One\n' });
    putFile(graph, { path: 'a.md', text: '---\nn: 2\n---\n# Two\n' });
    graph.move('a.md' as NotePath, noteOf('b.md', 'moved'), fileFacts());
    graph.remove('b.md');
    expect(told(events)).toEqual([[null, 'a.md'], ['a.md', 'a.md'], ['a.md', 'b.md'], ['b.md', null]]); // prettier-ignore
    const [first, second] = events;
    expect(first?.after === null ? null : first?.after.properties).toEqual({ n: 1 });
    expect(second?.before === null ? null : second?.before.headings).toEqual([{ level: 1, text: 'One' }]);
    expect(second?.after === null ? null : second?.after.properties).toEqual({ n: 2 });
  });

  it('come once a batch, with the state before all of it', () => {
    const graph = graphOf({ 'a.md': 'one', 'gone.md': '' });
    const batches: (readonly GraphChange[])[] = [];
    graph.onChange((changes) => batches.push(changes));
    const before = graph.get('a.md');
    graph.batch(() => {
      putFile(graph, { path: 'a.md', text: 'two' });
      graph.batch(() => putFile(graph, { path: 'a.md', text: 'three' }));
      putFile(graph, { path: 'new.md' });
      graph.remove('gone.md');
      putFile(graph, { path: 'brief.md' });
      graph.remove('brief.md');
    });
    expect(batches.map(told)).toEqual([[['a.md', 'a.md'], [null, 'new.md'], ['gone.md', null]]]); // prettier-ignore
    expect(batches[0]?.[0]?.before).toBe(before);
  });

  it('tell a note that was removed and put again in one batch as edited', () => {
    const graph = graphOf({ 'a.md': 'one', 'b.md': '[[a]]' });
    const batches: (readonly GraphChange[])[] = [];
    graph.onChange((changes) => batches.push(changes));
    graph.batch(() => {
      graph.remove('a.md');
      putFile(graph, { path: 'c.md' });
      putFile(graph, { path: 'a.md', text: 'two' });
    });
    expect(batches.map(told)).toEqual([[['a.md', 'a.md'], [null, 'c.md']]]); // prettier-ignore
    expect(graph.links('b.md')[0]?.target).toEqual({ kind: 'note', path: 'a.md' });
  });

  it('tell two notes that change places as two moves', () => {
    const graph = graphOf({ 'a.md': '', 'b.md': '', 'c.md': '[[a]] [[b]]' });
    const events: GraphChange[] = [];
    graph.onChange((changes) => events.push(...changes));
    graph.batch(() => {
      graph.move('a.md' as NotePath, noteOf('t.md', ''), fileFacts());
      graph.move('b.md' as NotePath, noteOf('a.md', ''), fileFacts());
      graph.move('t.md' as NotePath, noteOf('b.md', ''), fileFacts());
    });
    expect(told(events)).toEqual([['a.md', 'b.md'], ['b.md', 'a.md']]); // prettier-ignore
    expect(graph.backlinks('a.md')).toHaveLength(1);
  });

  it('tell a move onto another note as its removal and a move', () => {
    const graph = graphOf({ 'a.md': 'a', 'b.md': 'b' });
    const events: GraphChange[] = [];
    graph.onChange((changes) => events.push(...changes));
    graph.move('a.md' as NotePath, noteOf('b.md', 'a'), fileFacts());
    expect(told(events)).toEqual([['b.md', null], ['a.md', 'b.md']]); // prettier-ignore
    expect(graph.size).toBe(1);
  });

  it('keep an entry as it was', () => {
    const graph = graphOf({ 'a.md': '---\ntags: [x]\nn: 1\n---\n# One\n' });
    const before = graph.get('a.md');
    const values = before === null ? null : plainEntry(before);
    putFile(graph, { path: 'a.md', text: '---\nn: 2\n---\n# Two\n' });
    graph.remove('a.md');
    expect(before === null ? null : plainEntry(before)).toEqual(values);
  });

  it('stop after unsubscribing, and are not made for attachments or when nothing was there', () => {
    const graph = openGraph();
    let calls = 0;
    const stop = graph.onChange(() => (calls += 1));
    graph.putAttachment('p.png');
    graph.remove('p.png');
    graph.remove('nothing.md');
    expect(calls).toBe(0);
    putFile(graph, { path: 'a.md' });
    stop();
    putFile(graph, { path: 'b.md' });
    expect(calls).toBe(1);
  });

  it('are made also when the batch fails half way, for what it did', () => {
    const graph = graphOf({ 'b.md': '[[a]]' });
    const events: GraphChange[] = [];
    graph.onChange((changes) => events.push(...changes));
    const failing = (): void => {
      putFile(graph, { path: 'a.md' });
      throw new Error('stopped');
    };
    expect(() => graph.batch(failing)).toThrow('stopped');
    expect(told(events)).toEqual([[null, 'a.md']]);
    expect(graph.backlinks('a.md')).toHaveLength(1);
  });

  it('grow the version with every change and with nothing else', () => {
    const graph = openGraph();
    const versions = [graph.version];
    for (const change of [
      () => putFile(graph, { path: 'a.md' }),
      () => graph.putAttachment('p.png'),
      () => graph.move('a.md' as NotePath, noteOf('b.md', ''), fileFacts()),
      () => graph.remove('b.md'),
      () => graph.remove('p.png'),
    ]) {
      change();
      versions.push(graph.version);
    }
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    const { version } = graph;
    graph.remove('nothing.md');
    graph.walk.hubs({ metric: 'in_degree', limit: 5 });
    expect(graph.version).toBe(version);
  });
});

describe('the cost of a change', () => {
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, n) => [`f${n % 50}/Note ${n}.md`, `[[Note ${(n + 1) % 5000}]] [[Hub]] [[f1/Note 1]]`]),
  );

  it('is the links of its own names when one of 5,000 notes is renamed', () => {
    const graph = openGraph();
    graph.batch(() => {
      for (const [path, text] of Object.entries({ ...many, 'Hub.md': '' })) putFile(graph, { path, text });
    });
    expect(graph.resolvedCount).toBe(15_000);
    const cost = (change: () => void): number => {
      const before = graph.resolvedCount;
      change();
      return graph.resolvedCount - before;
    };
    // One link to the old name, none to the new one, three of its own.
    expect(cost(() => graph.move('f7/Note 7.md' as NotePath, noteOf('f7/Renamed.md', many['f7/Note 7.md'] ?? ''), fileFacts()))).toBe(4);
    expect(graph.unresolved()).toEqual([{ linkpath: 'Note 7', count: 1, sources: ['f6/Note 6.md'], areWikilinks: true }]);
    // An edit costs the links of the note, however many lead to it.
    expect(cost(() => putFile(graph, { path: 'Hub.md', text: '[[Note 9]]' }))).toBe(1);
    expect(cost(() => putFile(graph, { path: 'other.md', text: '' }))).toBe(0);
    expect(cost(() => graph.putAttachment('x/Note 7.png'))).toBe(0);
    expect(cost(() => putFile(graph, { path: 'x/Note 7.md', text: '' }))).toBe(1);
    expect(cost(() => graph.remove('f9/Note 9.md'))).toBe(2);
    expect(cost(() => putFile(graph, { path: 'deep/er/hub.md', text: '' }))).toBe(4999);
  });

  it('stays bearable when every folder has a file of one name', () => {
    const graph = openGraph();
    const folder = (n: number): string => `a/${n % 10}/${n % 100}/${n}`;
    graph.batch(() => {
      for (let n = 0; n < 4000; n += 1)
        putFile(graph, { path: `${folder(n)}/README.md`, text: '[[README]] [[readme]] [x](../README.md) [y](./README.md)' });
    });
    const [name, lower, above, own] = graph.links(`${folder(7)}/README.md`).map(({ target }) => target);
    expect([name, lower, own]).toEqual(Array.from({ length: 3 }, () => ({ kind: 'note', path: `${folder(7)}/README.md` })));
    expect(above).toEqual({ kind: 'unresolved' });
    expect(graph.ambiguous()).toHaveLength(8000);
  });

  it('is one resolution a link when a vault is loaded in a batch, whatever the order of its files', () => {
    const graph = openGraph();
    graph.batch(() => {
      for (const [path, text] of Object.entries(many).toReversed()) putFile(graph, { path, text });
    });
    expect(graph.resolvedCount).toBe(15_000);
  });
});
