import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_CLAUSES, parseSearchQuery } from '../../../src/graph/search/query.ts';
import type { Clause } from '../../../src/graph/search/query.ts';
import { runs } from '../../support/effort.ts';

function spelled(clauses: readonly Clause[]): string[] {
  return clauses.map(({ alternatives }) => alternatives.map((terms) => terms.join('+')).join('|'));
}

describe('parseSearchQuery', () => {
  it('reads words, each with the ways to write it', () => {
    expect(spelled(parseSearchQuery('heron fooBar snake_case 1.2.3').clauses)).toEqual([
      'heron',
      'foobar|foo+bar',
      'snake_case|snake+case',
      '1.2.3',
    ]);
  });

  it('reads phrases, and one that is not closed to its end', () => {
    expect(parseSearchQuery('a "graph view" -"local graph" "to the end').phrases).toEqual(['graph view', 'to the end']);
    expect(parseSearchQuery('a "graph view" -"local graph"').without.phrases).toEqual(['local graph']);
  });

  it('reads operators, quoted or not, and their negation', () => {
    const { conditions, without, clauses } = parseSearchQuery(
      'tag:#work/urgent path:"My folder/x" TYPE:task [status:done] [due] [up: [[Some Note]]] -tag:old -[draft:true] -path:tmp',
    );
    expect(clauses).toEqual([]);
    expect(conditions).toEqual([
      { kind: 'tag', value: 'work/urgent' },
      { kind: 'path', value: 'My folder/x' },
      { kind: 'type', value: 'task' },
      { kind: 'property', key: 'status', value: 'done' },
      { kind: 'property', key: 'due', value: null },
      { kind: 'property', key: 'up', value: '[[Some Note]]' },
    ]);
    expect(without.conditions).toEqual([
      { kind: 'tag', value: 'old' },
      { kind: 'property', key: 'draft', value: 'true' },
      { kind: 'path', value: 'tmp' },
    ]);
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
      expect({ query, words: spelled(parseSearchQuery(query).clauses) }).toEqual({ query, words });
    }
  });

  it('leaves out words that say nothing, unless there are no others', () => {
    expect(spelled(parseSearchQuery('where is the heron').clauses)).toEqual(['heron']);
    expect(spelled(parseSearchQuery('to be or not').clauses)).toEqual(['to', 'be', 'or', 'not']);
  });

  it('looks for a repeated word once, and for no more words than a limit', () => {
    expect(spelled(parseSearchQuery('heron Heron HERON').clauses)).toEqual(['heron']);
    const many = Array.from({ length: 500 }, (_, at) => `word${at}`).join(' ');
    expect(parseSearchQuery(many).clauses).toHaveLength(MOST_CLAUSES);
  });

  it('takes Chinese apart into words', () => {
    expect(spelled(parseSearchQuery('全文检索').clauses)).toEqual(['全文', '检索']);
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
      expect(parseSearchQuery(text).clauses.length).toBeLessThanOrEqual(MOST_CLAUSES);
    }
  });
});
