import { expect, it } from 'vitest';
import { isLong, seed as first } from '../../support/effort.ts';
import { simulate } from './simulation.ts';

/** So many runs at once: most of one is waiting. */
const AT_ONCE = 20;
const RUNS = isLong ? 10_000 : 500;

/** Some waits of a machine are on the real clock, so that what is rare comes with one run of a seed and not with the next: a long run has no second chance. */
const HOW = { timeout: 3_600_000, retry: isLong ? 0 : 2 };

it('P-19 machines that write, edit, are cut off and killed: in the end every copy is the store, and nothing is lost', HOW, async () => {
  const seeds = Array.from({ length: RUNS }, (_, index) => first + index);
  const all = { writes: 0, edits: 0, kills: 0 };
  const run = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const { faults, writes, edits, kills } = await simulate(seed);
      expect(faults, `seed ${seed}`).toEqual([]);
      all.writes += writes;
      all.edits += edits;
      all.kills += kills;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  // What a run tries is really tried.
  expect(all.writes).toBeGreaterThan(RUNS * 2);
  expect(all.edits).toBeGreaterThan(RUNS * 3);
  expect(all.kills).toBeGreaterThan(RUNS / 2);
});

it.each([{ noLock: true }, { guess: true }, { earlyAnswer: true }, { earlyNumber: true }])(
  'P-19 a store that breaks the protocol is noticed: %j',
  async (faults) => {
    const found: string[] = [];
    for (let seed = first; seed < first + 200 && found.length === 0; seed += 1) found.push(...(await simulate(seed, faults)).faults);
    expect(found.length).toBeGreaterThan(0);
  },
);
