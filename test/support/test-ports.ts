import { monotonicFactory } from 'ulid';
import type { Ports } from '../../src/ports.ts';

/** Ports on the real clock that keep what is logged. */
export function testPorts(log: string[] = []): Ports {
  const next = monotonicFactory();
  const keep = (message: string): void => void log.push(message);
  return {
    clock: { now: () => Date.now() },
    newId: () => next().toLowerCase(),
    random: Math.random,
    secret: () => Buffer.alloc(32, 7),
    log: { info: keep, warn: keep, error: keep },
  };
}
