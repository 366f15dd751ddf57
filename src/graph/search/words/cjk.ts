import { isHan } from './character-class.ts';

const HIRAGANA = /^\p{Script=Hiragana}$/u;

/** Made for the first text that needs it, as making it takes long: for notes in most languages nothing does. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The terms of a passage in a script without spaces (Han, kana, Thai, Lao, Khmer, Burmese): its words; and for Han also each bigram
 * and each character, since a dictionary cuts the same text differently in another sentence.
 */
export function cjkTerms(folded: string): string[] {
  const words = segmentWords(folded);
  if (!isHan(folded)) return words;
  const terms = [...words];
  const seen = new Set(words);
  for (const bigram of bigramsOf(folded)) if (!seen.has(bigram)) terms.push(bigram);
  for (const character of folded) if (isHan(character) && !seen.has(character)) terms.push(character);
  return terms;
}

/** The words of a passage by dictionary. */
export function segmentWords(folded: string): string[] {
  const words: string[] = [];
  // Word boundaries of scripts without spaces come from ICU's dictionaries, whatever the locale says.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  for (const { segment, isWordLike } of segmenter.segment(folded)) {
    // One hiragana is a particle.
    if (isWordLike === true && !HIRAGANA.test(segment)) words.push(segment);
  }
  return words;
}

/** The bigrams of Han characters that stand side by side. */
export function bigramsOf(folded: string): string[] {
  const bigrams: string[] = [];
  let before = '';
  for (const character of folded) {
    const han = isHan(character) ? character : '';
    if (han !== '' && before !== '') bigrams.push(before + han);
    before = han;
  }
  return bigrams;
}
