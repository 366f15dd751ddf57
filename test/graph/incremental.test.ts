import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openGraph } from '../../src/graph/open-graph.ts';
import { describeGraph, followChanges } from './describe-graph.ts';
import { graphOf } from './graph-of.ts';
import { history, QUESTIONS, rebuilt, take } from './graph-histories.ts';
import type { Files } from './graph-histories.ts';
import { foldFiles, resolvePlainly } from './links/resolve-plainly.ts';
import { runs } from '../support/effort.ts';

describe('a graph that followed changes', () => {
  it('answers every query as one that is built anew does, in whatever order the files come', () => {
    fc.assert(
      fc.property(history, (rounds) => {
        const graph = openGraph();
        const files: Files = new Map();
        const followed = followChanges(graph);
        for (const { steps, isBatch, isAsked } of rounds) {
          const takeAll = (): void => {
            for (const taken of steps) {
              take(graph, files, taken);
              if (isAsked) describeGraph(graph, QUESTIONS);
            }
          };
          if (isBatch) graph.batch(takeAll);
          else takeAll();
        }
        const answers = describeGraph(graph, QUESTIONS);
        const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
        expect(answers).toEqual(describeGraph(rebuilt(sorted, true), QUESTIONS));
        expect(answers).toEqual(describeGraph(rebuilt(sorted.reverse(), false), QUESTIONS));
        expect([...followed.keys()].sort()).toEqual([...graph.entries({ includeHidden: true })].map((entry) => entry.path));
        expect([...followed.values()]).toEqual(expect.arrayContaining(answers['entries'] as unknown[]));
        // In bundles other rules hold.
        if (graph.bundles.tops.length > 0) return;
        const folded = foldFiles(files.keys());
        for (const file of files.values()) {
          for (const link of graph.links(file.path)) {
            const path = link.target.kind === 'unresolved' ? null : link.target.path;
            expect(path).toBe(resolvePlainly(folded, { linkpath: link.linkpath, from: file.path }));
          }
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('answers alike when it was packed and taken over on the way', () => {
    fc.assert(
      fc.property(history, history, (before, after) => {
        const [first, second] = [openGraph(), openGraph()];
        const files: Files = new Map();
        for (const { steps } of before) for (const taken of steps) take(first, files, taken);
        finish(second.unpack(finish(first.pack())));
        expect(describeGraph(second, QUESTIONS)).toEqual(describeGraph(first, QUESTIONS));
        for (const { steps } of after) for (const taken of steps) take(second, files, taken);
        const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
        expect(describeGraph(second, QUESTIONS)).toEqual(describeGraph(rebuilt(sorted, true), QUESTIONS));
      }),
      { numRuns: runs(40) },
    );
  });

  it('is taken over without resolving a link or writing a note again, but for the reserved files of bundles', () => {
    const takeOver = (files: Readonly<Record<string, string>>) => {
      const graph = openGraph();
      finish(graph.unpack(finish(graphOf(files).pack())));
      return { resolved: graph.resolvedCount, changes: graph.version, shown: [...graph.entries()].map(({ path }) => path) };
    };
    const links = '[a](a.md) [b](/b.md) [c](c/)';
    const plain = { 'a/a.md': links, 'a/c/index.md': links, 'a/index.md': links, 'log.md': links };
    expect(takeOver(plain)).toEqual({ resolved: 0, changes: 4, shown: Object.keys(plain) });
    const bundle = { ...plain, 'a/index.md': `---\nokf_version: "0.2"\n---\n${links}` };
    expect(takeOver(bundle)).toEqual({ resolved: 0, changes: 6, shown: ['a/a.md', 'log.md'] });
  });
});

function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
