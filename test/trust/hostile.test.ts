import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLong, rounds, seed } from '../support/effort.ts';
import { makeDonor } from './hostile/donor.ts';
import type { Donor } from './hostile/donor.ts';
import { driveVault } from './hostile/run.ts';

/** The first seed after the one of all tests whose vault has much in it, and no lock that is waited for. */
const SHORT = isLong ? 0 : 5;

let donor: Donor;
beforeAll(async () => {
  donor = await makeDonor();
});
afterAll(() => donor.dispose());

it('F46 F48 F49 F54 every tool and command over vaults made to do harm: nothing outside is touched or told, nothing hangs, the rest stays usable', async () => {
  for (const round of rounds(1)) {
    const vaultSeed = seed + SHORT + round;
    const { findings, kinds } = await driveVault({ seed: vaultSeed, donor, scale: 1, lines: isLong ? 10 : 2 });
    expect({ seed: vaultSeed, findings, kinds }).toEqual({ seed: vaultSeed, findings: [], kinds });
  }
});
