import { isHan, isHangul } from '../words/character-class.ts';
import { certainWordsOfRun, nextRun, wordsOfRun } from '../words/tokenize.ts';
import type { Alternatives, Run } from '../words/tokenize.ts';

/** One word of a query: a note has it when it has all terms of one of the alternatives. */
export interface Clause {
  readonly alternatives: Alternatives;
  /** Whether words that only begin with a term count too. */
  readonly isPrefix: boolean;
}

/** A Latin word is taken as the beginning of longer ones from this length on. */
const MIN_PREFIX_CHARACTERS = 3;

/** Only words of this length and letters only are taken for misspelt. */
const MISSPELT = /^\p{L}{5,}$/u;

/** The word of a clause that may be misspelt when no note has it, or null. */
export function misspeltWord({ alternatives, isPrefix }: Clause): string | null {
  const word = alternatives[0]?.[0];
  return word !== undefined && isPrefix && MISSPELT.test(word) ? word : null;
}

/** The clauses a plain text makes, with no operators read. */
export function clausesOf(text: string, options: { isPrefix: boolean }): Clause[] {
  return eachRun(text, (run) => toClauses(run, wordsOfRun(text, run).words, options));
}

/** What counts for the rank of a note that need not have it: bigrams across the words of a passage without spaces. */
export function bonusClausesOf(text: string): Clause[] {
  return eachRun(text, (run) => toClauses(run, wordsOfRun(text, run).bonus, { isPrefix: false }));
}

/** What every note must have that holds a phrase; none where nothing is certain. */
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
