import { describe, expect, it } from 'vitest';
import { plainLine } from '../../src/ops/notes/page/plain-line.ts';
import { cpuMs } from '../support/effort.ts';

const CASES: readonly (readonly [markdown: string, text: string])[] = [
  ['to [[folder/Note]] and [[Note|another text]]', 'to Note and another text'],
  ['[[Note#Heading#Below]], [[#Here]] and [[Note#^block]]', 'Note > Heading > Below, Here and Note > ^block'],
  ['| [[Rosa Lind\\|Rosa]] | 2 |', 'Rosa 2'],
  ['![[a/lake.png|300x200]] ![[icon.svg#icon]] ![[lake.png|a lake|300]]', 'lake.png icon.svg a lake'],
  ['_all_ of __it__, but a_name_here and _bar', 'all of it, but a_name_here and _bar'],
  ['> - [ ] **nested** `code`', 'nested code'],
  ['> [!warning]- Mind this', 'Mind this'],
  ['a claim[^1]\n\n[^1]: its source', 'a claim its source'],
  ['above\n\n---\n\n```ts\nlet a: Map<string>\n```\n', 'above let a: Map<string>'],
  ['a<br>b <kbd>K</kbd> <details open><summary>More</summary>', 'ab K More'],
  ['a paragraph\n^its-id\n\nanother ^id-2', 'a paragraph another'],
  ['2 < 3 and 4 > 3', '2 < 3 and 4 > 3'],
];

describe('plainLine', () => {
  for (const [markdown, text] of CASES)
    it(`U-08 shows ${JSON.stringify(markdown)} as a reader sees it`, () => expect(plainLine(markdown).text).toBe(text));

  it('takes a time that grows with the text alone', () => {
    const before = cpuMs();
    for (const piece of ['_a', '__', '[[a|', '[^', '> - ', '<a ', '`', ':-', '[!', '\\|', '^a ']) plainLine(piece.repeat(20_000));
    expect(cpuMs() - before).toBeLessThan(5_000);
  });
});
