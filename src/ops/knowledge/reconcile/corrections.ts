import type { StoredFact } from '../stored/shapes.ts';
import { isSameWording, statedEnd } from './competing-facts.ts';
import type { CompetingFact } from './competing-facts.ts';
import { renewed, resolveAdded, withdraw } from './fact-changes.ts';
import type { Rules } from './fact-changes.ts';
import { renewPeriods } from './periods.ts';

/** Returns the corrected fact of which a statement is a repeat from before the correction; null if it is none. */
export function isRepeatOfCorrected(stated: CompetingFact, all: readonly CompetingFact[]): StoredFact | null {
  const { fact } = stated;
  const found = all.find((known) => {
    const { correctedBy, validAt, isNegated } = known.fact;
    if (correctedBy === null || known.targetUuid !== stated.targetUuid || isNegated !== fact.isNegated) return false;
    const correction = all.find((other) => other.fact.uuid === correctedBy)?.fact;
    const isBefore = fact.saidAt <= known.fact.saidAt || (correction !== undefined && fact.saidAt <= correction.saidAt);
    return isBefore && validAt === fact.validAt && (validAt !== null || isSameWording(known, stated));
  });
  return found?.fact ?? null;
}

/** Returns all facts after the fact `corrects` was corrected: it is not believed for any time, and what it ended goes on. */
export function correctFacts(
  all: readonly CompetingFact[],
  { corrects, by, rules }: { readonly corrects: string; readonly by: string; readonly rules: Rules },
): readonly CompetingFact[] {
  const named = all.find(({ fact }) => fact.uuid === corrects);
  if (named === undefined) return all;
  // Another wording of the same edge is the same error.
  const isWrong = (known: CompetingFact): boolean =>
    known === named ||
    (named.fact.validAt !== null &&
      known.targetUuid === named.targetUuid &&
      known.fact.isNegated === named.fact.isNegated &&
      known.fact.validAt === named.fact.validAt);
  const wrong = new Set(all.filter(isWrong).map(({ fact }) => fact.uuid));
  const left = all.filter(({ fact }) => !wrong.has(fact.uuid));
  const corrected = all
    .filter(({ fact }) => wrong.has(fact.uuid))
    .map((known) => ({ ...known, fact: { ...withdraw(known.fact, by, rules.now), correctedBy: known.fact.correctedBy ?? by } }));
  return [...restoreFacts(left, wrong, rules), ...corrected];
}

/** Returns the facts `left` as if the facts `gone` had never been stated: what those ended or withdrew holds again. */
function restoreFacts(left: readonly CompetingFact[], gone: ReadonlySet<string>, rules: Rules): readonly CompetingFact[] {
  const isAffected = ({ fact }: CompetingFact): boolean =>
    fact.correctedBy === null &&
    (fact.withdrawnAt === null ? fact.cuts.some(({ by }) => by !== null && gone.has(by)) : gone.has(fact.withdrawnBy ?? ''));
  const competing = left.filter(({ fact }) => fact.correctedBy === null);
  let lines = left;
  const isPeriod = ({ fact }: CompetingFact): boolean => fact.validAt === null && fact.heldAt.length > 0;
  for (const known of left.filter(isAffected)) {
    if (isPeriod(known)) {
      const periods = lines.filter(
        (other) => isPeriod(other) && other.fact.withdrawnAt === null && other.fact.correctedBy === null && isSameWording(other, known),
      );
      if (periods.includes(known)) lines = replace(lines, renewPeriods(periods, competing, rules));
      continue;
    }
    const copy = { ...known, fact: renewed(known.fact, statedEnd(known.fact), rules) };
    const fact = resolveAdded(copy, competing, rules);
    lines = replace(lines, [
      { ...known, fact: { ...withdraw(known.fact, null, rules.now), withdrawnBy: fact.uuid } },
      { ...known, fact },
    ]);
  }
  return lines;
}

/** Replaces the lines that have changed, and adds the new ones. */
function replace(lines: readonly CompetingFact[], by: readonly CompetingFact[]): readonly CompetingFact[] {
  const changed = new Map(by.map((line) => [line.fact.uuid, line]));
  const known = new Set(lines.map(({ fact }) => fact.uuid));
  return [...lines.map((line) => changed.get(line.fact.uuid) ?? line), ...by.filter(({ fact }) => !known.has(fact.uuid))];
}
