import { inverseDocumentFrequency, relevance, saturate } from '../bm25.ts';
import { misspeltWord } from '../query/clauses.ts';
import type { Clause } from '../query/clauses.ts';
import type { IndexTest } from '../query/query.ts';
import type { DocumentTable } from './document-table.ts';
import type { PairSets } from './pair-sets.ts';
import { heldWidth, SCORE_UNITS } from './text-index.ts';
import type { RankedHits, TermQuery } from './text-index.ts';
import type { Weights } from './weights.ts';

/** The weighted occurrences of a term by document; 0 when absent. */
export interface TermWeights {
  /** `wanted`: those that are marked by 1; any others with the term get some number above 0. */
  of(term: string, isPrefix: boolean, wanted: Uint8Array | null): Weights;
  /** Returns the terms at edit distance one or two, and their weights. */
  near(term: string): { readonly terms: readonly string[]; readonly weights: Weights };
  /** Returns empty weights for intermediate results. */
  none(): Weights;
}

/** Weight of a near miss relative to a match. */
const NEAR_SHARE = 0.5;

/** Finds all documents that pass the test of a query (on words and pairs only), with their scores. */
export function rankDocuments(query: TermQuery, index: { documents: DocumentTable; pairs: PairSets; weights: TermWeights }): RankedHits {
  const { documents, pairs } = index;
  const weights = remember(index.weights);
  const rankedWords = new Set(query.ranked.map(({ word }) => word));
  const strengthOf = (word: number, wanted: Uint8Array | null): Strength =>
    strengthsOf(query.words[word]!, { weights, wanted, mayBeMisspelt: rankedWords.has(word) });
  const required = requiredWords(query.test).filter((word) => !rankedWords.has(word));
  const conditions = new Map(required.map((word) => [word, strengthOf(word, null)]));
  const wanted = marksOf([...conditions.values()], documents.end);
  const found = query.words.map((_, word) => conditions.get(word) ?? strengthOf(word, wanted));
  const strengths = found.map(({ values }) => values);
  const ranked = query.ranked.flatMap(({ word, share }) => {
    const of = found[word];
    if (of === undefined) return [];
    const rarity = share * inverseDocumentFrequency({ having: of.values.count, all: documents.size });
    return [{ word, values: of.values, isRaw: of.isRaw, near: of.near, rarity }];
  });
  const best = ranked.reduce((sum, { rarity }) => sum + rarity, 0);
  const full = query.full.flatMap((word) => strengths[word] ?? []);
  const passes = wordTest(query.test, { strengths, pairs });

  const candidates = candidatesOf(query.test, { strengths, none: () => weights.none() });
  const hits = isAnyWord(query.test) && candidates !== null ? candidates : passing(candidates ?? allOf(documents), passes);
  const scores = new Uint32Array(hits.length);
  const keys = new Uint32Array(hits.length);
  for (let at = 0; at < hits.length; at += 1) {
    const id = hits[at]!;
    keys[at] = documents.key(id);
    let strength = 0;
    for (const { values, isRaw, rarity } of ranked) strength += (isRaw ? saturate(values.get(id)) : values.get(id)) * rarity;
    let isFull = true;
    for (const values of full) if (values.get(id) === 0) isFull = false;
    scores[at] = Math.round(relevance({ strength, best, isFull }) * SCORE_UNITS);
  }
  const rarities = ranked.map(({ word, values, rarity, near }) => ({ word, rarity, near, isUnknown: values.count === 0 }));
  return { keys, scores, held: wordBits(hits, strengths), rarities };
}

/** Returns words that every hit has. */
function requiredWords(test: IndexTest): readonly number[] {
  if (test.kind === 'word') return [test.word];
  return test.kind === 'all' ? test.of.flatMap(requiredWords) : [];
}

/** Marks the documents of the shortest list; null for no list. */
function marksOf(lists: readonly Strength[], end: number): Uint8Array | null {
  const [shortest] = [...lists].sort((a, b) => a.values.count - b.values.count);
  if (shortest === undefined) return null;
  const marks = new Uint8Array(end);
  for (const id of shortest.values.ids) marks[id] = 1;
  return marks;
}

function allOf(documents: DocumentTable): Uint32Array {
  return passing(
    new Uint32Array(documents.end).map((_, id) => id),
    (id) => documents.has(id),
  );
}

function passing(ids: Uint32Array, passes: (id: number) => boolean): Uint32Array {
  const passed = new Uint32Array(ids.length);
  let count = 0;
  for (let at = 0; at < ids.length; at += 1) if (passes(ids[at]!)) passed[count++] = ids[at]!;
  return passed.subarray(0, count);
}

