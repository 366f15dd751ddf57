import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.ts';

/** Carries what a client's own process is configured to call it; empty: nothing. Percent-encoded. */
export const AGENT_HEADER = 'x-roux-agent';

/** Says that another process served the client before, and knew what it had read. */
export const READ_ELSEWHERE_HEADER = 'x-roux-read-elsewhere';

/** What a server was started with, in short: two that have the same answer the same. */
export function settingsKey(config: Config): string {
  // These make no difference to answers, or are told with each session.
  const answering = { ...config, http: null, agent: null, log: null };
  return createHash('sha256')
    .update(JSON.stringify(sorted(answering)))
    .digest('hex');
}

/** What a server answers to a number that was made up for it: only who has its key knows. */
export function proofOf(key: string, nonce: string): string {
  return createHmac('sha256', key).update(`roux server ${nonce}`).digest('hex');
}

/** Whether an answer is that of the server with this key. */
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
