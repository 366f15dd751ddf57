import { describe, expect, it } from 'vitest';
import { resolveLinkpath, resolverOf } from '../../../src/graph/links/resolve.ts';
import { linkKey } from '../../../src/note/path.ts';
import { lookupOf } from './lookup-of.ts';

const NFC = 'Café.md'.normalize('NFC');
const NFD = 'Café.md'.normalize('NFD');

/** Files, source, linkpath, expected path, whether another file fits as well. */
const table: readonly (readonly [string, readonly string[], string, string, string | null, boolean])[] = [
  ['a name anywhere', ['x/y/Name.md'], 'Home.md', 'Name', 'x/y/Name.md', false],
  ['any case', ['x/Name.md'], 'Home.md', 'nAmE', 'x/Name.md', false],
  ['the root before the own folder', ['q/Name.md', 'Name.md'], 'q/Home.md', 'Name', 'Name.md', false],
  ['below the own folder before the rest', ['Z/Name.md', 'a/deep/er/Name.md'], 'a/Home.md', 'Name', 'a/deep/er/Name.md', true],
  ['not the folder above', ['a/Name.md', 'z/Name.md', 'a/b/other.md'], 'a/b/Home.md', 'Name', 'a/Name.md', true],
  ['a folder whose name only begins alike is not the own one', ['ab/Name.md', 'c/d/Name.md'], 'a/Home.md', 'Name', 'ab/Name.md', true],
  ['the shortest far away', ['long/Name.md', 'b/Name.md'], 'Home/Home.md', 'Name', 'b/Name.md', true],
  ['code units among equals', ['c/Name.md', 'B/Name.md', 'a/Name.md'], 'Home/Home.md', 'Name', 'B/Name.md', true],
  ['a path from the root', ['x/a/Name.md', 'a/Name.md'], 'Home.md', 'a/Name', 'a/Name.md', false],
  ['the end of a path', ['x/a/Name.md', 'b/Name.md'], 'Home.md', 'a/Name', 'x/a/Name.md', false],
  ['no part of a segment', ['x/bName.md'], 'Home.md', 'Name', null, false],
  ['the extension as written', ['x/Name.md'], 'Home.md', 'Name.md', 'x/Name.md', false],
  ['a file of the very name before one with .md behind it', ['x/Name.md.md', 'y/Name.md'], 'Home.md', 'Name.md', 'y/Name.md', false],
  ['.md behind .md when there is nothing else', ['x/Name.md.md'], 'Home.md', 'Name.md', 'x/Name.md.md', false],
  ['an attachment by its full name', ['x/p.png', 'x/p.png.md'], 'Home.md', 'p.png', 'x/p.png', false],
  ['a note at the root before an attachment below', ['x/p.png', 'p.png.md'], 'Home.md', 'p.png', 'p.png.md', false],
  ['no attachment without its extension', ['x/p.png'], 'Home.md', 'p', null, false],
  ['a file without extension', ['x/LICENSE'], 'Home.md', 'license', 'x/LICENSE', false],
  ['a relative path and nothing else', ['Name.md', 'a/Name.md'], 'a/Home.md', './Name', 'a/Name.md', false],
  ['a relative path to nothing', ['Name.md'], 'a/Home.md', './Name', null, false],
  ['a relative path upwards', ['z/Name.md'], 'a/b/Home.md', '../../z/Name', 'z/Name.md', false],
  ['a relative path out of the vault', ['Name.md'], 'a/Home.md', '../../Name', null, false],
  ['a relative path to a folder', ['a.md', 'a/x.md'], 'a/x.md', './..', null, false],
  ['a path from the root with a slash', ['x/Name.md', 'Name.md'], 'x/Home.md', '/Name', 'Name.md', false],
  ['no search after a slash', ['x/Name.md'], 'x/Home.md', '/Name', null, false],
  ['the source itself', [], 'x/Home.md', '', 'x/Home.md', false],
  ['NFC to a name in NFD', [NFD], 'Home.md', NFC.slice(0, -3), NFD, false],
  ['NFD to a name in NFC', [NFC], 'Home.md', NFD.slice(0, -3), NFC, false],
  ['S17 names that differ by Unicode form: the one written', [NFC, NFD], 'Home.md', NFD.slice(0, -3), NFD, true],
  ['S17 names that differ by case: the one written', ['x/Name.md', 'x/name.md'], 'Home.md', 'name', 'x/name.md', true],
  ['S17 names that differ by case: code units when neither is written', ['x/name.md', 'x/Name.md'], 'Home.md', 'NAME', 'x/Name.md', true],
  ['S17 twins at the root', ['Name.md', 'name.md'], 'Home.md', 'name.md', 'name.md', true],
  ['S19 a final sigma in the link', ['ΟΔΟΣ.md'], 'Home.md', 'οδος', 'ΟΔΟΣ.md', false],
  ['S19 a final sigma in the name', ['οδος.md'], 'Home.md', 'ΟΔΟΣ', 'οδος.md', false],
  ['S19 an inner sigma for a final one', ['οδος.md'], 'Home.md', 'οδοσ', 'οδος.md', false],
  ['S19 a dotted capital I', ['x/İstanbul.md'], 'Home.md', 'i\u0307stanbul', 'x/İstanbul.md', false],
  ['S19 a sharp s is not two', ['Straße.md'], 'Home.md', 'Strasse', null, false],
  ['S19 a sharp s in capitals', ['STRAẞE.md'], 'Home.md', 'straße', 'STRAẞE.md', false],
  ['S19 full width stays apart from half', ['Ａ.md'], 'Home.md', 'a', null, false],
  ['S19 full width in any case', ['Ａ.md'], 'Home.md', 'ａ', 'Ａ.md', false],
];

