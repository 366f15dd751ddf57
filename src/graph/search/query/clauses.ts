import { isHan, isHangul } from '../words/character-class.ts';
import { certainWordsOfRun, nextRun, wordsOfRun } from '../words/tokenize.ts';
import type { Alternatives, Run } from '../words/tokenize.ts';

/** One word of a query. A note has it if it has all terms of one alternative. */
export interface Clause {
  readonly alternatives: Alternatives;
  /** Whether longer words that start with a term match too. */
  readonly isPrefix: boolean;
}

/** Length from which a Latin word also matches as a prefix. */
const MIN_PREFIX_CHARACTERS = 3;

/** Only words of this length, and of letters only, can be misspelt. */
const MISSPELT = /^\p{L}{5,}$/u;

/** Returns the word of a clause that may be misspelt if no note has it; null if none can be. */
export function misspeltWord({ alternatives, isPrefix }: Clause): string | null {
  const word = alternatives[0]?.[0];
  return word !== undefined && isPrefix && MISSPELT.test(word) ? word : null;
}

/** Returns the clauses of plain text, without operators. */
export function clausesOf(text: string, options: { isPrefix: boolean }): Clause[] {
  return eachRun(text, (run) => toClauses(run, wordsOfRun(text, run).words, options));
}

/** Returns optional clauses that improve the rank: bigrams across words in text without spaces. */
export function bonusClausesOf(text: string): Clause[] {
  return eachRun(text, (run) => toClauses(run, wordsOfRun(text, run).bonus, { isPrefix: false }));
}

/** Returns clauses that every note with a phrase must match; empty when nothing is certain. */
export function phraseClauses(phrase: string): Clause[] {
  return eachRun(phrase, (run) => toClauses(run, certainWordsOfRun(phrase, run), { isPrefix: false }));
}

function eachRun(text: string, read: (run: Run) => Clause[]): Clause[] {
  const clauses: Clause[] = [];
  for (let run = nextRun(text, 0); run !== null; run = nextRun(text, run.end)) clauses.push(...read(run));
  return clauses;
}

function toClauses(run: Run, words: readonly Alternatives[], options: { isPrefix: boolean }): Clause[] {
  return words.flatMap((alternatives) => {
    const first = alternatives[0]?.[0];
    if (first === undefined) return [];
    const mayBegin = run.kind === 'word' ? first.length >= MIN_PREFIX_CHARACTERS || isHangul(first) : !isHan(first);
    return [{ alternatives, isPrefix: options.isPrefix && mayBegin }];
  });
}
