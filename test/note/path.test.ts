import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import {
  baseName,
  checkName,
  checkTitle,
  fileName,
  fileNameFor,
  foldKey,
  folderOf,
  isConflictCopy,
  isIgnoredName,
  isSlugOf,
  joinPath,
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

it('copies that lost a conflict are told by their names', () => {
  expect(["a (Ada's conflicted copy 2026-01-01).md", 'b/a (conflicted copy 2026-01-05 101500).md'].every(isConflictCopy)).toBe(true);
  expect(['On (conflicted copy) rights.md', 'conflicted copy.md'].some(isConflictCopy)).toBe(false);
  expect(['a.sync-conflict-20260105-101500.md', 'b/a.sync-conflict-20260105-101500-ABC1234.md'].every(isConflictCopy)).toBe(true);
  expect(['a.md', 'a.sync-conflict-2026.md', 'sync-conflict-20260105-101500.png'].some(isConflictCopy)).toBe(false);
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

it('W36 names that file systems or links cannot hold are refused in words', () => {
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
  for (const title of bad) expect(checkTitle(title), JSON.stringify(title)).toEqual(expect.any(String));
  for (const name of [...bad, 'a:b', 'a?', 'a*', '<a', 'a"', 'a ', ' a'])
    expect(checkName(`${name}.md`), JSON.stringify(name)).toEqual(expect.any(String));
  for (const name of ['A note', 'v1.2', '日本', "it's $& fine", 'x'.repeat(197), 'Console']) {
    expect([checkTitle(name), checkName(`${name}.md`)], name).toEqual([null, null]);
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
