import { foldText, isAscii } from './fold-text.ts';

/** The blocks in which folding changes more than case (see `foldText`). */
const BLOCKS = [
  [0xaa, 0x2af],
  [0x300, 0x52f],
  [0x1d00, 0x1fff],
  [0x2100, 0x214f],
  [0xfb00, 0xfb06],
  [0xff01, 0xffee],
] as const;
/** What may stand between the letters of a word without being in its term: apostrophes, and marks that follow their letter. */
const MARKS = String.raw`\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670`;
const BETWEEN = `['\u2019${MARKS}]*`;
const JAMO = String.raw`\u1100-\u11ff`;
const VOICED = String.raw`\u3099\u309a`;

interface Letters {
  /** By folded letter: the letters that fold to it. */
  readonly variants: ReadonlyMap<string, string>;
  /** Letters that fold to several, with these. */
  readonly several: readonly (readonly [letter: string, folded: string])[];
  /** Finds what folds to more or less than it was. */
  readonly uneven: RegExp;
}

let letters: Letters | undefined;

function readLetters(): Letters {
  const variants = new Map<string, string>();
  const several: [string, string][] = [];
  let uneven = JAMO + VOICED;
  for (const [first, last] of BLOCKS) {
    for (let unit = first; unit <= last; unit += 1) {
      const letter = String.fromCharCode(unit);
      const folded = foldText(letter);
      if (folded.length === 1 && folded !== letter) variants.set(folded, (variants.get(folded) ?? '') + escaped(letter));
      if (folded.length !== 1) uneven += escaped(letter);
      if (folded.length > 1) several.push([letter, folded]);
    }
  }
  return { variants, several, uneven: new RegExp(`[${uneven}${MARKS}]`, 'u') };
}

/**
 * A test that says true of every text that may hold one of the folded terms, on the text as it stands: folding all notes would cost
 * more than reading them. It is also true of some others. One pass whatever the text: the patterns hold no more than letters in a row,
 * so there is nothing to go back for.
 */
export function letterTest(terms: readonly string[]): (text: string) => boolean {
  letters ??= readLetters();
  const { variants, several } = letters;
  const spelled = terms.map((term) => Array.from(term, (letter) => `[${escaped(letter)}${variants.get(letter) ?? ''}]`).join(BETWEEN));
  const certain = new RegExp(spelled.join('|'), 'iu');
  const uncertain = several.filter(([, folded]) => terms.some((term) => mayHide(term, folded))).map(([letter]) => escaped(letter));
  if (terms.some((term) => /\p{Script=Hangul}/u.test(term))) uncertain.push(JAMO);
  if (terms.some((term) => /[\u3041-\u30ff]/.test(term))) uncertain.push(VOICED);
  if (uncertain.length === 0) return (text) => certain.test(text);
  const composed = new RegExp(`[${uncertain.join('')}]`, 'u');
  return (text) => certain.test(text) || (!isAscii(text) && composed.test(text));
}

/** Whether a text and its folded form have their letters at the same offsets. */
export function keepsOffsets(text: string): boolean {
  letters ??= readLetters();
  return isAscii(text) || !letters.uneven.test(text);
}

/** Whether a letter that folds to several may be part of a term: inside it, or at its end with more to follow. */
function mayHide(term: string, folded: string): boolean {
  if (term.includes(folded)) return true;
  for (let length = 1; length < folded.length; length += 1) if (term.endsWith(folded.slice(0, length))) return true;
  return false;
}

function escaped(letter: string): string {
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
}
