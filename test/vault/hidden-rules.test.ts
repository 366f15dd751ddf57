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

  it('of very many filters some are used, and the warnings about them stay few and short', () => {
    const userIgnoreFilters = Array.from({ length: 20_000 }, (_, at) => `/(?!${'x'.repeat(500)})${at}/`);
    const { warnings } = openHiddenRules({ ignore: [], obsidianSettings: JSON.stringify({ userIgnoreFilters }) });
    expect(warnings.length).toBeLessThan(10);
    expect(warnings.join('').length).toBeLessThan(2_000);
    expect(warnings.at(-1)).toContain('Of the 20000 excluded-files filters');
  });
});
