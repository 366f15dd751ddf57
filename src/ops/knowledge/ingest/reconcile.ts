import { normalizeName } from '../../../extraction/names.ts';
import { valueKey } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { Cut } from '../stored/fact-line.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { effectOn, endsOf, isEnd } from './competing-facts.ts';
import type { CompetingFact, Effect } from './competing-facts.ts';

/** The effect of a stated fact: changed facts by uuid, and the added one, if any. */
export interface Reconciliation {
  readonly changed: ReadonlyMap<string, StoredFact>;
  readonly added: StoredFact | null;
  /** Uuid of the fact that makes the statement, new or existing. */
  readonly uuid: string;
}

/** Episodes and statement times that one fact lists, so that its line stays readable. */
const MAX_LISTED = 100;

/** `now` is the system time; `isSingle`: an entity has one value of the relation at a time. */
interface Rules {
  readonly now: string;
  readonly isSingle: boolean;
}

/**
 * Reconciles a stated fact with the known facts of its source (S3-36 to S3-42; docs/guide.md, When facts change).
 *
 * Facts compete if they have the same relation and qualifiers and the same target, or any target if the relation is `single`. A fact counts
 * from its `valid_at`, or without one from when it was last stated; a fact that was over when it was stated counts from no time. Of two
 * competing facts the earlier one ends where the later one begins, and is expired once that time has come. If both count from the same time,
 * the one stated last wins. A negation competes with what it negates. Statements of one edge (the same target and `valid_at`) are merged: the
 * latest wording and the earliest end win.
 *
 * The result depends on what was stated and when, not on the order of ingestion. Earlier beliefs are retained, with the system times during
 * which they were held. Repeating a fact only adds its episode.
 */
export function reconcile(stated: CompetingFact, known: readonly CompetingFact[], rules: Rules): Reconciliation {
  const key = relationKey(stated.fact);
  const competing = known.filter(({ fact }) => relationKey(fact) === key && canCompete(fact));
  const edge = competing.filter((fact) => isSameEdge(fact, stated));
  const latest = findLatest(edge);
  const merged = latest === null ? null : (mergeStatement(latest, { stated, competing, rules }) ?? mergeEarlierStatement(edge, stated));
  const changed = new Map<string, StoredFact>();
  if (merged !== null) changed.set(merged.uuid, merged);
  // An end that another fact made is worked out again below, with its cause.
  const knownEnd = latest === null ? stated.fact.invalidAt : commonEnd(stated.fact, withoutEffects(latest.fact, isAnyUuid));
  const added = merged === null ? resolveAdded({ ...stated, fact: { ...stated.fact, invalidAt: knownEnd } }, competing, rules) : null;
  const { uuid } = merged ?? added ?? stated.fact;
  for (const other of competing) {
    if (other.fact.uuid === merged?.uuid) continue;
    const effect = effectOn(other, stated, { isSingle: rules.isSingle, isBreakerNewer: true });
    const fact = effect === null ? other.fact : applyEffect(other.fact, { effect, by: uuid }, rules.now);
    if (fact !== other.fact) changed.set(fact.uuid, fact);
  }
  return { changed, added, uuid };
}

/**
 * Returns the facts that change if the facts `deleted` had never been stated: what they ended or withdrew is as it was before, unless another
 * fact ends it. `known`: the other facts of the source, oldest first.
 */
export function restore(
  deleted: ReadonlySet<string>,
  known: readonly CompetingFact[],
  rules: { readonly now: string; readonly isSingle: (relation: string) => boolean },
): readonly StoredFact[] {
  const left = known.map((each) => ({ ...each, fact: withoutEffects(each.fact, (by) => deleted.has(by)) }));
  return left.flatMap((of, position): readonly StoredFact[] => {
    const { fact } = of;
    if (fact === known[position]?.fact) return [];
    const competing = left.filter((other) => other !== of && relationKey(other.fact) === relationKey(fact) && canCompete(other.fact));
    const isNewer = (other: CompetingFact): boolean => left.indexOf(other) > position;
    const next = combineEffects(of, competing, { isSingle: rules.isSingle(fact.name), isNewer });
    if (next === null) return [fact];
    // It ends as of when that other fact was first known, as if the deleted one had never been there.
    const since = competing.find((other) => other.fact.uuid === next.by)?.fact.createdAt ?? rules.now;
    return [applyEffect(fact, next, since)];
  });
}

const isAnyUuid = (): boolean => true;

