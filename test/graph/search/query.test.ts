import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clause } from '../../../src/graph/search/query/clauses.ts';
import { MAX_CLAUSES, parseSearchQuery } from '../../../src/graph/search/query/parse-query.ts';
import type { Test } from '../../../src/graph/search/query/query.ts';
import { MAX_NESTING } from '../../../src/graph/search/query/tokens.ts';
import { runs } from '../../support/effort.ts';

function spelled(clauses: readonly Clause[]): string[] {
  return clauses.map(({ alternatives }) => alternatives.map((terms) => terms.join('+')).join('|'));
}

/** The words that are looked for freely, each with the ways to write it. */
function free(query: string): string[] {
  const { words, full } = parseSearchQuery(query);
  return spelled(full.flatMap((word) => words[word] ?? []));
}

/** A test as text, with the words that it is of. */
function shown(query: string): string {
  const { words, test } = parseSearchQuery(query);
  const show = (each: Test): string => {
    switch (each.kind) {
      case 'all':
        return `(${each.of.map(show).join(' & ')})`;
      case 'any':
        return `(${each.of.map(show).join(' | ')})`;
      case 'not':
        return `!${show(each.of)}`;
      case 'word':
        return words[each.word]?.alternatives[0]?.join('+') ?? '';
      case 'phrase':
        return JSON.stringify(each.text);
      case 'property':
        return `[${each.key}${each.values === null ? '' : `:${each.values.map((value) => Object.values(value).join(' ')).join(', ')}`}]`;
      case 'part':
        return `${each.part}:${show(each.of)}`;
      default:
        return `${each.kind}:${each.value}`;
    }
  };
  return show(test);
}

