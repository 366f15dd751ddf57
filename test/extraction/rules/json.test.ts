import { expect, it } from 'vitest';
import { rulesExtractor } from '../../../src/extraction/rules/rules-extractor.ts';
import { factsOf, readEpisode, readFacts, REFERENCE } from './read.ts';

const read = (value: unknown) => readEpisode(JSON.stringify(value), { source: 'json' });
const facts = async (value: unknown) => factsOf(await read(value));

it('S3-30 JSON in the shape of an extraction is taken as it is, and held against the schema', async () => {
  const extraction = {
    nodes: [
      { tmp_ref: 'a', name: 'A' },
      { tmp_ref: 'b', name: 'B' },
    ],
    edges: [{ name: 'R', fact: 'f', source_ref: 'a', target_ref: 'b' }],
  };
  expect(await facts(extraction)).toEqual(['A R B | f']);
  await expect(read({ ...extraction, extra: 1 })).rejects.toThrow(/"extra"/);
});

it('S3-30 triples are facts, alone, in lists and below other keys', async () => {
  const triple = { subject: 'Alice', predicate: 'works_at', object: 'Acme' };
  expect(await facts(triple)).toEqual(['Alice works_at Acme | Alice works_at Acme']);
  expect(await facts([triple, { subject: 'A', relation: '!R', object: 7, fact: 'no', negated: false }])).toEqual([
    'Alice works_at Acme | Alice works_at Acme',
    'A !R 7 | no',
  ]);
  expect(await facts({ data: { facts: [triple] }, count: 1 })).toHaveLength(1);
  expect(await facts({ ...triple, valid_at: '2024-02-01T00:00:00Z', invalid_at: '2025', role: 'cook', qualifiers: { floor: 2 } })).toEqual([
    'Alice works_at Acme | Alice works_at Acme | 2024-02-01..2025-01-01 | {"floor":2,"role":"cook"}',
  ]);
  expect(await facts({ ...triple, fact: 'There since March 2024' })).toEqual([
    'Alice works_at Acme | There since March 2024 | 2024-03-01..',
  ]);
  expect(await facts({ ...triple, subject: { name: 'Alice', age: 30 }, object: '[[acme|Acme Inc]]' })).toEqual([
    'Alice works_at Acme Inc | Alice works_at Acme Inc',
  ]);
});

it('S3-30 a map with a name is an entity; its maps with names and its wikilinks are facts, its other values attributes', async () => {
  const found = await read({
    name: 'Alice',
    summary: 'A cook',
    age: 30,
    address: { city: 'Paris' },
    employer: { name: 'Acme', city: 'Oslo', valid_at: '2024-01-01', fact: 'Alice cooks at Acme.' },
    knows: ['[[bob|Bob]]', { name: 'Carol' }, 'Dan'],
    note: null,
    constructor: 'Renault',
  });
  expect(factsOf(found)).toEqual([
    'Alice employer Acme | Alice cooks at Acme. | 2024-01-01..',
    'Alice knows Bob | Alice knows Bob',
    'Alice knows Carol | Alice knows Carol',
  ]);
  expect(found.nodes).toMatchObject([
    { name: 'Alice', summary: 'A cook', attributes: { age: 30, address: { city: 'Paris' }, knows: ['Dan'] } },
    { name: 'Acme', attributes: { city: 'Oslo' } },
    { name: 'Bob' },
    { name: 'Carol' },
  ]);
  expect(JSON.stringify(found)).not.toContain('Renault');
  await expect(
    read([
      { name: 'A', uuid: '1' },
      { name: 'a', uuid: '2' },
    ]),
  ).rejects.toThrow(/different "uuid"s/);
});

it('S3-30 JSON that says nothing of the kind gives nothing; texts in it are read as text', async () => {
  for (const value of [
    null,
    7,
    true,
    'prose',
    [],
    {},
    { a: 1 },
    { name: '  ' },
    { subject: 'A', object: 'B' },
    { subject: 'A', relation: ' ', object: 'B' },
  ])
    expect(await read(value), JSON.stringify(value)).toEqual({ nodes: [], edges: [], unknownRefs: [] });
  expect(await facts(['A -[R]-> B'])).toEqual(['A R B | A R B']);
});

it('S3-10 a body that is no JSON, or nests without an end, is refused for good', async () => {
  const extract = (body: string) =>
    rulesExtractor().extract({ uuid: 'u', groupId: 'g', source: 'json', referenceTime: REFERENCE, body }, new AbortController().signal);
  await expect(extract('{"a":')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { retryable: false } });
  await expect(extract('['.repeat(100_000) + ']'.repeat(100_000))).rejects.toMatchObject({
    code: 'TOO_LARGE',
    details: { retryable: false },
  });
  expect(
    await readFacts('[{"__proto__":{"name":"x"}},{"subject":"A","relation":"R","object":"B","__proto__":1}]', { source: 'json' }),
  ).toEqual(['A R B | A R B']);
});
