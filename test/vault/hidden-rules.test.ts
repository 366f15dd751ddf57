import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openHiddenRules } from '../../src/vault/sync/hidden/hidden-rules.ts';
import { readPathPattern } from '../../src/vault/sync/hidden/path-pattern.ts';
import { StepBudget } from '../../src/wildcards.ts';

const plenty = (): StepBudget => new StepBudget(Number.MAX_SAFE_INTEGER, () => undefined);

/** Expressions of all that filters are written with. */
const source: fc.Arbitrary<string> = fc.letrec<{ whole: string; part: string }>((tie) => ({
  whole: fc.oneof(
    { maxDepth: 4 },
    fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('whole'), tie('whole')).map((sides) => sides.join('|')),
  ),
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', 'B', '/', '.', '\\.', '\\d', '\\W', '\\b', '^', '$', '[ab]', '[^a]', '[A-C1]', '[\\d-]', '-'),
    fc
      .tuple(fc.constantFrom('a', '[ab]', '.', '\\w'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'))
      .map((both) => both.join('')),
    fc.tuple(tie('whole'), fc.constantFrom('', '*', '+', '?', '{0,2}')).map(([inner, count]) => `(${inner})${count}`),
    tie('whole').map((inner) => `(?:${inner})`),
  ),
})).whole;

