import { expect, it } from 'vitest';
import { unquotedLinksOf } from '../../../src/graph/links/unquoted.ts';
import { readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';

it.each([
  ['up: [[Home]]', ['Home']],
  ['up: [ [Home] ]', ['Home']],
  ['up: [a, [[Home]]]', ['Home']],
  ['up: ["[[[A]]", [[Home]]]', ['Home']],
  ['up:\n  - [[Home]]', ['Home']],
  ['up:\n  - - Home', ['Home']],
  ['up: "[[Home]]"', []],
  ['up: "[[[Home]]"', []],
])('links without quotes in %j', (yaml, texts) => {
  const { data } = readFrontmatter(`---\n${yaml}\n---\n`);
  expect(unquotedLinksOf({ yaml, properties: data }).map(({ text }) => text)).toEqual(texts);
});

it('the properties of a note are not read for brackets in quotes', () => {
  const read = (): never => {
    throw new Error('read');
  };
  const entryOf = (yaml: string) => Object.defineProperty({ yaml, properties: {} }, 'properties', { get: read });
  expect(unquotedLinksOf(entryOf('up: "[[[Home]]"'))).toEqual([]);
  expect(unquotedLinksOf(entryOf('related: [\'[[[Home]]\', "[[Other]]"]'))).toEqual([]);
  expect(() => unquotedLinksOf(entryOf('up: [[Home]]'))).toThrow('read');
});
