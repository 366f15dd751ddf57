import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Config } from './config.ts';
import type { Log, Ports } from './ports.ts';

const SEVERITY = { error: 0, warn: 1, info: 2 } as const;

/** The ports of a real process: the system's clock and chance, diagnostics on stderr. */
export function systemPorts(log: Config['log'] = 'warn'): Ports {
  const nextUlid = monotonicFactory(pooledRandom());
  return {
    clock: { now: () => Date.now() },
    newId: () => nextUlid().toLowerCase(),
    random: () => Math.random(),
    log: stderrLog(log),
  };
}

/** Numbers in [0, 1) from the system's strong source, fetched for many ids at once: an id takes sixteen, and a call of it costs as much as a file's. */
function pooledRandom(): () => number {
  const pool = new Uint32Array(1024);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    return (pool[next++] ?? 0) / 2 ** 32;
  };
}

function stderrLog(least: Config['log']): Log {
  const write = (severity: keyof typeof SEVERITY, message: string): void => {
    if (SEVERITY[severity] <= SEVERITY[least]) process.stderr.write(`roux: ${message}\n`);
  };
  return {
    info: (message) => write('info', message),
    warn: (message) => write('warn', `warning: ${message}`),
    error: (message) => write('error', `error: ${message}`),
  };
}
