import MiniSearch from 'minisearch';
import { PackedReader, PackedWriter } from './packed-bytes.ts';
import { fuzzyWeight, occurrenceWeight, prefixWeight, rarity, relevance, strength } from './relevance.ts';
import type { Clause } from './search-query.ts';
import { SEARCH_FIELDS } from './text-index.ts';
import type { RankedHits, SearchDocument, TermQuery, TextIndex } from './text-index.ts';
import { tokenize } from './tokenize.ts';

/** Postings of one term: by field, the documents with their counts. */
type Postings = Map<number, Map<number, number>>;

/** From this many letters on, a word that is found nowhere stands for words that differ by a letter, or by two when it is long. */
const SHORTEST_FUZZY = 5;
const FUZZY_BY_TWO = 8;
/** What a near miss is worth of a hit. */
const NEAR_SHARE = 0.5;
/** Terms between two steps of long work. */
const STEP = 2000;

/** A `TextIndex` on MiniSearch. */
export function openMinisearchIndex(): TextIndex {
  return new MinisearchIndex();
}

/**
 * MiniSearch keeps the terms (a radix tree, for prefixes and near misses) and the postings. Ranking is ours, because MiniSearch's changes
 * with the order of what was added and removed, counts each ending of a word as a rare word of its own, and makes an object of every hit;
 * so is the stored form, which is a tenth of its JSON and needs no copy of everything in memory.
 */
class MinisearchIndex extends MiniSearch<SearchDocument> implements TextIndex {
  /** By field: the number of distinct terms of each document, and their sum and number over the documents that have the field. */
  #lengths = SEARCH_FIELDS.map(() => ({ of: new Uint32Array(1024), sum: 0, documents: 0 }));
  #removed = 0;

  constructor() {
    super({
      idField: 'key',
      fields: [...SEARCH_FIELDS],
      // MiniSearch skips a field that is null, and so keeps nothing for it.
      extractField: (document, field) => (document[field as keyof SearchDocument] || (field === 'key' ? 0 : null)) as string,
      stringifyField: String,
      tokenize,
      processTerm: (term) => term,
      autoVacuum: false,
    });
  }

  get size(): number {
    return this._documentCount;
  }

  get isUntidy(): boolean {
    return this.#removed > 100 && this.#removed > this._documentCount / 5;
  }

  put(document: SearchDocument): void {
    this.remove(document.key);
    const id = this._nextId;
    this.add(document);
    this.#keepLengths(id, this._fieldLength.get(id) ?? []);
  }

  // MiniSearch's own `remove` wants the old text again; nothing calls it here, and the name is the port's.
  override remove(key: number | SearchDocument): void {
    const id = typeof key === 'number' ? this._idToShortId.get(key) : undefined;
    if (id === undefined) return;
    for (const [field, length] of (this._fieldLength.get(id) ?? []).entries()) {
      const lengths = this.#lengths[field];
      if (lengths === undefined || length === undefined) continue;
      lengths.sum -= length;
      lengths.documents -= 1;
      lengths.of[id] = 0;
    }
    this.#removed += 1;
    this.discard(key);
  }

