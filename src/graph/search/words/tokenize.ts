import { CharacterClass, classAt, classOfPoint, isHan } from './character-class.ts';
import { bigramsOf, cjkTerms, passageWords } from './cjk.ts';
import { foldText } from './fold-text.ts';

/** A range of text that is tokenized as one: an identifier with its parts, or text in a script without spaces. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly kind: 'word' | 'dense' | 'pictograph';
}

/** Longest indexed term; longer text (encoded data) is found by its start. */
const MAX_TERM_CHARACTERS = 64;
const NUMERIC = /^v?\d[\d._-]*$/i;
const CAMEL = /\p{Lu}[\p{Lu}\p{M}]*(?![\p{Ll}\p{M}])\p{N}*|\p{Lu}?[^\p{Lu}]+/gu;
const HANGUL_RUN = /\p{Script=Hangul}{2,}/gu;
const HANGUL_PAIR = /\p{Script=Hangul}{2}/u;

/** Returns the next run at or after an offset; null at the end. */
export function nextRun(text: string, from: number): Run | null {
  let at = from;
  while (at < text.length) {
    const found = classAt(text, at);
    if (found === CharacterClass.Break || found === CharacterClass.Joiner) {
      at += 1;
      continue;
    }
    const point = found === CharacterClass.Surrogate ? classOfPoint(text, at) : found;
    if (point === CharacterClass.Dense) return { start: at, end: denseEnd(text, at), kind: 'dense' };
    if (point === CharacterClass.Pictograph) return { start: at, end: at + width(text, at), kind: 'pictograph' };
    if (point === CharacterClass.Word || point === CharacterClass.Hangul) return { start: at, end: wordEnd(text, at), kind: 'word' };
    at += width(text, at);
  }
  return null;
}

function width(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function denseEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && classOfPoint(text, at) === CharacterClass.Dense) at += width(text, at);
  return at;
}

function wordEnd(text: string, from: number): number {
  let at = from;
  let end = from;
  while (at < text.length) {
    const found = classAt(text, at);
    if (found === CharacterClass.Word || found === CharacterClass.Hangul) {
      at += 1;
      end = at;
    } else if (found === CharacterClass.Joiner && end === at) {
      at += 1;
    } else if (found === CharacterClass.Surrogate && classOfPoint(text, at) === CharacterClass.Word) {
      at += 2;
      end = at;
    } else break;
  }
  return end;
}

/** Returns all terms of a text in order, with duplicates, for the index. */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  for (let run = nextRun(text, 0); run !== null; run = nextRun(text, run.end)) pushRun(terms, text, run);
  return terms;
}

export function termsOfRun(text: string, run: Run): string[] {
  const terms: string[] = [];
  pushRun(terms, text, run);
  return terms;
}

function pushRun(terms: string[], text: string, run: Run): void {
  const written = text.slice(run.start, run.end);
  if (run.kind === 'pictograph') terms.push(written);
  else if (run.kind === 'dense') for (const term of cjkTerms(foldText(written))) pushTerm(terms, term);
  else if (/^[A-Z]?[a-z0-9]*$/.test(written)) pushTerm(terms, written.toLowerCase());
  else {
    const { whole, parts } = cutWord(written);
    for (const term of whole) pushTerm(terms, term);
    for (const term of parts) if (!whole.includes(term)) pushTerm(terms, term);
  }
}

function pushTerm(terms: string[], term: string): void {
  if (term !== '') terms.push(cutTerm(term));
}

function cutTerm(term: string): string {
  return term.length <= MAX_TERM_CHARACTERS ? term : term.slice(0, MAX_TERM_CHARACTERS);
}

interface CutWord {
  /** The word as one term; a version also without its `v`. */
  readonly whole: readonly string[];
  /** Parts of the word: pieces between joiners, and camel case parts within them. */
  readonly parts: readonly string[];
  /** The smallest parts, which together form the word. */
  readonly leaves: readonly string[];
}

function cutWord(written: string): CutWord {
  const folded = foldText(written).replaceAll(/['\u2019]/g, '');
  if (NUMERIC.test(written)) return { whole: folded.startsWith('v') ? [folded, folded.slice(1)] : [folded], parts: [], leaves: [] };
  const parts: string[] = [];
  const leaves: string[] = [];
  const pieces = written.split(/[-_.'\u2019]+/);
  const isElided = /['\u2019]/.test(written);
  for (const piece of pieces) {
    // The `t` of `don't` and the `s` of a genitive are no words.
    if (piece === '' || (isElided && piece.length === 1)) continue;
    const humps = (piece.match(CAMEL) ?? []).map(foldText);
    if (humps.length < 2) leaves.push(foldText(piece));
    else for (const each of humps) leaves.push(each);
    if (pieces.length > 1) parts.push(foldText(piece));
    if (humps.length > 1) for (const each of humps) parts.push(each);
  }
  for (const [syllables] of folded.matchAll(HANGUL_RUN)) {
    // Pairs, because particles follow words and compounds are written without spaces.
    for (let at = 0; syllables.length > 2 && at + 2 <= syllables.length; at += 1) parts.push(syllables.slice(at, at + 2));
  }
  return { whole: [folded], parts, leaves: HANGUL_PAIR.test(folded) ? parts : leaves };
}

/** Alternatives for one word: a text has the word if it has all terms of one of them. */
export type Alternatives = readonly (readonly string[])[];

/** The terms that one run of a query is searched by. */
export interface RunWords {
  readonly words: readonly Alternatives[];
  /** Optional words that improve the rank. */
  readonly bonus: readonly Alternatives[];
}

/**
 * Returns what a text must contain for one run of a query, word by word. The first alternative is the word as written, the second its
 * parts; text in a script without spaces is several words.
 */
export function wordsOfRun(text: string, run: Run): RunWords {
  const written = text.slice(run.start, run.end);
  if (run.kind === 'pictograph') return { words: [[[written]]], bonus: [] };
  if (run.kind === 'dense') {
    const { words, bonus } = passageWords(foldText(written));
    return { words: words.map(distinct), bonus: bonus.map((term) => [[term]]) };
  }
  const { whole, leaves } = cutWord(written);
  return { words: [distinct([whole.slice(-1), leaves])], bonus: [] };
}

/**
 * Returns what every text with this run of a phrase must contain, wherever a dictionary splits it. Empty for Thai, Lao, Khmer and Burmese,
 * whose terms are words only.
 */
export function certainWordsOfRun(text: string, run: Run): readonly Alternatives[] {
  const folded = foldText(text.slice(run.start, run.end));
  // A date is one term by itself, but three at the start of a file name.
  if (NUMERIC.test(folded)) return [distinct([[folded], folded.split(/[-_.]+/)])];
  if (run.kind !== 'dense') return wordsOfRun(text, run).words;
  const bigrams = bigramsOf(folded);
  return (bigrams.length > 0 ? bigrams : isHan(folded) ? [folded] : []).map((term) => [[term]]);
}

/** Removes empty and duplicate alternatives, and duplicates in each. */
function distinct(alternatives: readonly (readonly string[])[]): string[][] {
  const kept = new Map<string, string[]>();
  for (const alternative of alternatives) {
    const terms = [...new Set(alternative.filter((term) => term !== '').map(cutTerm))];
    if (terms.length > 0) kept.set(terms.join(' '), terms);
  }
  return [...kept.values()];
}
