import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import ignore from 'ignore';
import { describe, expect, it } from 'vitest';
import { readIgnorePatterns } from '../../src/vault/sync/hidden/gitignore.ts';
import { StepBudget } from '../../src/wildcards.ts';
import { runs } from '../support/effort.ts';
import { withVault } from '../support/vault.ts';

const newBudget = (onExceeded = (): void => undefined): StepBudget => new StepBudget(1_000_000, onExceeded);

const name = fc
  .array(fc.constantFrom('a', 'b', 'A', 'é', '*', '?', '[ab]', '[!a]', '[a-b]', '[]a]', '[[:alpha:]]', '\\*', '\\a', '.', '-'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  // A run of stars beside other characters is one star by the manual, and sometimes more in git itself.
  .filter((text) => !text.includes('**'));
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    fc.constantFrom('', '', '/'),
    fc.array(fc.oneof(name, name, fc.constant('**')), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', '/', '  ', '\\ '),
  )
  .map(([not, root, names, end]) => `${not}${root}${names.join('/')}${end}`);
/** git itself compares bytes, and does not ignore case within a class; spaces at the end of a line are another test's. */
const gitPattern = pattern.filter((text) => !/[é ]|\[[^\]]*[A-Z]/.test(text));
const path = fc
  .array(
    fc
      .string({ unit: fc.constantFrom('a', 'b', 'B', 'é', '*', '.', '-', ']'), minLength: 1, maxLength: 3 })
      .filter((each) => !/^\.+$/.test(each)),
    { minLength: 1, maxLength: 5 },
  )
  .map((names) => names.join('/'));

describe('H-01 patterns in the syntax of gitignore', () => {
  it('H-01 ignore what the library ignores', () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), fc.array(path, { minLength: 1, maxLength: 6 }), (patterns, paths) => {
        const expected = ignore().add(patterns);
        const ignores = readIgnorePatterns(patterns, newBudget());
        for (const each of paths) expect(ignores(each), `${JSON.stringify(patterns)} on ${each}`).toBe(expected.ignores(each));
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('H-01 ignore what git ignores', () =>
    withVault({}, ({ root }) => {
      const run = (args: readonly string[], input = ''): string => {
        const { stdout, stderr } = spawnSync('git', ['-C', root, '-c', 'core.ignoreCase=true', ...args], { input, encoding: 'utf8' });
        if (stderr !== '') throw new Error(stderr);
        return stdout;
      };
      run(['init', '-q']);
      fc.assert(
        fc.property(
          fc.array(gitPattern, { minLength: 1, maxLength: 4 }),
          fc.array(
            path.filter((text) => !text.includes('é')),
            { minLength: 1, maxLength: 20 },
          ),
          (patterns, paths) => {
            writeFileSync(join(root, '.git/info/exclude'), `${patterns.join('\n')}\n`);
            const ignored = new Set(run(['check-ignore', '--no-index', '-z', '--stdin'], paths.join('\0')).split('\0'));
            const ignores = readIgnorePatterns(patterns, newBudget());
            for (const each of paths) expect(ignores(each), `${JSON.stringify(patterns)} on ${each}`).toBe(ignored.has(each));
          },
        ),
        { numRuns: runs(300) },
      );
    }));

  it.each([
    ['a/**/', 'a/b/c', true],
    ['a/**/', 'a/b', false],
    ['a/**', 'a', false],
    ['/a', 'b/a', false],
    ['[a/]b', 'ab', true],
    ['[a/]b', 'c/ab', false],
    ['[', '[', false],
    ['a\\', 'a', false],
    ['?', '😀', true],
    ['\\#a', '#a', true],
    ['#a', '#a', false],
    ['a \\ ', 'a  ', true],
    ['a\\', 'a\\', false],
    ['a', 'b/a', true],
    ['/a', 'a', true],
    ['a!', 'a!', true],
    ['a ', 'a', true],
    ['a\r', 'a', true],
    ['a b', 'a b', true],
    [' ', ' ', false],
    ['', '', false],
    ['a/', 'a', false],
    ['a/', 'a/b', true],
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/c', true],
    ['**', 'a', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/b', true],
    ['a/*/b', 'a/x/y/b', false],
    ['*', 'a', true],
    ['?', 'ab', false],
    ['[!a]', 'b', true],
    ['[!a]', 'a', false],
    ['[!a]', '!', true],
    ['[^a]', 'b', true],
    ['[a!]', '!', true],
    ['[]a]', ']', true],
    ['[!]a]', ']', false],
    ['[[a]', '[', true],
    ['[[a]', 'a', true],
    ['[:a]', ':', true],
    ['[[:alpha:]]', 'q', true],
    ['[[:alpha:]]', '1', false],
    ['[[:alpha:]1]', '1', true],
    ['[[:alpha:]1]', ':', false],
    ['[[:upper:]]', 'q', true],
    ['[[:nothing:]]', 'n', false],
    ['[[:alpha]', 'p', true],
    ['[[:alpha]', 'z', false],
    ['[[:]', ':', true],
    ['[[:', ':', false],
    ['[\\]a]', ']', true],
    ['[\\]a]', '\\', false],
    ['[a-c]', 'a', true],
    ['[a-c]', 'b', true],
    ['[a-c]', 'c', true],
    ['[a-c]', 'd', false],
    ['[a-c]', '-', false],
    ['[b-c]', 'a', false],
    ['[A-C]', 'b', true],
    ['[a-\\c]', 'b', true],
    ['[a-\\c]', '\\', false],
    ['[c-a]', 'c', true],
    ['[c-a]', 'b', false],
    ['[c-a]', 'a', false],
    ['[a-]', '-', true],
    ['[a-]', 'a', true],
    ['[-a]', '-', true],
    ['[a-', 'a', false],
    ['A', 'a', true],
  ])('H-01 the pattern %s and %s: %s', (text, file, expected) => {
    expect(readIgnorePatterns([text], newBudget())(file)).toBe(expected);
  });

  it('H-01 the last pattern that fits decides, and what is in an ignored folder is not taken back', () => {
    const ignores = readIgnorePatterns(['*.md', '!keep.md', '!b', 'b', '/x/', '!x/keep.md'], newBudget());
    expect(['a.md', 'keep.md', 'b', 'c', 'x/keep.md', 'y/keep.md'].map(ignores)).toEqual([true, false, true, false, true, false]);
  });

  it('H-01 each folder is decided once, and each name has the whole budget', () => {
    let begun = 0;
    class Counted extends StepBudget {
      override reset(): void {
        begun += 1;
        super.reset();
      }
    }
    const asked = (path: string): number => {
      begun = 0;
      expect(ignores(path)).toBe(false);
      return begun;
    };
    let exceeded = 0;
    const ignores = readIgnorePatterns(['nothing'], new Counted(3, () => (exceeded += 1)));
    expect(asked('a/b/c.md')).toBe(3);
    expect(asked('a/b/d.md')).toBe(1);
    expect(asked('a/e.md')).toBe(1);
    expect(asked('f.md')).toBe(1);
    expect(exceeded).toBe(0);
    // With `a` and `a/b` ten thousand folders; one more, and all are forgotten.
    for (let folder = 0; folder < 9_998; folder++) asked(`${folder}/a`);
    expect(asked('a/b/d.md')).toBe(1);
    asked('one more/a');
    expect(asked('one more/b')).toBe(1);
    expect(asked('a/b/d.md')).toBe(3);
    const none = readIgnorePatterns(['# nothing', ''], new Counted(3, () => undefined));
    begun = 0;
    expect(none('a/b')).toBe(false);
    expect(begun).toBe(0);
  });

  it.each([
    `${'a/**/'.repeat(12)}b`,
    'a/**/'.repeat(12),
    `${'*a'.repeat(40)}b`,
    `${'**/*a*a/'.repeat(20)}b`,
    `**/${'[[:alpha:]]*'.repeat(50)}b`,
  ])('H-01 the pattern %s takes no more steps than characters of both multiplied', (text) => {
    let isExceeded = false;
    const file = `${'a/'.repeat(60)}${'a'.repeat(200)}`;
    const ignores = readIgnorePatterns([text], new StepBudget(text.length * file.length, () => (isExceeded = true)));
    expect(ignores(file)).toBe(text === 'a/**/'.repeat(12));
    expect(isExceeded).toBe(false);
  });

  it('H-01 a question that takes too many steps is answered with no, and said once', () => {
    let exceeded = 0;
    const ignores = readIgnorePatterns(
      Array.from({ length: 1_000 }, () => `${'*a'.repeat(100)}b`),
      new StepBudget(10_000, () => (exceeded += 1)),
    );
    expect(ignores('a'.repeat(250))).toBe(false);
    expect(exceeded).toBe(1);
  });
});
