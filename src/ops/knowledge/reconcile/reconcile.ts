import { normalizeName, normalizeRelation } from '../../../extraction/names.ts';
import { valueKey } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { effectOn, isOver, statedEnd } from './competing-facts.ts';
import type { CompetingFact } from './competing-facts.ts';
import { correctFacts, isRepeatOfCorrected } from './corrections.ts';
import {
  applyEffect,
  combineEffects,
  endAsStated,
  endAt,
  firstStart,
  isEarlier,
  resolveAdded,
  withdraw,
  withStatement,
} from './fact-changes.ts';
import type { Rules } from './fact-changes.ts';
import { mergeIntoPeriod, splitPeriod } from './periods.ts';

/** The effect of a stated fact: changed facts by uuid, and added ones. */
export interface Reconciliation {
  readonly changed: ReadonlyMap<string, StoredFact>;
  readonly added: readonly CompetingFact[];
  /** Uuid of the fact that makes the statement, new or existing. */
  readonly uuid: string;
}

/**
 * Reconciles a stated fact with the known facts of its source (S3-36 to S3-42; docs/guide.md, When facts change).
 *
 * Facts compete if they have the same relation and qualifiers and the same target, or any target if the relation is one-valued. A fact counts
 * from its `valid_at`, or without one from each time it was stated; a fact that was over when it was stated counts from no time. Of two
 * competing facts the earlier one ends where the later one begins, and is expired once that time has come. If both count from the same time,
 * the one stated last wins. A negation competes with what it negates. Statements of one edge (the same target and `valid_at`) are merged: the
 * latest wording and the earliest end win. Statements without `valid_at` are merged if their words are the same and nothing comes between.
 * A fact that `corrects` another one (by uuid) takes its place, whatever their times: that one has no effect any more.
 *
 * The result depends on what was stated and when, not on the order of ingestion. Earlier beliefs are retained, with the system times during
 * which they were held. Repeating a fact only adds its episode.
 */
export function reconcile(
  stated: CompetingFact,
  known: readonly CompetingFact[],
  rules: Rules,
  corrects: string | null = null,
): Reconciliation {
  const key = relationKey(stated.fact);
  const all = known.filter(({ fact }) => relationKey(fact) === key);
  const corrected = isRepeatOfCorrected(stated, all);
  if (corrects === null && corrected !== null) {
    const fact = withStatement(corrected, stated.fact, rules.now);
    return { changed: new Map([[fact.uuid, fact]]), added: [], uuid: fact.uuid };
  }
  const before = corrects === null ? all : correctFacts(all, { corrects, by: stated.fact.uuid, rules });
  const { lines, uuid } = addStatement(stated, before, rules);
  const originals = new Map(all.map(({ fact }) => [fact.uuid, fact]));
  const changed = new Map<string, StoredFact>();
  const added: CompetingFact[] = [];
  for (const line of lines) {
    const fact = line.fact.correctedBy === stated.fact.uuid ? { ...line.fact, withdrawnBy: uuid, correctedBy: uuid } : line.fact;
    const original = originals.get(fact.uuid);
    if (original === undefined) added.push({ ...line, fact });
    else if (original !== fact) changed.set(fact.uuid, fact);
  }
  return { changed, added, uuid };
}

/** Returns the key that competing facts share: normalised relation and qualifiers. */
export function relationKey({ name, qualifiers }: Pick<StoredFact, 'name' | 'qualifiers'>): string {
  return `${normalizeRelation(name)}\n${qualifiers === null ? '' : valueKey(qualifiers as PropertyValue)}`;
}

/** Returns all facts after a statement, and the uuid of the one that makes it. */
function addStatement(
  stated: CompetingFact,
  all: readonly CompetingFact[],
  rules: Rules,
): { readonly lines: readonly CompetingFact[]; readonly uuid: string } {
  const competing = all.filter(({ fact }) => isCompeting(fact));
  const merged = mergeStatement(stated, competing, rules);
  const { uuid } = merged ?? stated.fact;
  const breaker = { ...stated, fact: { ...stated.fact, uuid } };
  const parts = { competing: [...competing, breaker], rules };
  const lines = all.flatMap((line): readonly CompetingFact[] => {
    const now = line.fact.uuid === merged?.uuid ? merged : line.fact;
    if (!isCompeting(now) || now.withdrawnAt !== null) return [{ ...line, fact: now }];
    if (now.validAt === null && now.heldAt.length > 0) {
      const { changed, added } = splitPeriod({ ...line, fact: now }, breaker, parts);
      return [{ ...line, fact: now === merged ? endAsStated(changed, stated.fact.invalidAt, rules.now) : changed }, ...added];
    }
    const effect = now === merged ? null : effectOn(line, firstStart(now), breaker, { isSingle: rules.isSingle, isBreakerNewer: true });
    return [{ ...line, fact: effect === null ? now : applyEffect(now, effect, rules.now) }];
  });
  if (merged !== null) return { lines, uuid };
  // Compared last, so that it names a new period as the cause of its end.
  const others = lines.filter(({ fact }) => isCompeting(fact));
  return { lines: [...lines, { ...stated, fact: resolveAdded(boundByEdge(stated, competing), others, rules) }], uuid };
}

