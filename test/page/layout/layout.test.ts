import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAdjacency } from '../../../src/page/layout/adjacency.ts';
import { layOut, getRadius } from '../../../src/page/layout/layout.ts';
import type { Layout, LayoutAsk } from '../../../src/page/layout/layout.ts';
import { runs } from '../../support/effort.ts';
import { clusters } from './clusters.ts';

function finish(ask: LayoutAsk): Layout {
  const steps = layOut(ask);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

const linksOf = (count: number, pairs: readonly (readonly [number, number])[]): LayoutAsk['links'] => ({
  count,
  from: Int32Array.from(pairs, ([from]) => from),
  to: Int32Array.from(pairs, ([, to]) => to),
});

/** Any small graph: chains, stars, pairs, lonely nodes, repeats and links to oneself. */
const graphs = fc
  .integer({ min: 0, max: 60 })
  .chain((count) =>
    fc
      .array(fc.tuple(fc.nat(Math.max(0, count - 1)), fc.nat(Math.max(0, count - 1))), { maxLength: count === 0 ? 0 : 150 })
      .map((pairs) => linksOf(count, pairs)),
  );

const distance = ({ x, y }: Pick<Layout, 'x' | 'y'>, a: number, b: number): number =>
  Math.hypot((x[a] ?? NaN) - (x[b] ?? NaN), (y[a] ?? NaN) - (y[b] ?? NaN));

describe('a layout of the notes', () => {
  it('the same graph comes to the same places, all of them numbers', () => {
    fc.assert(
      fc.property(graphs, (links) => {
        const [once, again] = [finish({ links, former: null }), finish({ links, former: null })];
        expect(once).toEqual(again);
        expect(once.x).toHaveLength(links.count);
        expect([...once.x, ...once.y].every(Number.isFinite)).toBe(true);
        const reach = 100 + Math.sqrt(links.count + links.from.length) * 150;
        expect(Math.max(0, ...once.x.map(Math.abs), ...once.y.map(Math.abs))).toBeLessThan(reach);
      }),
      { numRuns: runs(60) },
    );
  });

  it('nodes hardly lie over one another', () => {
    fc.assert(
      fc.property(graphs, (links) => {
        const layout = finish({ links, former: null });
        const { first, count } = toAdjacency(links);
        let over = 0;
        for (let a = 0; a < count; a += 1)
          for (let b = 0; b < a; b += 1) {
            const wanted = getRadius(first[a + 1]! - first[a]!) + getRadius(first[b + 1]! - first[b]!);
            if (distance(layout, a, b) < wanted * 0.6) over += 1;
          }
        expect(over).toBeLessThanOrEqual(count * 0.02);
      }),
      { numRuns: runs(40) },
    );
  });

  it('what is linked among itself lies together, and is one group', () => {
    const { links, clusterOf } = clusters({ count: 300, groups: 6 });
    const layout = finish({ links, former: null });
    let [within, beyond, pairs, others] = [0, 0, 0, 0];
    for (let a = 0; a < 300; a += 1)
      for (let b = 0; b < a; b += 1) {
        if (clusterOf[a] === clusterOf[b]) [within, pairs] = [within + distance(layout, a, b), pairs + 1];
        else [beyond, others] = [beyond + distance(layout, a, b), others + 1];
      }
    expect((within / pairs) * 2).toBeLessThan(beyond / others);
    const groups = new Map<number, Set<number>>();
    for (let node = 0; node < 300; node += 1) {
      const community = layout.community[node] ?? -1;
      groups.set(community, (groups.get(community) ?? new Set()).add(clusterOf[node] ?? 0));
    }
    expect(groups.size).toBe(6);
    for (const members of groups.values()) expect(members.size).toBe(1);
  });

  it('what nobody touched stays exactly where it was, and new notes begin beside those that they are linked with', () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 200 }), fc.nat(39), fc.nat(39), (count, one, other) => {
        const { links } = clusters({ count, groups: 4 });
        const before = finish({ links, former: null });
        const added = linksOf(count + 1, [...pairsOf(links), [count, one], [other, count]]);
        const former = {
          x: Float32Array.from([...before.x, NaN]),
          y: Float32Array.from([...before.y, NaN]),
          isTouched: new Uint8Array(count + 1),
        };
        const after = finish({ links: added, former });
        const isNear = new Set([one, other]);
        for (let node = 0; node < count; node += 1) {
          const moved = Math.hypot((after.x[node] ?? 0) - (before.x[node] ?? 0), (after.y[node] ?? 0) - (before.y[node] ?? 0));
          expect(moved).toBeLessThanOrEqual(isNear.has(node) ? 120 : 0);
        }
        const reach = Math.max(...before.x.map(Math.abs), ...before.y.map(Math.abs));
        expect(Math.min(distance(after, count, one), distance(after, count, other))).toBeLessThan(reach);
      }),
      { numRuns: runs(25) },
    );
  });

  it('notes without links stand around the others; there a new one takes no place that is taken', () => {
    const links = linksOf(14, [
      [0, 1],
      [1, 2],
    ]);
    const layout = finish({ links, former: null });
    const far = (node: number): number => Math.hypot(layout.x[node] ?? 0, layout.y[node] ?? 0);
    for (let node = 3; node < 14; node += 1) expect(far(node)).toBeGreaterThan(Math.max(far(0), far(1), far(2)));
    const former = { x: Float32Array.from([...layout.x, NaN]), y: Float32Array.from([...layout.y, NaN]), isTouched: new Uint8Array(15) };
    const after = finish({ links: linksOf(15, [[0, 1], [1, 2]]), former }); // prettier-ignore
    for (let node = 0; node < 14; node += 1) expect(distance(after, 14, node)).toBeGreaterThan(5);
    expect(after.x.slice(0, 14)).toEqual(layout.x);
  });
});

function pairsOf({ from, to }: LayoutAsk['links']): readonly (readonly [number, number])[] {
  return [...from].map((each, at) => [each, to[at] ?? 0] as const);
}
