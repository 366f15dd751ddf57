import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import {
  baseName,
  checkName,
  checkPath,
  checkTitle,
  fileName,
  fileNameFor,
  foldKey,
  folderOf,
  isDisguised,
  isIgnoredName,
  isSlugOf,
  isVaultPath,
  joinPath,
  needsSafeName,
  normalizeId,
  slugify,
  splitPath,
  toNotePath,
} from '../../src/note/path.ts';
import { runs } from '../support/effort.ts';

it('F40 only paths of notes inside the vault become note paths', () => {
  for (const path of ['a.md', 'a/b c.md', 'A.MD', 'ä/日本.md', 'v1.2.md']) expect(toNotePath(path), path).toBe(path);
  const bad = [
    '',
    'a',
    '.md',
    '/a.md',
    '../a.md',
    'a/../b.md',
    './a.md',
    'a//b.md',
    'a/.b.md',
    '.obsidian/a.md',
    'a\\b.md',
    'a\0.md',
    'a\nb.md',
    '~/a.md',
    'node_modules/a.md',
    'x/Node_Modules/a.md',
    'a.md/',
  ];
  for (const path of bad) expect(toNotePath(path), path).toBeNull();
});

it('S19 names fold alike with and without their extension', () => {
  expect(foldKey('ΟΔΟΣ.md')).toBe(`${foldKey('ΟΔΟΣ')}.md`);
  expect(foldKey('οδος')).toBe(foldKey('ΟΔΟΣ'));
  expect(foldKey('e\u0301')).toBe(foldKey('É'));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(foldKey(`${name}.md`)).toBe(`${foldKey(name)}.md`);
      expect(foldKey(foldKey(name))).toBe(foldKey(name));
      expect(foldKey(name.normalize('NFD'))).toBe(foldKey(name));
    }),
  );
});

it('paths split into folder and name, and join again', () => {
  expect([baseName('a/b.md'), baseName('b.MD'), baseName('v1.2.md'), baseName('i.png')]).toEqual(['b', 'b', 'v1.2', 'i.png']);
  expect([folderOf('a/b/c.md'), folderOf('c.md')]).toEqual(['a/b', '']);
  expect([fileName('a/b/c.md'), fileName('c.md'), fileName('a/')]).toEqual(['c.md', 'c.md', '']);
  expect([splitPath('a/b/c.md'), splitPath('c.md')]).toEqual([
    ['a/b', 'c.md'],
    ['', 'c.md'],
  ]);
  for (const path of ['a/b/c.md', 'c.md', 'a/', '']) expect(joinPath(...splitPath(path))).toBe(path);
  expect(normalizeId('e\u0301.md')).toBe('é.md');
});

it('S2-21 slugs keep letters of every script and are never empty', () => {
  expect(['My Note', 'Ünï Çödé', '日本語 ノート', 'हिन्दी', "It's v1.2!", 'a_b'].map(slugify)).toEqual([
    'my-note',
    'ünï-çödé',
    '日本語-ノート',
    'हिन्दी',
    'its-v1-2',
    'a_b',
  ]);
  expect(['!!!', '---', '', '🚀', ' '].map(slugify)).toEqual(['untitled', 'untitled', 'untitled', 'untitled', 'untitled']);
  expect(isSlugOf('my-note.md', 'My Note')).toBe(true);
  expect(isSlugOf('my-note', 'Other')).toBe(false);
});

it('F31 a file name made of any title is a legal one', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom('CON', 'nul', 'com1.x', '..', 'a.', ' x ', '語'.repeat(300))),
      fc.constantFrom('slug' as const, 'title' as const),
      (title, style) => {
        expect(checkName(fileNameFor(title, style))).toBeNull();
        expect(toNotePath(fileNameFor(title, style))).not.toBeNull();
      },
    ),
    { numRuns: runs(500) },
  );
});

it('W36 names that file systems or links cannot hold are refused in words, as titles they are taken', () => {
  const bad = [
    '',
    ' ',
    'a/b',
    'a\\b',
    'a#b',
    'a^b',
    'a[b',
    'a]b',
    'a|b',
    '.a',
    'a.',
    'CON',
    'nul.txt',
    'COM1',
    'a\u0000',
    'a\nb',
    'x'.repeat(198),
  ];
  const isTitle = (title: string): boolean => title.trim() !== '' && !/\p{Cc}/u.test(title);
  for (const title of bad) expect([title, checkTitle(title) === null]).toEqual([title, isTitle(title)]);
  for (const title of [...bad.filter(isTitle), 'a:b', 'x.md']) expect([title, needsSafeName(title)]).toEqual([title, true]);
  for (const name of [...bad, 'a:b', 'a?', 'a*', '<a', 'a"', 'a ', ' a'])
    expect(checkName(`${name}.md`), JSON.stringify(name)).toEqual(expect.any(String));
  for (const name of ['A note', 'v1.2', '日本', "it's $& fine", 'x'.repeat(197), 'Console']) {
    expect([checkTitle(name), checkName(`${name}.md`), needsSafeName(name)], name).toEqual([null, null, false]);
  }
});

