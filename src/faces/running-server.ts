import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns a server's answer to a nonce, which proves that it has the key. */
export function proofOf(key: string, nonce: string): string {
  return createHmac('sha256', key).update(`roux server ${nonce}`).digest('hex');
}

/** Whether the answer to a nonce proves that the server has the key. */
export function isProof(key: string, nonce: string, answer: string): boolean {
  const [wanted, given] = [Buffer.from(proofOf(key, nonce)), Buffer.from(answer)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}
