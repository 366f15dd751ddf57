import SearchableMap from 'minisearch/SearchableMap';
import { compareText } from '../../../note/text.ts';
import { fuzzyWeight, MAX_COUNTED, occurrenceWeight, prefixWeight } from '../bm25.ts';
import { pairsOf } from '../words/pairs.ts';
import { tokenize } from '../words/tokenize.ts';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import { DocumentTable } from './document-table.ts';
import { PairSets } from './pair-sets.ts';
import { Postings } from './postings.ts';
import { rankDocuments } from './rank.ts';
import type { TermWeights } from './rank.ts';
import { MEASURED_FIELDS, SEARCH_FIELDS } from './text-index.ts';
import type { RankedHits, SearchDocument, TermQuery, TextIndex } from './text-index.ts';
import { WeightsPool } from './weights.ts';
import type { Weights } from './weights.ts';

/** Layout of a posting in one number: document, field and count (at most `MAX_COUNTED`). */
const COUNT_BITS = 4;
const FIELD_BITS = 3;
const COUNT_MASK = (1 << COUNT_BITS) - 1;
const FIELD_MASK = (1 << FIELD_BITS) - 1;
const DOCUMENT_BITS = COUNT_BITS + FIELD_BITS;
const DOCUMENT_UNIT = 1 << DOCUMENT_BITS;
/** A word without matches matches words at edit distance one, or two from this length on. */
const MIN_TWO_EDITS_LENGTH = 8;
/** Up to this number, new terms are inserted into the sorted list one by one; with more, the whole list is sorted again. */
const MAX_INSERTED = 64;
/** Postings per step of long work. */
const POSTINGS_PER_STEP = 20_000;

/** Creates a `TextIndex` with postings in typed arrays. */
export function openInvertedIndex(): TextIndex {
  return new InvertedIndex();
}

/**
 * MiniSearch's tree finds near misses. Terms, prefixes, postings and ranking are our own: MiniSearch has a Map per field of each term,
 * which takes ten times the memory for ten thousand notes, and its ranks depend on the order of changes.
 */
class InvertedIndex implements TextIndex {
  #documents = new DocumentTable();
  #lists = new Map<string, number>();
  /** The same terms in order, to find those with a prefix, and new ones that are not there yet. */
  #sorted: string[] = [];
  #added: string[] = [];
  /** The same terms in a tree, to find near misses; null until they are asked for, as it takes long to make. */
  #tree: SearchableMap<number> | null = null;
  #postings = new Postings();
  #pairs = new PairSets();
  readonly #pool = new WeightsPool();

  get size(): number {
    return this.#documents.size;
  }

  get isUntidy(): boolean {
    return this.#documents.removed > 100 && this.#documents.removed > this.size / 4;
  }

