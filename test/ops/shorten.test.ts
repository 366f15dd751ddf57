import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstBytes } from '../../src/note/text.ts';
import { TRUNCATED_SUFFIX, sliceText, takeWhileFits, shorten, shortenMiddle } from '../../src/ops/shorten.ts';
import { firstCharacters } from '../../src/note/text.ts';

describe('texts', () => {
  it('are shortened between characters, the mark for what is missing counted', () => {
    expect(shorten('abcd', 4)).toBe('abcd');
    expect(shorten('abcdef', 4)).toBe('abc…');
    expect(shorten('ab😀cdef', 4)).toBe('ab…');
    expect(shorten('a'.repeat(30), 20, TRUNCATED_SUFFIX)).toBe(`aaaaa${TRUNCATED_SUFFIX}`);
  });

  it('keep their beginning and their end where the middle is left out', () => {
    expect(shortenMiddle('abcde', 5)).toBe('abcde');
    expect(shortenMiddle('abcdef', 5)).toBe('ab…ef');
    expect(shortenMiddle('a😀bcde😀f', 5)).toBe('a…f');
  });

  it('read on from where an excerpt ended are whole again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 20, max: 120 }), (text, limit) => {
        let read = '';
        for (let offset: number | null = 0; offset !== null;) {
          const excerpt = sliceText(text, { limit, offset });
          expect(excerpt.text.length).toBeLessThanOrEqual(limit);
          read += excerpt.nextOffset === null ? excerpt.text : excerpt.text.slice(0, -TRUNCATED_SUFFIX.length);
          offset = excerpt.nextOffset;
        }
        expect(read).toBe(text);
      }),
    );
  });

  it('of control characters are cut shorter, as they grow in JSON', () => {
    const { text } = sliceText('\u0001'.repeat(5000), { limit: 1000, offset: 0 });
    expect(JSON.stringify(text).length).toBeLessThanOrEqual(2000);
  });

  it('are counted by characters or bytes for names and keys, without a mark', () => {
    expect(firstCharacters('a😀b', 2)).toBe('a😀');
    expect(firstBytes('a😀', 3)).toBe('a');
    expect(firstBytes('é', 2)).toBe('é');
  });
});

describe('lists', () => {
  it('hold as many values as fit, and no value behind the first that does not is asked for', () => {
    expect(takeWhileFits(['aa', 'bb', 'cc'], 13)).toEqual(['aa', 'bb']);
    expect(takeWhileFits(['long'], 3)).toEqual(['long']);
    expect(takeWhileFits(['long'], 3, { least: 0 })).toEqual([]);
    const asked: number[] = [];
    const values = (function* () {
      for (const value of [1, 22222, 3]) {
        asked.push(value);
        yield value;
      }
    })();
    expect(takeWhileFits(values, 6)).toEqual([1]);
    expect(asked).toEqual([1, 22222]);
  });
});
