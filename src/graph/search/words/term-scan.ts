import type { Clause } from '../query/clauses.ts';
import { CharacterClass, classAt } from './character-class.ts';
import { isAscii } from './fold-text.ts';
import { letterPattern } from './letter-pattern.ts';
import type { LetterPattern } from './letter-pattern.ts';
import { nextRun, termsOfRun, tokenize } from './tokenize.ts';

/** A clause compiled for searching many texts. */
export type ClauseScan = readonly (readonly TermScan[])[];

/** A term compiled for searching. */
export interface TermScan extends LetterPattern {
  readonly term: string;
  readonly isPrefix: boolean;
}

/** Compiles a clause. */
export function toClauseScan(clause: Clause): ClauseScan {
  return clause.alternatives.map((terms) =>
    terms.map((term, at) => ({ term, isPrefix: clause.isPrefix && at === terms.length - 1, ...letterPattern(term) })),
  );
}

/** Returns whether a text matches a clause, by the index's rule: all terms of one alternative. */
export function holdsClause(text: string, clause: ClauseScan): boolean {
  for (const terms of clause) if (terms.length > 0 && terms.every((term) => findTerms(text, term, null))) return true;
  return false;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** Counts the terms of a text that equal the requested one, or start with it if that counts too. */
export function countTerms(text: string, scan: TermScan): ReadonlyMap<string, number> {
  if (text === '') return NOTHING;
  const counts = new Map<string, number>();
  return findTerms(text, scan, counts) ? counts : NOTHING;
}

/**
 * Returns whether a text has a matching term; with `counts` counts all of them. Finding the letters is cheap and excludes most notes; only
 * matches are tokenized.
 */
function findTerms(text: string, scan: TermScan, counts: Map<string, number> | null): boolean {
  const { certain, composed } = scan;
  // Letters fold to several here, or several to one: the whole text is tokenized.
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

/** Returns whether any term matches; with `counts` counts all that do. */
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
