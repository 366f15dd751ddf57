import { expect, it } from 'vitest';
import { scan } from '../../../src/note/markdown/scan.ts';
import { decodeNote, parseNote } from '../../../src/note/parse.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { isLong, sample } from '../../support/effort.ts';

const path = toNotePath('note.md')!;
const size = (isLong ? 64 : 8) * 1024;
const fill = (unit: string): string => unit.repeat(Math.ceil(size / unit.length));

/** Each blocks a plain Markdown parser, or a careless scanner, for seconds or minutes at this size. */
const hostile: Readonly<Record<string, string>> = {
  'S16 unclosed wikilinks': fill('[[a '),
  'list marks on one line': fill('- '),
  'lists nested by indentation': Array.from({ length: 350 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
  'quote marks': fill('>'),
  'unclosed comments': fill('<!-- '),
  'unclosed tags': fill('<a b="'),
  brackets: fill('['),
  'unclosed links': fill('[a]('),
  'unclosed titles': fill('[a](b ('),
  'unclosed emphasis': fill('*a _b '),
  'runs of backticks': Array.from({ length: 360 }, (_, length) => '`'.repeat(length)).join(' '),
  dollars: fill('$a '),
  'bare addresses': fill('https://a.b/'),
  'a wide table': `${fill('|a')}|\n${fill('|-')}|\n`,
  'a long table': `|a|b|\n|-|-|\n${fill('|[[x]]|#t|\n')}`,
  'carriage returns': fill('a\r'),
  definitions: fill('[a]:\n'),
};

it.each(Object.entries(hostile))('F38 %s: read or flagged, and what follows is found', (_name, text) => {
  for (const reader of ['auto', 'authoritative'] as const) {
    const note = parseNote(path, `${text}\n\n# Last [[link]]\n`, { reader });
    expect(note.problems.every(({ code }) => code === 'too-nested' || code === 'too-large')).toBe(true);
    expect(note.headings.length).toBeLessThan(20);
  }
});

it('F38 the scanner reads ten times the text of one line without being asked twice', () => {
  for (const unit of sample(['[[a ', '[a](b (', '<!-- ', '`a', 'https://a.b/', '- ', '$a ', '*a', '[a](', '<a b="'], 2)) {
    const found = scan(unit.repeat(200_000));
    expect(found.limit, unit).not.toBeNull();
  }
});

it('deeper nesting than the cap is flagged, and links in it are found', () => {
  const note = parseNote(path, `${'> '.repeat(60)}[[deep]]\n\n[[after]]\n`);
  expect(note.problems.map(({ code }) => code)).toEqual(['too-nested']);
  expect(note.links.map(({ link }) => link)).toEqual(['deep', 'after']);
});

it('F29 bytes that are no UTF-8 give a text to read and a problem, others come back unchanged', () => {
  const bad = decodeNote(new Uint8Array([0x5b, 0x5b, 0x61, 0x5d, 0x5d, 0xff, 0xc3]));
  expect(bad.problem?.code).toBe('invalid-utf8');
  expect(bad.text.startsWith('[[a]]')).toBe(true);
  const text = '\ufeffä😀\r\n\0';
  expect(decodeNote(new TextEncoder().encode(text))).toEqual({ text });
});