describe('parseSearchQuery', () => {
  it('reads words, each with the ways to write it', () => {
    expect(free('heron fooBar snake_case 1.2.3')).toEqual(['heron', 'foobar|foo+bar', 'snake_case|snake+case', '1.2.3']);
  });

  it.each([
    ['heron gull', '(heron | gull)'],
    ['a "graph view" -"local graph" "to the end', '((a) & "graph view" & !"local graph" & "to the end")'],
    ['"they said \\"hello\\" to"', '"they said \\"hello\\" to"'],
    ['tag:#work/urgent path:"My folder/x" TYPE:task', '(tag:work/urgent & path:My folder/x & type:task)'],
    ['file:2022.md -tag:old -path:tmp', '(file:2022.md & !tag:old & !path:tmp)'],
    [
      '[status:done] [due] [up: [[Some Note]]] -[draft:true]',
      '([status:equals done] & [due] & [up:equals [[Some Note]]] & ![draft:equals true])',
    ],
    [
      '[n:null] [n:>3] [n:<=2024-01-31] ["my key":"null"]',
      '([n:empty] & [n:compare > 3] & [n:compare <= 2024-01-31] & [my key:equals null])',
    ],
    ['[status:Draft OR "Much later" OR null]', '[status:equals Draft, equals Much later, empty]'],
    ['[status:(a OR b)]', '[status:equals a, equals b]'],
    ['heron OR gull', '(heron | gull)'],
    ['meeting work OR meetup personal', '((meeting & work) | (meetup & personal))'],
    ['meeting (work OR meetup) personal', '(meeting & (work | meetup) & personal)'],
    ['meeting -(work meetup)', '((meeting) & !(work & meetup))'],
    ['meeting -(work OR tag:x)', '((meeting) & !(work | tag:x))'],
    ['Sync (paid) price', '(sync | paid | price)'],
    ['path:(a OR -b) fish', '((fish) & (path:a | !path:b))'],
    ['line:(mix flour)', 'line:(mix & flour)'],
    ['section:(dog OR "big cat") -line:x', '(section:(dog | "big cat") & !line:x)'],
    ['task:"" task-todo:call task-done:(a -b)', '(task:() & task-todo:call & task-done:(a & !b))'],
    ['block:(dog (cat OR [key:1]))', 'block:(dog & (cat | [key:equals 1]))'],
    ['OR heron OR', '(heron)'],
    ['coffee Portland OR', '(coffee | portland)'],
    ['OR', '(or)'],
    ['((heron)) ) ( gull (', '(heron | gull)'],
    ['get_user(id)', '(get_user | id)'],
    ['or and heron', '(heron)'],
    ['-src/birds', '!(src & birds)'],
  ])('reads %s', (query, test) => {
    expect(shown(query)).toBe(test);
  });

  it('refuses parentheses that nest too deep, and takes those without a partner for nothing', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}a OR b${')'.repeat(depth)}`;
    expect(shown(nested(MAX_NESTING))).toBe('(a | b)');
    for (const depth of [MAX_NESTING + 1, 10_000]) expect(() => parseSearchQuery(nested(depth))).toThrow(/deeper than 32/);
    expect(free('('.repeat(10_000))).toEqual([]);
    expect(free(`${'('.repeat(10_000)}heron`)).toEqual(['heron']);
    expect(() => parseSearchQuery(Array.from({ length: 300 }, (_, at) => `word${at}`).join(' OR '))).toThrow(/names 300 different words/);
  });

  it('search: warns of what looks like an operator and is none, and not of addresses, times and names', () => {
    for (const [query, said] of [
      ['status:done', '"status:" is no operator'],
      ['duration:>5 fish', '"[duration:>5]"'],
      ['made-by:"Ann Lee"', JSON.stringify('[made-by:"Ann Lee"]')],
      ['match-case:Fish', 'looks at no case'],
      ['/\\d{4}-\\d{2}/', 'no regular expressions'],
      ['tag: fish', '"tag:" has nothing behind it'],
      ['[due:>soon]', '"soon" is neither'],
    ] as const) {
      expect({ query, warnings: parseSearchQuery(query).warnings }).toEqual({ query, warnings: [expect.stringContaining(said)] });
    }
    for (const query of [
      'http://x.org',
      '10:30',
      'std::vector',
      'C:\\x',
      '/etc/hosts/',
      'mailto:a@b.c',
      'localhost:80',
      '[due]',
      'a OR b',
      'ratio: 3',
    ]) {
      expect({ query, warnings: parseSearchQuery(query).warnings }).toEqual({ query, warnings: [] });
    }
  });

  it('takes for words what is no operator', () => {
    for (const [query, words] of [
      ['tag:', ['tag']],
      ['http://x.org', ['http', 'x.org|x+org']],
      ['well-known - dash', ['well-known|well+known', 'dash']],
      ['[[link]]', ['link']],
      ['[unclosed', ['unclosed']],
      ['C++', ['c']],
    ] as const) {
      expect({ query, words: free(query) }).toEqual({ query, words });
    }
  });

  it('leaves out words that say nothing, unless there are no others', () => {
    expect(free('where is the heron')).toEqual(['heron']);
    expect(free('to be or not')).toEqual(['to', 'be', 'or', 'not']);
  });

  it('looks for a repeated word once, and for no more words than a limit', () => {
    expect(free('heron Heron HERON')).toEqual(['heron']);
    const many = Array.from({ length: 500 }, (_, at) => `word${at}`).join(' ');
    expect(free(many)).toHaveLength(MAX_CLAUSES);
    expect(parseSearchQuery(many).warnings).toEqual(['Only the first 64 words of the query were looked for.']);
  });

  it('takes Chinese apart into words', () => {
    expect(free('全文检索')).toEqual(['全文', '检索']);
  });

  it('search: takes characters side by side that no dictionary joins for one word', () => {
    expect(free('域名')).toEqual(['域名']);
    expect(free('自定义域名')).toEqual(['定义', '域名']);
  });

  it('never throws, and reads the same twice', () => {
    const piece = fc.constantFrom(
      '"',
      '-',
      '[',
      ']',
      ':',
      'tag:',
      'path:',
      'type:',
      ' ',
      'a',
      '中',
      '#',
      '/',
      '\\',
      '\n',
      '🌱',
      '\ud800',
      '[[',
      ']]',
    );
    const query = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(query, (text) => {
        expect(parseSearchQuery(text)).toEqual(parseSearchQuery(text));
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads a hostile query in one pass', () => {
    for (const text of ['['.repeat(200_000), '-"'.repeat(100_000), 'tag:"'.repeat(50_000), '[a:'.repeat(100_000)]) {
      expect(free(text).length).toBeLessThanOrEqual(MAX_CLAUSES);
    }
  });
});
