import { wholeEnd } from '../../../note/text.ts';
import { isHan } from './character-class.ts';
import { isStopWord } from './stop-words.ts';

const HIRAGANA = /^\p{Script=Hiragana}$/u;
const PAIRED = /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]/u;
const ONLY_PAIRED = /^[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]+$/u;
const ONE_HAN = /^\p{Script=Han}$/u;

/** Created on first use, since that is slow and most languages do not need it. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the terms of text in a script without spaces (Han, kana, Thai, Lao, Khmer, Burmese): its words; for Han and kana also each
 * bigram, and for Han each character, since a dictionary splits the same text differently in another sentence.
 */
export function cjkTerms(folded: string): string[] {
  const words = segmentWords(folded);
  if (!PAIRED.test(folded)) return words;
  const terms = [...words];
  const seen = new Set(words);
  for (const bigram of bigramsOf(folded)) if (!seen.has(bigram)) terms.push(bigram);
  for (const character of folded) if (isHan(character) && !seen.has(character)) terms.push(character);
  return terms;
}

/** What a query searches for in text without spaces: required words, and bonus terms. */
export interface PassageWords {
  /** Each word with its alternatives: as the dictionary split it, or by its bigrams. */
  readonly words: readonly (readonly (readonly string[])[])[];
  readonly bonus: readonly string[];
}

/**
 * Returns the words of a query's text without spaces. A dictionary splits unknown words into single characters (域名, a domain name), which
 * occur in nearly every text; adjacent ones form one word by their bigrams. Single characters and bigrams across words only affect the
 * order of results.
 */
export function passageWords(folded: string): PassageWords {
  const words: string[][][] = [];
  const bonus = new Set(bigramsOf(folded));
  const alone: string[] = [];
  let row = '';
  const endRow = (): void => {
    const bigrams = bigramsOf(row);
    if (bigrams.length === 0) alone.push(...(row === '' ? [] : [row]));
    else words.push(...bigrams.map((bigram) => [[bigram]]));
    if (bigrams.length > 0) for (const character of row) bonus.add(character);
    row = '';
  };
  for (const { segment, isWordLike } of segments(folded)) {
    if (ONE_HAN.test(segment) && !isStopWord(segment)) {
      row += segment;
      continue;
    }
    endRow();
    // A single hiragana is a particle.
    if (isWordLike === true && !HIRAGANA.test(segment)) words.push([[segment], ONLY_PAIRED.test(segment) ? bigramsOf(segment) : []]);
  }
  endRow();
  if (words.some(([way]) => !isStopWord(way?.[0] ?? ''))) for (const character of alone) bonus.add(character);
  else words.push(...alone.map((character) => [[character]]));
  for (const [way] of words) if (way?.length === 1) bonus.delete(way[0] ?? '');
  return { words, bonus: [...bonus] };
}

/** Splits text into words by dictionary. */
function segmentWords(folded: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segments(folded)) if (isWordLike === true && !HIRAGANA.test(segment)) words.push(segment);
  return words;
}

/** UTF-16 units that ICU segments at once: its time is quadratic, and no sentence is this long. */
const MAX_SEGMENT_CHARACTERS = 2_000;

function* segments(folded: string): Generator<Intl.SegmentData> {
  // Word boundaries of scripts without spaces come from ICU's dictionaries, whatever the locale says.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  for (let start = 0, end = 0; start < folded.length; start = end) {
    end = start + MAX_SEGMENT_CHARACTERS < folded.length ? wholeEnd(folded, start + MAX_SEGMENT_CHARACTERS) : folded.length;
    yield* segmenter.segment(folded.slice(start, end));
  }
}

/** Returns the bigrams of adjacent Han characters and kana. */
export function bigramsOf(folded: string): string[] {
  const bigrams: string[] = [];
  let before = '';
  for (const character of folded) {
    const paired = PAIRED.test(character) ? character : '';
    if (paired !== '' && before !== '') bigrams.push(before + paired);
    before = paired;
  }
  return bigrams;
}
