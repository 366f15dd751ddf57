import { expect, it } from 'vitest';
import { openShrinking } from '../../../src/vault/sync/shrinking.ts';

const paths = (from: number, to: number): readonly string[] => Array.from({ length: to - from }, (_, index) => `${from + index}.md`);

function open() {
  const clock = { time: 100_000 };
  /** Whether somebody meant what happened. */
  const state = { isMeant: false };
  return { clock, state, shrinking: openShrinking({ now: () => clock.time }, () => state.isMeant) };
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

it('F30 what roux removed in the last ten seconds is excused, and what it removed before is not', () => {
  const { clock, shrinking } = open();
  shrinking.excuse(paths(0, 30));
  clock.time += 10_000;
  shrinking.excuse(paths(30, 60));
  shrinking.lose(paths(0, 60), 100);
  expect(shrinking.isShrunk).toBe(false);
  const later = open();
  later.shrinking.excuse(paths(0, 60));
  later.clock.time += 10_001;
  later.shrinking.excuse(['other.md']);
  later.shrinking.lose(paths(0, 60), 100);
  expect(later.shrinking.isShrunk).toBe(true);
});

it('F30 a loss is held against the notes that were there when it began, without those that roux removed meanwhile', () => {
  const { clock, shrinking } = open();
  shrinking.lose(paths(0, 40), 120);
  clock.time += 10_001;
  shrinking.lose(paths(40, 50), 80);
  shrinking.excuse(paths(50, 90));
  shrinking.lose(paths(50, 90), 70);
  // Eleven of eighty.
  shrinking.lose(paths(90, 91), 30);
  expect(shrinking.isShrunk).toBe(false);
  const half = open();
  half.shrinking.lose(paths(0, 10), 40);
  half.shrinking.excuse(paths(10, 25));
  half.shrinking.lose(paths(10, 25), 30);
  half.shrinking.lose(paths(25, 35), 15);
  expect(half.shrinking.isShrunk).toBe(false);
  const most = open();
  most.shrinking.lose(paths(0, 40), 100);
  most.shrinking.excuse(paths(40, 69));
  most.shrinking.lose(paths(40, 69), 60);
  most.shrinking.lose(paths(69, 70), 31);
  expect(most.shrinking.isShrunk).toBe(false);
  const back = open();
  back.shrinking.lose(paths(0, 30), 100);
  back.shrinking.lose(paths(30, 60), 80);
  expect(back.shrinking.isShrunk).toBe(false);
});

it('F30 to excuse a note ends an alarm that is not true without it, and begins none', () => {
  for (const [gone, count, isShrunk] of [
    [7, 11, true],
    [6, 11, false],
  ] as const) {
    const { shrinking } = open();
    shrinking.lose(paths(0, gone), count);
    expect(shrinking.isShrunk).toBe(true);
    shrinking.excuse(paths(0, 1));
    expect(shrinking.isShrunk, `${gone - 1} of ${count - 1}`).toBe(isShrunk);
  }
  const { shrinking } = open();
  shrinking.lose(paths(0, 30), 100);
  shrinking.lose(paths(30, 60), 100);
  shrinking.excuse(paths(0, 1));
  expect(shrinking.isShrunk).toBe(false);
  shrinking.end(10);
  expect(shrinking.isShrunk).toBe(false);
});

it('F30 a loss that somebody meant is over, and the next one is held against what is left', () => {
  const { state, shrinking } = open();
  shrinking.lose(paths(0, 60), 100);
  expect(shrinking.isShrunk).toBe(true);
  state.isMeant = true;
  expect(shrinking.isShrunk).toBe(false);
  state.isMeant = false;
  shrinking.lose(paths(60, 65), 40);
  expect(shrinking.isShrunk).toBe(false);
});
