import { describe, expect, it } from 'vitest';
import { sample, turnAt, upTo } from '../support/effort.ts';
import { crashes, describeCrash, endsOf, faultsOf, restart, runUntil } from './crash-run.ts';
import { scenarios } from './scenarios.ts';
import { storeScenarios } from './store-scenarios.ts';

for (const [level, trials] of [
  ['the vault', scenarios],
  ['the store alone', storeScenarios],
] as const) {
  describe(`a crash at every call of ${level}`, () => {
    for (const trial of trials) {
      it(`F01 F02 F04 F57 ${trial.name}: old or new after a restart, nothing left over`, async () => {
        const ends = await endsOf(trial);
        expect(ends.calls).toBeGreaterThan(10);
        for (const at of sample(upTo(ends.calls + 1), 7)) {
          const run = await runUntil(trial, at);
          const last = run.disk.calls.at(-1);
          for (const how of turnAt(at, crashes)) {
            const label = `${trial.name}, ${describeCrash(how)} at call ${at} (${last?.method} ${last?.path})`;
            const crashed = run.disk.crash(how);
            await restart(crashed, 2, null, trial);
            const told = { isAcknowledged: run.isAcknowledged, label, isWriting: at % 5 === 0, trial };
            expect(await faultsOf(crashed, ends, told)).toEqual([]);
          }
        }
      });
    }
  });
}
