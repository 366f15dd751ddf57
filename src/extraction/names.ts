import { createHash } from 'node:crypto';
import type { EpisodeText } from '../ports.ts';

/** Normalizes a name for comparison: NFKC, lower case, single spaces, trimmed (S3-07). Idempotent. */
export function normalizeName(name: string): string {
  // Lowercasing can produce characters that are not in NFKC.
  return oneLine(name.normalize('NFKC').toLowerCase().normalize('NFKC'));
}

/** Normalizes a relation for comparison: `LIVES_IN`, `lives in` and `lives-in` are the same. Idempotent. */
export function normalizeRelation(name: string): string {
  const normalized = normalizeName(name);
  return normalized.replace(/[\s_\p{Pd}]+/gu, ' ').trim() || normalized;
}

/** Puts a text on one line: white space and control characters become single spaces, trimmed, and lone surrogates become U+FFFD. */
export function oneLine(text: string): string {
  return wholeCharacters(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Replaces lone surrogates, which UTF-8 cannot represent, by U+FFFD. */
export function wholeCharacters(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

/** Whether a text has no visible characters, only white space, control characters and zero-width marks. */
export function isBlankText(text: string): boolean {
  return /^[\s\p{Cc}\p{Cf}]*$/u.test(text);
}

/** Returns the SHA-256 of normalized texts in hex (S3-07). It depends on where one text ends and the next begins. */
export function contentHash(...texts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(texts.map(normalizeName)))
    .digest('hex');
}

/** Hashes source, reference time and normalized body, by which episodes without a uuid or key are identified (S3-26). */
export function episodeHash({ body, source, referenceTime }: Pick<EpisodeText, 'body' | 'source' | 'referenceTime'>): string {
  return contentHash(source, referenceTime, body);
}
