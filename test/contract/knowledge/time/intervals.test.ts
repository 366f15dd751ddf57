import { expect, it } from 'vitest';
import { askIntervals } from '../../../../scripts/bench/memory/ask-intervals.ts';
import { makeIntervals } from '../../../../scripts/bench/memory/intervals.ts';
import { isLong } from '../../../support/effort.ts';

it('K-15 facts with intervals are answered exactly for any year, in two orders of arrival', async () => {
  const some = makeIntervals().filter(({ subject }) => subject.length < 3);
  expect(some.length).toBeGreaterThan(30);
  for (const order of [some, some.toReversed()]) expect((await askIntervals(order, isLong ? 200 : 60)).wrong).toEqual([]);
});
