import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeName } from '../../../src/extraction/names.ts';
import { Counters } from '../../../src/ops/knowledge/ingest/metrics.ts';
import { retryDelayMs } from '../../../src/ops/knowledge/ingest/outcome.ts';
import { composeQuery } from '../../../src/ops/knowledge/retrieve/compose-query.ts';
import { distancesFrom } from '../../../src/ops/knowledge/retrieve/nearness.ts';
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
    const next = (node: string): string[] => edges.flatMap(([from, to]) => (from === node ? [to] : to === node ? [from] : []));
    const from = (wanted: readonly string[]) => Object.fromEntries(distancesFrom('a', next, new Set(wanted)));
    expect(from(['c', 'x'])).toEqual({ a: 0, b: 1, d: 1, c: 2 });
    expect(from(['b'])).toEqual({ a: 0, b: 1, d: 1 });
  });

  it('S3-51 percentiles are of the newest thousand searches', () => {
    const counters = new Counters();
    for (let at = 1; at <= 1500; at += 1) counters.searched(at);
    expect(counters.read().search_latency_ms).toEqual({ count: 1500, sum: (1500 * 1501) / 2, p50: 1000, p90: 1400, p99: 1490 });
  });
});
