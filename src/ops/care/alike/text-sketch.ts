/**
 * What is kept of a text to compare it with others: the smallest hashes of its runs of three words. Of two texts the share of equal ones
 * among the smallest of both estimates the share of runs that they have in common (bottom-k sketch, within about .06).
 */
export type TextSketch = readonly number[];

const RUN_WORDS = 3;
const MAX_HASHES = 64;
/** A shorter text has too few runs to be like another one. */
const MIN_WORDS = 8;
/** Only this much of a note is compared. */
const MAX_CHARACTERS = 200_000;
/** Of FNV-1a. */
const START = 0x811c9dc5;
const PRIME = 0x01000193;

/** Returns the sketch of a text; null if it is too short for one. */
export function sketchText(text: string): TextSketch | null {
  const words = hashWords(text.slice(0, MAX_CHARACTERS).toLowerCase());
  if (words.length < MIN_WORDS) return null;
  const runs = new Set<number>();
  for (let at = 0; at + RUN_WORDS <= words.length; at += 1) {
    let hash = 0;
    for (let next = at; next < at + RUN_WORDS; next += 1) hash = Math.imul(hash ^ (words[next] ?? 0), PRIME) ^ (hash >>> 15);
    runs.add(spread(hash));
  }
  return Array.from(Uint32Array.from(runs).sort().subarray(0, MAX_HASHES));
}

/** Returns the estimated share of runs of words that two texts have in common, 0 to 1. */
export function similarity(a: TextSketch, b: TextSketch): number {
  let [at, other, common, all] = [0, 0, 0, 0];
  for (; all < MAX_HASHES && (at < a.length || other < b.length); all += 1) {
    const [first, second] = [a[at] ?? Infinity, b[other] ?? Infinity];
    if (first === second) common += 1;
    if (first <= second) at += 1;
    if (second <= first) other += 1;
  }
  return all === 0 ? 0 : common / all;
}

/** Hashes the words of a text in lower case (FNV-1a). A character of a script without spaces is a word. */
function hashWords(text: string): number[] {
  const words: number[] = [];
  let hash = START;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const isDense = isWithoutSpaces(unit);
    if (isLetter(unit)) hash = Math.imul(hash ^ unit, PRIME);
    if (hash !== START && (isDense || !isLetter(text.charCodeAt(at + 1)))) {
      words.push(hash);
      hash = START;
    }
  }
  return words;
}

/** Returns whether a unit is of a script without spaces: Thai, Lao, Burmese, Khmer, Chinese, Japanese. */
function isWithoutSpaces(unit: number): boolean {
  if (unit < 0x0e00) return false;
  return (unit >= 0x2e80 && unit < 0xac00) || unit < 0x0f00 || (unit >= 0x1000 && unit < 0x10a0) || (unit >= 0x1780 && unit < 0x1800);
}

/** Returns whether a unit belongs to a word: an ASCII letter or digit, or any other character. NaN, the end, does not. */
function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit > 0x7f;
}

/** Spreads a hash over all values, so that the smallest ones are any. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
