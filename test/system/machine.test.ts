import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { thisMachine } from '../../src/system/machine.ts';
import { withVault } from '../support/vault.ts';

it('a battery that gives what the machine takes is told, one of a mouse or one that is charged is not', () =>
  withVault({}, (folder) => {
    const isOnBattery = (): boolean => thisMachine(folder.root).isOnBattery();
    expect(thisMachine(folder.path('nothing')).isOnBattery()).toBe(false);
    folder.write('AC/type', 'Mains\n');
    folder.write('BAT0/type', 'Battery\n');
    folder.write('BAT0/status', 'Charging\n');
    folder.write('mouse/type', 'Battery\n');
    folder.write('mouse/scope', 'Device\n');
    folder.write('mouse/status', 'Discharging\n');
    expect(isOnBattery()).toBe(false);
    folder.write('BAT0/status', 'Discharging\n');
    expect(isOnBattery()).toBe(true);
  }));

it('a machine with more to do than it has cores is busy', () => {
  const isBusy = (load: number): boolean => thisMachine('/nothing', () => load).isBusy();
  expect(isBusy(1)).toBe(false);
  expect(isBusy(2 * availableParallelism() + 1)).toBe(true);
});
