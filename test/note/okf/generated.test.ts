import { expect, it } from 'vitest';
import { readGenerated, replaceGenerated } from '../../../src/note/okf/generated.ts';
import { composeIndex } from '../../../src/note/okf/index-text.ts';
import { createLineCounter, lineAt } from '../../../src/note/okf/problem.ts';

const EXAMPLE = '```\n<!-- roux:index -->\n<!-- /roux:index -->\n```\n';

it('G-04 finds the marks among those in code blocks, with any line ends, and none where they are not one pair', () => {
  const read = (text: string) => readGenerated(text, 'index');
  expect(read(`${EXAMPLE}<!-- roux:index -->\na\n<!-- /roux:index -->\n${EXAMPLE}`)).toBe('a\n');
  expect(read('\ufeff<!-- roux:index --> \t\r\na\r\n<!-- /roux:index -->')).toBe('a\r\n');
  expect(read('<!-- roux:log -->\n<!-- roux:index -->\na\n<!-- /roux:index -->\n<!-- /roux:log -->\n')).toBe('a\n');
  for (const none of [
    EXAMPLE,
    '<!-- /roux:index -->\n<!-- roux:index -->\n',
    '<!-- roux:index -->\n<!-- roux:index -->\n<!-- /roux:index -->\n',
    'x <!-- roux:index -->\n<!-- /roux:index -->\n',
  ])
    expect(read(none), none).toBeNull();
  expect(replaceGenerated('\ufeffMine.\r\n<!-- roux:index -->\r\n<!-- /roux:index -->\r\nMine.', 'index', 'a\n')).toBe(
    '\ufeffMine.\r\n<!-- roux:index -->\r\n\r\na\r\n\r\n<!-- /roux:index -->\r\nMine.',
  );
});

it('G-04 no title ends its link', () => {
  const titled = (title: string) =>
    composeIndex({ concepts: [{ file: 'a.md', title, type: 'T', description: null }], folders: [], files: [] });
  expect(titled('x](/b.md)')).toBe('# T\n\n* [x\\](/b.md)](a.md)\n');
  expect(titled('x\\](/b.md) \\')).toBe('# T\n\n* [x\\\\\\](/b.md) \\\\](a.md)\n');
});

it('G-04 counts lines alike in any order of the offsets', () => {
  const text = '\na\n\nb\r\nc';
  const lines = createLineCounter(text);
  for (const offset of [0, 1, 3, 4, 8, 2, 2, 7, 0, 8]) expect(lines(offset), String(offset)).toBe(lineAt(text, offset));
  expect([0, 1, 2, 3, 4, 7, 8].map((offset) => lineAt(text, offset))).toEqual([1, 2, 2, 3, 4, 5, 5]);
});

it('G-04 reads a hundred thousand marks, and finds the lines of as many offsets, in linear time', () => {
  const marks = EXAMPLE.repeat(100_000);
  const { user } = process.cpuUsage();
  expect(readGenerated(marks, 'index')).toBeNull();
  const lines = createLineCounter(marks);
  for (let offset = 0; offset < marks.length; offset += EXAMPLE.length) lines(offset);
  // Quadratic time would be minutes.
  expect(process.cpuUsage().user - user).toBeLessThan(8_000_000);
});
