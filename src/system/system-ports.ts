import { randomBytes, randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Config } from '../config.ts';
import { errorMessage } from '../errors.ts';
import type { Log, Ports } from '../ports.ts';
import { visible } from '../terminal-text.ts';
import { readOrCreatePrivateFile } from './private-file.ts';
import { userStateFolder } from './user-folders.ts';

const SEVERITY = { error: 0, warn: 1, info: 2 } as const;
const SECRET_BYTES = 32;

/** Returns the ports of a real process: the system's clock and random numbers, and a log on stderr. */
export function systemPorts(log: Config['log'] = 'warn', stderr: Pick<NodeJS.WritableStream, 'write'> = process.stderr): Ports {
  const nextUlid = monotonicFactory(pooledRandom());
  const output = logTo(stderr, log);
  return {
    clock: { now: () => Date.now() },
    newId: () => nextUlid().toLowerCase(),
    random: () => Math.random(),
    secret: lazySecret(output),
    log: output,
  };
}

/**
 * Returns the user's secret, which is read on first use. If none can be stored, a temporary one is used, so that records left by a crash
 * count as of unknown origin.
 */
function lazySecret(log: Log): () => Uint8Array {
  let secret: Uint8Array | undefined;
  return () => (secret ??= readSecret(log));
}

/** Returns a secret for this process only, for a temporary vault. */
export function temporarySecret(): () => Uint8Array {
  const secret = randomBytes(SECRET_BYTES);
  return () => secret;
}

function readSecret(log: Log): Uint8Array {
  try {
    const text = readOrCreatePrivateFile(userStateFolder(), 'secret', () => `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
    const secret = Buffer.from(text.trim(), 'hex');
    if (secret.length === SECRET_BYTES) return secret;
    throw new Error('it is damaged');
  } catch (error) {
    log.info(`no secret can be kept in ${userStateFolder()}: ${errorMessage(error)}`);
    return randomBytes(SECRET_BYTES);
  }
}

/**
 * Returns random numbers in [0, 1) from the system's secure source, fetched in bulk: an id needs sixteen, and a call costs as much for one
 * as for many.
 */
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

function logTo(stderr: Pick<NodeJS.WritableStream, 'write'>, least: Config['log']): Log {
  const write = (severity: keyof typeof SEVERITY, message: string): void => {
    if (SEVERITY[severity] <= SEVERITY[least]) stderr.write(`roux: ${visible(message)}\n`);
  };
  return {
    info: (message) => write('info', message),
    warn: (message) => write('warn', `warning: ${message}`),
    error: (message) => write('error', `error: ${message}`),
  };
}
