import { monotonicFactory } from 'ulid';
import type { Ports } from '../../src/ports.ts';
import { randomOf } from './random.ts';
import type { Random } from './random.ts';

/** Each has ids of its own: several of them may stand for processes at work in one vault. */
let opened = 0;

/** Ports on the clock of the process that keep what is logged; ids and chance follow from the seed. */
export function testPorts(log: string[] = [], chance: Random = randomOf(`ports ${opened++}`)): Ports {
  const random = (): number => chance.next();
  const next = monotonicFactory(random);
  const keep = (message: string): void => void log.push(message);
  return {
    clock: { now: () => Date.now() },
    newId: () => next().toLowerCase(),
    random,
    secret: () => Buffer.alloc(32, 7),
    log: { info: keep, warn: keep, error: keep },
  };
}
