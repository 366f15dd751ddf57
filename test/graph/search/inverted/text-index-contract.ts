import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../../src/graph/search/inverted/byte-stream.ts';
import { SCORE_UNITS } from '../../../../src/graph/search/inverted/text-index.ts';
import type { SearchDocument, TermQuery, TextIndex } from '../../../../src/graph/search/inverted/text-index.ts';
import { possible } from '../../../../src/graph/search/match/matcher.ts';
import { clausesOf } from '../../../../src/graph/search/query/clauses.ts';
import { parseSearchQuery } from '../../../../src/graph/search/query/parse-query.ts';
import type { IndexTest } from '../../../../src/graph/search/query/query.ts';

/** A document with what matters to a test, and nothing else. */
export function document(key: number, fields: Partial<Omit<SearchDocument, 'key' | 'lengths'>>): SearchDocument {
  const texts = { title: '', aliases: '', headings: '', tags: '', properties: '', body: '', ...fields };
  return { key, ...texts, lengths: { title: texts.title.length, aliases: texts.aliases.length, body: texts.body.length } };
}

/** A query for any of these words, the way people type them; with `must` and without `without`, each given as whole words. */
export function words(text: string, { must = '', without = '' } = {}): TermQuery {
  const { words: free, ranked, full, test } = parseSearchQuery(text);
  const clauses = [...free];
  const number = (more: string): IndexTest[] =>
    clausesOf(more, { isPrefix: false }).map((clause) => ({ kind: 'word', word: clauses.push(clause) - 1 }));
  const unwanted = number(without).map((of): IndexTest => ({ kind: 'not', of }));
  return { words: clauses, ranked, full, test: { kind: 'all', of: [possible(test), ...number(must), ...unwanted] } };
}

/** Returns everything that an index stores. */
export function bytesOf(index: TextIndex): Uint8Array {
  const writer = new ByteWriter();
  finish(index.save(writer));
  return writer.take();
}

