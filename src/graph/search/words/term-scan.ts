import type { Clause } from '../query.ts';
import { CharacterClass, classAt } from './character-class.ts';
import { isAscii } from './fold-text.ts';
import { letterPattern } from './letter-pattern.ts';
import type { LetterPattern } from './letter-pattern.ts';
import { nextRun, termsOfRun, tokenize } from './tokenize.ts';

/** A clause made ready to be looked for in many texts. */
export type ClauseScan = readonly (readonly TermScan[])[];

interface TermScan extends LetterPattern {
  readonly term: string;
  readonly isPrefix: boolean;
}

/** Occurrences of one word that are counted in one text; more say nothing more. */
const MOST_COUNTED = 8;

/** Makes a clause ready. */
export function toClauseScan(clause: Clause): ClauseScan {
  return clause.alternatives.map((terms) =>
    terms.map((term, at) => ({ term, isPrefix: clause.isPrefix && at === terms.length - 1, ...letterPattern(term) })),
  );
}

/** How often a text has a clause, by the same rule as the index: 0 when no alternative is there with all its terms. */
export function countClause(text: string, clause: ClauseScan): number {
  let best = 0;
  for (const terms of clause) {
    let least = MOST_COUNTED;
    for (const term of terms) {
      least = Math.min(least, countTerm(text, term));
      if (least === 0) break;
    }
    if (terms.length > 0) best = Math.max(best, least);
  }
  return best;
}

/** Finding the letters is cheap and rules out most notes; only where they stand is the word cut out and made into terms. */
function countTerm(text: string, { term, isPrefix, certain, composed }: TermScan): number {
  const fits = (found: string): boolean => (isPrefix ? found.startsWith(term) : found === term);
  let count = 0;
  certain.lastIndex = 0;
  for (let hit = certain.exec(text); hit !== null && count < MOST_COUNTED; hit = certain.exec(text)) {
    let run = nextRun(text, runStart(text, hit.index));
    while (run !== null && run.end <= hit.index) run = nextRun(text, run.end);
    if (run === null) break;
    count += termsOfRun(text, run).filter(fits).length;
    certain.lastIndex = Math.max(run.end, hit.index + 1);
  }
  if (count > 0 || composed === null || isAscii(text) || !composed.test(text)) return Math.min(MOST_COUNTED, count);
  // Letters stand for several here, or several for one: all of this one text is made into terms.
  return Math.min(MOST_COUNTED, tokenize(text).filter(fits).length);
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
