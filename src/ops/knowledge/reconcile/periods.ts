import { compareText } from '../../../note/text.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { effectOn, isSameWording } from './competing-facts.ts';
import type { CompetingFact, Effect } from './competing-facts.ts';
import { applyEffect, combineEffects, renewed, resolveAdded, withdraw, withStatement } from './fact-changes.ts';
import type { Rules } from './fact-changes.ts';

// Facts without valid time. Each statement says that it holds from then on, until something ends it. Statements in the same words are one
// fact, a period, as long as nothing comes between them.

/** Merges a statement into the period that it belongs to. Returns null if it begins a new one. */
export function mergeIntoPeriod(stated: CompetingFact, competing: readonly CompetingFact[], rules: Rules): StoredFact | null {
  const [said = ''] = stated.fact.heldAt;
  const periods = competing
    .filter((known) => known.fact.withdrawnAt === null && known.fact.heldAt.length > 0 && isSameWording(known, stated))
    .map(({ fact }) => fact)
    .sort((a, b) => compareText(firstSaid(a), firstSaid(b)));
  const around = periods.find(
    (known) => known.heldAt.includes(said) || (firstSaid(known) <= said && (known.invalidAt === null || known.invalidAt > said)),
  );
  if (around !== undefined) return withStatement(around, stated.fact, rules.now);
  const next = periods.find((known) => firstSaid(known) > said);
  if (next === undefined) return null;
  const { invalidAt } = resolveAdded(stated, competing, rules);
  return invalidAt === null || invalidAt > firstSaid(next) ? withStatement(next, stated.fact, rules.now) : null;
}

/** Returns the effect of the next period in the same words on a fact without valid time: it goes on as that one. */
export function periodAfter(of: CompetingFact, competing: readonly CompetingFact[]): Effect | null {
  const next = competing
    .filter(({ fact }) => fact.withdrawnAt === null && firstSaid(fact) > firstSaid(of.fact))
    .filter((other) => isSameWording(other, of))
    .sort((a, b) => compareText(firstSaid(a.fact), firstSaid(b.fact)))[0];
  return next === undefined ? null : { kind: 'ended', end: firstSaid(next.fact), isReplaced: false, by: next.fact.uuid };
}

/** Applies a stated fact to a period: it may end it, and part what was said before from what was said after. */
export function splitPeriod(
  known: CompetingFact,
  stated: CompetingFact,
  { competing, rules }: { readonly competing: readonly CompetingFact[]; readonly rules: Rules },
): { readonly changed: StoredFact; readonly added: readonly CompetingFact[] } {
  const { fact } = known;
  const effectFrom = (held: string): Effect | null =>
    effectOn(known, { at: held, said: held }, stated, { isSingle: rules.isSingle, isBreakerNewer: true });
  const effect = effectFrom(firstSaid(fact));
  if (effect === null) return { changed: fact, added: [] };
  const [first = [], ...others] = toPeriods(fact.heldAt, effectFrom);
  const kept = others.length === 0 ? fact : partOf(fact, first, rules);
  const added = others.map((heldAt) => renewPart(known, [fact], heldAt, { competing, rules }));
  return { changed: applyEffect(kept, effect, rules.now), added };
}

/** Works out the periods of one wording again after an effect on them has ceased; returns the old ones, withdrawn, and the new ones. */
export function renewPeriods(
  periods: readonly CompetingFact[],
  competing: readonly CompetingFact[],
  rules: Rules,
): readonly CompetingFact[] {
  const [sample] = periods;
  if (sample === undefined) return [];
  const of = { ...sample, fact: renewed(sample.fact, null, rules) };
  const held = [...new Set(periods.flatMap(({ fact }) => fact.heldAt))].sort();
  const parts = toPeriods(held, (at) => combineEffects(of, { at, said: at }, competing, rules));
  const facts = periods.map(({ fact }) => fact);
  const added = parts.map((heldAt) => renewPart(sample, facts, heldAt, { competing, rules }));
  const successor = added[0]?.fact.uuid ?? null;
  return [...periods.map((line) => ({ ...line, fact: withdraw(line.fact, successor, rules.now) })), ...added];
}

/** Returns a new fact for some of the times at which facts of one wording were stated. */
function renewPart(
  sample: CompetingFact,
  facts: readonly StoredFact[],
  heldAt: readonly string[],
  { competing, rules }: { readonly competing: readonly CompetingFact[]; readonly rules: Rules },
): CompetingFact {
  const whole = { ...sample.fact, episodes: [...new Set(facts.flatMap(({ episodes }) => episodes))] };
  const fact = renewed(partOf(whole, heldAt, rules), null, rules);
  return { ...sample, fact: resolveAdded({ ...sample, fact }, competing, rules) };
}

/** Returns a fact with some of the times at which it was stated, and the episodes of these; of an unknown time all that are not known. */
function partOf(fact: StoredFact, heldAt: readonly string[], { timeOf }: Rules): StoredFact {
  const episodes = fact.episodes.filter((link) => {
    const time = timeOf(link);
    return time === null || heldAt.includes(time);
  });
  return { ...fact, heldAt, saidAt: heldAt.at(-1) ?? fact.saidAt, episodes: episodes.length === 0 ? fact.episodes : episodes };
}

/** Groups statement times, oldest first, into periods: what comes after the end of one begins the next. */
function toPeriods(held: readonly string[], effectFrom: (held: string) => Effect | null): readonly (readonly string[])[] {
  const periods: string[][] = [];
  let end: string | null = null;
  for (const at of held) {
    const last = periods.at(-1);
    if (last !== undefined && (end === null || end > at)) {
      last.push(at);
      continue;
    }
    periods.push([at]);
    const effect = effectFrom(at);
    end = effect?.kind === 'ended' ? effect.end : null;
  }
  return periods;
}

function firstSaid({ heldAt: [first = ''] }: StoredFact): string {
  return first;
}
