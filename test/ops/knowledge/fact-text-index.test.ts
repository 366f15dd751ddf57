import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFactTextIndex } from '../../../src/ops/knowledge/stored/text-index/fact-text-index.ts';
import { runs } from '../../support/effort.ts';

const word = fc.constantFrom('red', 'green', 'apple', 'pear', 'roof', 'shed', '茶');
const facts = fc.uniqueArray(fc.record({ key: fc.nat(900).map((n) => `f-${n}`), fact: fc.array(word, { minLength: 1, maxLength: 6 }) }), {
  selector: ({ key }) => key,
  minLength: 1,
  maxLength: 700,
  size: 'max',
});

it('S3-48 S3-45 facts by their words are in one order, however they came and went, and a cut of it is its beginning among those accepted', () => {
  fc.assert(
    fc.property(facts, fc.array(word, { minLength: 1, maxLength: 3 }), fc.nat(50), (all, words, limit) => {
      const [one, other] = [createFactTextIndex(), createFactTextIndex()];
      const put = (index: typeof one, { key, fact }: (typeof all)[number], text = fact.join(' ')): void =>
        index.put(key, { fact: text, relation: 'IS', ends: 'Alice\nTea', about: '' });
      for (const each of all) put(one, each);
      for (const each of all) put(other, each, 'other words red');
      for (const each of all.toReversed()) {
        other.delete(each.key);
        put(other, each);
      }
      const query = words.join(' ');
      const whole = one.find({ question: query, earlier: '' }, { limit: Infinity, accept: () => true, neighbors: () => [] });
      expect(other.find({ question: query, earlier: '' }, { limit: Infinity, accept: () => true, neighbors: () => [] })).toEqual(whole);
      expect(new Set(whole.map(({ key }) => key)).size).toBe(whole.length);
      const accept = (key: string): boolean => Number(key.slice(2)) % 3 === 0;
      expect(one.find({ question: query, earlier: '' }, { limit, accept, neighbors: () => [] })).toEqual(
        whole.filter(({ key }) => accept(key)).slice(0, limit),
      );
    }),
    { numRuns: runs(60) },
  );
});
