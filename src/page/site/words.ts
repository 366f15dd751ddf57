/** Longest indexed word; longer text (encoded data) is found by its beginning. */
const MAX_WORD_CHARACTERS = 40;
const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
/** Scripts without spaces between words, which are split into pairs of characters. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
/** Where letters need two bytes in UTF-8 at most, and where the scripts of East Asia begin. */
const LAST_ASCII = 0x7f;
const FIRST_EAST_ASIAN = 0x2e80;
const HEX = 16;

/** Folds a text for comparison: without case, marks and width. */
export function foldWords(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase();
}

/** Returns the words of a text in order, with duplicates: folded, and text in scripts without spaces as pairs of characters. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of foldWords(text).matchAll(WORD)) {
    let from = 0;
    for (const { 0: dense, index } of run.matchAll(DENSE)) {
      if (index > from) words.push(run.slice(from, index).slice(0, MAX_WORD_CHARACTERS));
      words.push(...pairsOf(dense));
      from = index + dense.length;
    }
    if (from < run.length) words.push(run.slice(from).slice(0, MAX_WORD_CHARACTERS));
  }
  return words;
}

function pairsOf(text: string): readonly string[] {
  const characters = Array.from(text);
  return characters.length === 1 ? characters : characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

/**
 * Returns the name of the part of the index that has a word, and all words that begin with it if it has at least two letters. A few hundred
 * parts, so that a key needs one small file.
 */
export function partOf(word: string): string {
  const first = word.codePointAt(0) ?? 0;
  if (first > LAST_ASCII) return first < FIRST_EAST_ASIAN ? `u${first.toString(HEX)}` : `x${(first >> 6).toString(HEX)}`;
  const second = word.charCodeAt(1);
  return `${word[0] ?? ''}${second <= LAST_ASCII ? String.fromCharCode(second) : '_'}`;
}
