import { inverseDocumentFrequency, relevance, saturate } from '../bm25.ts';
import { misspeltWord } from '../query/clauses.ts';
import type { Clause } from '../query/clauses.ts';
import type { Test } from '../query/query.ts';
import type { DocumentTable } from './document-table.ts';
import { heldWidth } from './text-index.ts';
import type { RankedHits, TermQuery } from './text-index.ts';

/** The weighted occurrences of a term in each document, by its number; 0 where it is not. */
export interface TermWeights {
  of(term: string, isPrefix: boolean): Float64Array;
  /** Of terms that differ by a letter or two. */
  near(term: string): Float64Array;
}

/** What a near miss is worth of a hit. */
const NEAR_SHARE = 0.5;

/** Ranks all documents that pass the test of a query; a test is of words alone here. */
export function rankDocuments(query: TermQuery, index: { documents: DocumentTable; weights: TermWeights }): RankedHits {
  const { documents } = index;
  const weights = remember(index.weights);
  const wanted = new Set(query.ranked.map(({ word }) => word));
  const strengths = query.words.map((clause, word) =>
    strengthsOf(clause, { weights, end: documents.end, mayBeMisspelt: wanted.has(word) }),
  );
  const ranked = query.ranked.map(({ word, share }) => {
    const values = strengths[word] ?? new Float64Array(0);
    return { values, rarity: share * inverseDocumentFrequency({ having: countHaving(values), all: documents.size }) };
  });
  const best = ranked.reduce((sum, { rarity }) => sum + rarity, 0);
  const passes = wordTest(query.test, strengths);

  const scores = new Float64Array(documents.end);
  const hits: number[] = [];
  for (let id = 0; id < documents.end; id += 1) {
    if (!documents.has(id) || !passes(id)) continue;
    let sum = 0;
    for (const { values, rarity } of ranked) sum += (values[id] ?? 0) * rarity;
    const isFull = query.full.every((word) => strengths[word]?.[id] !== 0);
    scores[id] = relevance({ strength: sum, best, isFull });
    hits.push(id);
  }
  hits.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return {
    keys: Uint32Array.from(hits, (id) => documents.key(id)),
    scores: Float64Array.from(hits, (id) => scores[id] ?? 0),
    held: heldWords(hits, strengths),
  };
}

function heldWords(hits: readonly number[], strengths: readonly Float64Array[]): Uint32Array {
  const width = heldWidth(strengths.length);
  const held = new Uint32Array(hits.length * width);
  for (const [word, values] of strengths.entries()) {
    const bit = 1 << (word % 32);
    for (let at = 0; at < hits.length; at += 1) {
      const place = at * width + (word >> 5);
      if (values[hits[at] ?? 0] !== 0) held[place] = (held[place] ?? 0) | bit;
    }
  }
  return held;
}

function wordTest(test: Test, strengths: readonly Float64Array[]): (id: number) => boolean {
  if (test.kind === 'word') {
    const values = strengths[test.word];
    return (id) => values !== undefined && values[id] !== 0;
  }
  if (test.kind === 'not') {
    const holds = wordTest(test.of, strengths);
    return (id) => !holds(id);
  }
  if (test.kind !== 'all' && test.kind !== 'any') throw new Error(`The index knows words only, not ${test.kind}.`);
  const parts = test.of.map((each) => wordTest(each, strengths));
  return test.kind === 'all' ? (id) => parts.every((holds) => holds(id)) : (id) => parts.some((holds) => holds(id));
}

/** How strongly each document has a clause: its best alternative, with the mean over that one's terms. */
function strengthsOf(clause: Clause, index: { weights: TermWeights; end: number; mayBeMisspelt: boolean }): Float64Array {
  const result = new Float64Array(index.end);
  for (const terms of clause.alternatives) {
    keepBest(
      result,
      terms.map((term, at) => index.weights.of(term, clause.isPrefix && at === terms.length - 1)),
    );
  }
  const word = index.mayBeMisspelt ? misspeltWord(clause) : null;
  if (word === null || countHaving(result) > 0) return result;
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
