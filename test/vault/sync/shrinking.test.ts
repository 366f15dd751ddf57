import { expect, it } from 'vitest';
import { openShrinking } from '../../../src/vault/sync/shrinking.ts';

const paths = (from: number, to: number): readonly string[] => Array.from({ length: to - from }, (_, index) => `${from + index}.md`);

function open() {
  const clock = { time: 100_000 };
  return { clock, shrinking: openShrinking({ now: () => clock.time }, () => false) };
}

it('F30 what roux removed is no loss, whether its end is told before or after a comparison saw it go', () => {
  for (const isToldFirst of [true, false]) {
    const { shrinking } = open();
    if (isToldFirst) shrinking.excuse(paths(0, 60));
    shrinking.lose(paths(0, 60), 100);
    expect(shrinking.isShrunk).toBe(!isToldFirst);
    if (!isToldFirst) shrinking.excuse(paths(0, 60));
    expect(shrinking.isShrunk).toBe(false);
    shrinking.end(40);
    shrinking.lose(paths(60, 85), 40);
    expect(shrinking.isShrunk).toBe(true);
  }
});

it('F30 what is lost beside what roux removed counts, and a removal excuses no loss that comes much later', () => {
  const { clock, shrinking } = open();
  shrinking.lose(paths(0, 60), 100);
  shrinking.excuse(paths(0, 10));
  expect(shrinking.isShrunk).toBe(true);
  const later = open();
  later.shrinking.excuse(paths(0, 60));
  later.clock.time += 20_000;
  clock.time += 20_000;
  later.shrinking.lose(paths(0, 60), 100);
  expect(later.shrinking.isShrunk).toBe(true);
});
