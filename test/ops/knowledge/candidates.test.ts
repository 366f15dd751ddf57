import { expect, it } from 'vitest';
import { keysByScore, reciprocalRankFusion } from '../../../src/graph/semantic/rank-fusion.ts';
import { rankingsAt, rankInStages } from '../../../src/ops/knowledge/retrieve/candidates.ts';
import { randomOf } from '../../support/random.ts';

it('K-09 pages of any size are parts of one order: each fact once and none missing, whatever words and meaning find', async () => {
  const random = randomOf('pages of facts');
  for (let round = 0; round < 60; round += 1) {
    const count = 1 + random.below(400);
    const texts = Array.from({ length: count }, (_, n) => (random.chance(0.3) ? `f-${n >> 1}\n${n}` : `f-${n}`));
    const shuffled = (share: number) =>
      texts
        .filter(() => random.chance(share))
        .map((key) => ({ key, score: random.next() }))
        .sort((a, b) => b.score - a.score);
    const words = Array.from({ length: 1 + random.below(3) }, () => shuffled(random.next()));
    const near = shuffled(random.next());
    const rank = async (end: number) =>
      rankInStages(end, (depth) => {
        const all = { depth, words: words.map((list) => list.slice(0, depth)), near: near.slice(0, depth) };
        const found = rankingsAt(all, depth);
        const lists = [found.words, found.near].map((list) => list.map(({ key }) => key));
        return Promise.resolve({ ranked: keysByScore(reciprocalRankFusion(lists)), isAll: found.isAll });
      });
    const whole = await rank(Infinity);
    const uuids = (list: readonly { readonly key: string }[]) => list.map(({ key }) => key.split('\n')[0]);
    const expected = new Set([...words.flatMap(uuids), ...uuids(near.filter(({ score }) => score >= 0.3))]);
    expect(new Set(whole)).toEqual(expected);
    expect(whole).toHaveLength(expected.size);
    const paged: string[] = [];
    while (paged.length < whole.length) {
      const end = paged.length + 1 + random.below(90);
      paged.push(...(await rank(end)).slice(paged.length, end));
    }
    expect(paged).toEqual(whole);
  }
});
