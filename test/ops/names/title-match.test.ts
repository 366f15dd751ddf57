import { describe, expect, it } from 'vitest';
import { matchTitle } from '../../../src/ops/notes/page/find/title-match.ts';
import { cpuMs } from '../../support/effort.ts';

const order = (query: string, names: readonly string[]): readonly string[] =>
  names
    .flatMap((name) => {
      const match = matchTitle(name, query);
      return match === null ? [] : [{ name, score: match.score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name);

const marked = (name: string, query: string): readonly string[] | undefined =>
  matchTitle(name, query)?.marks.map(([start, end]) => name.slice(start, end));

describe('U-07 titles by the characters of a query', () => {
  it('U-07 the whole name comes first, then its start, its words, a part of it, then characters in their order', () => {
    const names = ['a crape', 'rain barrel', 'barrel of rain', 'rain', 'train', 'rain in spain', 'raisin', 'sun'];
    expect(order('rain', names)).toEqual(['rain', 'rain barrel', 'rain in spain', 'barrel of rain', 'train', 'raisin']);
    expect(order('barrel rain', names)).toEqual(['rain barrel', 'barrel of rain']);
    expect(order('rb', names)).toEqual(['rain barrel']);
    expect(order('rbar', names)).toEqual(['rain barrel']);
  });

  it('U-07 marks are the characters that were typed', () => {
    expect(marked('quarterly report', 'qrep')).toEqual(['q', 'rep']);
    expect(marked('quarterly report', 'report quart')).toEqual(['quart', 'report']);
    expect(marked('compost', 'cmpst')).toEqual(['c', 'mp', 'st']);
  });

  it('U-07 scattered characters of a long name are no match', () => {
    expect(matchTitle('the history of the garden and what was written about it by others', 'rain')).toBeNull();
    expect(matchTitle('ab', 'abc')).toBeNull();
    expect(matchTitle('x'.repeat(1_000), 'xy')).toBeNull();
  });

  it('U-07 takes linear time, whatever the name is', () => {
    const before = cpuMs();
    for (let times = 0; times < 200; times += 1) matchTitle('a '.repeat(50_000), `${'a'.repeat(299)}b`);
    expect(cpuMs() - before).toBeLessThan(2_000);
  });
});
