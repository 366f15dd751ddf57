import { wholeEnd } from '../../../note/text.ts';
import { isHan } from './character-class.ts';
import { isStopWord } from './stop-words.ts';

const HIRAGANA = /^\p{Script=Hiragana}$/u;
const PAIRED = /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]/u;
const ONLY_PAIRED = /^[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]+$/u;
const ONE_HAN = /^\p{Script=Han}$/u;

/** Made for the first text that needs it, as making it takes long: for notes in most languages nothing does. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The terms of a passage in a script without spaces (Han, kana, Thai, Lao, Khmer, Burmese): its words; and for Han and kana also each
 * bigram, for Han each character, since a dictionary cuts the same text differently in another sentence.
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

/** What a query looks for in a passage: what its words must be, and what only adds to the rank. */
export interface PassageWords {
  /** Each with the ways to find it: as the dictionary cut it, or by its bigrams. */
  readonly words: readonly (readonly (readonly string[])[])[];
  readonly bonus: readonly string[];
}

/**
 * The words of a passage of a query. A dictionary cuts what it does not know to single characters (域名, a domain name), and nearly every
 * text has each of those somewhere: side by side they are one word by their bigrams. A character that stays alone, and bigrams across
 * words, say something of the order of notes, and nothing of which notes there are.
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
    // One hiragana is a particle.
    if (isWordLike === true && !HIRAGANA.test(segment)) words.push([[segment], ONLY_PAIRED.test(segment) ? bigramsOf(segment) : []]);
  }
  endRow();
  if (words.some(([way]) => !isStopWord(way?.[0] ?? ''))) for (const character of alone) bonus.add(character);
  else words.push(...alone.map((character) => [[character]]));
  for (const [way] of words) if (way?.length === 1) bonus.delete(way[0] ?? '');
  return { words, bonus: [...bonus] };
}

/** The words of a passage by dictionary. */
function segmentWords(folded: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segments(folded)) if (isWordLike === true && !HIRAGANA.test(segment)) words.push(segment);
  return words;
}

/** What ICU cuts at once, in UTF-16 units: what it takes grows with the square of a passage, and no sentence is so long. */
const PIECE = 2_000;

function* segments(folded: string): Generator<Intl.SegmentData> {
  // Word boundaries of scripts without spaces come from ICU's dictionaries, whatever the locale says.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  for (let start = 0, end = 0; start < folded.length; start = end) {
    end = start + PIECE < folded.length ? wholeEnd(folded, start + PIECE) : folded.length;
    yield* segmenter.segment(folded.slice(start, end));
  }
}

/** The bigrams of Han characters and kana that stand side by side. */
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
