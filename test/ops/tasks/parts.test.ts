import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffFields } from '../../../src/ops/tasks/draft/field-diff.ts';
import { findCycle, findPath } from '../../../src/ops/tasks/view/cycles.ts';
import { compareKeys, matchesProperties, readCursor, toCursor } from '../../../src/ops/tasks/view/query.ts';

const edges: fc.Arbitrary<Record<string, string[]>> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 }),
);

describe('cycles', () => {
  it('findPath gives a path over real steps exactly when the node can be reached', () => {
    fc.assert(
      fc.property(edges, fc.constantFrom('a', 'b'), fc.constantFrom('a', 'e'), (graph, from, to) => {
        const steps = (node: string): readonly string[] => graph[node] ?? [];
        const reached = new Set<string>();
        for (let frontier: readonly string[] = [from]; frontier.length > 0;) {
          frontier = [...new Set(frontier.flatMap(steps))].filter((node) => !reached.has(node));
          for (const node of frontier) reached.add(node);
        }
        const path = findPath({ from, to, steps });
        expect(path !== null).toBe(reached.has(to));
        const isPath = path?.every((node, index) => (index === 0 ? node === from : steps(path[index - 1] ?? '').includes(node))) ?? true;
        expect(isPath && (path === null || path.at(-1) === to)).toBe(true);
      }),
    );
  });

  it('findCycle gives a cycle over real steps exactly when there is one', () => {
    fc.assert(
      fc.property(edges, (graph) => {
        const steps = (node: string): readonly string[] => graph[node] ?? [];
        const cycle = findCycle(Object.keys(graph), steps);
        const hasCycle = Object.keys(graph).some((node) => findPath({ from: node, to: node, steps }) !== null);
        expect(cycle !== null).toBe(hasCycle);
        expect(
          cycle === null || (cycle[0] === cycle.at(-1) && cycle.slice(1).every((node, index) => steps(cycle[index] ?? '').includes(node))),
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
