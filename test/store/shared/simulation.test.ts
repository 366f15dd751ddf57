import { expect, it } from 'vitest';
import { simulate } from './simulation.ts';

it('P-19 machines that write, edit, are cut off and killed: every copy is the store in the end, and nothing is lost', async () => {
  let [writes, edits, kills] = [0, 0, 0];
  for (let seed = Number(process.env['SIM_FROM'] ?? 1); seed <= Number(process.env['SIM_TO'] ?? 100); seed += 1) {
    const result = await simulate(seed);
    writes += result.writes;
    edits += result.edits;
    kills += result.kills;
    expect(result.faults, `seed ${seed}`).toEqual([]);
  }
  console.log({ writes, edits, kills });
});
