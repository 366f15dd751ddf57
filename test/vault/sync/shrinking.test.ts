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

it('F30 losses within ten seconds are counted together, later ones by themselves', () => {
  const { clock, shrinking } = open();
  shrinking.lose(paths(0, 30), 100);
  expect(shrinking.isShrunk).toBe(false);
  clock.time += 10_000;
  shrinking.lose(paths(30, 60), 70);
  expect(shrinking.isShrunk).toBe(true);
  const slow = open();
  slow.shrinking.lose(paths(0, 30), 100);
  slow.clock.time += 10_001;
  slow.shrinking.lose(paths(30, 60), 70);
  expect(slow.shrinking.isShrunk).toBe(false);
});

it('F30 notes that vanish and come back elsewhere are no loss while more than half are there', () => {
  const { shrinking } = open();
  shrinking.lose(paths(0, 30), 100);
  // As many have come back under other names when the next ones go.
  shrinking.lose(paths(30, 60), 100);
  expect(shrinking.isShrunk).toBe(false);
  shrinking.lose(paths(60, 90), 70);
  expect(shrinking.isShrunk).toBe(true);
});

it('F30 the alarm is over when half of the notes are back, and not before', () => {
  const { shrinking } = open();
  shrinking.lose(paths(0, 60), 100);
  shrinking.end(49);
  expect(shrinking.isShrunk).toBe(true);
  shrinking.end(50);
  expect(shrinking.isShrunk).toBe(false);
});

it('F30 nothing is made of half of the notes of a small vault, nor of exactly half', () => {
  for (const [count, gone, isShrunk] of [
    [9, 9, false],
    [10, 5, false],
    [10, 6, true],
  ] as const) {
    const { shrinking } = open();
    shrinking.lose(paths(0, gone), count);
    expect(shrinking.isShrunk, `${gone} of ${count}`).toBe(isShrunk);
  }
});
