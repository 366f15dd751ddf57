import { expect, it } from 'vitest';
import { rounds } from '../../support/effort.ts';
import { killAll } from './kill-rounds.ts';

it('F01 F02 F03 F07 F18 every operation killed at random moments: all or nothing, nothing acknowledged lost, no link broken, nothing left over, one effect when asked again', async () => {
  const report = await killAll(rounds(2));
  expect(report.faults).toEqual([]);
  expect(report.done + report.undone).toBe(report.rounds);
});
