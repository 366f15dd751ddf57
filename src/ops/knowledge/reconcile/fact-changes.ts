import type { StoredFact } from '../stored/shapes.ts';
import { effectOn, statedEnds } from './competing-facts.ts';
import type { CompetingFact, Effect, Start } from './competing-facts.ts';

/** What a reconciliation needs besides the facts. */
export interface Rules {
  /** The system time. */
  readonly now: string;
  /** Whether an entity has one value of the relation at a time. */
  readonly isSingle: boolean;
  /** Returns a new uuid, for a period of a fact that becomes one of its own. */
  readonly newId: () => string;
  /** Returns when an episode was said, from its link text; null if it is not known. */
  readonly timeOf: (episode: string) => string | null;
}

/** Episodes and statement times that one fact lists, so that its line stays readable. */
const MAX_LISTED = 100;

/** Returns from when a fact counts first: `valid_at`, else when it was first stated; undefined if it was over by then. */
export function firstStart({ validAt, saidAt, heldAt: [first] }: StoredFact): Start | undefined {
  if (validAt !== null) return { at: validAt, said: saidAt };
  return first === undefined ? undefined : { at: first, said: first };
}

/** Combines the effects of all other facts on a fact: what withdraws it, else the earliest end. */
export function combineEffects(
  of: CompetingFact,
  start: Start | undefined,
  others: readonly CompetingFact[],
  { isSingle, isNewer = () => false }: Pick<Rules, 'isSingle'> & { readonly isNewer?: (other: CompetingFact) => boolean },
): Effect | null {
  let first: Extract<Effect, { kind: 'ended' }> | null = null;
  for (const other of others) {
    if (other.fact.uuid === of.fact.uuid) continue;
    const effect = effectOn(of, start, other, { isSingle, isBreakerNewer: isNewer(other) });
    if (effect?.kind === 'withdrawn') return effect;
    if (effect !== null && (first === null || effect.end < first.end)) first = effect;
  }
  return first;
}

/** Returns a new fact with the end that the competing facts give it. */
export function resolveAdded(stated: CompetingFact, competing: readonly CompetingFact[], rules: Rules): StoredFact {
  const { fact } = stated;
  const effect = combineEffects(stated, firstStart(fact), competing, rules);
  if (effect === null) return fact;
  if (effect.kind === 'withdrawn') return withdraw(fact, effect.by, rules.now);
  return endAt(fact, effect.end, effect.by, rules.now);
}

/** Returns a fact as if it was stated now, without what other facts did to it. */
export function renewed(fact: StoredFact, end: string | null, { now, newId }: Pick<Rules, 'now' | 'newId'>): StoredFact {
  const uuid = newId();
  const unaffected = { expiredAt: null, withdrawnAt: null, withdrawnBy: null, cuts: [], earlierStarts: [], verified: [], staleAfter: null };
  return { ...fact, ...unaffected, id: uuid, uuid, createdAt: now, invalidAt: end, line: null };
}

/** Applies an effect to an existing fact, which is expired if its successor holds already. */
export function applyEffect(fact: StoredFact, effect: Effect, now: string): StoredFact {
  if (effect.kind === 'withdrawn') return withdraw(fact, effect.by, now);
  const ended = endAt(fact, effect.end, effect.by, now);
  const isReplaced = ended !== fact && effect.isReplaced && effect.end <= now && fact.expiredAt === null;
  return isReplaced ? { ...ended, expiredAt: systemTime(fact, now) } : ended;
}

/** Marks a fact as not believed for any time, because of another one. */
export function withdraw(fact: StoredFact, by: string | null, now: string): StoredFact {
  if (fact.withdrawnAt !== null) return fact;
  const at = systemTime(fact, now);
  return { ...fact, expiredAt: fact.expiredAt ?? at, withdrawnAt: at, withdrawnBy: by };
}

/** Ends a fact at a time, unless it ends earlier, and records when this became known, and the cause. */
export function endAt(fact: StoredFact, end: string | null, by: string | null, now: string): StoredFact {
  if (!isEarlier(end, fact.invalidAt)) return fact;
  return {
    ...fact,
    invalidAt: end,
    cuts: [...fact.cuts, { at: systemTime(fact, now), from: fact.invalidAt, by: by === fact.uuid ? null : by }],
  };
}

/** Ends a fact at a time that was stated of it. An end after the present one is recorded too: it counts if the cause of that one is corrected. */
export function endAsStated(fact: StoredFact, end: string | null, now: string): StoredFact {
  if (end === null || statedEnds(fact).includes(end)) return fact;
  if (isEarlier(end, fact.invalidAt)) return endAt(fact, end, null, now);
  const at = systemTime(fact, now);
  const by = fact.cuts.at(-1)?.by ?? null;
  return { ...fact, cuts: [...fact.cuts, { at, from: fact.invalidAt, by: null }, { at, from: end, by }] };
}

/** Returns the system time; it never decreases, even if the clock was set back. */
export function systemTime({ createdAt, expiredAt, cuts, earlierStarts }: StoredFact, now: string): string {
  const times = [createdAt, expiredAt ?? '', cuts.at(-1)?.at ?? '', earlierStarts.at(-1)?.at ?? ''];
  return times.reduce((latest, at) => (at > latest ? at : latest), now);
}

/** Adds another statement of a fact: its episodes, and when it was said. */
export function withStatement(known: StoredFact, { episodes, saidAt, heldAt, isSingle }: StoredFact, now: string): StoredFact {
  const held = known.validAt === null ? [...new Set([...known.heldAt, ...heldAt])].sort() : known.heldAt;
  const [before, first] = [known.heldAt[0], held[0]];
  const isEarlierStart = before !== undefined && first !== undefined && first < before;
  return {
    ...known,
    isSingle: known.isSingle || isSingle,
    episodes: [...new Set([...known.episodes, ...episodes])].slice(0, MAX_LISTED),
    saidAt: saidAt > known.saidAt ? saidAt : known.saidAt,
    // The first one is the start.
    heldAt: held.length > MAX_LISTED ? [...held.slice(0, 1), ...held.slice(1 - MAX_LISTED)] : held,
    earlierStarts: isEarlierStart ? [...known.earlierStarts, { at: systemTime(known, now), from: before }] : known.earlierStarts,
  };
}

/** Returns whether an end is earlier than another; null is no end. */
export function isEarlier(end: string | null, other: string | null): boolean {
  return end !== null && (other === null || end < other);
}
