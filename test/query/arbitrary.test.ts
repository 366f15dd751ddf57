import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../src/errors.ts';
import type { GraphView } from '../../src/graph/view.ts';
import { compile } from '../../src/query/compile.ts';
import { orderValues } from '../../src/query/compare.ts';
import { readBase } from '../../src/query/bases/read-bases.ts';
import { createQueryNames } from '../../src/query/formulas.ts';
import { globalFunctions } from '../../src/query/functions/globals.ts';
import { fileFields, methodNames } from '../../src/query/functions/members.ts';
import { parseExpression } from '../../src/query/parse-expression.ts';
import { Run, toValue } from '../../src/query/run.ts';
import { toJson } from '../../src/query/texts.ts';
import { FileValue } from '../../src/query/values.ts';
import type { PropertyValue } from '../../src/note/note.ts';
import { graphOf } from '../graph/graph-of.ts';

/** What something gives, or that it was refused with what to do; any other error is one of the program. */
function outcomeOf<T>(run: () => T): T | 'refused' {
  try {
    return run();
  } catch (error) {
    if (error instanceof RouxError && error.code === 'INVALID_PARAMS' && error.message.length < 600) return 'refused';
    throw error;
  }
}

/** Properties of every type. */
const VALUES: Readonly<Record<string, string>> = {
  nothing: '',
  yes: 'true',
  number: '12.5',
  text: 'some words',
  date: '2025-01-31',
  time: '2025-01-31T12:34:56',
  link: '"[[row]]"',
  list: '[1, a, 2025-01-01, "[[row]]", [2, [3]], null]',
  map: '{ a: 1, b: { c: d } }',
  tags: '[x, y/z]',
};

function openRow(): GraphView {
  const yaml = Object.entries(VALUES).map(([key, value]) => `${key}: ${value}\n`);
  return graphOf({ 'row.md': `---\n${yaml.join('')}---\n[[row]] #tag\n` });
}

const operand = fc.oneof(
  fc.constantFrom(
    ...Object.keys(VALUES),
    'file',
    'this',
    'note',
    'null',
    'true',
    '"1d"',
    '"2 weeks"',
    '"2025-01-01"',
    '[]',
    '{}',
    '{"a": [1]}',
  ),
  fc.constantFrom(
    'now()',
    'today()',
    'duration("1h")',
    'link("row")',
    'file("row")',
    '/a|b/',
    '/(x+)y/g',
    '-1',
    '0.5',
    '1e308',
    '"[["',
    '""',
  ),
  fc.constantFrom(...fileFields).map((field) => `file.${field}`),
);

/** Expressions as somebody could write them who does not care about types. */
const expressions = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    operand,
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>', '<=', '>=', '&&', '||'), tie('expression'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(fc.constantFrom('!', '-', '+'), tie('expression')).map(([operator, of]) => `${operator}(${of})`),
    fc
      .tuple(tie('expression'), fc.constantFrom(...methodNames), fc.array(tie('expression'), { minLength: 1, maxLength: 3 }))
      .map(([of, name, args]) => `(${of}).${name}(${args.join(', ')})`),
    fc
      .tuple(fc.constantFrom('if', ...globalFunctions.keys()), fc.array(tie('expression'), { minLength: 2, maxLength: 3 }))
      .map(([name, args]) => `${name}(${args.join(', ')})`),
    fc.tuple(tie('expression'), tie('expression')).map(([of, index]) => `(${of})[${index}]`),
    fc
      .tuple(tie('expression'), fc.constantFrom('length', 'year', 'days', 'name', 'a', 'constructor', '__proto__'))
      .map(([of, name]) => `(${of}).${name}`),
  ),
})).expression;

function evaluateOn(graph: GraphView, text: string): unknown {
  const file = new FileValue('row.md', graph.get('row.md'));
  const run = new Run(
    { graph, now: 1_750_000_000_000, random: () => 0.5, timesOf: () => ({ size: 1, createdMs: 1, modifiedMs: 2 }) },
    file,
  );
  const names = createQueryNames({ formulas: new Map(), hasContext: true, isProperty: () => false, place: String });
  const compiled = compile({ text, place: 'where' }, names);
  run.turnTo(file);
  return toJson(run, compiled(run));
}

describe('the expression language', () => {
  it('reads any text, or says what is wrong with it', () => {
    const pieces = [
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '.',
      ',',
      '"',
      "'",
      '/',
      '!',
      '=',
      '<',
      '&&',
      '|',
      '?',
      ':',
      ' ',
      'a',
      '1',
      '.5',
      'e',
      '\n',
      '名',
      '😀',
    ];
    const joined = fc.array(fc.constantFrom(...pieces, '\\', 'file'), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), joined), (text) => {
        expect(outcomeOf(() => parseExpression({ text, place: 'where' }, { isProperty: (name) => name.endsWith('a') }))).toBeDefined();
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives a value of any expression on any types, or refuses its effort', () => {
    const graph = openRow();
    fc.assert(
      fc.property(expressions, (text) => {
        expect(JSON.stringify(outcomeOf(() => evaluateOn(graph, text)))).toBeTypeOf('string');
      }),
      { numRuns: 3_000 },
    );
  });

  it('reaches nothing of JavaScript by the names of values', () => {
    const graph = openRow();
    for (const text of [
      '"".constructor',
      'map.constructor',
      'map.__proto__',
      'list["constructor"]',
      'file["__proto__"]',
      'note.toString',
      'this.constructor',
      'note["__proto__"]',
      '{"__proto__": 1}.a',
      'list.filter.length',
      'map["hasOwnProperty"]',
    ])
      expect([null, 'refused'], text).toContain(outcomeOf(() => evaluateOn(graph, text)));
    for (const text of ['constructor("x")', '"".constructor("x")', 'list.__proto__()', 'eval("1")', 'hasOwnProperty("a")'])
      expect(() => evaluateOn(graph, text)).toThrow(RouxError);
  });

  it('orders values of any types in one way, nothing last', () => {
    const written = fc.constantFrom<PropertyValue>(
      '2025-01-01',
      '2024-12-31T10:00',
      '[[row]]',
      '[[x|y]]',
      'a',
      'B',
      '',
      [],
      ['2025-01-01'],
      ['a', null],
    );
    const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<PropertyValue>, written);
    const run = new Run({ graph: openRow(), now: 0, random: () => 0, timesOf: () => null }, null);
    run.turnTo(null);
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [x, y, z] = [toValue(a, ''), toValue(b, ''), toValue(c, '')];
        const order = (left: typeof x, right: typeof x): number => Math.sign(orderValues(run, left, right));
        expect(order(x, y) + order(y, x)).toBe(0);
        expect(order(x, y) > 0 || order(y, z) > 0 || order(x, z) <= 0).toBe(true);
        expect(orderValues(run, x, null, -1)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads any text as a base, or says what is wrong with it', () => {
    const key = fc.constantFrom(
      'filters',
      'formulas',
      'views',
      'properties',
      'summaries',
      'and',
      'or',
      'not',
      'name',
      'order',
      'sort',
      'limit',
      'groupBy',
      'property',
    );
    const yaml = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          yaml.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          expect(outcomeOf(() => readBase(text, 'x.base').views.length)).not.toBe(0);
        },
      ),
      { numRuns: 1_500 },
    );
  });
});
