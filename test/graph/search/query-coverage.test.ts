import { describe, expect, it } from 'vitest';
import { QueryCoverage } from '../../../src/graph/search/query-coverage.ts';
import { parseSearchQuery } from '../../../src/graph/search/query/parse-query.ts';

/** Coverage of a query whose words are equally rare. */
function coverageOf(query: string, note: { names?: readonly string[]; text: string }, near: readonly string[] = []) {
  const parsed = parseSearchQuery(query);
  const rarities = parsed.ranked.map(({ word }, at) => ({ word, rarity: 1, near: at === 0 ? near : [], isUnknown: false }));
  return new QueryCoverage(parsed, rarities).of({ names: [], ...note });
}

describe('how much of a query a note has', () => {
  it('counts the words of the passage that has most of them, with those of the title', () => {
    const text = `red ${'x '.repeat(1_000)}green blue`;
    expect(coverageOf('red green blue', { text }).passage).toBeCloseTo(2 / 3);
    expect(coverageOf('red green blue', { text, names: ['Red'] }).passage).toBeCloseTo(1);
    expect(coverageOf('red green blue', { text, names: ['Red'] }).title).toBeCloseTo(1 / 3);
    expect(coverageOf('red green blue', { text: 'nothing of it' })).toMatchObject({ passage: 0, title: 0, at: null });
  });

  it('says where that passage begins, and what a part of the text has', () => {
    const text = `red ${'x '.repeat(1_000)}green blue`;
    const covered = coverageOf('red green blue', { text });
    expect(covered.at).toBe(text.indexOf('green'));
    expect(covered.within({ start: 0, end: 100 })).toBeCloseTo(1 / 3);
    expect(covered.within({ start: 100, end: 200 })).toBe(0);
  });

  it('takes the names for the query where one of them is it, and the text where it has it as it is written', () => {
    expect(coverageOf('Rain Barrel', { text: '', names: ['Barrels', 'rain barrel'] })).toMatchObject({
      isNamed: true,
      isQuoted: false,
      title: 1,
    });
    expect(coverageOf('rain barrel', { text: 'My Rain Barrel leaks' })).toMatchObject({ isNamed: false, isQuoted: true });
    expect(coverageOf('rain barrel', { text: 'rain in a barrel' }).isQuoted).toBe(false);
    expect(coverageOf('ox', { text: 'oxygen box' }).isQuoted).toBe(false);
  });

  it('wants the parts of a compound near each other', () => {
    expect(coverageOf('choose-vault', { text: 'choose-vault' }).passage).toBe(1);
    const apart = coverageOf('choose-vault', { text: `choose ${'x '.repeat(200)} vault` });
    expect(apart.passage).toBeLessThan(1);
  });

  it('counts a misspelt word where one of those is that were taken for it', () => {
    expect(coverageOf('calender', { text: 'my calendar' }).passage).toBe(0);
    expect(coverageOf('calender', { text: 'my calendar' }, ['calendar']).passage).toBe(1);
  });
});
