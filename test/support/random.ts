import { seed } from './effort.ts';

/** Random choices that come out the same for the same seed. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** The choices of one part of a run: its name gives it a stream of its own, whatever the others do. */
export function randomOf(name: string, from = seed): Random {
  const next = numbersFrom(Buffer.from(name).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), from ^ 0x811c9dc5));
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick(items) {
      const picked = items[below(items.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}

/** The numbers in [0, 1) that follow from one (mulberry32). */
export function numbersFrom(start: number): () => number {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
