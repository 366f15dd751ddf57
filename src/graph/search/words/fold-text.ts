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

/** Units of Latin, Greek and Cyrillic letters, which no mark changes unless it follows them: the blocks that `plainFolds` covers. */
const LETTER_BLOCKS = [
  [0xc0, 0x24f],
  [0x370, 0x482],
  [0x48a, 0x52f],
] as const;
/** What each of these letters folds to by itself, as a unit; 0 for others, and for those that become several. Made when it is needed. */
let plainFolds: Uint16Array | null = null;

function readPlainFolds(): Uint16Array {
  const folds = new Uint16Array(0x530);
  for (const [first, last] of LETTER_BLOCKS) {
    for (let unit = first; unit <= last; unit += 1) {
      const folded = foldSequence(String.fromCharCode(unit));
      if (folded.length === 1) folds[unit] = folded.charCodeAt(0);
    }
  }
  return folds;
}

/** Folds a part of lower-cased text. Letters without marks behind them, which most parts consist of, are folded one by one. */
function foldPart(part: string): string {
  const folds = (plainFolds ??= readPlainFolds());
  let folded = '';
  for (let at = 0; at < part.length; at += 1) {
    const unit = folds[part.charCodeAt(at)] ?? 0;
    if (unit === 0) return foldSequence(part);
    folded += String.fromCharCode(unit);
  }
  return folded;
}

function foldSequence(part: string): string {
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

/** Folds a text in which that leaves each character at its offset; null for others, with letters that become two or marks that are left out. */
export function foldInPlace(text: string): string | null {
  const lower = text.toLowerCase();
  if (isAscii(lower)) return lower;
  let isInPlace = lower.length === text.length;
  const folded = lower.replace(FOLDABLE, (part) => {
    const plain = foldPart(part);
    isInPlace &&= plain.length === part.length;
    return plain;
  });
  return isInPlace ? folded : null;
}

/** Returns whether a text is ASCII only. */
export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[^\x00-\x7f]/.test(text);
}
