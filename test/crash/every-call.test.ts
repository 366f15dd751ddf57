import { describe, expect, it } from 'vitest';
import { crashes, describeCrash, endsOf, faultsOf, restart, runUntil } from './crash-run.ts';
import { scenarios } from './scenarios.ts';

describe('a crash at every call', () => {
  for (const scenario of scenarios) {
    it(`F01 F02 F04 ${scenario.name}: old or new after a restart, nothing left over`, async () => {
      const ends = await endsOf(scenario);
      expect(ends.calls).toBeGreaterThan(10);
      for (let at = 0; at <= ends.calls; at++) {
        // Long scenarios meet each kind of power loss at every fourth call.
        const kinds = ends.calls < 200 ? crashes : crashes.filter((how, index) => how === 'kill' || index % 4 === at % 4);
        for (const how of kinds) {
          const run = await runUntil(scenario, at);
          const last = run.disk.calls.at(-1);
          const label = `${scenario.name}, ${describeCrash(how)} at call ${at} (${last?.method} ${last?.path})`;
          const crashed = run.disk.crash(how);
          await restart(crashed, 2, null);
          expect(await faultsOf(crashed, ends, { isAcknowledged: run.isAcknowledged, label, isWriting: at % 5 === 0 })).toEqual([]);
        }
      }
    });
  }
});
