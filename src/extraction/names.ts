import { createHash } from 'node:crypto';
import type { EpisodeText } from '../ports.ts';

/** A name as names are compared: NFKC, lower case, white space as one space, none at the ends (S3-07). The same for what it gives. */
export function normalizeName(name: string): string {
  // Lower case can bring back a form that NFKC takes together.
  return oneLine(name.normalize('NFKC').toLowerCase().normalize('NFKC'));
}

/** A text on one line as it is shown: runs of white space and control characters are one space, none at the ends; halves of surrogate pairs are U+FFFD. */
export function oneLine(text: string): string {
  return wholeCharacters(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** The text with what no file can hold, halves of surrogate pairs, as U+FFFD. */
export function wholeCharacters(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

/** Whether a text shows nothing: white space, control characters and marks without a width alone. */
export function isBlankText(text: string): boolean {
  return /^[\s\p{Cc}\p{Cf}]*$/u.test(text);
}

/** sha-256 of texts as they are compared, hex (S3-07). Texts that are parted differently give another one. */
export function contentHash(...texts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(texts.map(normalizeName)))
    .digest('hex');
}

/** What makes two episodes without a uuid or key the same one: source, reference time and normalised body (S3-26). */
export function episodeHash({ body, source, referenceTime }: Pick<EpisodeText, 'body' | 'source' | 'referenceTime'>): string {
  return contentHash(source, referenceTime, body);
}
