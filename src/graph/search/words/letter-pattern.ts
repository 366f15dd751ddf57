import { foldText } from './fold-text.ts';

/** The blocks in which folding changes more than case (see `foldText`). */
const BLOCKS = [
  [0xaa, 0x2af],
  [0x300, 0x52f],
  [0x1d00, 0x1fff],
  [0x2100, 0x214f],
  [0xfb00, 0xfb06],
  [0xff01, 0xffee],
] as const;
/** Characters inside a word that are not part of its term: apostrophes and combining marks. */
const MARKS = String.raw`\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670`;
const BETWEEN = `['\u2019${MARKS}]*`;
const JAMO = String.raw`\u1100-\u11ff`;
const VOICED = String.raw`\u3099\u309a`;

interface Letters {
  /** Letters by their folded form. */
  readonly variants: ReadonlyMap<string, string>;
  /** Letters that fold to several letters. */
  readonly several: readonly (readonly [letter: string, folded: string])[];
}

/** Patterns that find a folded term in unfolded text. */
export interface LetterPattern {
  /** Finds the term where each letter matches one letter. Global, so it has a position. */
  readonly certain: RegExp;
  /** Finds letters that may fold to several letters of the term, or to a part of one; null when there are none. */
  readonly composed: RegExp | null;
}

let letters: Letters | undefined;

function readLetters(): Letters {
  const variants = new Map<string, string>();
  const several: [string, string][] = [];
  for (const [first, last] of BLOCKS) {
    for (let unit = first; unit <= last; unit += 1) {
      const letter = String.fromCharCode(unit);
      const folded = foldText(letter);
      if (folded.length === 1 && folded !== letter) variants.set(folded, (variants.get(folded) ?? '') + escaped(letter));
      if (folded.length > 1) several.push([letter, folded]);
    }
  }
  return { variants, several };
}

/**
 * Returns patterns that find a folded term in unfolded text, since folding all notes would cost more than reading them. They contain only
 * sequences of letters, so matching never backtracks.
 */
export function letterPattern(term: string): LetterPattern {
  letters ??= readLetters();
  const { variants, several } = letters;
  const spelled = Array.from(term, (letter) => `[${escaped(letter)}${variants.get(letter) ?? ''}]`).join(BETWEEN);
  const uncertain = several.filter(([, folded]) => mayHide(term, folded)).map(([letter]) => escaped(letter));
  if (/\p{Script=Hangul}/u.test(term)) uncertain.push(JAMO);
  if (/[\u3041-\u30ff]/.test(term)) uncertain.push(VOICED);
  return { certain: new RegExp(spelled, 'giu'), composed: uncertain.length === 0 ? null : new RegExp(`[${uncertain.join('')}]`, 'u') };
}

/** Returns whether a letter that folds to several may be part of a term: inside it, or at its end with more to follow. */
function mayHide(term: string, folded: string): boolean {
  if (term.includes(folded)) return true;
  for (let length = 1; length < folded.length; length += 1) if (term.endsWith(folded.slice(0, length))) return true;
  return false;
}

function escaped(letter: string): string {
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
}
