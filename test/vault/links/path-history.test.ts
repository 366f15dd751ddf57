import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runAtOnce } from '../../../src/store/slices.ts';
import { PathHistory } from '../../../src/vault/links/path-history.ts';
import { runs } from '../../support/effort.ts';

it('X-18 a file that moved there and back again is where it was: its own name is no former path of it', () => {
  const former = new PathHistory();
  former.move('a.md', 'b.md');
  former.move('b.md', 'a.md');
  expect([...former.entries()]).toEqual([['b.md', 'a.md']]);
  expect([former.resolve('a'), former.resolve('b')]).toEqual([null, 'a.md']);
  former.move('a.md', 'c.md');
  expect(new Map(former.entries())).toEqual(
    new Map([
      ['b.md', 'c.md'],
      ['a.md', 'c.md'],
    ]),
  );
});

it('X-18 files that exchanged their names have no former paths, and what takes a name ends what it meant', () => {
  const former = new PathHistory();
  former.moveAll([
    { from: 'a.md', to: 'b.md' },
    { from: 'b.md', to: 'a.md' },
  ]);
  expect([...former.entries()]).toEqual([]);
  former.move('a.md', 'c.md');
  former.claim('a.md');
  expect([...former.entries()]).toEqual([]);
});

const FILES: readonly string[] = ['a.md', 'b.md', 'c.md', 'd/a.md', 'd/b.md'];
const file = fc.constantFrom(...FILES);

/** Moves that can happen at once: no file goes to two places, and no place gets two files. */
const movesAtOnce = fc
  .tuple(fc.shuffledSubarray([...FILES], { minLength: 1, maxLength: 3 }), fc.shuffledSubarray([...FILES], { minLength: 3, maxLength: 3 }))
  .map(([from, to]) => from.map((path, index) => ({ from: path, to: to[index] ?? path })))
  .filter((moves) => moves.every(({ from, to }) => from !== to));

it('X-18 leads from every former path to the present one, whatever moved', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(movesAtOnce, file)), (steps) => {
      const former = new PathHistory();
      // What it should be, the slow way: a move looks at every former path.
      const now = new Map<string, string>();

      for (const step of steps) {
        if (typeof step === 'string') {
          former.claim(step);
          now.delete(step);
          continue;
        }
        former.moveAll(step);
        const arrived = new Set(step.map(({ to }) => to));
        // A former path that another file has had since means that one.
        const froms = new Set(step.map(({ from }) => from));
        const leaving = step.map(({ from }) => [...now].filter(([path, to]) => to === from && !froms.has(path)).map(([path]) => path));
        for (const path of arrived) now.delete(path);
        for (const [index, { from, to }] of step.entries())
          for (const path of [...(leaving[index] ?? []), from]) if (!arrived.has(path)) now.set(path, to);
      }
      expect(new Map(former.entries())).toEqual(now);
      expect(new Map(runAtOnce(former.copy()).entries())).toEqual(now);
      for (const [path, to] of now) expect(former.placeOf(path)).toBe(to);
    }),
    { numRuns: runs(2_000) },
  );
});
