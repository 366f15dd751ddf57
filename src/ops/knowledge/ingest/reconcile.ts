import { normalizeName } from '../../../extraction/names.ts';
import { valueKey } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { StoredFact } from '../stored/shapes.ts';

/** A fact beside others of the same source, with the uuid of what it leads to. */
export interface Rival {
  readonly fact: StoredFact;
  readonly targetUuid: string;
}

/** What comes of a fact that is stated: the ones that change, by their uuid, and the one that is added, if it is. */
export interface Reconciled {
  readonly changed: ReadonlyMap<string, StoredFact>;
  readonly added: StoredFact | null;
  /** The uuid of the fact that says it: the new one, or the one that said it before. */
  readonly uuid: string;
}

/** Most episodes that one fact names: what everybody repeats stays a line that can be read. */
const MOST_EPISODES = 100;

/**
 * Brings a stated fact among those of its source (S3-36 to S3-42; docs/guide.md, When facts change).
 *
 * Facts are rivals that have the same relation and qualifiers and lead to the same end; of a relation that is `single`, to any end.
 * A fact counts from its `valid_at`, and where it names none from the time at which it was said last. Of two rivals whose times overlap the
 * one that counts from earlier ends where the later one begins; who was replaced that way by what holds already is expired. The end of a
 * fact is so the earliest of what is said of it, and the same facts in any order give the same answers.
 * The same fact again only adds its episode; in other words it replaces the older ones.
 */
export function reconcile(
  stated: Rival,
  rivals: readonly Rival[],
  { now, isSingle }: { readonly now: string; readonly isSingle: boolean },
): Reconciled {
  const key = relationKey(stated.fact);
  const alike = rivals.filter(({ fact }) => relationKey(fact) === key);
  const same = alike.filter(({ targetUuid }) => targetUuid === stated.targetUuid);
  return stated.fact.isNegated ? negate(stated, same, now) : state(stated, { same, rivals: isSingle ? alike : same, now });
}

/** What facts have in common that may be rivals: the relation and its qualifiers, as names are compared. */
export function relationKey({ name, qualifiers }: Pick<StoredFact, 'name' | 'qualifiers'>): string {
  return `${normalizeName(name)}\n${qualifiers === null ? '' : valueKey(qualifiers as PropertyValue)}`;
}

/** What a fact counts from beside its rivals. */
function startOf({ validAt, saidAt }: StoredFact): string {
  return validAt ?? saidAt;
}

function state(
  stated: Rival,
  { same, rivals, now }: { readonly same: readonly Rival[]; readonly rivals: readonly Rival[]; readonly now: string },
): Reconciled {
  const changed = new Map<string, StoredFact>();
  const again = same.find(({ fact }) => isSameEdge(fact, stated.fact));
  let fact = stated.fact;
  let isRestated = false;
  if (again !== undefined) {
    const known = again.fact;
    const isSaidAnew = stated.fact.saidAt >= known.saidAt;
    if (normalizeName(known.fact) === normalizeName(fact.fact) || !isSaidAnew) {
      isRestated = true;
      fact = { ...withEpisodes(known, fact.episodes), saidAt: isSaidAnew ? fact.saidAt : known.saidAt };
      fact = endAt(fact, stated.fact.invalidAt, now);
    } else {
      // In other words: what was said before is kept as what was known then.
      changed.set(known.uuid, { ...known, expiredAt: now });
      fact = { ...fact, invalidAt: earliest(fact.invalidAt, known.invalidAt) };
    }
  }
  for (const { fact: denial } of same) {
    if (!denial.isNegated || denial.expiredAt !== null) continue;
    const [from, start] = [startOf(denial), startOf(fact)];
    if (from > start || (from === start && denial.saidAt > fact.saidAt))
      fact = isRestated ? endAt(fact, from, now) : { ...fact, invalidAt: earliest(fact.invalidAt, from) };
  }
  for (const { fact: rival } of rivals) {
    if (rival.uuid === fact.uuid || rival.isNegated || changed.has(rival.uuid) || !isBelieved(rival)) continue;
    const [start, other] = [startOf(fact), startOf(rival)];
    if (start < other || (start === other && winsTie(rival, fact))) {
      if (fact.invalidAt !== null && fact.invalidAt <= other) continue;
      if (start === other) fact = { ...fact, expiredAt: fact.expiredAt ?? now };
      else fact = isRestated ? endAt(fact, other, now) : { ...fact, invalidAt: other };
    } else {
      if (rival.invalidAt !== null && rival.invalidAt <= start) continue;
      if (start === other) changed.set(rival.uuid, { ...rival, expiredAt: rival.expiredAt ?? now });
      else changed.set(rival.uuid, replaceFrom(rival, start, now));
    }
  }
  if (!isRestated) return { changed, added: fact, uuid: fact.uuid };
  changed.set(fact.uuid, fact);
  return { changed, added: null, uuid: fact.uuid };
}

