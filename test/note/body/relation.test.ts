import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatRelation, parseRelation } from '../../../src/note/body/relation.ts';
import { anyText } from './any-text.ts';
import { runs } from '../../support/effort.ts';

it('relations of each kind are read and written alike', () => {
  const lines = [
    'likes [[Tea]]',
    'works at [[acme|Acme]]',
    'WORKS_AT [[acme|Acme]]: Alice works at [x] as an engineer. [valid_at:: 2024-01-01T00:00:00.000Z] [episode:: [[ep-standup]]] ^f-01jabc',
    'uses [[b]] ^c-1',
    'a [[b#h]] [k:: v] [k:: w]',
  ];
  for (const line of lines) {
    const relation = parseRelation(`- ${line}`);
    expect(relation, line).not.toBeNull();
    expect(formatRelation(relation!)).toBe(line);
  }
  expect(parseRelation(lines[2]!)).toEqual({
    type: 'WORKS_AT',
    target: 'acme',
    shown: 'Acme',
    text: 'Alice works at [x] as an engineer.',
    fields: [
      { key: 'valid_at', value: '2024-01-01T00:00:00.000Z' },
      { key: 'episode', value: '[[ep-standup]]' },
    ],
    blockId: 'f-01jabc',
  });
  for (const prose of ['', 'text', '[[a]]', 'see [[a]] there', 'a [[b]]: ', 'a [[b]]x', 'a[[b]]', 'a [[]]', 'a [[b'])
    expect(parseRelation(prose), prose).toBeNull();
});

it('a relation with any type, text and values reads back as it was given', () => {
  fc.assert(
    fc.property(
      anyText.filter((type) => type.trim() !== ''),
      fc.option(anyText),
      fc.array(anyText, { maxLength: 2 }),
      fc.constantFrom(null, 'f-1'),
      (type, text, values, blockId) => {
        const relation = { type, target: 'x', shown: null, text, fields: values.map((value) => ({ key: 'k', value })), blockId };
        const line = formatRelation(relation);
        expect(line).not.toMatch(/[\r\n]/);
        expect(parseRelation(line)).toEqual(relation);
      },
    ),
    { numRuns: runs(400) },
  );
});

it('a relation whose target no link can hold is refused', () => {
  for (const target of ['', 'a]]b', 'a|b', 'a\nb', ' ']) {
    expect(() => formatRelation({ type: 't', target, shown: null, text: null, fields: [], blockId: null })).toThrow(/read back/);
  }
});
