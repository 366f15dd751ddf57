import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.ts';

/** Hashes the settings that affect answers. Two servers with the same key answer alike. */
export function settingsKey(config: Config): string {
  // These do not affect answers, or are sent with each session.
  const answering = { ...config, http: null, agent: null, log: null };
  return createHash('sha256')
    .update(JSON.stringify(sorted(answering)))
    .digest('hex');
}

/** Returns a server's answer to a nonce, which proves that it has the key. */
export function proofOf(key: string, nonce: string): string {
  return createHmac('sha256', key).update(`roux server ${nonce}`).digest('hex');
}

/** Whether the answer to a nonce proves that the server has the key. */
export function isProof(key: string, nonce: string, answer: string): boolean {
  const [wanted, given] = [Buffer.from(proofOf(key, nonce)), Buffer.from(answer)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
