import { createHash } from 'node:crypto';

const ID_CHARACTERS = 26;

/** Returns an id that follows from a text, such as an id that another program gave: the same one on every branch and machine. */
export function derivedId(prefix: string, text: string): string {
  const digits = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`).toString(32);
  return `${prefix}_${digits.padStart(ID_CHARACTERS, '0').slice(-ID_CHARACTERS)}`;
}