/** Returns whether all candidates pass a test. */
function isAnyWord(test: IndexTest): boolean {
  return test.kind === 'word' || (test.kind === 'any' && test.of.every(isAnyWord));
}

/** Returns documents that include all that pass a test; null when any document may pass. */
function candidatesOf(test: IndexTest, index: { strengths: readonly Weights[]; none: () => Weights }): Uint32Array | null {
  if (test.kind === 'word') return index.strengths[test.word]?.ids ?? new Uint32Array(0);
  if (test.kind !== 'all' && test.kind !== 'any') return null;
  const parts = test.of.map((each) => candidatesOf(each, index));
  const known = parts.filter((part) => part !== null);
  if (test.kind === 'all') return known.sort((a, b) => a.length - b.length)[0] ?? null;
  if (known.length < parts.length) return null;
  if (known.length === 1) return known[0] ?? null;
  const union = index.none();
  for (const part of known) for (let at = 0; at < part.length; at += 1) union.set(part[at]!, 1);
  return union.ids;
}

function wordBits(hits: Uint32Array, strengths: readonly Weights[]): Uint8Array {
  const width = heldWidth(strengths.length);
  const held = new Uint8Array(hits.length * width);
  for (const [word, values] of strengths.entries()) {
    const bit = 1 << (word & 7);
    for (let [at, place] = [0, word >> 3]; at < hits.length; at += 1, place += width) if (values.get(hits[at]!) !== 0) held[place]! |= bit;
  }
  return held;
}

function wordTest(test: IndexTest, index: { strengths: readonly Weights[]; pairs: PairSets }): (id: number) => boolean {
  if (test.kind === 'word') {
    const values = index.strengths[test.word];
    return (id) => values !== undefined && values.get(id) !== 0;
  }
  if (test.kind === 'not') {
    const holds = wordTest(test.of, index);
    return (id) => !holds(id);
  }
  if (test.kind === 'pairs') return (id) => index.pairs.mayHave(id, test.pairs);
  const parts = test.of.map((each) => wordTest(each, index));
  const isAll = test.kind === 'all';
  return (id) => {
    for (let at = 0; at < parts.length; at += 1) if (parts[at]!(id) !== isAll) return !isAll;
    return isAll;
  };
}

/** How strong a clause is in each document; `near`: the terms that were taken for it where no document has it. */
interface Strength {
  readonly values: Weights;
  /** Whether the values are the weights of its only term, which are not saturated yet: most words have one, and most notes are no hits. */
  readonly isRaw: boolean;
  readonly near: readonly string[];
}

/**
 * Returns the strength of a clause in each document, or in those that are `wanted` (`TermWeights.of`): its best alternative, with the mean
 * over its terms.
 */
function strengthsOf(
  clause: Clause,
  { weights, wanted, mayBeMisspelt }: { weights: TermWeights; wanted: Uint8Array | null; mayBeMisspelt: boolean },
): Strength {
  const [only] = clause.alternatives;
  const isRaw = only?.length === 1 && clause.alternatives.length === 1;
  const result = isRaw ? weights.of(only[0]!, clause.isPrefix, wanted) : weights.none();
  for (const terms of isRaw ? [] : clause.alternatives) {
    keepBest(
      result,
      terms.map((term, at) => weights.of(term, clause.isPrefix && at === terms.length - 1, wanted)),
    );
  }
  const word = mayBeMisspelt ? misspeltWord(clause) : null;
  if (word === null || result.count > 0) return { values: result, isRaw, near: [] };
  const near = weights.near(word);
  const taken = weights.none();
  keepBest(taken, [near.weights]);
  taken.scale(NEAR_SHARE);
  return { values: taken, isRaw: false, near: near.terms };
}

function keepBest(result: Weights, parts: readonly Weights[]): void {
  const [rarest] = [...parts].sort((a, b) => a.count - b.count);
  const ids = rarest?.ids ?? new Uint32Array(0);
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at]!;
    let sum = 0;
    for (let of = 0; of < parts.length; of += 1) {
      const part = parts[of]!;
      const value = part.get(id);
      if (value === 0) {
        sum = 0;
        break;
      }
      sum += saturate(value);
    }
    if (sum > 0) result.set(id, Math.max(result.get(id), sum / parts.length));
  }
}

/** Caches weights, since a term may be in several clauses and alternatives. */
function remember(weights: TermWeights): TermWeights {
  const known = new Map<string, Weights>();
  return {
    near: (term) => weights.near(term),
    none: () => weights.none(),
    of: (term, isPrefix, wanted) => {
      const name = `${isPrefix ? '*' : '='}${term}`;
      const found = known.get(name) ?? weights.of(term, isPrefix, wanted);
      known.set(name, found);
      return found;
    },
  };
}
