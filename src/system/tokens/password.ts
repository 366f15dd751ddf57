import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';

/** OWASP's parameters for scrypt with 32 MB of memory: a guess takes some tenths of a second. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const MAX_MEMORY_BYTES = 64 * 2 ** 20;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Returns a hash of a password with its salt and parameters: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Whether a hash that `hashPassword` made is that of the password, compared in constant time. False for any other text. */
export async function isPasswordOf(stored: string, password: string): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = stored.split('$');
  if (kind !== 'scrypt') return false;
  const wanted = Buffer.from(hash, 'base64url');
  const given = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Keyboards compose letters in different ways.
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, { ...cost, maxmem: MAX_MEMORY_BYTES }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
