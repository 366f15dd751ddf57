import { normalizeName } from '../../../extraction/names.ts';
import { valueKey } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { effectOn, endsOf, isEnd } from './rivals.ts';
import type { Rival } from './rivals.ts';

/** What comes of a fact that is stated: the ones that change, by their uuid, and the one that is added, if it is. */
export interface Reconciled {
  readonly changed: ReadonlyMap<string, StoredFact>;
  readonly added: StoredFact | null;
  /** The uuid of the fact that says it: the new one, or the one that said it before. */
  readonly uuid: string;
}

/** Most episodes, and most times at which it was said, that one fact names: what everybody repeats stays a line that can be read. */
const MAX_LISTED = 100;

/** By which rules and when, in system time, a fact is stated. */
interface Rules {
  readonly now: string;
  readonly isSingle: boolean;
}

/**
 * Brings a stated fact among those of its source (S3-36 to S3-42; docs/guide.md, When facts change).
 *
 * Facts are rivals that have the same relation and qualifiers and lead to the same end; of a relation that is `single`, to any end.
 * A fact counts from its `valid_at`, and where it names none from the time at which it was said last; what was over when it was said
 * counts from no time. Of two rivals the one that counts from earlier ends where the later one begins, and is expired once that time
 * has come; of two that count from the same time the one that was said last holds. A negation is a rival of what it denies. Of what is
 * said of one edge (the same ends, the same `valid_at`) the words that were said last hold, and the earliest end.
 *
 * All of this follows from what was said and when, not from the order in which it came: the same facts in any order give the same answers.
 * What was known before is kept, with the system times between which it was known. The same fact again only adds its episode.
 */
export function reconcile(stated: Rival, known: readonly Rival[], rules: Rules): Reconciled {
  const key = relationKey(stated.fact);
  // What a person expired counts no more.
  const rivals = known.filter(({ fact }) => relationKey(fact) === key && (isBelieved(fact) || fact.withdrawnAt !== null));
  const edge = rivals.filter((rival) => isSameEdge(rival, stated));
  const again = newest(edge);
  const brought = again === null ? null : (bringInto(again, { stated, rivals, rules }) ?? saidBefore(edge, stated));
  const changed = new Map<string, StoredFact>();
  if (brought !== null) changed.set(brought.uuid, brought);
  const spoken = again === null ? stated.fact : { ...stated.fact, invalidAt: commonEnd(stated.fact, again.fact) };
  const added = brought === null ? asAdded({ ...stated, fact: spoken }, rivals, rules) : null;
  for (const rival of rivals) {
    if (rival.fact.uuid === brought?.uuid) continue;
    const effect = effectOn(rival, stated, { isSingle: rules.isSingle, isBreakerNewer: true });
    const fact = effect === null ? rival.fact : change(rival.fact, effect, rules.now);
    if (fact !== rival.fact) changed.set(fact.uuid, fact);
  }
  return { changed, added, uuid: (brought ?? added ?? stated.fact).uuid };
}

/** What facts have in common that may be rivals: the relation and its qualifiers, as names are compared. */
export function relationKey({ name, qualifiers }: Pick<StoredFact, 'name' | 'qualifiers'>): string {
  return `${normalizeName(name)}\n${qualifiers === null ? '' : valueKey(qualifiers as PropertyValue)}`;
}

/** Whether two state the same edge: it leads to the same end from the same time, or is denied of it so (S3-36). */
function isSameEdge({ fact, targetUuid }: Rival, stated: Rival): boolean {
  return targetUuid === stated.targetUuid && fact.isNegated === stated.fact.isNegated && fact.validAt === stated.fact.validAt;
}

/** Of facts that state one edge the one that was said last; of those that said it then the one that holds. */
function newest(rivals: readonly Rival[]): Rival | null {
  const rank = ({ fact }: Rival): string => `${fact.saidAt} ${fact.withdrawnAt === null ? 1 : 0} ${fact.createdAt} ${fact.uuid}`;
  return rivals.reduce<Rival | null>((best, rival) => (best === null || rank(rival) > rank(best) ? rival : best), null);
}