/** Returns the facts that change if all facts of a source are reconciled with each other: lines of people never were. */
export function reconcileAgain(
  known: readonly CompetingFact[],
  rules: { readonly now: string; readonly isSingle: (relation: string) => boolean },
): readonly StoredFact[] {
  return known.flatMap((of, position): readonly StoredFact[] => {
    if (!isBelieved(of.fact)) return [];
    const competing = known.filter((other) => other !== of && relationKey(other.fact) === relationKey(of.fact) && canCompete(other.fact));
    const isNewer = (other: CompetingFact): boolean => known.indexOf(other) > position;
    const next = combineEffects(of, competing, { isSingle: rules.isSingle(of.fact.name), isNewer });
    const fact = next === null ? of.fact : applyEffect(of.fact, next, rules.now);
    return fact === of.fact ? [] : [fact];
  });
}

/** Undoes what other facts did to a fact. Returns the same fact if they did nothing. */
function withoutEffects(fact: StoredFact, isUndoneBy: (uuid: string) => boolean): StoredFact {
  const isWithdrawn = fact.withdrawnBy !== null && isUndoneBy(fact.withdrawnBy);
  if (!isWithdrawn && !fact.cuts.some(({ by }) => by !== null && isUndoneBy(by))) return fact;
  const undone = new Set(isWithdrawn ? [fact.withdrawnAt] : []);
  const cuts: Cut[] = [];
  let end: string | null | undefined;
  for (const cut of fact.cuts) {
    const from = end === undefined ? cut.from : end;
    const isUndone = cut.by !== null && isUndoneBy(cut.by);
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
    ...(isWithdrawn ? { withdrawnAt: null, withdrawnBy: null } : {}),
  };
}

/** Returns the key that competing facts share: normalised relation and qualifiers. */
export function relationKey({ name, qualifiers }: Pick<StoredFact, 'name' | 'qualifiers'>): string {
  return `${normalizeName(name)}\n${qualifiers === null ? '' : valueKey(qualifiers as PropertyValue)}`;
}

/** Returns whether two facts state the same edge: the same target, negation and start (S3-36). */
function isSameEdge({ fact, targetUuid }: CompetingFact, stated: CompetingFact): boolean {
  return targetUuid === stated.targetUuid && fact.isNegated === stated.fact.isNegated && fact.validAt === stated.fact.validAt;
}

/** Returns the fact that was stated last; among equals, one that is not withdrawn. */
function findLatest(facts: readonly CompetingFact[]): CompetingFact | null {
  const rank = ({ fact }: CompetingFact): string => `${fact.saidAt} ${fact.withdrawnAt === null ? 1 : 0} ${fact.createdAt} ${fact.uuid}`;
  return facts.reduce<CompetingFact | null>((best, fact) => (best === null || rank(fact) > rank(best) ? fact : best), null);
}

/** Merges a repeated statement into a known fact. Returns null if it is another fact: worded differently, or stated after the known one ended. */
function mergeStatement(
  { fact: known, targetUuid }: CompetingFact,
  { stated, competing, rules }: { readonly stated: CompetingFact; readonly competing: readonly CompetingFact[]; readonly rules: Rules },
): StoredFact | null {
  const { fact } = stated;
  const isOlder = fact.saidAt < known.saidAt;
  let result = withEpisodes(known, fact);
  if (isOlder) {
    // The known fact was stated later, so it began again after an end stated earlier.
    if (fact.validAt !== null || (fact.invalidAt !== null && known.saidAt < fact.invalidAt))
      result = endAt(result, { end: fact.invalidAt, by: null }, rules.now);
  } else {
    if (normalizeName(fact.fact) !== normalizeName(known.fact)) return null;
    const end = commonEnd(fact, known);
    const combined = combineEffects({ fact: { ...fact, invalidAt: end }, targetUuid }, competing, rules);
    if (combined?.effect === 'withdrawn') result = withdraw(result, combined.by, rules.now);
    else {
      const last = combined === null ? { end, by: null } : { end: combined.effect.end, by: combined.by };
      if (known.withdrawnAt !== null || isEarlier(known.invalidAt, last.end)) return null;
      result = endAt(endAt(result, { end: fact.invalidAt, by: null }, rules.now), last, rules.now);
    }
  }
  const hasEnd = fact.validAt !== null || fact.invalidAt === null || endsOf(result).includes(fact.invalidAt);
  return hasEnd ? result : null;
}

/** Merges a statement of an edge's earlier period into the fact that already has its end; null if there is none. */
function mergeEarlierStatement(edge: readonly CompetingFact[], { fact }: CompetingFact): StoredFact | null {
  if (fact.invalidAt === null || edge.every((known) => known.fact.saidAt <= fact.saidAt)) return null;
  const known = edge.find((each) => each.fact.saidAt >= fact.saidAt && endsOf(each.fact).includes(fact.invalidAt ?? ''))?.fact;
  return known === undefined ? null : withEpisodes(known, fact);
}

