import type { Clause } from '../query/clauses.ts';
import { CharacterClass, classAt } from './character-class.ts';
import { isAscii } from './fold-text.ts';
import { letterPattern } from './letter-pattern.ts';
import type { LetterPattern } from './letter-pattern.ts';
import { nextRun, termsOfRun } from './tokenize.ts';
import type { Run } from './tokenize.ts';

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
  return clause.some((terms) => terms.length > 0 && terms.every((term) => eachTerm(text, term, () => true)));
}

/**
 * Returns where a text matches a clause, in no order: the first `most` places of each alternative. All terms of one have to be within
 * `width` UTF-16 units.
 */
export function placesOfClause(
  text: string,
  clause: ClauseScan,
  { most, width }: { readonly most: number; readonly width: number },
): readonly number[] {
  return clause.flatMap(([first, ...others]) => {
    const places = first === undefined ? [] : placesOfTerm(text, first, most);
    const rest = places.length === 0 ? [] : others.map((term) => placesOfTerm(text, term, most));
    return places.filter((at) => rest.every((found) => found.some((other) => Math.abs(other - at) <= width)));
  });
}

function placesOfTerm(text: string, term: TermScan, most: number): readonly number[] {
  const places: number[] = [];
  eachTerm(text, term, (_, at) => places.push(at) === most);
  return places;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** Counts the terms of a text that equal the requested one, or start with it if that counts too. */
export function countTerms(text: string, scan: TermScan): ReadonlyMap<string, number> {
  if (text === '') return NOTHING;
  const counts = new Map<string, number>();
  eachTerm(text, scan, (found) => {
    counts.set(found, (counts.get(found) ?? 0) + 1);
    return false;
  });
  return counts.size > 0 ? counts : NOTHING;
}

/**
 * Calls `take` with each matching term of a text and the offset of its run, until it returns true; returns whether it did. Finding the
 * letters is cheap and excludes most notes; only matches are tokenized.
 */
function eachTerm(text: string, scan: TermScan, take: (found: string, at: number) => boolean): boolean {
  const { certain, composed } = scan;
  const takesRun = (run: Run): boolean => termsOfRun(text, run).some((found) => fits(found, scan) && take(found, run.start));
  if (composed !== null && !isAscii(text) && composed.test(text)) {
    // Letters fold to several here, or several to one: the whole text is tokenized.
    for (let run = nextRun(text, 0); run !== null; run = nextRun(text, run.end)) if (takesRun(run)) return true;
    return false;
  }
  certain.lastIndex = 0;
  for (let hit = certain.exec(text); hit !== null; hit = certain.exec(text)) {
    let run = nextRun(text, runStart(text, hit.index));
    while (run !== null && run.end <= hit.index) run = nextRun(text, run.end);
    if (run === null) break;
    if (takesRun(run)) return true;
    certain.lastIndex = Math.max(run.end, hit.index + 1);
  }
  return false;
}

function fits(found: string, { term, isPrefix }: TermScan): boolean {
  return isPrefix ? found.startsWith(term) : found === term;
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
