import { expect, it } from 'vitest';
import { rounds } from '../support/effort.ts';
import { randomOf } from '../support/random.ts';
import type { Crash } from '../support/simulated/simulated-crash.ts';
import { describeCrash, endsOf, faultsOf, restart, runUntil } from './crash-run.ts';
import { scenarios } from './scenarios.ts';
import { storeScenarios } from './store-scenarios.ts';

it('F01 F02 F04 F07 any write, crashed anywhere and again while it recovers, losing whatever was not synced: old or new', async () => {
  const random = randomOf('random crashes');
  const crash = (): Crash => (random.chance(0.2) ? 'kill' : { seed: random.below(1_000_000) });
  for (const round of rounds(60)) {
    const trial = random.pick([...scenarios, ...storeScenarios]);
    const ends = await endsOf(trial);
    const at = random.below(ends.calls + 1);
    const hows = [crash()];
    const run = await runUntil(trial, at);
    let disk = run.disk.crash(hows[0] ?? 'kill');
    while (random.chance(0.5)) {
      hows.push(crash());
      disk = (await restart(disk, 1 + hows.length, random.below(60), trial)).disk.crash(hows.at(-1) ?? 'kill');
    }
    await restart(disk, 2 + hows.length, null, trial);
    const label = `round ${round}: ${trial.name}, call ${at}, ${hows.map(describeCrash).join(', ')}`;
    expect(await faultsOf(disk, ends, { isAcknowledged: run.isAcknowledged, label, trial })).toEqual([]);
  }
});
