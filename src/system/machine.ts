import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Machine } from '../ports.ts';

const SUPPLIES = '/sys/class/power_supply';
/** How long what was found out holds. */
const LOOK_MS = 10_000;

/** This machine. Where the system does not tell of batteries or load there is neither. `supplies`: the folder that tells of power, for tests. */
export function thisMachine(supplies: string = SUPPLIES, load: () => number = () => loadavg()[0] ?? 0): Machine {
  return {
    isOnBattery: remembered(() => isOnBattery(supplies)),
    // What embeds gives way to what others run; this is for when many do.
    isBusy: remembered(() => load() > 2 * availableParallelism()),
  };
}

function remembered(look: () => boolean): () => boolean {
  let looked = -Infinity;
  let found = false;
  return () => {
    const now = performance.now();
    if (now - looked >= LOOK_MS) [looked, found] = [now, look()];
    return found;
  };
}

/** A battery gives what the machine takes. Batteries of mice and phones say nothing. */
function isOnBattery(supplies: string): boolean {
  try {
    return readdirSync(supplies).some((name) => {
      const read = (what: string): string => readOr(join(supplies, name, what));
      return read('type') === 'Battery' && read('scope') !== 'Device' && read('status') === 'Discharging';
    });
  } catch {
    return false;
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
