import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../src/note/frontmatter/read-frontmatter.ts';
import { noteWith, parseNote } from '../../src/note/parse.ts';
import { toNotePath } from '../../src/note/path.ts';
import { shared } from '../support/vault.ts';
import { frontmatterCases, linkCases, tagCases } from './note-cases.ts';

interface Case {
  readonly id: string;
  readonly area: string;
  readonly title: string;
  readonly input: string;
  readonly expected: unknown;
}

const casesFile = shared('design/cases.json');
const cases: readonly Case[] = existsSync(casesFile) ? (JSON.parse(readFileSync(casesFile, 'utf8')) as { cases: Case[] }).cases : [];
const path = toNotePath('note.md')!;
const readers = ['scanner', 'authoritative', 'auto'] as const;

function linksIn(text: string, reader: (typeof readers)[number]) {
  return parseNote(path, text, { reader })
    .links.filter((link) => link.property === undefined)
    .map(({ kind, link, alias, start, end }) => ({
      kind,
      original: text.slice(start, end),
      link,
      ...(alias === undefined ? {} : { alias }),
    }));
}

function tagsIn(text: string, reader: (typeof readers)[number]) {
  return parseNote(path, text, { reader }).tagUses.map(({ start, end }) => text.slice(start, end));
}

describe.skipIf(cases.length === 0).each(readers)('the shared cases, read by %s', (reader) => {
  it.each(cases.filter(({ area }) => area === 'parse' || area === 'markdown-link'))('$id $title', ({ input, expected }) => {
    expect(linksIn(input, reader)).toEqual(expected);
  });
  it.each(cases.filter(({ area }) => area === 'tag'))('$id $title', ({ input, expected }) => {
    expect(tagsIn(input, reader)).toEqual(expected);
  });
  it.each(cases.filter(({ area }) => area === 'frontmatter'))('$id $title', ({ input, expected }) => {
    expect({ ...readFrontmatter(input).data }).toEqual(expected);
  });
});

describe.each(readers)('notes as people write them, read by %s', (reader) => {
  it.each(linkCases)('links: $title', ({ text, links: expected }) => {
    expect(linksIn(text, reader).map(({ original, link, alias }) => [original, link, ...(alias === undefined ? [] : [alias])])).toEqual(
      expected,
    );
  });
  it.each(tagCases)('tags: %s', (_title, text, expected) => {
    expect(tagsIn(text, reader)).toEqual(expected);
  });
});

it.each(frontmatterCases)('frontmatter: %s', (_title, text, expected) => {
  expect({ ...readFrontmatter(text).data }).toEqual(expected);
});

/** `source → link text`, `|` before an alias, `!` for embeds. */
const links: readonly (readonly [string, readonly string[]])[] = [
  ['[[a]] and [[b|c]]', ['a', 'b|c']],
  ['[[ a ]] [[a.md#h]] [[#^b]] [[##x]]', ['a', 'a.md#h', '#^b', '##x']],
  ['![[i.png|100]]', ['!i.png|100']],
  ['[[]] [[|]] [[ ]]', ['|']],
  ['[[[a]]] [[b[[c]]', ['a', 'c']],
  ['| a |\n|---|\n| [[x\\|y]] |', ['x|y']],
  ['| a |\n|---|\n| [[x|y]] |', []],
  ['`[[a]]` ``[[b]]`` \\[[c]]', []],
  ['```\n[[a]]\n```\n[[b]]', ['b']],
  ['    [[a]]\n\n[[b]]', ['b']],
  ['> ```\n> [[a]]\n[[b]]', ['b']],
  ['x <!-- [[a]] --> [[b]]', ['b']],
  ['<div>\n[[a]]\n\n[[b]]', ['b']],
  ['%% [[a]] %%', ['a']],
  ['$[[a]]$ costs $5 [[b]] or $6', ['b']],
  ['$$\n[[a]]\n$$\n[[b]]\n\n$$\n[[c]]', ['b', 'c']],
  ['[x](a%20b.md#h) [y](<c d.md>) ![z](e.png "t")', ['a b.md#h', 'c d.md', '!e.png']],
  ['[x](https://e.com) [y](mailto:a@b.c) <https://e.com>', []],
  ['[x [[a]] y](b.md)', ['a']],
  ['[![i](a.png)](b.md)', ['b.md', '!a.png']],
  ['[id]: a.md "t"\n[other]: https://e.com', ['a.md']],
  ['\ufeff---\r\nx: 1\r\n---\r\n😀 [[a]]\r', ['a']],
];

it.each(readers)('links stand where they are read, by %s', (reader) => {
  for (const [text, expected] of links) {
    const found = parseNote(path, text, { reader }).links;
    expect(found.map(({ kind, link, alias }) => `${kind === 'embed' ? '!' : ''}${link}${alias === undefined ? '' : `|${alias}`}`)).toEqual(
      expected,
    );
    for (const { form, link, target } of found) {
      const written = text.slice(target.start, target.end);
      expect(form === 'wikilink' ? written : decodeURIComponent(written)).toBe(link);
    }
  }
});

// The scanner alone leaves what may be emphasis to the full parser.
it.each(['authoritative', 'auto'] as const)('tags begin at white space or after another construct, by %s', (reader) => {
  const text = '#a b#no #1984 #1a (#no) **#b** [[x#no]]#c `#no` \\#no\n#d/e, #日本: <br>#f https://e.com/#no';
  expect(tagsIn(text, reader)).toEqual(['#a', '#1a', '#b', '#c', '#d/e', '#日本', '#f']);
});

it.each(readers)('headings and block ids are read without their marks, by %s', (reader) => {
  const text = '# One ##\n\ntext ^id-1\n\nTwo\nlines\n---\n\n- item ^x\n\n## [[a]] ^h\n\n#no\n\n```\n# no\n```\n';
  const note = parseNote(path, text, { reader });
  expect(note.headings.map(({ level, text: shown }) => [level, shown])).toEqual([
    [1, 'One'],
    [2, 'Two lines'],
    [2, '[[a]]'],
  ]);
  expect(note.blocks.map(({ id, start, end }) => [id, text.slice(start, end)])).toEqual([
    ['id-1', '^id-1'],
    ['x', '^x'],
    ['h', '^h'],
  ]);
});

// V8 keeps getters of an object's own among what lives long, and the text of each note with them until all of that is collected.
it('a parsed note has no getters of its own', () => {
  const note = parseNote(path, '---\ntags: a\n---\n# One\n');
  const own = Object.entries(Object.getOwnPropertyDescriptors(note));
  expect(own.filter(([, each]) => Object.hasOwn(each, 'get')).map(([name]) => name)).toEqual([]);
  expect(noteWith(note, { title: 'Two' })).toMatchObject({ text: note.text, title: 'Two', tags: ['a'], headings: [{ text: 'One' }] });
});