/** Merges a statement into the fact that states it already; null if it is another fact. */
function mergeStatement(stated: CompetingFact, competing: readonly CompetingFact[], rules: Rules): StoredFact | null {
  if (stated.fact.validAt !== null) return mergeIntoEdge(stated, competing, rules);
  return isOver(stated.fact) ? mergeIntoOver(stated, competing, rules) : mergeIntoPeriod(stated, competing, rules);
}

/** Returns the facts that state the same edge: the same target, negation and start (S3-36). */
function edgeOf(stated: CompetingFact, competing: readonly CompetingFact[]): readonly StoredFact[] {
  const isSame = ({ fact, targetUuid }: CompetingFact): boolean =>
    targetUuid === stated.targetUuid && fact.isNegated === stated.fact.isNegated && fact.validAt === stated.fact.validAt;
  return competing.filter(isSame).map(({ fact }) => fact);
}

/** Limits a new fact to the ends that were stated of its edge. */
function boundByEdge(stated: CompetingFact, competing: readonly CompetingFact[]): CompetingFact {
  const { fact } = stated;
  const latest = fact.validAt === null ? null : findLatest(edgeOf(stated, competing));
  const end = latest === null ? null : statedEnd(latest);
  return isEarlier(end, fact.invalidAt) ? { ...stated, fact: { ...fact, invalidAt: end } } : stated;
}

/** Returns the fact that was stated last; among equals, one that is not withdrawn. */
function findLatest(facts: readonly StoredFact[]): StoredFact | null {
  const rank = (fact: StoredFact): string => `${fact.saidAt} ${fact.withdrawnAt === null ? 1 : 0} ${fact.createdAt} ${fact.uuid}`;
  return facts.reduce<StoredFact | null>((best, fact) => (best === null || rank(fact) > rank(best) ? fact : best), null);
}

/** Merges a repeated statement of an edge. Returns null if it is worded differently, or stated after the known fact lost to another one. */
function mergeIntoEdge(stated: CompetingFact, competing: readonly CompetingFact[], rules: Rules): StoredFact | null {
  const { fact } = stated;
  const { now } = rules;
  const known = findLatest(edgeOf(stated, competing));
  if (known === null) return null;
  const result = withStatement(known, fact, now);
  if (fact.saidAt < known.saidAt) return endAsStated(result, fact.invalidAt, now);
  if (normalizeName(fact.fact) !== normalizeName(known.fact)) return null;
  const effect = combineEffects(stated, firstStart(fact), competing, rules);
  if (effect?.kind === 'withdrawn') return withdraw(result, effect.by, now);
  if (known.withdrawnAt !== null) return null;
  const ended = endAsStated(result, fact.invalidAt, now);
  return effect === null ? ended : endAt(ended, effect.end, effect.by, now);
}

/** Merges a repeated statement of what was over by then. */
function mergeIntoOver(stated: CompetingFact, competing: readonly CompetingFact[], { now }: Rules): StoredFact | null {
  const { fact } = stated;
  const known = edgeOf(stated, competing).filter(isOver);
  const isSame = (other: StoredFact): boolean =>
    normalizeName(other.fact) === normalizeName(fact.fact) && statedEnd(other) === fact.invalidAt;
  const latest = findLatest(known);
  if (latest === null) return null;
  const same = isSame(latest) && latest.withdrawnAt === null ? latest : latest.saidAt >= fact.saidAt ? known.find(isSame) : undefined;
  return same === undefined ? null : withStatement(same, fact, now);
}

/** Returns whether a fact is compared with others; one that a person expired, or that was corrected, is not. */
export function isCompeting({ expiredAt, withdrawnAt, correctedBy, cuts }: StoredFact): boolean {
  // A replaced fact is still believed for the time before its successor (S3-38).
  return correctedBy === null && (withdrawnAt !== null || expiredAt === null || cuts.some(({ at }) => at === expiredAt));
}