  rank(query: TermQuery): RankedHits {
    const weights = new Map<string, Float64Array>();
    const clauses = [...query.clauses, ...query.must].map((clause) => ({ clause, strengths: this.#strengths(clause, weights) }));
    const required = clauses.filter(({ clause }) => clause.isRequired);
    const must = query.must.map((_, at) => clauses[query.clauses.length + at]?.strengths ?? new Float64Array());
    const without = query.without.map((clause) => this.#strengths(clause, weights));
    const rarities = clauses.map(({ strengths }) =>
      rarity({ having: strengths.reduce((sum, value) => sum + (value > 0 ? 1 : 0), 0), all: this.size }),
    );
    const best = rarities.reduce((sum, value) => sum + value, 0);

    const hits: { key: number; score: number }[] = [];
    for (const [id, key] of this._documentIds) {
      if (!must.every((strengths) => at(strengths, id) > 0) || without.some((strengths) => at(strengths, id) > 0)) continue;
      let sum = 0;
      for (const [index, { strengths }] of clauses.entries()) sum += at(strengths, id) * (rarities[index] ?? 0);
      if (sum === 0 && clauses.length > 0) continue;
      const isFull = required.every(({ strengths }) => at(strengths, id) > 0);
      hits.push({ key: Number(key), score: relevance({ strength: sum, best, isFull }) });
    }
    hits.sort((a, b) => b.score - a.score);
    return { keys: Uint32Array.from(hits, (hit) => hit.key), scores: Float64Array.from(hits, (hit) => hit.score) };
  }

  *tidy(): Generator<void, void> {
    let step = 0;
    const terms = [...this._index.keys()];
    for (const term of terms) {
      const postings = this._index.get(term);
      if (postings === undefined) continue;
      for (const [field, documents] of postings) {
        for (const id of documents.keys()) if (!this._documentIds.has(id)) documents.delete(id);
        if (documents.size === 0) postings.delete(field);
      }
      if (postings.size === 0) this._index.delete(term);
      step += 1;
      if (step % STEP === 0) yield;
    }
    this.#removed = 0;
  }

  *save(): Generator<void, Uint8Array> {
    const writer = new PackedWriter();
    // Numbered anew without gaps; in the same order, so that postings stay ascending.
    const numbers = new Map([...this._documentIds.keys()].map((id, number) => [id, number]));
    writer.number(numbers.size);
    for (const [id, key] of this._documentIds) {
      writer.number(Number(key));
      const lengths = this._fieldLength.get(id) ?? [];
      for (const field of SEARCH_FIELDS.keys()) writer.number(lengths[field] ?? 0);
    }
    let step = 0;
    for (const [term, postings] of this._index) {
      writePostings(writer, { term, postings, numbers });
      step += 1;
      if (step % STEP === 0) yield;
    }
    return writer.finish();
  }

  load(bytes: Uint8Array): void {
    const reader = new PackedReader(bytes);
    this.removeAll();
    this.#lengths = SEARCH_FIELDS.map(() => ({ of: new Uint32Array(1024), sum: 0, documents: 0 }));
    this.#removed = 0;
    const count = reader.number();
    for (let id = 0; id < count; id += 1) {
      const key = reader.number();
      this._documentIds.set(id, key);
      this._idToShortId.set(key, id);
      const lengths: number[] = [];
      for (const field of SEARCH_FIELDS.keys()) {
        const length = reader.number();
        if (length > 0) lengths[field] = length;
      }
      this._fieldLength.set(id, lengths);
      this.#keepLengths(id, lengths);
    }
    this._documentCount = count;
    this._nextId = count;
    while (!reader.isAtEnd) readPostings(reader, (term, postings) => this._index.set(term, postings));
  }

  #keepLengths(id: number, own: readonly (number | undefined)[]): void {
    for (const [field, lengths] of this.#lengths.entries()) {
      if (id >= lengths.of.length) {
        const grown = new Uint32Array(Math.max(id + 1, lengths.of.length * 2));
        grown.set(lengths.of);
        lengths.of = grown;
      }
      const length = own[field];
      if (length === undefined) continue;
      lengths.of[id] = length;
      lengths.sum += length;
      lengths.documents += 1;
    }
  }

  /** How strongly each document (by MiniSearch's number) has a clause: its best alternative, with the mean over that one's terms. */
  #strengths(clause: Clause, weights: Map<string, Float64Array>): Float64Array {
    const result = new Float64Array(this._nextId);
    for (const terms of clause.alternatives) {
      const parts = terms.map((term, index) => this.#weights(term, clause.isPrefix && index === terms.length - 1, weights));
      this.#keepBest(result, parts);
    }
    const [word] = clause.alternatives[0] ?? [];
    if (word === undefined || !clause.isPrefix || !/^\p{L}{5,}$/u.test(word) || result.some((value) => value > 0)) return result;
    this.#keepBest(result, [this.#nearWeights(word)]);
    return result.map((value) => value * NEAR_SHARE);
  }

  #keepBest(result: Float64Array, parts: readonly Float64Array[]): void {
    for (let id = 0; id < result.length; id += 1) {
      let sum = 0;
      for (const part of parts) {
        const value = at(part, id);
        if (value === 0) {
          sum = 0;
          break;
        }
        sum += strength(value);
      }
      if (sum > 0) result[id] = Math.max(at(result, id), sum / parts.length);
    }
  }

  /** The weighted number of occurrences of a term, and of those that it begins, in each document. */
  #weights(term: string, isPrefix: boolean, known: Map<string, Float64Array>): Float64Array {
    const name = isPrefix ? `${term}*` : term;
    const found = known.get(name);
    if (found !== undefined) return found;
    const result = new Float64Array(this._nextId);
    if (isPrefix) {
      for (const [longer, postings] of this._index.atPrefix(term)) {
        const weight = longer === term ? 1 : prefixWeight({ asked: term.length, found: longer.length });
        this.#addPostings(result, { postings, weight });
      }
    } else {
      const postings = this._index.get(term);
      if (postings !== undefined) this.#addPostings(result, { postings, weight: 1 });
    }
    known.set(name, result);
    return result;
  }

  #nearWeights(term: string): Float64Array {
    const result = new Float64Array(this._nextId);
    for (const [, [postings, distance]] of this._index.fuzzyGet(term, term.length >= FUZZY_BY_TWO ? 2 : 1).entries()) {
      if (distance > 0) this.#addPostings(result, { postings, weight: fuzzyWeight(distance) });
    }
    return result;
  }

  #addPostings(result: Float64Array, { postings, weight }: { postings: Postings; weight: number }): void {
    for (const [field, documents] of postings) {
      const name = SEARCH_FIELDS[field];
      const lengths = this.#lengths[field];
      if (name === undefined || lengths === undefined) continue;
      const average = lengths.documents > 0 ? lengths.sum / lengths.documents : 0;
      for (const [id, count] of documents) {
        const own = lengths.of[id] ?? 0;
        // No length: the document was removed, and only its postings are still there.
        if (own === 0) continue;
        result[id] = at(result, id) + weight * count * occurrenceWeight(name, { own, average });
      }
    }
  }
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}

function writePostings(writer: PackedWriter, from: { term: string; postings: Postings; numbers: ReadonlyMap<number, number> }): void {
  const fields: { field: number; pairs: number[] }[] = [];
  for (const [field, documents] of from.postings) {
    const pairs: number[] = [];
    let before = 0;
    for (const [id, count] of documents) {
      const number = from.numbers.get(id);
      if (number === undefined) continue;
      pairs.push(number - before, count);
      before = number;
    }
    if (pairs.length > 0) fields.push({ field, pairs });
  }
  if (fields.length === 0) return;
  writer.text(from.term);
  writer.number(fields.length);
  for (const { field, pairs } of fields) {
    writer.number(field);
    writer.number(pairs.length);
    for (const value of pairs) writer.number(value);
  }
}

function readPostings(reader: PackedReader, keep: (term: string, postings: Postings) => void): void {
  const term = reader.text();
  const postings: Postings = new Map();
  for (let left = reader.number(); left > 0; left -= 1) {
    const field = reader.number();
    const documents = new Map<number, number>();
    let id = 0;
    for (let values = reader.number(); values > 0; values -= 2) {
      id += reader.number();
      documents.set(id, reader.number());
    }
    postings.set(field, documents);
  }
  keep(term, postings);
}