  put(document: SearchDocument): void {
    this.remove(document.key);
    const id = this.#documents.add(document.key);
    this.#documents.setLengths(id, document.lengths);
    this.#pairs.add([`${document.title}\n${document.aliases}`, document.properties, document.body].flatMap(pairsOf));
    for (const [field, name] of SEARCH_FIELDS.entries()) {
      const text = document[name];
      if (text === '') continue;
      const counts = new Map<string, number>();
      for (const term of tokenize(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
      for (const [term, count] of counts) this.#postings.append(this.#listOf(term), pack({ id, field, count }));
    }
  }

  remove(key: number): void {
    this.#documents.remove(key);
  }

  rank(query: TermQuery): RankedHits {
    const weights: TermWeights = {
      of: (term, isPrefix, wanted) => this.#weights(term, isPrefix, wanted),
      near: (term) => this.#nearWeights(term),
      none: () => this.#pool.take(this.#documents.end),
    };
    try {
      return rankDocuments(query, { documents: this.#documents, pairs: this.#pairs, weights });
    } finally {
      this.#pool.takeBack();
    }
  }

  *tidy(): Generator<void, void> {
    const writer = new ByteWriter();
    yield* this.save(writer);
    yield* this.load(writer.take());
  }

  *save(writer: ByteWriter): Generator<void, void> {
    // Renumbered without gaps, in the same order, so that postings stay ascending.
    const numbers = this.#documents.save(writer);
    yield* this.#pairs.save(writer, (id) => (numbers[id] ?? 0) > 0);
    writer.number(this.#lists.size);
    let done = 0;
    // In order, so that nothing is left to sort when they are loaded.
    for (const term of this.#sortedTerms()) {
      const list = this.#lists.get(term)!;
      const values: number[] = [];
      this.#postings.each(list, (value) => {
        const number = numbers[Math.floor(value / DOCUMENT_UNIT)] ?? 0;
        if (number > 0) values.push((number - 1) * DOCUMENT_UNIT + (value % DOCUMENT_UNIT));
      });
      writer.text(term);
      writer.number(values.length);
      let before = 0;
      for (const value of values) {
        writer.number(value - before);
        before = value;
      }
      done += values.length + 10;
      if (done < POSTINGS_PER_STEP) continue;
      done = 0;
      yield;
    }
  }

  *load(bytes: Uint8Array): Generator<void, void> {
    const reader = new ByteReader(bytes);
    const documents = DocumentTable.load(reader);
    const pairs = PairSets.load(reader, documents.size);
    const lists = new Map<string, number>();
    const postings = new Postings();
    let done = 0;
    for (let left = reader.number(); left > 0; left -= 1) {
      const term = reader.text();
      const length = reader.number();
      if (length === 0) continue;
      const list = postings.openFilled(length, (numbers, part) => reader.ascending(numbers, part));
      lists.set(term, list);
      done += length + 10;
      if (done < POSTINGS_PER_STEP) continue;
      done = 0;
      yield;
    }
    pairs.trim();
    this.#documents = documents;
    this.#lists = lists;
    this.#tree = null;
    this.#sorted = [];
    this.#added = [...lists.keys()];
    this.#postings = postings;
    this.#pairs = pairs;
  }

  #listOf(term: string): number {
    const known = this.#lists.get(term);
    if (known !== undefined) return known;
    const list = this.#postings.open();
    this.#lists.set(term, list);
    this.#tree?.set(term, list);
    this.#added.push(term);
    return list;
  }

  #treeOfTerms(): SearchableMap<number> {
    if (this.#tree !== null) return this.#tree;
    const tree = new SearchableMap<number>();
    for (const [term, list] of this.#lists) tree.set(term, list);
    return (this.#tree = tree);
  }

  /** Returns all terms in the order of their UTF-16 units. */
  #sortedTerms(): readonly string[] {
    if (this.#added.length > MAX_INSERTED) this.#sorted = [...this.#sorted, ...this.#added].sort(compareText);
    else for (const term of this.#added) this.#sorted.splice(firstAtOrAfter(this.#sorted, term), 0, term);
    this.#added = [];
    return this.#sorted;
  }

  #weights(term: string, isPrefix: boolean, wanted: Uint8Array | null): Weights {
    const result = this.#pool.take(this.#documents.end);
    const weigh = this.#weigher(result, wanted);
    const list = this.#lists.get(term);
    if (list !== undefined) weigh(list, 1);
    if (!isPrefix) return result;
    // In an order that does not depend on that of insertions, as sums of fractions do.
    const terms = this.#sortedTerms();
    for (let at = firstAtOrAfter(terms, term); terms[at]?.startsWith(term) === true; at += 1) {
      const found = terms[at]!;
      if (found !== term) weigh(this.#lists.get(found)!, prefixWeight({ asked: term.length, found: found.length }));
    }
    return result;
  }

  #nearWeights(term: string): ReturnType<TermWeights['near']> {
    const weights = this.#pool.take(this.#documents.end);
    const weigh = this.#weigher(weights);
    const near = [...this.#treeOfTerms().fuzzyGet(term, term.length >= MIN_TWO_EDITS_LENGTH ? 2 : 1)].sort(byName);
    for (const [, [list, distance]] of near) if (distance > 0) weigh(list, fuzzyWeight(distance));
    return { terms: near.map(([found]) => found), weights };
  }

  /** Returns a function that adds the weights of a list's postings; documents that are not wanted are only counted. */
  #weigher(result: Weights, wanted: Uint8Array | null = null): (list: number, share: number) => void {
    const documents = this.#documents;
    const fields = SEARCH_FIELDS.map((name) => {
      const field = MEASURED_FIELDS.findIndex((other) => other === name);
      return { name, lengths: documents.lengths(field), average: documents.averageLength(field) };
    });
    return (list, share) =>
      this.#postings.eachPart(list, (numbers, start, end) => {
        for (let at = start; at < end; at += 1) {
          const value = numbers[at]!;
          const id = value >>> DOCUMENT_BITS;
          const field = fields[(value >>> COUNT_BITS) & FIELD_MASK];
          if (field === undefined || !documents.has(id)) continue;
          if (wanted !== null && wanted[id] !== 1) {
            result.set(id, 1);
            continue;
          }
          const one = occurrenceWeight(field.name, { own: field.lengths?.[id] ?? 0, average: field.average });
          result.set(id, result.get(id) + share * (value & COUNT_MASK) * one);
        }
      });
  }
}

function pack({ id, field, count }: { id: number; field: number; count: number }): number {
  return id * DOCUMENT_UNIT + (field << COUNT_BITS) + Math.min(count, MAX_COUNTED);
}

/** Returns the place of the first text that is not before another one, in a sorted list. */
function firstAtOrAfter(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText(sorted[middle]!, text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0]);
}
