import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFolders } from '../../../src/folder-globs.ts';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { createScopeGraph } from '../../../src/vault/scope/scope-graph.ts';
import { describeGraph, followChanges } from '../../graph/describe-graph.ts';
import { history, QUESTIONS, rebuilt, take } from '../../graph/graph-histories.ts';
import type { Files } from '../../graph/graph-histories.ts';
import { runs } from '../../support/effort.ts';

const patterns = fc.constantFrom<readonly string[]>(['a'], ['a/**'], ['a/*'], ['b', 'a/b'], ['**/*ote*'], ['*'], ['**']);

describe('V-04 the graph of some folders', () => {
  it('answers every query as a graph of what is inside alone, whatever happens in the whole vault', async () => {
    await fc.assert(
      fc.asyncProperty(patterns, history, history, async (wanted, before, after) => {
        const whole = openGraph();
        const files: Files = new Map();
        const listeners: ((paths: readonly string[]) => void)[] = [];
        const folders = readFolders(wanted);
        const scope = createScopeGraph(
          { graph: whole, notes: { onChange: (listener) => (listeners.push(listener), () => undefined) } },
          folders,
        );
        for (const { steps } of before) for (const taken of steps) take(whole, files, taken);
        await scope.fill();
        const followed = followChanges(scope.graph as never);
        const check = (): void => {
          const inside = [...files.values()].filter(({ path }) => folders.has(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
          expect(describeGraph(scope.graph, QUESTIONS)).toEqual(describeGraph(rebuilt(inside, true), QUESTIONS));
        };
        check();
        for (const { steps, isBatch, isAsked } of after) {
          const takeAll = (): void => steps.forEach((taken) => take(whole, files, taken));
          if (isBatch) whole.batch(takeAll);
          else takeAll();
          const paths = steps.flatMap((taken) => ('to' in taken ? [taken.path, taken.to] : [taken.path]));
          for (const listener of listeners) listener(paths);
          if (isAsked) check();
        }
        check();
        expect([...followed.keys()].sort()).toEqual([...scope.graph.entries({ includeHidden: true })].map((entry) => entry.path));
      }),
      { numRuns: runs(30) },
    );
  });

  it('follows a note that moves inside as one, one that leaves or comes as a note that goes or is new', async () => {
    const whole = openGraph();
    const files: Files = new Map();
    const scope = createScopeGraph({ graph: whole, notes: { onChange: () => () => undefined } }, readFolders(['a']));
    take(whole, files, { kind: 'put', path: 'a/one.md', text: '1', isHidden: false });
    take(whole, files, { kind: 'put', path: 'two.md', text: '2', isHidden: false });
    await scope.fill();
    const told: unknown[] = [];
    scope.graph.onChange((changes) => told.push(...changes.map(({ before, after }) => [before?.path ?? null, after?.path ?? null])));
    for (const [path, to] of [
      ['a/one.md', 'a/b/one.md'],
      ['two.md', 'three.md'],
      ['three.md', 'a/three.md'],
      ['a/b/one.md', 'one.md'],
    ] as const)
      take(whole, files, { kind: 'move', path, to, text: '', isHidden: false });
    expect(told).toEqual([
      ['a/one.md', 'a/b/one.md'],
      [null, 'a/three.md'],
      ['a/b/one.md', null],
    ]);
  });
});
