import { expect, it } from 'vitest';
import { partOf, splitWords } from '../../../src/page/site/words.ts';

it('U-11 the index and the search of a site split a text alike: folded, and scripts without spaces in pairs', () => {
  expect(splitWords('Crème brûlée, 2026 – C#')).toEqual(['creme', 'brulee', '2026', 'c']);
  expect(splitWords('日本語 と roux日本')).toEqual(['日本', '本語', 'と', 'roux', '日本']);
  expect(splitWords('ｆｕｌｌ Ｗｉｄｔｈ')).toEqual(['full', 'width']);
  expect(splitWords('')).toEqual([]);
});

it('U-11 all words that begin with two letters are in one part, whose name is one on every system', () => {
  for (const word of ['garden', 'ga', 'gärtner', '日本', 'дом', 'a', '1', '𝒳y']) {
    const [folded = ''] = splitWords(word);
    expect(partOf(folded), word).toMatch(/^[a-z0-9_]{2,8}$/);
  }
  expect(partOf('garden')).toBe(partOf('gallery'));
  expect(partOf('日本')).toBe(partOf('日曜'));
  expect(partOf('дом')).toBe(partOf('день'));
});