/** The known fact with what is stated of it again; null where that is another fact: in other words, or after the known one was over. */
function bringInto(
  { fact: known, targetUuid }: Rival,
  { stated, rivals, rules }: { readonly stated: Rival; readonly rivals: readonly Rival[]; readonly rules: Rules },
): StoredFact | null {
  const { fact } = stated;
  const isOlder = fact.saidAt < known.saidAt;
  let result = withEpisodes(known, fact);
  if (isOlder) {
    // What was said later began anew after an end that was said before.
    if (fact.validAt !== null || (fact.invalidAt !== null && known.saidAt < fact.invalidAt))
      result = endAt(result, fact.invalidAt, rules.now);
  } else {
    if (normalizeName(fact.fact) !== normalizeName(known.fact)) return null;
    const { end, isGone } = outcomeOf({ fact: { ...fact, invalidAt: commonEnd(fact, known) }, targetUuid }, rivals, rules);
    if (!isGone && (known.withdrawnAt !== null || isEarlier(known.invalidAt, end))) return null;
    result = isGone ? withdraw(result, rules.now) : endAt(endAt(result, fact.invalidAt, rules.now), end, rules.now);
  }
  const isKept = fact.validAt !== null || fact.invalidAt === null || endsOf(result).includes(fact.invalidAt);
  return isKept ? result : null;
}

/** A fact that was over before the edge was said anew, and is stated again as it was then. */
function saidBefore(edge: readonly Rival[], { fact }: Rival): StoredFact | null {
  if (fact.invalidAt === null || edge.every((known) => known.fact.saidAt <= fact.saidAt)) return null;
  const known = edge.find((each) => each.fact.saidAt >= fact.saidAt && endsOf(each.fact).includes(fact.invalidAt ?? ''))?.fact;
  return known === undefined ? null : withEpisodes(known, fact);
}

/** A fact that is new, as it stands among those that are known. */
function asAdded({ fact, targetUuid }: Rival, rivals: readonly Rival[], rules: Rules): StoredFact {
  const { end, isGone } = outcomeOf({ fact, targetUuid }, rivals, rules);
  if (isGone) return { ...fact, expiredAt: rules.now, withdrawnAt: rules.now };
  return endAt(fact, end, rules.now);
}

/** What all others make of a fact. */
function outcomeOf(of: Rival, others: readonly Rival[], { isSingle }: Rules): { readonly end: string | null; readonly isGone: boolean } {
  let end = of.fact.invalidAt;
  for (const other of others) {
    const effect = effectOn(of, other, { isSingle, isBreakerNewer: false });
    if (effect === null) continue;
    if (!isEnd(effect)) return { end, isGone: true };
    if (isEarlier(effect.end, end)) ({ end } = effect);
  }
  return { end, isGone: false };
}

function change(fact: StoredFact, effect: NonNullable<ReturnType<typeof effectOn>>, now: string): StoredFact {
  if (!isEnd(effect)) return withdraw(fact, now);
  const ended = endAt(fact, effect.end, now);
  const isOver = ended !== fact && effect.isReplaced && effect.end <= now && fact.expiredAt === null;
  return isOver ? { ...ended, expiredAt: systemTime(fact, now) } : ended;
}

/** Whether a fact is held true of some time: what is expired is of the time that it was left with (S3-38). */
function isBelieved({ expiredAt, withdrawnAt, cuts }: StoredFact): boolean {
  return withdrawnAt === null && (expiredAt === null || cuts.some(({ at }) => at === expiredAt));
}

/** A fact that is true of no time any more. */
function withdraw(fact: StoredFact, now: string): StoredFact {
  if (fact.withdrawnAt !== null) return fact;
  const at = systemTime(fact, now);
  return { ...fact, expiredAt: fact.expiredAt ?? at, withdrawnAt: at };
}

/** A fact that ends at a time, or where it ends before; when that was learnt is kept. */
function endAt(fact: StoredFact, end: string | null, now: string): StoredFact {
  if (!isEarlier(end, fact.invalidAt)) return fact;
  return { ...fact, invalidAt: end, cuts: [...fact.cuts, { at: systemTime(fact, now), from: fact.invalidAt }] };
}

/** System time only grows, also where the clock was put back. */
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

/** The end that two statements of one edge have together; of undated ones each has its own. */
function commonEnd(fact: StoredFact, known: StoredFact): string | null {
  return fact.validAt !== null && isEarlier(known.invalidAt, fact.invalidAt) ? known.invalidAt : fact.invalidAt;
}

/** Whether an end comes before another one; null: none. */
function isEarlier(end: string | null, other: string | null): boolean {
  return end !== null && (other === null || end < other);
}