/** Runs long work to its end. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function ranks(index: TextIndex, query: TermQuery): readonly (readonly [number, number])[] {
  const { keys, scores } = index.rank(query);
  return Array.from(keys, (key, at) => [key, (scores[at] ?? -1) / SCORE_UNITS] as const).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

function keys(index: TextIndex, query: TermQuery): number[] {
  return [...index.rank(query).keys].sort((a, b) => a - b);
}

const vocabulary = ['apple', 'apples', 'banana', 'cherry', 'date', 'elder', 'fig', 'grape', 'zebra', '中国', '検索', 'snake_case', 'don’t'];
const aText = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 }).map((found) => found.join(' '));
const aDocument = fc.record({ title: aText, headings: aText, tags: aText, body: aText });
const aStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('put' as const), key: fc.nat(8), fields: aDocument }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), key: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('tidy' as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reload' as const) }) },
);

/** What every text index does. */
export function textIndexContract(name: string, open: () => TextIndex): void {
  describe(`${name}`, () => {
    it('finds a word in every field, in any case and without its marks', () => {
      for (const field of ['title', 'aliases', 'headings', 'tags', 'properties', 'body'] as const) {
        const index = open();
        index.put(document(7, { [field]: 'Über Crème BRÛLÉE' }));
        expect({ field, found: keys(index, words('creme')) }).toEqual({ field, found: [7] });
        expect({ field, found: keys(index, words('UBER')) }).toEqual({ field, found: [7] });
        expect(keys(index, words('vanilla'))).toEqual([]);
      }
    });

    it('ranks the title over an alias over a heading over a tag over the body', () => {
      const index = open();
      const fields = ['body', 'tags', 'headings', 'aliases', 'title'] as const;
      for (const [key, field] of fields.entries()) index.put(document(key, { body: 'filler', [field]: 'kingfisher' }));
      expect(ranks(index, words('kingfisher')).map(([key]) => key)).toEqual([4, 3, 2, 1, 0]);
    });

    it('ranks documents with all words before those with some', () => {
      const index = open();
      index.put(document(1, { title: 'heron', headings: 'heron', body: 'heron '.repeat(50) }));
      index.put(document(2, { body: `heron ${'other words of no matter '.repeat(40)} kingfisher` }));
      expect(ranks(index, words('heron kingfisher')).map(([key]) => key)).toEqual([2, 1]);
    });

    it('gives scores from 0 to 1, those of full answers in the upper half', () => {
      const index = open();
      for (let key = 0; key < 30; key += 1)
        index.put(document(key, { title: key % 3 === 0 ? 'heron' : '', body: `kingfisher ${key} heron` }));
      index.put(document(30, { body: 'heron' }));
      for (const [key, score] of ranks(index, words('heron kingfisher'))) {
        expect(score).toBeGreaterThan(key === 30 ? 0 : 0.5);
        expect(score).toBeLessThan(key === 30 ? 0.5 : 1);
      }
    });

    it('takes a word for the beginning of longer ones, at a lower score', () => {
      const index = open();
      index.put(document(1, { body: 'configuration' }));
      index.put(document(2, { body: 'config' }));
      expect(ranks(index, words('config')).map(([key]) => key)).toEqual([2, 1]);
      expect(keys(index, words('co'))).toEqual([]);
    });

    it('takes near misses for a word of five letters or more that is found nowhere', () => {
      const index = open();
      index.put(document(1, { body: 'backlinks' }));
      index.put(document(2, { body: 'bird' }));
      expect(keys(index, words('baclinks'))).toEqual([1]);
      expect(keys(index, words('bxrd'))).toEqual([]);
      index.put(document(3, { body: 'baclinks' }));
      expect(keys(index, words('baclinks'))).toEqual([3]);
    });

    it('gives the documents that pass the test, and says which words each has', () => {
      const index = open();
      index.put(document(1, { body: 'heron kingfisher' }));
      index.put(document(2, { body: 'heron' }));
      index.put(document(3, { body: 'heron gull', properties: 'status: done' }));
      expect(keys(index, words('heron', { must: 'kingfisher' }))).toEqual([1]);
      expect(keys(index, words('heron', { must: 'status' }))).toEqual([3]);
      expect(keys(index, words('heron', { without: 'kingfisher' }))).toEqual([2, 3]);
      expect(keys(index, words('', { without: 'gull' }))).toEqual([1, 2]);
      const hits = index.rank(words('kingfisher OR gull OR heron'));
      expect(Object.fromEntries(Array.from(hits.keys, (key, at) => [key, hits.held[at]]))).toEqual({ 1: 0b101, 2: 0b100, 3: 0b110 });
    });

    it('replaces and removes documents at once', () => {
      const index = open();
      index.put(document(1, { body: 'heron' }));
      index.put(document(1, { body: 'gull' }));
      expect(index.size).toBe(1);
      expect(keys(index, words('heron'))).toEqual([]);
      expect(keys(index, words('gull'))).toEqual([1]);
      index.remove(1);
      index.remove(99);
      expect(index.size).toBe(0);
      expect(keys(index, words('gull'))).toEqual([]);
    });

    it('keeps the whole of a long document', () => {
      const index = open();
      index.put(document(1, { body: `${'word '.repeat(400_000)}needle` }));
      expect(keys(index, words('needle'))).toEqual([1]);
    });

    it('gives what it stored, and refuses what it did not store', () => {
      const index = open();
      index.put(document(5, { title: 'heron', body: 'on the 湖 with 検索 and ünïcode' }));
      index.put(document(3, { body: 'heron heron' }));
      index.remove(5);
      index.put(document(5, { title: 'heron', body: 'on the 湖 with 検索 and ünïcode' }));
      const copy = open();
      copy.put(document(1, { body: 'heron of before' }));
      const bytes = bytesOf(index);
      finish(copy.load(bytes));
      expect(copy.size).toBe(2);
      for (const query of ['heron', 'unicode', '検索', '湖']) expect(ranks(copy, words(query))).toEqual(ranks(index, words(query)));
      expect(() => finish(copy.load(bytes.subarray(0, bytes.length - 1)))).toThrow(RangeError);
      // A load that failed changes nothing.
      expect(ranks(copy, words('heron'))).toEqual(ranks(index, words('heron')));
    });

    it('ranks the same after any history as when built at once', () => {
      fc.assert(
        fc.property(fc.array(aStep, { maxLength: 40 }), aText, (steps, query) => {
          const documents = new Map<number, SearchDocument>();
          let index = open();
          for (const step of steps) {
            if (step.op === 'put') {
              documents.set(step.key, document(step.key, step.fields));
              index.put(document(step.key, step.fields));
            } else if (step.op === 'remove') {
              documents.delete(step.key);
              index.remove(step.key);
            } else if (step.op === 'tidy') finish(index.tidy());
            else {
              const copy = open();
              finish(copy.load(bytesOf(index)));
              index = copy;
            }
          }
          const rebuilt = open();
          for (const one of [...documents.values()].reverse()) rebuilt.put(one);
          expect(index.size).toBe(documents.size);
          expect(ranks(index, words(query))).toEqual(ranks(rebuilt, words(query)));
        }),
      );
    });
  });
}
