import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareScoredKeys, BestKeys } from '../../../src/graph/semantic/best-keys.ts';
import { Vectors } from '../../../src/graph/semantic/vectors.ts';
import { runs } from '../../support/effort.ts';
import { randomOf } from '../../support/random.ts';

/** The scalar product in the order in which the kernel adds, each step rounded to 32 bits: the same to the last digit. */
function product(a: Float32Array, b: Float32Array): number {
  const lanes = new Float32Array(16);
  for (let at = 0; at < Math.ceil(a.length / 16) * 16; at += 1)
    lanes[at % 16] = Math.fround(lanes[at % 16]! + Math.fround((a[at] ?? 0) * (b[at] ?? 0)));
  const sums = [0, 1, 2, 3].map((lane) =>
    Math.fround(Math.fround(lanes[lane]! + lanes[lane + 4]!) + Math.fround(lanes[lane + 8]! + lanes[lane + 12]!)),
  );
  return Math.fround(Math.fround(sums[0]! + sums[1]!) + Math.fround(sums[2]! + sums[3]!));
}

function randomVectors(name: string, count: number, dims: number): Float32Array[] {
  const random = randomOf(name);
  return Array.from({ length: count }, () => Float32Array.from({ length: dims }, () => random.next() - 0.5));
}

describe('vectors', () => {
  for (const dims of [1, 3, 16, 17, 384, 1536]) {
    it(`of ${dims} numbers are compared to the last digit as reckoned plainly`, () => {
      const all = randomVectors(`vectors ${dims}`, 300, dims);
      const vectors = new Vectors(dims);
      for (const [at, vector] of all.entries()) vectors.put(String(at), vector);
      const [query] = randomVectors('query', 1, dims);
      const found = new Map<string, number>();
      vectors.scan(query!, (content, score) => {
        found.set(content, score);
        return -Infinity;
      });
      expect(found).toEqual(new Map(all.map((vector, at) => [String(at), product(vector, query!)])));
      expect([...vectors.dotProducts(query!)]).toEqual([...found.values()]);
    });
  }

  it('more of them than fit into one block are all compared, exactly', () => {
    const dims = 4;
    const all = randomVectors('blocks', 40_000, dims);
    const vectors = new Vectors(dims);
    for (const [at, vector] of all.entries()) vectors.put(String(at), vector);
    const [query] = randomVectors('query', 1, dims);
    const nearest = new BestKeys(20);
    vectors.scan(query!, (key, score) => {
      nearest.add({ key, score });
      return nearest.minScore;
    });
    const plainly = all.map((vector, at) => ({ key: String(at), score: product(vector, query!) })).sort(compareScoredKeys);
    expect(nearest.results()).toEqual(plainly.slice(0, 20));
  });

  it('are put, replaced, removed and found in any order as in a map', () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), seed: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const [vectors, map] = [new Vectors(3), new Map<string, Float32Array>()];
        for (const { key, seed } of steps) {
          if (seed === null) {
            vectors.remove(key);
            map.delete(key);
          } else {
            const vector = Float32Array.of(seed, 1, -seed);
            vectors.put(key, vector);
            map.set(key, vector);
          }
        }
        expect(vectors.size).toBe(map.size);
        expect(new Set(vectors.contents())).toEqual(new Set(map.keys()));
        const query = Float32Array.of(1, 2, 3);
        const products = vectors.dotProducts(query);
        for (const [key, vector] of map) {
          expect(vectors.get(key)).toEqual(vector);
          expect(products[vectors.rowOf(key)]).toBe(product(vector, query));
        }
        const seen: string[] = [];
        vectors.scan(query, (key) => {
          seen.push(key);
          return -Infinity;
        });
        expect(seen.sort()).toEqual([...map.keys()].sort());
      }),
      { numRuns: runs(200) },
    );
  });

  it('of another length are refused, and so is a length that cannot be', () => {
    const vectors = new Vectors(3);
    expect(() => vectors.put('a', Float32Array.of(1, 2))).toThrow('2 numbers');
    expect(() => vectors.dotProducts(Float32Array.of(1))).toThrow('1 numbers');
    for (const dims of [0, -1, 1.5, Number.NaN, 20_000]) expect(() => new Vectors(dims)).toThrow(RangeError);
  });
});

describe('the nearest of many', () => {
  it('are those that sorting gives, equal scores by key, whatever the order they come in', () => {
    const near = fc.record({ key: fc.string({ maxLength: 3 }), score: fc.constantFrom(0, 0.25, 0.5, 1) });
    fc.assert(
      fc.property(fc.uniqueArray(near, { selector: ({ key }) => key }), fc.integer({ min: 0, max: 8 }), (all, limit) => {
        const nearest = new BestKeys(limit);
        for (const one of all) nearest.add(one);
        expect(nearest.results()).toEqual([...all].sort(compareScoredKeys).slice(0, limit));
      }),
      { numRuns: runs(300) },
    );
  });
});
