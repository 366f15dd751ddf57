import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PairSets } from '../../../../src/graph/search/inverted/pair-sets.ts';
import { pairsOf } from '../../../../src/graph/search/words/pairs.ts';
import { phraseMatcher } from '../../../../src/graph/search/words/phrase.ts';
import { runs } from '../../../support/effort.ts';

const piece = fc.constantFrom(
  'a',
  'b',
  'ab',
  'Ä',
  'é',
  'ß',
  'ﬁ',
  '中',
  '국',
  '1',
  ' ',
  ' ',
  '  ',
  '\n',
  '\t',
  '*',
  '_',
  '-',
  ',',
  '#',
  '\u00a0',
  '\u0301',
  '😀',
  "'",
  '---',
);
const aText = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe('pairs of words', () => {
  it('of a phrase stand in every text that has the phrase', () =>
    fc.assert(
      fc.property(aText, fc.nat(20), fc.integer({ min: 1, max: 9 }), (text, from, length) => {
        const phrase = text.slice(from, from + length);
        if (!phraseMatcher(phrase)(text)) return;
        const pairs = new Set(pairsOf(text));
        expect({ text, phrase, missing: pairsOf(phrase).filter((pair) => !pairs.has(pair)) }).toEqual({ text, phrase, missing: [] });
      }),
      { numRuns: runs(20_000) },
    ));

  it('are two words with nothing but space and marks of Markdown between them', () => {
    expect(pairsOf('grey **heron**')).toEqual(pairsOf('Grey\n> HERON'));
    expect(pairsOf('grey heron')).toHaveLength(1);
    for (const other of ['heron grey', 'grey, heron', 'grey-heron', 'grey herons', 'grey'])
      expect(pairsOf(other)).not.toEqual(pairsOf('grey heron'));
    expect(pairsOf('a b c')).toHaveLength(2);
  });

  it('are kept a byte each, and seldom seem to be where they are not', () => {
    const sets = new PairSets();
    const word = (at: number): string =>
      `w${String.fromCharCode(97 + (at % 26), 97 + (Math.floor(at / 26) % 26), 97 + Math.floor(at / 676))}`;
    const pairs = pairsOf(Array.from({ length: 4001 }, (_, at) => word(at * 7 + (at % 13))).join(' '));
    sets.add([]);
    sets.add(pairs.slice(0, 1000));
    sets.add(pairs.slice(1000, 2000));
    for (const pair of pairs.slice(0, 1000)) expect(sets.mayHave(1, [pair])).toBe(true);
    const wrong = pairs.slice(2000, 4000).filter((pair) => sets.mayHave(1, [pair])).length;
    expect(wrong).toBeLessThan(2000 * 0.05);
    expect(sets.mayHave(0, pairs.slice(0, 1))).toBe(false);
    expect(sets.mayHave(0, [])).toBe(true);
  });
});