describe('excluded files', () => {
  it('an expression finds what JavaScript finds with it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'c', '/', '.', '1', '-', ' '), maxLength: 10 });
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 1, maxLength: 5 }), (expression, texts) => {
        const pattern = readPathPattern(expression);
        fc.pre(pattern !== null);
        for (const each of texts)
          expect(pattern?.(each.toLowerCase(), plenty()), `/${expression}/ on ${each}`).toBe(new RegExp(expression, 'i').test(each));
      }),
      { numRuns: 1_000 },
    );
  });

  it('F37 no expression takes long, however it is made', () => {
    const long = `${'a'.repeat(2_000)}!`;
    for (const hostile of ['(a+)+$', '(a|a)*b', `${'a?'.repeat(60)}${'a'.repeat(60)}b`, 'a*a*a*a*a*a*b', '(.*)*x', '((a*)*)*b', '(a|aa)+c'])
      expect(readPathPattern(hostile)?.(long, plenty()), hostile).toBe(false);
  });

  it('an expression that is none, or very large, is not used', () => {
    for (const none of [
      '[',
      '(',
      ')',
      '*',
      'a{3,2}',
      '(?=a)',
      '(?<n>a)',
      '\\1',
      '\\',
      'a{999}{999}',
      '('.repeat(100_000),
      'x'.repeat(100_000),
    ])
      expect(readPathPattern(none), none.slice(0, 20)).toBe(null);
  });

  it.each([
    ['a{2}', 'aa', 'a'],
    ['^a{2,2}$', 'aa', 'aaa'],
    ['^a{2,}$', 'aaa', 'a'],
    ['^a{1,2}$', 'aa', 'aaa'],
    ['^a?$', 'a', 'aa'],
    ['^a+$', 'aa', ''],
    ['^a*b$', 'aab', 'ba'],
    ['^(?:ab)+$', 'abab', 'aba'],
    ['^(ab|c)d$', 'cd', 'ab'],
    ['a\\b', 'a b', 'ab'],
    ['a\\B', 'ab', 'a b'],
    ['^[a-c]$', 'b', '-'],
    ['^[A-C]$', 'b', 'd'],
    ['^[a-a]$', 'a', 'b'],
    ['^[a-]$', '-', 'b'],
    ['^[a\\-c]$', '-', 'b'],
    ['^[\\d]$', '0', 'd'],
    ['^[^ab]$', 'c', 'b'],
    ['^\\d$', '9', ':'],
    ['^\\d$', '0', '/'],
    ['^\\D$', 'a', '5'],
    ['^\\s$', ' ', 'a'],
    ['^\\t$', '\t', 't'],
    ['^\\n$', '\n', 'n'],
    ['^\\.$', '.', 'a'],
    ['^.$', 'a', '\n'],
  ])('the expression %s finds %j and not %j', (expression, found, other) => {
    const pattern = readPathPattern(expression);
    for (const text of [found, other]) expect(new RegExp(expression, 'i').test(text)).toBe(text === found);
    expect(pattern?.(found, plenty())).toBe(true);
    expect(pattern?.(other, plenty())).toBe(false);
  });

  it('an expression may have so many characters and steps, and no more', () => {
    const ofLength = (length: number): string => `[${'a'.repeat(length - 2)}]`;
    expect(readPathPattern(ofLength(500))?.('a', plenty())).toBe(true);
    expect(readPathPattern(ofLength(501))).toBe(null);
    expect(readPathPattern('a'.repeat(399))?.('a'.repeat(399), plenty())).toBe(true);
    expect(readPathPattern('a'.repeat(400))).toBe(null);
    for (const none of ['[c-a]', '\\q', '\\1', 'a{2,1}', '(a', '(?']) expect(readPathPattern(none), none).toBe(null);
  });

  it('where the steps of a budget end, the answer is no', () => {
    // One step before each character, and one where it is found.
    expect(readPathPattern('b')?.('ab', new StepBudget(3, () => undefined))).toBe(true);
    expect(readPathPattern('b')?.('ab', new StepBudget(2, () => undefined))).toBe(false);
  });

  const rulesOf = (userIgnoreFilters: unknown, ignore: readonly string[] = [], warn?: (warning: string) => void) =>
    openHiddenRules({ ignore, obsidianSettings: JSON.stringify({ userIgnoreFilters }), ...(warn === undefined ? {} : { warn }) });

  it('are those of the configuration and of Obsidian: the beginning of a path, or an expression', () => {
    const rules = rulesOf(['Archive/', '/\\.tmp\\.md$/', 7, '', '/', '/x'], ['drafts']);
    const hidden = ['archive/a.md', 'b.tmp.md', 'drafts/c.md', 'd.md', 'x/Archive/', 'my/archive', '/xy', 'b.tmp.md.md'].filter((path) =>
      rules.isHidden(path),
    );
    expect(hidden).toEqual(['archive/a.md', 'b.tmp.md', 'drafts/c.md', '/xy']);
    expect(rules.warnings).toEqual([]);
    expect(rules.isReadable).toBe(true);
    expect(rulesOf(['a/b\n/']).isHidden('a/b\n/c.md')).toBe(true);
  });

  it('may not be there, or be of another form', () => {
    for (const settings of [null, 'null', '7', '{}', '{"userIgnoreFilters":null}', '\ufeff{"userIgnoreFilters":"a"}']) {
      const rules = openHiddenRules({ ignore: [], obsidianSettings: settings });
      expect([rules.isReadable, rules.warnings, rules.isHidden('a')], String(settings)).toEqual([true, [], false]);
    }
    const broken = openHiddenRules({ ignore: ['a'], obsidianSettings: '{' });
    expect(broken.isReadable).toBe(false);
    expect(broken.warnings).toEqual(['.obsidian/app.json is not readable as JSON; its excluded files are not applied.']);
    expect(broken.isHidden('a')).toBe(true);
  });

  it('that cannot be used are named, five of them and in sixty characters', () => {
    const unreadable = (name: string): string =>
      `The excluded-files filter ${name} of .obsidian/app.json is no regular expression that roux reads and is not applied.`;
    const named = (count: number): readonly string[] => rulesOf(Array.from({ length: count }, (_, index) => `/(${index}/`)).warnings;
    expect(named(5)).toEqual([0, 1, 2, 3, 4].map((index) => unreadable(`/(${index}/`)));
    expect(named(7).slice(5)).toEqual(['2 more excluded-files filters like these are not applied.']);
    const long = (length: number): string => `/(${'x'.repeat(length - 3)}/`;
    expect(rulesOf([long(60), long(61), 'ok']).warnings).toEqual([unreadable(long(60)), unreadable(`${long(61).slice(0, 60)}…`)]);
    expect(rulesOf(['/(/', 'ok']).isHidden('ok.md')).toBe(true);
    expect(rulesOf(Array.from({ length: 200 }, (_, index) => `f${index}/`)).warnings).toEqual([]);
    const many = rulesOf(Array.from({ length: 201 }, (_, index) => `f${index}/`));
    expect(many.warnings).toEqual(['Of the 201 excluded-files filters of .obsidian/app.json the first 200 are applied.']);
    expect([many.isHidden('f199/a'), many.isHidden('f200/a')]).toEqual([true, false]);
  });

  it('that take too many steps for a path hide it not, which is said once', () => {
    const warned: string[] = [];
    const rules = rulesOf([`/${'a?'.repeat(150)}b/`], [], (warning) => warned.push(warning));
    const path = 'a'.repeat(300);
    expect(rules.isHidden('b')).toBe(true);
    expect(rules.warnings).toEqual([]);
    expect([rules.isHidden(path), rules.isHidden(path), rules.isHidden('b')]).toEqual([false, false, true]);
    expect(warned.length).toBe(1);
    expect(rules.warnings).toEqual(warned);
  });

  it('of very many filters some are used, and the warnings about them stay few and short', () => {
    const userIgnoreFilters = Array.from({ length: 20_000 }, (_, at) => `/(?!${'x'.repeat(500)})${at}/`);
    const { warnings } = openHiddenRules({ ignore: [], obsidianSettings: JSON.stringify({ userIgnoreFilters }) });
    expect(warnings.length).toBeLessThan(10);
    expect(warnings.join('').length).toBeLessThan(2_000);
    expect(warnings.at(-1)).toContain('Of the 20000 excluded-files filters');
  });
});