it('F22 temporary files of editors and sync tools are ignored', () => {
  for (const name of [
    '.git',
    '.#a.md',
    '.a.md.swp',
    'a.md~',
    '4913',
    '#a.md#',
    'a.swx',
    'a.save',
    'a.tmp',
    'a.part',
    '.~lock.a.md#',
    'sedAb12Cd',
    'a.crdownload',
    'a.icloud',
    'node_modules',
  ]) {
    expect(isIgnoredName(name), name).toBe(true);
  }
  for (const name of ['a.md', 'sed.md', 'temp', '4913.md', 'a.tmp.md', '#a.md']) expect(isIgnoredName(name), name).toBe(false);
});

/** Texts of what paths are told apart by, and of what they mostly are. */
const pieces = fc
  .array(
    fc.constantFrom(
      'a',
      'Z',
      '7',
      ' ',
      '.',
      '/',
      '-',
      '_',
      '~',
      ':',
      '\\',
      '#',
      '(',
      '$DATA',
      'git~1',
      'node_modules',
      'sed',
      '4913',
      'tmp',
      'swp',
      'md',
      'é',
      '\u200c',
      '\n',
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));

it('F40 H-25 a path is judged alike whether or not it is so plain that one look tells', () => {
  // No longer short enough to be judged at one look, and no nearer to being too long.
  const below = 'folder/'.repeat(15);
  fc.assert(
    fc.property(pieces, (path) => {
      fc.pre(!path.startsWith('~'));
      expect(isVaultPath(path), path).toBe(isVaultPath(`${below}${path}`));
      expect(isIgnoredName(`${path}.md`), path).toBe(isIgnoredName(`${path}.MD`));
    }),
    { numRuns: runs(2_000), examples: [['node_modules'], ['a/node_modules/b.md'], ['a b/c.md'], ['a//b.md'], ['a/ b.md'], ['a/.b.md']] },
  );
  expect(isVaultPath('~a.md')).toBe(false);
  expect(isVaultPath('a/'.repeat(101))).toBe(false);
});

/** The characters that HFS+ leaves out of a name. */
const UNSEEN = ['\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202e', '\u206a', '\u206f', '\ufeff'];

/** A hidden folder of roux, git or Obsidian, written so that some file system reads it as that and a careless check does not. */
const disguise = fc
  .record({
    name: fc.constantFrom('.git', '.roux', '.obsidian', 'git~1', 'roux~1', 'obsidi~1', 'git~12', 'obsıdi~2', 'obſidi~1'),
    isUpper: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
    unseen: fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...UNSEEN)), { maxLength: 4 }),
    end: fc.constantFrom('', '.', ' ', '. .', '...', ' . '),
    stream: fc.constantFrom('', ':stream', '::$INDEX_ALLOCATION', ':$I30:$INDEX_ALLOCATION', '::$DATA'),
  })
  .map(({ name, isUpper, unseen, end, stream }) => {
    const letters = Array.from(name, (letter, at) => (isUpper[at] === true ? letter.toUpperCase() : letter));
    for (const [at, character] of unseen) letters.splice(Math.min(at, letters.length), 0, character);
    return letters.join('') + end + stream;
  });

it('H-25 no disguise of a hidden folder is a path of the vault, nor a name for anything new', () => {
  const place = fc.constantFrom(
    (name: string) => name,
    (name: string) => `a/${name}`,
    (name: string) => `${name}/b.md`,
    (name: string) => `a/${name}/b/c.md`,
  );
  fc.assert(
    fc.property(disguise, place, (name, at) => {
      expect(toNotePath(at(name))).toBeNull();
      expect(toNotePath(`${at(name)}/x.md`)).toBeNull();
      expect(checkPath(at(name))).not.toBeNull();
      expect(checkName(name)).not.toBeNull();
      for (const style of ['slug', 'title'] as const) expect(checkName(fileNameFor(name, style))).toBeNull();
    }),
    { numRuns: runs(2_000) },
  );
});

it('H-25 streams and short names of Windows are no names for anything new; what looks like them and is none goes on', () => {
  const streams = ['a.md:stream', 'a.md:b.md', 'a.md::$DATA', 'folder::$INDEX_ALLOCATION', ':x'];
  const short = ['CLAUDE~1', 'vscode~2', 'GI7EBA~1', 'github~1.old'];
  for (const name of [...streams, ...short, 'CON', 'nul.md', 'COM1.txt', 'a.', 'a ']) expect(checkName(name), name).not.toBeNull();
  for (const path of ['a.md::$DATA', 'folder::$INDEX_ALLOCATION/a.md', 'x/a.md::$data']) expect(isDisguised(path), path).toBe(true);
  const fine = [
    'a:b.md',
    'Plan: spring.md',
    'می\u200cخواهم.md',
    '👩\u200d💻.md',
    'a~1.md',
    'git~1.md',
    'about git~1/x.md',
    'git~/x.md',
    'digit~1/x.md',
  ];
  for (const path of fine) expect(toNotePath(path), path).toBe(path);
  for (const name of ['می\u200cخواهم.md', '👩\u200d💻', 'git~1.md', 'backup~', 'a~b', 'approximately~10'])
    expect(checkName(name), name).toBeNull();
  expect([fileNameFor('Plan: spring', 'slug'), fileNameFor('Plan: spring', 'title')]).toEqual(['plan-spring.md', 'Plan spring.md']);
});
