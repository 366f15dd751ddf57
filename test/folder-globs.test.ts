import { describe, expect, it } from 'vitest';
import { canOverlap, readFolders } from '../src/folder-globs.ts';

const has = (patterns: readonly string[], path: string): boolean => readFolders(patterns).has(path);

describe('V-04 the folders of a token', () => {
  it.each([
    ['projects', 'projects/a.md', true],
    ['projects/', 'projects/x/y/a.md', true],
    ['/projects/**', 'projects/x/a.md', true],
    ['projects/**', 'projects/a.md', true],
    ['./projects', 'projects/a.md', true],
    // From the root of the vault on, whole names, in their case.
    ['projects', 'old/projects/a.md', false],
    ['projects', 'projects-2/a.md', false],
    ['projects', 'Projects/a.md', false],
    ['projects', 'projects.md', false],
    ['journal/*', 'journal/a.md', true],
    ['journal/*', 'journal/2026/a.md', false],
    ['journal/2026-*', 'journal/2026-01.md', true],
    ['journal/2026-*', 'journal/2025-01.md', false],
    ['*/shared', 'a/shared/x/b.md', true],
    ['*/shared', 'a/b/shared/c.md', false],
    ['**/shared/**', 'a/b/shared/c.md', true],
    ['**/shared/**', 'shared/c.md', true],
    ['a?/**', 'ab/c.md', true],
    ['a?/**', 'abc/d.md', false],
    ['notes/one.md', 'notes/one.md', true],
    ['notes/one.md', 'notes/two.md', false],
    ['a.b(c)[d]/**', 'a.b(c)[d]/e.md', true],
    ['a.b/**', 'axb/e.md', false],
    ['ünï', 'u\u0308ni\u0308/a.md', true],
    ['open', 'open/../private/a.md', false],
    ['open', 'open/./a.md', false],
    ['**', '../a.md', false],
    ['**', 'anything.md', true],
    ['*', 'anything.md', true],
    ['*', 'any/thing.md', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(has([pattern], path)).toBe(expected);
  });

  it('are several, or none at all', () => {
    expect(has(['a', 'b/*'], 'b/c.md')).toBe(true);
    expect(has([], 'a.md')).toBe(false);
    expect(readFolders(['a', 'a/', '/a']).patterns).toEqual(['a']);
    expect(['projects/x/**', 'a/*/b', '**/x', 'notes/one.md'].map((each) => readFolders([each]).home)).toEqual([
      'projects/x',
      'a',
      '',
      'notes',
    ]);
  });

  it.each([
    ['projects', 'projects', true],
    ['projects', 'projects/x/**', true],
    ['projects/x', 'projects/y', false],
    ['projects', 'projects-2', false],
    ['projects/**', 'private', false],
    ['**/x', 'private', true],
    ['a/*/c', 'a/b/c/d', true],
    ['a/*/c', 'a/b/d', false],
    ['a/b.md', 'a/c.md', false],
    ['caf\u0065\u0301', 'caf\u00e9/x', true],
  ])('O-03 whether %s and %s have a path in common: %s', (one, other, expected) => {
    const [some, others] = [readFolders([one]), readFolders(['elsewhere', other])];
    expect([canOverlap(some, others), canOverlap(others, some)]).toEqual([expected, expected]);
  });

  it('take no long time, whatever the pattern', () => {
    const stars = `${'*a'.repeat(200)}b`;
    expect(has([stars], `${'a'.repeat(900)}.md`)).toBe(false);
    expect(has([`${'**/'.repeat(100)}x`], `${'a/'.repeat(90)}y`)).toBe(false);
  });

  it.each(['', '  ', '/', '!a', 'a\\b', 'a//b', '../a', 'a/./b', 'a**', 'a/**b', 'a\u0000b', 'x'.repeat(501)])(
    '%j is refused',
    (pattern) => {
      expect(() => readFolders([pattern])).toThrow(/cannot be used/);
    },
  );
});
