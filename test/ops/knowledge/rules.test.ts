import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeName } from '../../../src/extraction/names.ts';
import { Counters } from '../../../src/ops/knowledge/ingest/metrics.ts';
import { retryDelayMs } from '../../../src/ops/knowledge/ingest/outcome.ts';
import { composeQuery } from '../../../src/ops/knowledge/retrieve/compose-query.ts';
import { buildGraph, distancesFrom } from '../../../src/ops/knowledge/retrieve/nearness.ts';
import { keysByScore, reciprocalRankFusion } from '../../../src/graph/semantic/rank-fusion.ts';

describe('rules of the knowledge graph', () => {
  it('S3-44 ranks are fused with k = 60 from 1 on; ties go by uuid, and one list alone keeps its order', () => {
    const scores = reciprocalRankFusion([
      ['a', 'b', 'c'],
      ['c', 'd'],
    ]);
    expect(Object.fromEntries(scores)).toEqual({ a: 1 / 61, b: 1 / 62, c: 1 / 63 + 1 / 61, d: 1 / 62 });
    expect(keysByScore(scores)).toEqual(['c', 'a', 'b', 'd']);
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 })), (keys) => {
        expect(keysByScore(reciprocalRankFusion([keys]))).toEqual(keys);
        expect(keysByScore(reciprocalRankFusion([keys, keys]))).toEqual(keys);
        expect(keysByScore(reciprocalRankFusion([keys, keys.toReversed()]))).toEqual(
          keysByScore(reciprocalRankFusion([keys.toReversed(), keys])),
        );
      }),
    );
  });

  it('S3-15 the query of a conversation is composed to the byte', () => {
    const messages = [
      { role_type: 'user', role: 'Ann', content: 'Where?\nHere.' },
      { role_type: 'assistant', content: ' there ' },
      { role_type: 'system', role: '', content: '' },
    ];
    expect(composeQuery(messages)).toBe('user(Ann): Where?\nHere.\nassistant():  there \nsystem(): \n');
    expect(composeQuery([])).toBe('');
  });

  it('S3-07 names are compared without case, surplus space and forms of characters', () => {
    for (const [one, two] of [
      ['Ada  Lovelace', ' ada lovelace\n'],
      ['ＡＤＡ', 'ada'],
      ['ﬁsh', 'FISH'],
      ['e\u0301t\u00e9', 'ÉTÉ'],
    ] as const)
      expect(normalizeName(one)).toBe(normalizeName(two));
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(normalizeName(normalizeName(name))).toBe(normalizeName(name));
      }),
    );
  });

  it('S3-32 pauses grow, are never two alike by rule, and end at a minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, chance) => {
        const pause = retryDelayMs(attempt, () => chance);
        const longest = Math.min(60_000, 500 * 2 ** (attempt - 1));
        expect(pause).toBeGreaterThanOrEqual(longest / 2);
        expect(pause).toBeLessThanOrEqual(longest);
      }),
    );
  });

  it('S3-46 distance is that of the shortest way, over edges in both directions', () => {
    const edges: [string, string][] = [
      ['a', 'b'],
      ['c', 'b'],
      ['c', 'd'],
      ['a', 'd'],
      ['x', 'y'],
    ];
    const graph = buildGraph(
      edges.map(([from, to]) => ({ from, to, fact: to })),
      () => NaN,
    );
    const from = (wanted: readonly string[], accept: (to: string) => boolean = () => true) =>
      Object.fromEntries(distancesFrom('a', graph, { wanted: new Set(wanted), at: NaN, accept }));
    expect(from(['c', 'x', 'nobody'])).toEqual({ c: 2 });
    expect(from(['a', 'b'])).toEqual({ a: 0, b: 1 });
    expect(from(['c'], (to) => to === 'b')).toEqual({ c: 2 });
    expect(from(['d'], (to) => to === 'b')).toEqual({});
    expect(Object.fromEntries(distancesFrom('alone', graph, { wanted: new Set(['alone', 'a']), at: NaN, accept: () => true }))).toEqual({
      alone: 0,
    });
  });

  it('K-12 distances are those of a search step by step, whatever the facts', () => {
    const node = fc.integer({ min: 0, max: 12 }).map(String);
    const edge = fc.record({ from: node, to: node, fact: fc.integer({ min: 0, max: 3 }) });
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 40 }), fc.uniqueArray(node), (edges, wanted) => {
        // Facts 0 are open by the time 0, 1 is accepted, 2 is open later, 3 is not accepted.
        const graph = buildGraph(edges, (fact) => (fact % 2 === 0 ? fact : NaN));
        const expected = new Map([['0', 0]]);
        for (let steps = 1; steps <= 13; steps += 1)
          for (const { from, to, fact } of edges)
            for (const [here, there] of fact <= 1 ? [[from, to] as const, [to, from] as const] : [])
              if (expected.get(here) === steps - 1 && !expected.has(there)) expected.set(there, steps);
        const found = distancesFrom('0', graph, { wanted: new Set(wanted), at: 0, accept: (fact) => fact === 1 });
        expect(found).toEqual(new Map(wanted.flatMap((each) => (expected.has(each) ? [[each, expected.get(each)]] : []))));
      }),
    );
  });

  it('S3-51 percentiles are of the newest thousand searches', () => {
    const counters = new Counters();
    for (let at = 1; at <= 1500; at += 1) counters.searched(at);
    expect(counters.read().search_latency_ms).toEqual({ count: 1500, sum: (1500 * 1501) / 2, p50: 1000, p90: 1400, p99: 1490 });
  });
});
