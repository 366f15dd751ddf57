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
  return clause.some((terms) => terms.length > 0 && terms.every((term) => findTerms(text, term, () => true)));
}

/** How often each term of a text stands there that is the one asked for, or begins with it where that counts too. */
export function countTerms(text: string, scan: TermScan): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  findTerms(text, scan, (term) => {
    counts.set(term, (counts.get(term) ?? 0) + 1);
    return false;
  });
  return counts;
}

/**
 * Visits the terms of a text that fit, until one visit says that it is enough; tells whether one did. Finding the letters is cheap and rules
 * out most notes; only where they stand is the word cut out and made into terms.
 */
function findTerms(text: string, { term, isPrefix, certain, composed }: TermScan, visit: (term: string) => boolean): boolean {
  const isEnough = (terms: readonly string[]): boolean => {
    for (const found of terms) if ((isPrefix ? found.startsWith(term) : found === term) && visit(found)) return true;
    return false;
  };
  // Letters stand for several here, or several for one: all of this one text is made into terms.
  if (composed !== null && !isAscii(text) && composed.test(text)) return isEnough(tokenize(text));
  certain.lastIndex = 0;
  for (let hit = certain.exec(text); hit !== null; hit = certain.exec(text)) {
    let run = nextRun(text, runStart(text, hit.index));
    while (run !== null && run.end <= hit.index) run = nextRun(text, run.end);
    if (run === null) break;
    if (isEnough(termsOfRun(text, run))) return true;
    certain.lastIndex = Math.max(run.end, hit.index + 1);
  }
  return false;
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
