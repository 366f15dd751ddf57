import type { StoredFact } from '../stored/shapes.ts';

/** A fact beside others of the same source, with the uuid of what it leads to. */
export interface Rival {
  readonly fact: StoredFact;
  readonly targetUuid: string;
}

/** What one fact does to another one: it ends it, or leaves it no time at all. */
export type Effect = { readonly end: string; readonly isReplaced: boolean } | 'gone';

export function isEnd(effect: Effect): effect is Exclude<Effect, 'gone'> {
  return effect !== 'gone';
}

/** When a fact is said to begin to hold, and when that was said. */
interface Start {
  readonly at: string;
  readonly said: string;
}

/** What a fact does to another one of the same relation (S3-38 to S3-40); null: nothing. `isBreakerNewer` decides where both were said at the same time. */
export function effectOn(
  victim: Rival,
  breaker: Rival,
  { isSingle, isBreakerNewer }: { readonly isSingle: boolean; readonly isBreakerNewer: boolean },
): Effect | null {
  const [fact, other] = [victim.fact, breaker.fact];
  const isSameTarget = victim.targetUuid === breaker.targetUuid;
  if (!isSameTarget && (!isSingle || fact.isNegated || other.isNegated)) return null;
  const isLater = (said: string): boolean => said > fact.saidAt || (said === fact.saidAt && isBreakerNewer);
  const isSameKind = isSameTarget && fact.isNegated === other.isNegated;
  if (isSameKind && fact.validAt === other.validAt) {
    if (isLater(other.saidAt)) return 'gone';
    return fact.validAt === null ? firstEnd(endsOf(other), fact.saidAt) : null;
  }
  const from = fact.validAt ?? fact.saidAt;
  let end: string | null = null;
  for (const start of startsOf(other)) {
    const isTie = start.at === from && isLater(start.said);
    if (isTie && fact.validAt !== null) return 'gone';
    if ((isTie || start.at > from) && (end === null || start.at < end)) end = start.at;
  }
  const over = isSameKind && other.validAt === null ? firstEnd(endsOf(other), from) : null;
  if (over !== null && (end === null || over.end < end)) return over;
  return end === null ? null : { end, isReplaced: !fact.isNegated && !other.isNegated };
}

/** From when on a fact is said to hold: from its `valid_at`, else from each time at which it was said. What holds of no time begins at none. */
function startsOf({ validAt, invalidAt, saidAt, heldAt, cuts }: StoredFact): readonly Start[] {
  if (validAt === null) return heldAt.map((said) => ({ at: said, said }));
  return invalidAt === validAt && cuts.length === 0 ? [] : [{ at: validAt, said: saidAt }];
}

/** Every end that a fact had. */
export function endsOf({ invalidAt, cuts }: StoredFact): readonly string[] {
  return [invalidAt, ...cuts.map(({ from }) => from)].filter((end) => end !== null);
}

function firstEnd(ends: readonly string[], after: string): Exclude<Effect, 'gone'> | null {
  const first = ends.filter((end) => end > after).sort()[0];
  return first === undefined ? null : { end: first, isReplaced: false };
}
