import { CharacterClass, classAt } from './character-class.ts';
import { foldText } from './fold-text.ts';
import { keepsOffsets } from './letter-test.ts';
import type { Clause } from './search-query.ts';
import { nextRun, termsOfRun, tokenize } from './tokenize.ts';

/** A text made ready to be looked through for several words. */
export interface ScanText {
  readonly text: string;
  readonly folded: string;
  /** Whether offsets in the folded text are offsets in the text. */
  readonly isAligned: boolean;
}

/** Occurrences of one word that are counted in one text; more say nothing more. */
const MOST_COUNTED = 8;

/** Folds a text once for all words of a query. */
export function toScanText(text: string): ScanText {
  return { text, folded: foldText(text), isAligned: keepsOffsets(text) };
}

/** How often a text has a clause, by the same rule as the index: 0 when no alternative is there with all its terms. */
export function countClause(scan: ScanText, clause: Clause): number {
  let best = 0;
  for (const terms of clause.alternatives) {
    let least = Infinity;
    for (const [index, term] of terms.entries()) {
      least = Math.min(least, countTerm(scan, { term, isPrefix: clause.isPrefix && index === terms.length - 1 }));
      if (least === 0) break;
    }
    if (Number.isFinite(least)) best = Math.max(best, least);
  }
  return best;
}

/** Finding the letters is cheap and rules out most notes; only where they stand is the word cut out and made into terms. */
function countTerm(scan: ScanText, wanted: { term: string; isPrefix: boolean }): number {
  const { term, isPrefix } = wanted;
  const fits = (found: string): boolean => (isPrefix ? found.startsWith(term) : found === term);
  let at = scan.folded.indexOf(term);
  if (at < 0 && !hasElided(scan.folded, term)) return 0;
  // Where folding moved letters (or an apostrophe stands in the word) offsets mean nothing: all of this one text is made into terms.
  if (at < 0 || !scan.isAligned) return Math.min(MOST_COUNTED, tokenize(scan.text).filter(fits).length);
  let count = 0;
  while (at >= 0 && count < MOST_COUNTED) {
    let run = nextRun(scan.text, runStart(scan.text, at));
    while (run !== null && run.end <= at) run = nextRun(scan.text, run.end);
    if (run === null) break;
    count += termsOfRun(scan.text, run).filter(fits).length;
    at = scan.folded.indexOf(term, Math.max(run.end, at + 1));
  }
  return count;
}

/** Whether a text may hold the term with an apostrophe in it, which terms are without. */
function hasElided(folded: string, term: string): boolean {
  return ELISION.test(folded) && folded.replaceAll(ELISIONS, '').includes(term);
}
const ELISION = /['\u2019]/;
const ELISIONS = /['\u2019]/g;

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
