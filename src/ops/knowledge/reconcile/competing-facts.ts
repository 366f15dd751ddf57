import { normalizeName } from '../../../extraction/names.ts';
import type { StoredFact } from '../stored/shapes.ts';

/** A fact among others of the same source, with the uuid of its target. */
export interface CompetingFact {
  readonly fact: StoredFact;
  readonly targetUuid: string;
}

/** The effect of the fact `by` on another one: it ends it, or leaves it valid at no time. */
export type Effect =
  | { readonly kind: 'ended'; readonly end: string; readonly isReplaced: boolean; readonly by: string }
  | { readonly kind: 'withdrawn'; readonly by: string };

/** When a fact begins to hold, and when that was stated. */
export interface Start {
  readonly at: string;
  readonly said: string;
}

/** Whether an entity has one value of the relation, and whether the other fact wins if both were stated at the same time. */
export interface EffectRules {
  readonly isSingle: boolean;
  readonly isBreakerNewer: boolean;
}

/**
 * Returns the effect of a fact on another one of the same relation, from a start of it (S3-38 to S3-40); null for none. Without a start the
 * fact was over when it was stated, and only gives way to what was said of that later.
 */
export function effectOn(
  victim: CompetingFact,
  start: Start | undefined,
  breaker: CompetingFact,
  { isSingle, isBreakerNewer }: EffectRules,
): Effect | null {
  const [fact, other] = [victim.fact, breaker.fact];
  const isSameTarget = victim.targetUuid === breaker.targetUuid;
  if (!isSameTarget && (!isSingle || fact.isNegated || other.isNegated)) return null;
  const isSameKind = isSameTarget && fact.isNegated === other.isNegated;
  const by = other.uuid;
  const isLater = (said: string, than: string): boolean => said > than || (said === than && isBreakerNewer);
  if (start === undefined) return isSameKind && isOver(other) && isLater(other.saidAt, fact.saidAt) ? { kind: 'withdrawn', by } : null;
  if (isSameKind && fact.validAt !== null && fact.validAt === other.validAt)
    return isLater(other.saidAt, fact.saidAt) ? { kind: 'withdrawn', by } : null;
  let end: string | null = null;
  // The same words again go on with what holds already.
  for (const next of isSameWording(victim, breaker) ? [] : startsOf(other)) {
    const isTie = next.at === start.at && isLater(next.said, start.said);
    if (isTie && fact.validAt !== null) return { kind: 'withdrawn', by };
    if ((isTie || next.at > start.at) && (end === null || next.at < end)) end = next.at;
  }
  const isReplaced = !fact.isNegated && !other.isNegated;
  const stated = isSameKind && other.validAt === null ? firstAfter(statedEnds(other), start.at) : null;
  if (stated !== null && (end === null || stated < end)) return { kind: 'ended', end: stated, isReplaced: false, by };
  return end === null ? null : { kind: 'ended', end, isReplaced, by };
}

/** Returns whether two facts without valid time say the same in the same words. */
export function isSameWording(one: CompetingFact, other: CompetingFact): boolean {
  const [a, b] = [one.fact, other.fact];
  const isSameKind = one.targetUuid === other.targetUuid && a.isNegated === b.isNegated && a.validAt === null && b.validAt === null;
  return isSameKind && normalizeName(a.fact) === normalizeName(b.fact);
}

/** Returns when a fact begins to hold: at `valid_at`, else each time it was stated. A fact that is valid at no time has no start. */
export function startsOf({ validAt, invalidAt, saidAt, heldAt, cuts }: StoredFact): readonly Start[] {
  if (validAt === null) return heldAt.map((said) => ({ at: said, said }));
  return invalidAt === validAt && cuts.length === 0 ? [] : [{ at: validAt, said: saidAt }];
}

/** Returns whether a fact without valid time was over when it was stated. */
export function isOver({ validAt, heldAt }: StoredFact): boolean {
  return validAt === null && heldAt.length === 0;
}

/** Returns the ends that were stated of a fact itself; other facts caused the remaining ones. */
export function statedEnds({ invalidAt, cuts }: StoredFact): readonly string[] {
  const ends = [cuts[0] === undefined ? invalidAt : cuts[0].from];
  for (const [at, { by }] of cuts.entries()) {
    const next = cuts[at + 1];
    if (by === null) ends.push(next === undefined ? invalidAt : next.from);
  }
  return ends.filter((end) => end !== null);
}

/** Returns the earliest end that was stated of a fact itself; null for none. */
export function statedEnd(fact: StoredFact): string | null {
  return firstAfter(statedEnds(fact), '');
}

function firstAfter(times: readonly string[], after: string): string | null {
  let first: string | null = null;
  for (const time of times) if (time > after && (first === null || time < first)) first = time;
  return first;
}
