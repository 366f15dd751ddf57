import { inverseDocumentFrequency, relevance, saturate } from '../bm25.ts';
import type { Clause } from '../query.ts';
import type { DocumentTable } from './document-table.ts';
import type { RankedHits, TermQuery } from './text-index.ts';

/** The weighted occurrences of a term in each document, by its number; 0 where it is not. */
export interface TermWeights {
  of(term: string, isPrefix: boolean): Float64Array;
  /** Of terms that differ by a letter or two. */
  near(term: string): Float64Array;
}

/** Only words of this length and letters only are taken for misspelt. */
const MISSPELT = /^\p{L}{5,}$/u;
/** What a near miss is worth of a hit. */
const NEAR_SHARE = 0.5;

/** Ranks all documents that have any word of the query, those that have them all first. */
export function rankDocuments(query: TermQuery, index: { documents: DocumentTable; weights: TermWeights }): RankedHits {
  const { documents } = index;
  const weights = remember(index.weights);
  const strengths = (clauses: readonly Clause[]): Float64Array[] =>
    clauses.map((clause) => strengthsOf(clause, { weights, end: documents.end }));
  const must = strengths(query.must);
  const ranking = [...strengths(query.clauses), ...must];
  const needed = [...must, ...strengths(query.within)];
  const without = strengths(query.without);
  const rarities = ranking.map((values) => inverseDocumentFrequency({ having: countHaving(values), all: documents.size }));
  const best = rarities.reduce((sum, value) => sum + value, 0);

  const scores = new Float64Array(documents.end);
  const hits: number[] = [];
  for (let id = 0; id < documents.end; id += 1) {
    if (!documents.has(id) || needed.some((values) => values[id] === 0) || without.some((values) => values[id] !== 0)) continue;
    let sum = 0;
    let isFull = true;
    for (let at = 0; at < ranking.length; at += 1) {
      const value = ranking[at]?.[id] ?? 0;
      if (value === 0) isFull = false;
      sum += value * (rarities[at] ?? 0);
    }
    if (sum === 0 && ranking.length > 0) continue;
    scores[id] = relevance({ strength: sum, best, isFull });
    hits.push(id);
  }
  hits.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return { keys: Uint32Array.from(hits, (id) => documents.key(id)), scores: Float64Array.from(hits, (id) => scores[id] ?? 0) };
}

/** How strongly each document has a clause: its best alternative, with the mean over that one's terms. */
function strengthsOf(clause: Clause, index: { weights: TermWeights; end: number }): Float64Array {
  const result = new Float64Array(index.end);
  for (const terms of clause.alternatives) {
    keepBest(
      result,
      terms.map((term, at) => index.weights.of(term, clause.isPrefix && at === terms.length - 1)),
    );
  }
  const [word] = clause.alternatives[0] ?? [];
  if (word === undefined || !clause.isPrefix || !MISSPELT.test(word) || countHaving(result) > 0) return result;
  keepBest(result, [index.weights.near(word)]);
  return result.map((value) => value * NEAR_SHARE);
}

function keepBest(result: Float64Array, parts: readonly Float64Array[]): void {
  for (let id = 0; id < result.length; id += 1) {
    let sum = 0;
    for (const part of parts) {
      const value = part[id] ?? 0;
      if (value === 0) {
        sum = 0;
        break;
      }
      sum += saturate(value);
    }
    if (sum > 0) result[id] = Math.max(result[id] ?? 0, sum / parts.length);
  }
}

function countHaving(strengths: Float64Array): number {
  let count = 0;
  for (const value of strengths) if (value > 0) count += 1;
  return count;
}

/** A term may stand in several clauses and alternatives. */
function remember(weights: TermWeights): TermWeights {
  const known = new Map<string, Float64Array>();
  return {
    near: (term) => weights.near(term),
    of: (term, isPrefix) => {
      const name = `${isPrefix ? '*' : '='}${term}`;
      const found = known.get(name) ?? weights.of(term, isPrefix);
      known.set(name, found);
      return found;
    },
  };
}
