import type { Cut } from '../stored/fact-line.ts';
import type { StoredFact } from '../stored/shapes.ts';
import type { CompetingFact, Effect } from './competing-facts.ts';
import { applyEffect, combineEffects, firstStart } from './fact-changes.ts';
import { periodAfter } from './periods.ts';
import { isCompeting, relationKey } from './reconcile.ts';

/**
 * Returns the facts that change when the facts `deleted` are removed: what they ended or withdrew holds again, unless another fact ends it.
 * `known`: the other facts of the source, oldest first.
 */
export function restoreEnded(
  deleted: ReadonlySet<string>,
  known: readonly CompetingFact[],
  rules: { readonly now: string; readonly isSingle: (relation: string) => boolean },
): readonly StoredFact[] {
  const left = known.map((each) => ({ ...each, fact: withoutEffects(each.fact, deleted) }));
  return left.flatMap((of, position): readonly StoredFact[] => {
    const { fact } = of;
    if (fact === known[position]?.fact) return [];
    const competing = left.filter((other) => other !== of && relationKey(other.fact) === relationKey(fact) && isCompeting(other.fact));
    const isNewer = (other: CompetingFact): boolean => left.indexOf(other) > position;
    const effect = earlierOf(
      combineEffects(of, firstStart(fact), competing, { isSingle: rules.isSingle(fact.name), isNewer }),
      periodAfter(of, competing),
    );
    if (effect === null) return [fact];
    // It ends as of when that other fact was first known, as if the deleted one had never been there.
    const since = competing.find((other) => other.fact.uuid === effect.by)?.fact.createdAt ?? rules.now;
    return [applyEffect(fact, effect, since)];
  });
}

/** Returns the facts that change if all facts of a source are reconciled with each other: lines of people never were. */
export function reconcileAgain(
  known: readonly CompetingFact[],
  rules: { readonly now: string; readonly isSingle: (relation: string) => boolean },
): readonly StoredFact[] {
  return known.flatMap((of, position): readonly StoredFact[] => {
    const { fact } = of;
    if (!isCompeting(fact) || fact.withdrawnAt !== null) return [];
    const competing = known.filter((other) => other !== of && relationKey(other.fact) === relationKey(fact) && isCompeting(other.fact));
    const isNewer = (other: CompetingFact): boolean => known.indexOf(other) > position;
    // A fact without valid time goes on from when it was last stated.
    const last = fact.heldAt.at(-1);
    const start = fact.validAt === null && last !== undefined ? { at: last, said: last } : firstStart(fact);
    const effect = combineEffects(of, start, competing, { isSingle: rules.isSingle(fact.name), isNewer });
    const changed = effect === null ? fact : applyEffect(fact, effect, rules.now);
    return changed === fact ? [] : [changed];
  });
}

function earlierOf(one: Effect | null, other: Effect | null): Effect | null {
  if (one === null || other === null) return one ?? other;
  return one.kind === 'ended' && other.kind === 'ended' && other.end < one.end ? other : one;
}

/** Undoes what other facts did to a fact. Returns the same fact if they did nothing. */
function withoutEffects(fact: StoredFact, of: ReadonlySet<string>): StoredFact {
  const isWithdrawn = of.has(fact.withdrawnBy ?? '');
  if (!isWithdrawn && !fact.cuts.some(({ by }) => of.has(by ?? ''))) return fact;
  const undone = new Set(isWithdrawn ? [fact.withdrawnAt] : []);
  const cuts: Cut[] = [];
  let end: string | null | undefined;
  for (const cut of fact.cuts) {
    const from = end === undefined ? cut.from : end;
    const isUndone = of.has(cut.by ?? '');
    if (isUndone) undone.add(cut.at);
    else cuts.push({ ...cut, from });
    end = isUndone ? from : undefined;
  }
  const isExpired = fact.expiredAt !== null && (!undone.has(fact.expiredAt) || cuts.some(({ at }) => at === fact.expiredAt));
  return {
    ...fact,
    invalidAt: end === undefined ? fact.invalidAt : end,
    cuts,
    expiredAt: isExpired ? fact.expiredAt : isWithdrawn ? null : fact.withdrawnAt,
    ...(isWithdrawn ? { withdrawnAt: null, withdrawnBy: null, correctedBy: null } : {}),
  };
}
