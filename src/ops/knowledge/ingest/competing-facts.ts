import type { StoredFact } from '../stored/shapes.ts';

/** A fact among others of the same source, with the uuid of its target. */
export interface CompetingFact {
  readonly fact: StoredFact;
  readonly targetUuid: string;
}

/** The effect of one fact on another: it ends it, or leaves it valid at no time. */
export type Effect = { readonly end: string; readonly isReplaced: boolean } | 'withdrawn';

export function isEnd(effect: Effect): effect is Exclude<Effect, 'withdrawn'> {
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
    return fact.validAt === null ? firstEnd(endsOf(other), fact.saidAt) : null;
  }
  const from = fact.validAt ?? fact.saidAt;
  let end: string | null = null;
  for (const start of startsOf(other)) {
    const isTie = start.at === from && isLater(start.said);
    if (isTie && fact.validAt !== null) return 'withdrawn';
    if ((isTie || start.at > from) && (end === null || start.at < end)) end = start.at;
  }
  const over = isSameKind && other.validAt === null ? firstEnd(endsOf(other), from) : null;
  if (over !== null && (end === null || over.end < end)) return over;
  return end === null ? null : { end, isReplaced: !fact.isNegated && !other.isNegated };
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

function firstEnd(ends: readonly string[], after: string): Exclude<Effect, 'withdrawn'> | null {
  const first = ends.filter((end) => end > after).sort()[0];
  return first === undefined ? null : { end: first, isReplaced: false };
}