/** Ends what held until the relation is said not to hold, and keeps that it was said. */
function negate(stated: Rival, same: readonly Rival[], now: string): Reconciled {
  const changed = new Map<string, StoredFact>();
  const from = startOf(stated.fact);
  for (const { fact } of same) {
    if (fact.isNegated || !isBelieved(fact)) continue;
    const start = startOf(fact);
    if (start > from || (start === from && fact.saidAt > stated.fact.saidAt)) continue;
    if (fact.invalidAt !== null && fact.invalidAt <= from) continue;
    changed.set(fact.uuid, start === from ? { ...fact, expiredAt: fact.expiredAt ?? now } : endAt(fact, from, now));
  }
  const again = same.find(({ fact }) => fact.isNegated && fact.expiredAt === null && fact.validAt === stated.fact.validAt);
  if (again === undefined) return { changed, added: stated.fact, uuid: stated.fact.uuid };
  const { fact } = again;
  const saidAt = fact.saidAt > stated.fact.saidAt ? fact.saidAt : stated.fact.saidAt;
  changed.set(fact.uuid, { ...withEpisodes(fact, stated.fact.episodes), saidAt });
  return { changed, added: null, uuid: fact.uuid };
}

/** Whether a stated fact is one that is known: the same start, and not one that was over when it was said again (S3-36). */
function isSameEdge(known: StoredFact, stated: StoredFact): boolean {
  if (known.isNegated || known.expiredAt !== null || known.validAt !== stated.validAt) return false;
  return stated.validAt !== null || known.invalidAt === null || known.invalidAt > stated.saidAt;
}

/** Whether a fact takes part: what is expired does only with the time that it was left with. */
function isBelieved({ expiredAt, cuts }: StoredFact): boolean {
  return expiredAt === null || cuts.some(({ at }) => at === expiredAt);
}

/** Of two that count from the same time the one that was said last wins, then the one that was known last, then the lower uuid (S3-38). */
function winsTie(known: StoredFact, stated: StoredFact): boolean {
  if (known.saidAt !== stated.saidAt) return known.saidAt > stated.saidAt;
  if (known.createdAt !== stated.createdAt) return known.createdAt > stated.createdAt;
  // Known in the same instant: what comes later in one request.
  return false;
}

/** A fact that another one replaces from a time on: expired where that time has come. */
function replaceFrom(fact: StoredFact, start: string, now: string): StoredFact {
  const ended = endAt(fact, start, now);
  return start <= now && ended.expiredAt === null ? { ...ended, expiredAt: now } : ended;
}

/** A fact that ends at a time, or where it ends before; when that was learnt is kept. */
function endAt(fact: StoredFact, end: string | null, now: string): StoredFact {
  if (end === null || (fact.invalidAt !== null && fact.invalidAt <= end)) return fact;
  return { ...fact, invalidAt: end, cuts: [...fact.cuts, { at: now, from: fact.invalidAt }] };
}

function withEpisodes(fact: StoredFact, episodes: readonly string[]): StoredFact {
  return { ...fact, episodes: [...new Set([...fact.episodes, ...episodes])].slice(0, MOST_EPISODES) };
}

function earliest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
