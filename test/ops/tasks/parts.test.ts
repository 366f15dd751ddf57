import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffFields } from '../../../src/ops/tasks/draft/field-diff.ts';
import { findRing, findWay } from '../../../src/ops/tasks/view/cycles.ts';
import { compareKeys, matchesProperties, readCursor, toCursor } from '../../../src/ops/tasks/view/query.ts';

const edges: fc.Arbitrary<Record<string, string[]>> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 }),
);

describe('ways', () => {
  it('findWay gives a way over real steps exactly when the place can be reached', () => {
    fc.assert(
      fc.property(edges, fc.constantFrom('a', 'b'), fc.constantFrom('a', 'e'), (graph, from, to) => {
        const steps = (place: string): readonly string[] => graph[place] ?? [];
        const reached = new Set<string>();
        for (let frontier: readonly string[] = [from]; frontier.length > 0;) {
          frontier = [...new Set(frontier.flatMap(steps))].filter((place) => !reached.has(place));
          for (const place of frontier) reached.add(place);
        }
        const way = findWay({ from, to, steps });
        expect(way !== null).toBe(reached.has(to));
        const isWay = way?.every((place, index) => (index === 0 ? place === from : steps(way[index - 1] ?? '').includes(place))) ?? true;
        expect(isWay && (way === null || way.at(-1) === to)).toBe(true);
      }),
    );
  });

  it('findRing gives a ring over real steps exactly when there is one', () => {
    fc.assert(
      fc.property(edges, (graph) => {
        const steps = (place: string): readonly string[] => graph[place] ?? [];
        const ring = findRing(Object.keys(graph), steps);
        const hasRing = Object.keys(graph).some((place) => findWay({ from: place, to: place, steps }) !== null);
        expect(ring !== null).toBe(hasRing);
        expect(
          ring === null || (ring[0] === ring.at(-1) && ring.slice(1).every((place, index) => steps(ring[index] ?? '').includes(place))),
        ).toBe(true);
      }),
    );
  });
});

describe('parts', () => {
  it('a cursor reads back as the key it was made of', () => {
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(fc.tuple(number, number, number, number), fc.string({ minLength: 1 }), (numbers, id) => {
        expect(compareKeys(readCursor(toCursor({ numbers, id }, 'readiness'), 'readiness'), { numbers, id })).toBe(0);
      }),
    );
    expect(() => readCursor(toCursor({ numbers: [1], id: 'x' }, 'recent'), 'depth')).toThrow('cursor');
  });

  it('a filter looks into maps and lists, and a key as it stands comes first', () => {
    const properties = { a: { b: 1 }, 'a.b': 2, list: [1, 'x'], off: false, none: null };
    expect(matchesProperties(properties, { 'a.b': 2 })).toBe(true);
    expect(matchesProperties(properties, { 'a.b': 1 })).toBe(false);
    expect(matchesProperties(properties, { list: 'x', off: false, none: null, absent: null })).toBe(true);
    expect(matchesProperties(properties, { list: [1] })).toBe(false);
    expect(matchesProperties(properties, { off: 0 })).toBe(false);
  });

  it('a difference names properties one by one and of a list what was added', () => {
    const before = { rev: 1, resolved: false, evidence: [{ type: 'a' }], properties: { k: 1, l: 2 } };
    const after = { rev: 2, resolved: true, evidence: [{ type: 'a' }, { type: 'b' }], properties: { k: 1, m: 3 } };
    expect(diffFields(before, after)).toEqual([
      { field: 'resolved', before: false, after: true },
      { field: 'evidence', before: null, after: [{ type: 'b' }] },
      { field: 'properties.l', before: 2, after: null },
      { field: 'properties.m', before: null, after: 3 },
    ]);
    expect(diffFields({ context_links: ['a', 'b'] }, { context_links: ['b'] })).toEqual([
      { field: 'context_links', before: ['a', 'b'], after: ['b'] },
    ]);
  });
});