/** Returns a new fact with the end that the competing facts give it. */
function resolveAdded({ fact, targetUuid }: CompetingFact, competing: readonly CompetingFact[], rules: Rules): StoredFact {
  const combined = combineEffects({ fact, targetUuid }, competing, rules);
  if (combined === null) return fact;
  const { effect, by } = combined;
  if (!isEnd(effect)) return { ...fact, expiredAt: rules.now, withdrawnAt: rules.now, withdrawnBy: by };
  return endAt(fact, { end: effect.end, by }, rules.now);
}

/** An effect with the uuid of the fact that has it. */
interface CausedEffect {
  readonly effect: Effect;
  readonly by: string;
}

/** Returns which of the effects of all other facts on a fact counts; null if none changes it. */
function combineEffects(
  of: CompetingFact,
  others: readonly CompetingFact[],
  { isSingle, isNewer = () => false }: { readonly isSingle: boolean; readonly isNewer?: (other: CompetingFact) => boolean },
): CausedEffect | null {
  let end = of.fact.invalidAt;
  let first: CausedEffect | null = null;
  for (const other of others) {
    const effect = effectOn(of, other, { isSingle, isBreakerNewer: isNewer(other) });
    if (effect === null) continue;
    if (!isEnd(effect)) return { effect, by: other.fact.uuid };
    if (!isEarlier(effect.end, end)) continue;
    ({ end } = effect);
    first = { effect, by: effect.by ?? other.fact.uuid };
  }
  return first;
}

function applyEffect(fact: StoredFact, { effect, by }: CausedEffect, now: string): StoredFact {
  if (!isEnd(effect)) return withdraw(fact, by, now);
  const ended = endAt(fact, { end: effect.end, by }, now);
  const isOver = ended !== fact && effect.isReplaced && effect.end <= now && fact.expiredAt === null;
  return isOver ? { ...ended, expiredAt: systemTime(fact, now) } : ended;
}

/** Returns whether a fact is believed for some time. A replaced fact is still believed for the time before its successor (S3-38). */
function isBelieved({ expiredAt, withdrawnAt, cuts }: StoredFact): boolean {
  return withdrawnAt === null && (expiredAt === null || cuts.some(({ at }) => at === expiredAt));
}

/** Returns whether a fact competes with others. One that a person expired does not. */
function canCompete(fact: StoredFact): boolean {
  return isBelieved(fact) || fact.withdrawnAt !== null;
}

/** Marks a fact as not believed for any time, because of the fact `by`. */
function withdraw(fact: StoredFact, by: string, now: string): StoredFact {
  if (fact.withdrawnAt !== null) return fact;
  const at = systemTime(fact, now);
  return { ...fact, expiredAt: fact.expiredAt ?? at, withdrawnAt: at, withdrawnBy: by };
}

/** Ends a fact at a time, unless it ends earlier, and records when this became known, and by which other fact. */
function endAt(fact: StoredFact, { end, by }: { readonly end: string | null; readonly by: string | null }, now: string): StoredFact {
  if (!isEarlier(end, fact.invalidAt)) return fact;
  return { ...fact, invalidAt: end, cuts: [...fact.cuts, { at: systemTime(fact, now), from: fact.invalidAt, by }] };
}

/** Returns the system time; it never decreases, even if the clock was set back. */
function systemTime({ createdAt, expiredAt, cuts }: StoredFact, now: string): string {
  return [createdAt, expiredAt ?? '', cuts.at(-1)?.at ?? ''].reduce((latest, at) => (at > latest ? at : latest), now);
}

function withEpisodes(known: StoredFact, { episodes, saidAt, heldAt, validAt }: StoredFact): StoredFact {
  return {
    ...known,
    episodes: [...new Set([...known.episodes, ...episodes])].slice(0, MAX_LISTED),
    saidAt: saidAt > known.saidAt ? saidAt : known.saidAt,
    heldAt: validAt === null ? [...new Set([...known.heldAt, ...heldAt])].sort().slice(-MAX_LISTED) : known.heldAt,
  };
}

/** Returns the earliest end of two statements of one edge; undated facts have separate ends. */
function commonEnd(fact: StoredFact, known: StoredFact): string | null {
  return fact.validAt !== null && isEarlier(known.invalidAt, fact.invalidAt) ? known.invalidAt : fact.invalidAt;
}

/** Returns whether an end is earlier than another; null is no end. */
function isEarlier(end: string | null, other: string | null): boolean {
  return end !== null && (other === null || end < other);
}
