import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuseRankings } from '../../../src/graph/semantic/rank-fusion.ts';
import { runs } from '../../support/effort.ts';

it('fuses by reciprocal ranks from 1 with k = 60, scores from 0 to 1, equal ones by key', () => {
  expect(
    fuseRankings([
      ['a', 'b'],
      ['b', 'c'],
    ]),
  ).toEqual([
    { key: 'b', score: (1 / 62 + 1 / 61) / (2 / 61) },
    { key: 'a', score: 1 / 61 / (2 / 61) },
    { key: 'c', score: 1 / 62 / (2 / 61) },
  ]);
  expect(fuseRankings([['a'], ['a']])).toEqual([{ key: 'a', score: 1 }]);
  expect(fuseRankings([['b'], ['a']]).map(({ key }) => key)).toEqual(['a', 'b']);
  expect(fuseRankings([])).toEqual([]);
});

it('does not depend on which order comes first', () => {
  const order = fc.uniqueArray(fc.string({ maxLength: 2 }));
  fc.assert(
    fc.property(order, order, (a, b) => {
      expect(fuseRankings([a, b])).toEqual(fuseRankings([b, a]));
    }),
    { numRuns: runs(200) },
  );
});