describe('resolution', () => {
  for (const [title, files, from, linkpath, path, isAmbiguous] of table) {
    it(`takes ${title}`, () => {
      expect(resolveLinkpath(lookupOf(files), { linkpath, from })).toEqual({ path, isAmbiguous });
      expect(resolveLinkpath(lookupOf(files.toReversed()), { linkpath, from })).toEqual({ path, isAmbiguous });
    });
  }

  it('asks for the files of a name once, however many links there are', () => {
    const files = Array.from({ length: 100 }, (_, n) => `f${n}/README.md`);
    const lookup = lookupOf(files);
    const asked: string[] = [];
    const resolve = resolverOf({
      bundles: lookup.bundles,
      byKey: (key) => {
        asked.push(key);
        return lookup.byKey(key);
      },
    });
    for (const from of files) {
      for (const linkpath of ['README', 'readme.md', './README', 'f7/README'])
        expect(resolve({ linkpath, from })).toEqual(resolveLinkpath(lookup, { linkpath, from }));
      expect(resolve({ linkpath: './README', from }).path).toBe(from);
    }
    expect(asked).toEqual(['readme']);
  });

  it('asks once for each index.md whether a bundle reserves it, however many links there are', () => {
    const files = Array.from({ length: 100 }, (_, n) => `f${n}/index.md`);
    const lookup = lookupOf(files);
    const asked: string[] = [];
    const isReserved = (path: string): boolean => {
      asked.push(path);
      return false;
    };
    const resolve = resolverOf({ ...lookup, bundles: { ...lookup.bundles, topOf: () => null, isReserved } });
    for (const file of files) expect(resolve({ linkpath: file, from: 'a.md' }).path).toBe(file);
    expect(asked).toHaveLength(files.length);
  });

  it('gives every spelling of a link the key of the file it means', () => {
    const found = table.filter(([, , , linkpath, path]) => path !== null && linkpath !== '');
    expect(found.map(([, , , linkpath]) => linkKey(linkpath))).toEqual(found.map(([, , , , path]) => linkKey(path ?? '')));
  });
});
