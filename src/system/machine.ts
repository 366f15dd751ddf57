import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Machine } from '../ports.ts';

const SUPPLIES = '/sys/class/power_supply';
/** How long a result is cached. */
const CACHE_MS = 10_000;

/**
 * Returns the state of this machine. On systems that do not report batteries or load, both are false. `supplies` is the folder with the
 * power supplies, for tests.
 */
export function thisMachine(supplies: string = SUPPLIES, load: () => number = () => loadavg()[0] ?? 0): Machine {
  return {
    isOnBattery: cached(() => isOnBattery(supplies)),
    // Embedding runs at low priority anyway; this avoids it when many other processes run.
    isBusy: cached(() => load() > 2 * availableParallelism()),
  };
}

function cached(look: () => boolean): () => boolean {
  let looked = -Infinity;
  let found = false;
  return () => {
    const now = performance.now();
    if (now - looked >= CACHE_MS) [looked, found] = [now, look()];
    return found;
  };
}

/** Whether a battery of this machine is discharging. Batteries of peripheral devices are ignored. */
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
