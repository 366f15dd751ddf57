/**
 * Characters that folding changes beyond lower case: letters with marks, Greek, Cyrillic, Hebrew and Arabic points, decomposed Hangul and
 * kana, letter-like symbols, full and half width forms. Skipping everything else makes folding a whole note cheap.
 */
// oxlint-disable no-misleading-character-class -- The marks are listed by themselves, not as part of the letter before them.
const FOLDABLE =
  /[\u00aa\u00b2-\u00ba\u00c0-\u02af\u0300-\u036f\u0370-\u052f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1100-\u11ff\u1d00-\u1fff\u2100-\u214f\ufb00-\ufb06\uff01-\uffee]+|[\u3041-\u30fa][\u3099\u309a]/g;
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;
// oxlint-enable no-misleading-character-class
const LETTERS = /[ßæœøłđðıςŧħ]/g;
const LETTER_FOR: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ς: 'σ',
  ŧ: 't',
  ħ: 'h',
};

function foldPart(part: string): string {
  return part
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(LETTERS, (letter) => LETTER_FOR[letter] ?? letter)
    .normalize('NFC');
}

/** Folds a text for comparison: without case, diacritics and width. Pure ASCII keeps its length, other text mostly does. */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower) ? lower : lower.replace(FOLDABLE, foldPart);
}

/** Returns whether a text is ASCII only. */
export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[^\x00-\x7f]/.test(text);
}
