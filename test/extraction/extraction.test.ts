import { expect, it } from 'vitest';
import { RouxError } from '../../src/errors.ts';
import { EXTRACTION_LIMITS, readExtraction } from '../../src/extraction/extraction.ts';
import { describeUtc, readUtc } from '../../src/extraction/times/utc.ts';

const alice = { tmp_ref: 'a', name: 'Alice' };
const acme = { tmp_ref: 'b', name: 'Acme' };
const worksAt = { name: 'WORKS_AT', fact: 'Alice works at Acme.', source_ref: 'a', target_ref: 'b' };

/** The error that reading gives: its code and the field it names. */
function refused(value: unknown): string {
  try {
    readExtraction(value, EXTRACTION_LIMITS);
  } catch (error) {
    if (error instanceof RouxError) return `${error.code} ${String(error.details?.['field'])}`;
    throw error;
  }
  return 'accepted';
}

const withNode = (node: object): string => refused({ nodes: [alice, acme, node], edges: [] });
const withEdge = (edge: object): string => refused({ nodes: [alice, acme], edges: [{ ...worksAt, ...edge }] });

it('S3-28 an extraction that is as it has to be is read: one line a name and fact, dates with milliseconds, null as left out', () => {
  const given = {
    nodes: [{ ...alice, name: ' Alice\n Liddell ', summary: 'two\nlines', attributes: { age: 7, tags: ['x', null] }, uuid: null }, acme],
    edges: [{ ...worksAt, fact: 'Alice\tworks', valid_at: '2024-01-01T00:00:00Z', invalid_at: null, qualifiers: { role: 'cook' } }],
  };
  expect(readExtraction(given)).toEqual({
    nodes: [{ tmp_ref: 'a', name: 'Alice Liddell', summary: 'two\nlines', attributes: { age: 7, tags: ['x', null] } }, acme],
    edges: [{ ...worksAt, fact: 'Alice works', valid_at: '2024-01-01T00:00:00.000Z', qualifiers: { role: 'cook' }, negated: false }],
    unknownRefs: [],
  });
  expect(readExtraction({ nodes: [], edges: [] })).toEqual({ nodes: [], edges: [], unknownRefs: [] });
});

it('S3-28 unknown fields, missing ones and ones of another type are refused, and named', () => {
  expect(refused(null)).toBe('INVALID_ARGUMENT ');
  expect(refused('{"nodes":[],"edges":[]}')).toBe('INVALID_ARGUMENT ');
  expect(refused([])).toBe('INVALID_ARGUMENT ');
  expect(refused({ nodes: [] })).toBe('INVALID_ARGUMENT edges');
  expect(refused({ nodes: [], edges: [], note: 1 })).toBe('INVALID_ARGUMENT note');
  expect(withNode({ name: 'X', type: 'person' })).toBe('INVALID_ARGUMENT nodes[2].type');
  expect(withNode({ name: 7 })).toBe('INVALID_ARGUMENT nodes[2].name');
  expect(withNode({ name: 'X', attributes: [] })).toBe('INVALID_ARGUMENT nodes[2].attributes');
  expect(withEdge({ confidence: 1 })).toBe('INVALID_ARGUMENT edges[0].confidence');
  expect(withEdge({ negated: 'no' })).toBe('INVALID_ARGUMENT edges[0].negated');
});

it('S3-28 a name that shows nothing is refused', () => {
  for (const name of ['', ' ', '\u0000\u0007', '\u200b\ufeff', '\n']) expect(withNode({ name })).toBe('INVALID_ARGUMENT nodes[2].name');
  expect(withEdge({ name: '\t' })).toBe('INVALID_ARGUMENT edges[0].name');
  expect(withEdge({ fact: '' })).toBe('INVALID_ARGUMENT edges[0].fact');
});

it('S3-28 an edge means nodes of the extraction by one ref each; a UUID that is none of them is told, for the group may know it', () => {
  expect(withEdge({ source_ref: 'c' })).toBe('INVALID_ARGUMENT edges[0].source_ref');
  expect(withEdge({ target_ref: '' })).toBe('INVALID_ARGUMENT edges[0].target_ref');
  expect(withNode({ tmp_ref: 'a', name: 'Other' })).toBe('INVALID_ARGUMENT nodes[2].tmp_ref');
  expect(withNode({ tmp_ref: ' a', name: 'Other' })).toBe('INVALID_ARGUMENT nodes[2].tmp_ref');
  expect(withNode({ uuid: 'a', name: 'Other' })).toBe('INVALID_ARGUMENT nodes[2].uuid');
  const twice = [
    { uuid: 'u1', name: 'Bob' },
    { uuid: 'u2', name: ' bob' },
  ];
  expect(refused({ nodes: twice, edges: [] })).toBe('INVALID_ARGUMENT nodes[1].uuid');

  const known = 'e_01jabcdefghjkmnpqrstvwxyz0';
  const invented = '6b6ef5a6-8a3b-4c0e-9f3a-0d8f2a4f1b11';
  const edges = [
    { ...worksAt, source_ref: known, target_ref: invented },
    { ...worksAt, target_ref: invented },
  ];
  expect(readExtraction({ nodes: [alice], edges }).unknownRefs).toEqual([known, invented]);
  expect(readExtraction({ nodes: [alice, { uuid: invented, name: 'Bob' }], edges: edges.slice(1) }).unknownRefs).toEqual([]);
});

