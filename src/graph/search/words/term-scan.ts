import type { Clause } from '../query/clauses.ts';
import { CharacterClass, classAt } from './character-class.ts';
import { isAscii } from './fold-text.ts';
import { letterPattern } from './letter-pattern.ts';
import type { LetterPattern } from './letter-pattern.ts';
import { nextRun, termsOfRun, tokenize } from './tokenize.ts';

/** A clause made ready to be looked for in many texts. */
export type ClauseScan = readonly (readonly TermScan[])[];

/** A term made ready to be looked for. */
export interface TermScan extends LetterPattern {
  readonly term: string;
  readonly isPrefix: boolean;
}

/** Makes a clause ready. */
export function toClauseScan(clause: Clause): ClauseScan {
  return clause.alternatives.map((terms) =>
    terms.map((term, at) => ({ term, isPrefix: clause.isPrefix && at === terms.length - 1, ...letterPattern(term) })),
  );
}

/** Whether a text has a clause, by the same rule as the index: all terms of one of its alternatives. */
export function holdsClause(text: string, clause: ClauseScan): boolean {
  for (const terms of clause) if (terms.length > 0 && terms.every((term) => findTerms(text, term, null))) return true;
  return false;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** How often each term of a text stands there that is the one asked for, or begins with it where that counts too. */
export function countTerms(text: string, scan: TermScan): ReadonlyMap<string, number> {
  if (text === '') return NOTHING;
  const counts = new Map<string, number>();
  return findTerms(text, scan, counts) ? counts : NOTHING;
}

/**
 * Whether a text has a term that fits; with `counts` all of them are counted. Finding the letters is cheap and rules out most notes; only
 * where they stand is the word cut out and made into terms.
 */
function findTerms(text: string, scan: TermScan, counts: Map<string, number> | null): boolean {
  const { certain, composed } = scan;
  // Letters stand for several here, or several for one: all of this one text is made into terms.
  if (composed !== null && !isAscii(text) && composed.test(text)) return takeFitting(tokenize(text), scan, counts);
  let isFound = false;
  certain.lastIndex = 0;
  for (let hit = certain.exec(text); hit !== null; hit = certain.exec(text)) {
    let run = nextRun(text, runStart(text, hit.index));
    while (run !== null && run.end <= hit.index) run = nextRun(text, run.end);
    if (run === null) break;
    if (takeFitting(termsOfRun(text, run), scan, counts)) {
      if (counts === null) return true;
      isFound = true;
    }
    certain.lastIndex = Math.max(run.end, hit.index + 1);
  }
  return isFound;
}

/** Whether any of the terms fits; with `counts` all that do are counted. */
function takeFitting(terms: readonly string[], { term, isPrefix }: TermScan, counts: Map<string, number> | null): boolean {
  let isFound = false;
  for (const found of terms) {
    if (isPrefix ? !found.startsWith(term) : found !== term) continue;
    if (counts === null) return true;
    counts.set(found, (counts.get(found) ?? 0) + 1);
    isFound = true;
  }
  return isFound;
}

function runStart(text: string, at: number): number {
  const dense = classAt(text, at) === CharacterClass.Dense;
  let start = at;
  while (start > 0) {
    const before = classAt(text, start - 1);
    if (dense ? before !== CharacterClass.Dense : before === CharacterClass.Break || before === CharacterClass.Dense) break;
    start -= 1;
  }
  return start;
}
