import type { StoredFact } from '../stored/shapes.ts';

/** A fact among others of the same source, with the uuid of its target. */
export interface CompetingFact {
  readonly fact: StoredFact;
  readonly targetUuid: string;
}

/** The effect of one fact on another: it ends it, or leaves it valid at no time. */
export type Effect = End | 'withdrawn';

interface End {
  readonly end: string;
  readonly isReplaced: boolean;
  /** Uuid of a third fact that made this end; null if it comes from the fact that has the effect. */
  readonly by: string | null;
}

export function isEnd(effect: Effect): effect is End {
  return effect !== 'withdrawn';
}

/** When a fact begins to hold, and when that was stated. */
interface Start {
  readonly at: string;
  readonly said: string;
}

/** Returns the effect of a fact on another one of the same relation (S3-38 to S3-40); null for none. `isBreakerNewer` decides ties. */
export function effectOn(
  victim: CompetingFact,
  breaker: CompetingFact,
  { isSingle, isBreakerNewer }: { readonly isSingle: boolean; readonly isBreakerNewer: boolean },
): Effect | null {
  const [fact, other] = [victim.fact, breaker.fact];
  const isSameTarget = victim.targetUuid === breaker.targetUuid;
  if (!isSameTarget && (!isSingle || fact.isNegated || other.isNegated)) return null;
  const isLater = (said: string): boolean => said > fact.saidAt || (said === fact.saidAt && isBreakerNewer);
  const isSameKind = isSameTarget && fact.isNegated === other.isNegated;
  if (isSameKind && fact.validAt === other.validAt) {
    if (isLater(other.saidAt)) return 'withdrawn';
    return fact.validAt === null ? firstEnd(other, fact.saidAt) : null;
  }
  const from = fact.validAt ?? fact.saidAt;
  let end: string | null = null;
  for (const start of startsOf(other)) {
    const isTie = start.at === from && isLater(start.said);
    if (isTie && fact.validAt !== null) return 'withdrawn';
    if ((isTie || start.at > from) && (end === null || start.at < end)) end = start.at;
  }
  const over = isSameKind && other.validAt === null ? firstEnd(other, from) : null;
  if (over !== null && (end === null || over.end < end)) return over;
  return end === null ? null : { end, isReplaced: !fact.isNegated && !other.isNegated, by: null };
}

/** Returns when a fact begins to hold: at `valid_at`, else each time it was stated. A fact that is valid at no time has no start. */
function startsOf({ validAt, invalidAt, saidAt, heldAt, cuts }: StoredFact): readonly Start[] {
  if (validAt === null) return heldAt.map((said) => ({ at: said, said }));
  return invalidAt === validAt && cuts.length === 0 ? [] : [{ at: validAt, said: saidAt }];
}

/** Returns the present and all earlier ends of a fact. */
export function endsOf({ invalidAt, cuts }: StoredFact): readonly string[] {
  return [invalidAt, ...cuts.map(({ from }) => from)].filter((end) => end !== null);
}

/** Returns the first end of a fact after a time, with the fact that made it. */
function firstEnd({ invalidAt, cuts }: StoredFact, after: string): End | null {
  let first: End | null = null;
  for (let at = 0; at <= cuts.length; at += 1) {
    const end = at === cuts.length ? invalidAt : (cuts[at]?.from ?? null);
    if (end !== null && end > after && (first === null || end < first.end))
      first = { end, isReplaced: false, by: cuts[at - 1]?.by ?? null };
  }
  return first;
}