it('S3-02 K-06 dates are ISO 8601 UTC: other offsets, naive ones and days that are none are refused, with the form to send', () => {
  for (const date of ['2024-01', '2024-01-01T00:00:00', '2024-01-01T00:00:00+02:00', '2024-02-30T00:00:00Z', 'yesterday', ''])
    expect(withEdge({ valid_at: date }), date).toBe('INVALID_ARGUMENT edges[0].valid_at');
  expect(readUtc('2024-02-29T23:59:59.9999Z')).toBe('2024-02-29T23:59:59.999Z');
  expect(readUtc('2024-01-01T00:00:00+00:00')).toBe('2024-01-01T00:00:00.000Z');
  expect(readUtc('2024-02-29')).toBe('2024-02-29T00:00:00.000Z');
  expect(withEdge({ valid_at: '2024-01-01', invalid_at: '2024-06-01' })).toBe('accepted');
  for (const [given, sent] of [
    ['2026-01-05T10:00:00+02:00', 'send 2026-01-05T08:00:00Z'],
    ['2026-01-05T23:30:00.250-0100', 'send 2026-01-06T00:30:00.250Z'],
    ['2026-01-05 10:00Z', 'send 2026-01-05T10:00:00Z'],
    ['2026-01-05T10:00:00', 'send 2026-01-05T10:00:00Z if this is UTC'],
    ['2026', 'send 2026-01-01'],
    ['2026-03', 'send 2026-03-01'],
  ] as const)
    expect(describeUtc(given)).toMatch(new RegExp(`; ${sent}$`));
  for (const given of ['yesterday', '2026-02-30', '2026-13', '5/1/2026', '']) expect(describeUtc(given)).not.toContain('send');
  const span = { valid_at: '2024-01-02T00:00:00Z', invalid_at: '2024-01-01T00:00:00Z' };
  expect(withEdge(span)).toBe('INVALID_ARGUMENT edges[0].invalid_at');
  expect(withEdge({ ...span, invalid_at: span.valid_at })).toBe('accepted');
});

it('S3-49 fields, lists and the whole have limits; what is over one is refused and not cut', () => {
  expect(withNode({ name: 'x'.repeat(256) })).toBe('accepted');
  expect(withNode({ name: 'x'.repeat(257) })).toBe('TOO_LARGE nodes[2].name');
  expect(withNode({ name: 'x', summary: 'x'.repeat(4001) })).toBe('TOO_LARGE nodes[2].summary');
  expect(withNode({ name: 'x', attributes: { a: 'é'.repeat(8190) } })).toBe('TOO_LARGE nodes[2].attributes');
  expect(withNode({ name: 'x', attributes: { a: 'é'.repeat(8180) } })).toBe('accepted');
  expect(withEdge({ fact: 'x'.repeat(2001) })).toBe('TOO_LARGE edges[0].fact');
  expect(withEdge({ source_ref: 'x'.repeat(257) })).toBe('TOO_LARGE edges[0].source_ref');
  expect(withEdge({ qualifiers: { a: 'x'.repeat(20_000) } })).toBe('TOO_LARGE edges[0].qualifiers');
  const nodes = Array.from({ length: 5001 }, (_, index) => ({ name: `n${index}` }));
  expect(refused({ nodes, edges: [] })).toBe('TOO_LARGE nodes');
  expect(refused({ nodes: [alice, acme], edges: Array.from({ length: 5001 }, () => worksAt) })).toBe('TOO_LARGE edges');
});

it('S3-28 what is no JSON, nests without an end or names the prototype is refused, and fast', () => {
  const nested = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as unknown;
  expect(withNode({ name: 'x', attributes: nested as object })).toMatch(/^TOO_LARGE nodes\[2\]\.attributes/);
  const self: Record<string, unknown> = {};
  self['self'] = self;
  expect(withNode({ name: 'x', attributes: self })).toMatch(/^TOO_LARGE/);
  // Each level holds the one below it twice: small in memory, without an end as JSON.
  let twice: unknown = 'x'.repeat(1000);
  for (let level = 0; level < 18; level += 1) twice = [twice, twice];
  expect(withNode({ name: 'x', attributes: { twice } })).toMatch(/^TOO_LARGE/);
  for (const key of ['__proto__', 'constructor', 'prototype'])
    expect(withNode({ name: 'x', attributes: JSON.parse(`{"a":{"${key}":1}}`) as object })).toBe(
      `INVALID_ARGUMENT nodes[2].attributes.a.${key}`,
    );
  for (const value of [undefined, () => 1, new Date(0), Number.NaN, Infinity, 1n, Symbol('s')])
    expect(withNode({ name: 'x', attributes: { value } })).toBe('INVALID_ARGUMENT nodes[2].attributes.value');
});

it('halves of surrogate pairs, which no file holds, become U+FFFD', () => {
  const { nodes } = readExtraction({ nodes: [{ name: 'a\ud83d', attributes: { 'k\ud83d': ['\ude00', '😀'] } }], edges: [] });
  expect(nodes).toEqual([{ name: 'a\ufffd', attributes: { 'k\ufffd': ['\ufffd', '😀'] } }]);
});
