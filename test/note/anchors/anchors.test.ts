import { describe, expect, it } from 'vitest';
import { readAnchors } from '../../../src/note/anchors/anchors.ts';
import type { PropertyValue } from '../../../src/note/note.ts';

/** Which of these files an anchor means. */
function matched(text: string, files: readonly string[], folder = 'docs'): readonly string[] {
  const [anchor] = readAnchors(text, folder).anchors;
  return files.filter((file) => anchor?.matches(file) === true);
}

const FILES = ['a.ts', 'src/a.ts', 'src/b.js', 'src/x/a.ts', 'src/x/y/c.ts', 'lib/a.ts', 'docs/code/a.ts', 'app/[id]/page.tsx', 'src.ts'];

describe('G-01 anchors', () => {
  it.each<[string, readonly string[]]>([
    ['src/a.ts', ['src/a.ts']],
    ['src', ['src/a.ts', 'src/b.js', 'src/x/a.ts', 'src/x/y/c.ts']],
    ['src/', ['src/a.ts', 'src/b.js', 'src/x/a.ts', 'src/x/y/c.ts']],
    ['src/*', ['src/a.ts', 'src/b.js']],
    ['src/**', ['src/a.ts', 'src/b.js', 'src/x/a.ts', 'src/x/y/c.ts']],
    ['src/**/a.ts', ['src/a.ts', 'src/x/a.ts']],
    ['**/a.ts', ['a.ts', 'src/a.ts', 'src/x/a.ts', 'lib/a.ts', 'docs/code/a.ts']],
    ['*.ts', ['a.ts', 'src.ts']],
    ['{src,lib}/?.ts', ['src/a.ts', 'lib/a.ts']],
    ['src/{a.ts,x/{a,b}.ts}', ['src/a.ts', 'src/x/a.ts']],
    ['./code/a.ts', ['docs/code/a.ts']],
    ['../src/x', ['src/x/a.ts', 'src/x/y/c.ts']],
    ['../{src,lib}/a.ts', ['src/a.ts', 'lib/a.ts']],
    ['app/[id]/page.tsx', ['app/[id]/page.tsx']],
    ['SRC/a.ts', []],
    ['..', FILES],
  ])('%s', (text, files) => {
    expect(matched(text, FILES)).toEqual(files);
  });

  it.each([
    '/etc/passwd',
    '../../x',
    'C:/x',
    'mailto:a',
    'src\\a.ts',
    'a\0b',
    'src/../../x',
    'src//a',
    '{a,b,c,d,e,f,g,h,i}{a,b,c,d,e,f,g,h,i}',
    'a'.repeat(501),
  ])('%s is no anchor, and says why', (text) => {
    const { anchors, invalid } = readAnchors(text, 'docs');
    expect([anchors.length, invalid.length]).toEqual([0, 1]);
    expect(invalid[0]?.problem).not.toBe('');
  });

  it('a text, a list, and a path with a commit or a hash; what means something else to somebody is passed over', () => {
    const read = (value: PropertyValue): unknown =>
      readAnchors(value, '').anchors.map(({ text, commit, hash }) => [text, commit, hash].filter((each) => each !== null));
    expect(read('src')).toEqual([['src']]);
    expect(read(['src', { path: 'lib', commit: 'ABCDEF0' }, { path: 'a.ts', hash: 1234567 }])).toEqual([
      ['src'],
      ['lib', 'abcdef0'],
      ['a.ts', '1234567'],
    ]);
    expect(read({ path: 'lib', commit: 'not an id' })).toEqual([['lib']]);
    expect(read('**/*.ts,**/*.tsx')).toEqual([['**/*.ts'], ['**/*.tsx']]);
    expect(read(['src/{a,b}.ts, lib/**,', 'x'])).toEqual([['src/{a,b}.ts'], ['lib/**'], ['x']]);
    expect(read({ path: 'a,b.ts' })).toEqual([['a,b.ts']]);
    const foreign = ['', '[[A note]]', '[A](a.md)', 'https://example.org/a.ts', 'all customers'];
    for (const value of [
      null,
      true,
      7,
      ...foreign,
      foreign,
      { stack: 'ga 9.1' },
      [{ stack: 'ga' }, [['a']], null],
    ] satisfies PropertyValue[])
      expect(readAnchors(value, '')).toEqual({ anchors: [], invalid: [] });
    expect(
      readAnchors(
        Array.from({ length: 101 }, () => 'src'),
        '',
      ).invalid,
    ).toHaveLength(1);
  });

  it('Unicode forms of a path are one', () => {
    expect(matched('src/cafe\u0301.ts', ['src/café.ts'])).toHaveLength(1);
    expect(matched('src/café.ts', ['src/cafe\u0301.ts'])).toHaveLength(1);
  });

  it('a pattern of many wildcards takes no time', () => {
    const text = `${'*a'.repeat(200)}b`;
    expect(matched(text, ['a'.repeat(20_000)])).toEqual([]);
  });
});
