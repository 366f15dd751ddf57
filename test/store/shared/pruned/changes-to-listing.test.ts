import { describe, expect, it } from 'vitest';
import { diffListing } from '../../../../src/store/shared/incoming/diff-listing.ts';

const listing = (files: Readonly<Record<string, string>>) => ({
  seq: 9,
  files: Object.entries(files).map(([path, hash]) => ({ path, hash, size: 1, seq: 9 })),
});
const said = (base: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>): readonly string[] =>
  diffListing(new Map(Object.entries(base)), listing(files))
    .map(({ op, path, oldPath, before, hash }) => [op, oldPath, path, before, hash].filter((part) => part !== null).join(' '))
    .toSorted();

describe('P-12 what leads to a listing', () => {
  it('of files that were known: what changed, came and went, and nothing of what stayed', () =>
    expect(said({ stays: '1', changed: '2', gone: '3' }, { stays: '1', changed: '4', came: '5' })).toEqual([
      'create came 5',
      'delete gone 3',
      'update changed 2 4',
    ]));

  it('a name in other letters is the same file', () =>
    expect(said({ 'Café.md': '1', 'b.md': '2' }, { 'CAFE\u0301.md': '1', 'B.md': '3' })).toEqual([
      'rename Café.md CAFE\u0301.md 1 1',
      'rename b.md B.md 2 3',
    ]));

  it('of nothing: every file', () => expect(said({}, { a: '1', b: '2' })).toEqual(['create a 1', 'create b 2']));
});
