import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCsv } from '../../src/importing/text/csv.ts';
import { fenced, quiet, quietLabel } from '../../src/importing/text/quiet.ts';
import { linkToken, placeLinks } from '../../src/importing/tokens.ts';
import { readCheckboxes } from '../../src/note/checkboxes/read-checkboxes.ts';
import { parseNote } from '../../src/note/parse.ts';
import { toNotePath } from '../../src/note/path.ts';
import { said, strangersText } from './said.ts';

const PATH = toNotePath('a.md')!;

it('O-06 whatever somebody said: no link, tag, checkbox or heading of the note comes of it', () => {
  fc.assert(
    fc.property(strangersText, (given) => {
      const body = `${said(given)}\n\n## Mine [[a]]\n`;
      const note = parseNote(PATH, body);
      expect(note.links.map(({ link }) => link)).toEqual(['a']);
      expect(note.tagUses).toEqual([]);
      expect(readCheckboxes(body)).toEqual([]);
      // Nothing leaves the quote, so that what follows it is read as it is meant.
      expect(note.headings.at(-1)?.text).toBe('Mine [[a]]');
      expect(body).not.toMatch(/\0/);
    }),
    { numRuns: 1500 },
  );
});

it('O-06 words stay words: but for marks of escape, a text of a chat comes back', () => {
  const plain = fc.array(
    fc.constantFrom('word', ' ', '\n', 'é', '🌱', '. ', '*b*', '# Head\n', '- item\n', '1. item\n', '[[x]]', '#tag', 'a<b', 'x::y'),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(plain, (pieces) => {
      const given = pieces.join('');
      expect(quiet(given).replaceAll('\\', '').trimEnd()).toBe(given.trimEnd());
    }),
  );
});

it('O-06 code and formulas of chats stay as they are, and blocks that plugins run are text', () => {
  expect(quiet('```py\n[[x]] #y\n```')).toBe('```py\n[[x]] #y\n```');
  expect(quiet('```dataviewjs\nx\n```')).toBe('```text dataviewjs\nx\n```');
  expect(quiet('a `[[x]]` b `$= dv.pages()`')).toBe('a `[[x]]` b \\`$= dv.pages()\\`');
  expect(quiet('\\(a_b\\) and\n\\[\nx < y\n\\]')).toBe('$a_b$ and\n$$\nx < y\n$$');
  expect(quiet('![x](https://tracker.example/p.png)')).toBe('[x](https://tracker.example/p.png)');
  expect(quiet('```js\nnever closed')).toBe('```js\nnever closed\n```');
  expect(fenced('```\nx\n```')).toBe('````\n```\nx\n```\n````');
  expect(quietLabel('a|b [[c]] `d`')).toBe('a\\|b \\[\\[c]] \\`d\\`');
});

it('O-06 places of links: what a source says never becomes a place of its own', () => {
  const places = {
    note: (id: string) => (id === 'n' ? { link: 'N', title: 'The N' } : null),
    file: (path: string) => (path === 'f' ? 'F/f.png' : null),
  };
  expect(placeLinks(linkToken({ kind: 'note', target: 'n' }), places)).toBe('[[N|The N]]');
  expect(placeLinks(linkToken({ kind: 'note', target: 'n', shown: 'a|b]]c', isInTable: true }), places)).toBe('[[N\\|a b c]]');
  expect(placeLinks(linkToken({ kind: 'note', target: 'gone', shown: 'Gone' }), places)).toBe('Gone');
  expect(placeLinks(linkToken({ kind: 'file', target: 'f', isEmbed: true }), places)).toBe('![[F/f.png]]');
  expect(placeLinks(linkToken({ kind: 'file', target: 'x/big.mov', isEmbed: true }), places)).toBe(
    '*(a file that is not imported: big.mov)*',
  );
  expect(placeLinks(quiet('\ue000n\ue001n\ue001\ue001\ue002'), places)).not.toContain('[[');
});

it('O-06 tables come back as they were written', () => {
  const cell = fc.array(fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'é'), { maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 }), (rows) => {
      const csv = rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')).join('\r\n');
      expect(parseCsv(csv)).toEqual(rows);
    }),
  );
  expect(parseCsv('a,b\n"never closed')).toEqual([['a', 'b'], ['never closed']]);
});

it('O-06 texts that are made to take long take no time', () => {
  const many = (text: string): string => text.repeat(200_000);
  const started = performance.now();
  for (const piece of ['`', '``` ', '[', '![', '\\(', '$', '<', '#a ', '[[', '::', '%%', '> ', '- [ ] ', '\n', '`a``'])
    for (const text of [many(piece), `${many(piece)}\\)\n`, `\\[\n${many(piece)}`]) quiet(text);
  expect(performance.now() - started).toBeLessThan(60_000);
});
