import { describe, expect, it } from 'vitest';
import { eitherWay } from './search-of.ts';

const birds = {
  'Birds/Heron.md':
    '---\ntags: [bird, water/river]\nstatus: seen\ntype: species\n---\n# Grey heron\n\nStands in the shallows and waits for fish.\n',
  'Birds/Kingfisher.md': '---\naliases: [Halcyon]\nstatus: wanted\nup: "[[Heron]]"\n---\nDives for fish from a branch. #bird #water\n',
  'Birds/Gull.md': '---\nstatus: seen\n---\nFollows the plough, and the ferry. Steals chips. #bird/sea\n',
  'Fish.md': 'What the heron and the kingfisher eat.\nSee [[Heron]].\n',
  'log/2024-01-15.md': 'Saw a grey\n**heron** today, release v1.2.3 of `birdCounter` in src/birds/count_all.ts\n',
};

describe('search', () => {
  it('S2-09 answers words in order of score, then path', () =>
    eitherWay(birds, async ({ ask, find }) => {
      expect((await find('heron'))[0]).toBe('Birds/Heron.md');
      expect(await find('kingfisher')).toEqual(['Birds/Kingfisher.md', 'Fish.md']);
      expect(await find('halcyon')).toEqual(['Birds/Kingfisher.md']);
      expect(await find('penguin')).toEqual([]);
      const { hits } = await ask('fish');
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
    }));

  it('orders equal scores by path', () =>
    eitherWay({ 'c.md': 'heron', 'a.md': 'heron', 'b/a.md': 'heron', 'B.md': 'heron' }, async ({ ask, find }) => {
      expect(await find('heron')).toEqual(['B.md', 'a.md', 'b/a.md', 'c.md']);
      expect(new Set((await ask('heron')).hits.map(({ score }) => score)).size).toBe(1);
      expect(await find('heron', { offset: 1, limit: 2 })).toEqual(['a.md', 'b/a.md']);
      expect((await ask('heron', { offset: 1, limit: 2 })).total).toBe(4);
    }));

  it('S2-10 gives scores that tell a good answer from a poor one, whatever their rank', () =>
    eitherWay({ ...birds, 'Tern.md': `${'Nothing to see here. '.repeat(50)} heron` }, async ({ ask }) => {
      const { hits } = await ask('heron');
      const score = (path: string): number => hits.find((hit) => hit.path === path)?.score ?? -1;
      expect(score('Birds/Heron.md')).toBeGreaterThan(score('Tern.md') + 0.1);
      for (const hit of hits) expect(hit.score > 0 && hit.score <= 1).toBe(true);
      expect((await ask('heron penguin')).hits.every((hit) => hit.score < 0.5)).toBe(true);
    }));

  it('puts notes with all words before those with some', () =>
    eitherWay(birds, async ({ find }) => {
      const found = await find('grey fish');
      expect(found[0]).toBe('Birds/Heron.md');
      expect(found).toEqual(expect.arrayContaining(['Fish.md', 'log/2024-01-15.md']));
    }));

  it('finds a phrase across marks and line ends, and only where its words stand in a row', () =>
    eitherWay(birds, async ({ find }) => {
      expect(await find('"grey heron"')).toEqual(['Birds/Heron.md', 'log/2024-01-15.md']);
      expect(await find('"heron grey"')).toEqual([]);
      expect(await find('"rey heron"')).toEqual([]);
      expect(await find('"the heron and the"')).toEqual(['Fish.md']);
      expect(await find('fish "grey heron"')).toContain('Birds/Heron.md');
    }));

  it('leaves out words, phrases and conditions behind a minus', () =>
    eitherWay(birds, async ({ find }) => {
      expect((await find('heron -kingfisher')).sort()).toEqual(['Birds/Heron.md', 'log/2024-01-15.md']);
      expect((await find('heron -"grey heron"')).sort()).toEqual(['Birds/Kingfisher.md', 'Fish.md']);
      expect(await find('fish -tag:bird')).toEqual(['Fish.md']);
      expect((await find('-bird -heron')).sort()).toEqual([]);
      expect((await find('-tag:bird -path:log')).sort()).toEqual(['Fish.md']);
    }));

  it('filters by tag with those below it, path, type and property', () =>
    eitherWay(birds, async ({ find }) => {
      expect(await find('tag:bird')).toEqual(['Birds/Gull.md', 'Birds/Heron.md', 'Birds/Kingfisher.md']);
      expect(await find('tag:#WATER')).toEqual(['Birds/Heron.md', 'Birds/Kingfisher.md']);
      expect(await find('tag:bird/sea')).toEqual(['Birds/Gull.md']);
      expect(await find('path:birds fish')).toEqual(expect.arrayContaining(['Birds/Heron.md', 'Birds/Kingfisher.md']));
      expect(await find('path:LOG/')).toEqual(['log/2024-01-15.md']);
      expect(await find('type:species')).toEqual(['Birds/Heron.md']);
      expect(await find('[status]')).toEqual(['Birds/Gull.md', 'Birds/Heron.md', 'Birds/Kingfisher.md']);
      expect(await find('[Status:SEEN]')).toEqual(['Birds/Gull.md', 'Birds/Heron.md']);
      expect(await find('[tags:bird]')).toEqual(['Birds/Heron.md']);
      expect(await find('[up:Heron]')).toEqual(['Birds/Kingfisher.md']);
      expect(await find('[status:seen] -[tags]')).toEqual(['Birds/Gull.md']);
      expect(await find('[status:see]')).toEqual([]);
    }));

  it('filters before it cuts', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`a/${String(at).padStart(2, '0')}.md`, '# heron heron']));
    return eitherWay({ ...many, 'z/last.md': 'a heron', 'hidden.md': 'heron' }, async ({ ask, find, put }) => {
      put('hidden.md', 'heron', true);
      expect(await find('heron path:z/', { limit: 1 })).toEqual(['z/last.md']);
      expect(await find('heron', { limit: 1, filter: { under: 'z' } })).toEqual(['z/last.md']);
      expect((await ask('heron', { limit: 1 })).total).toBe(61);
      expect(await find('heron', { filter: { type: 'task' } })).toEqual([]);
    });
  });

  it('finds identifiers whole and by their parts, versions and paths', () =>
    eitherWay(birds, async ({ find }) => {
      for (const query of [
        'birdCounter',
        'birdcounter',
        'counter',
        '1.2.3',
        'v1.2.3',
        'v1.2',
        'count_all',
        'count_all.ts',
        'src/birds/count_all.ts',
        '2024-01-15',
      ]) {
        expect({ query, found: await find(query) }).toEqual({ query, found: expect.arrayContaining(['log/2024-01-15.md']) });
      }
    }));

  it('searches scripts without spaces', () =>
    eitherWay(
      {
        'zh.md': '知识管理和笔记之间的联系，小猫。',
        'ja.md': '# 全文検索エンジン\n毎日の記録を続けることが大切です。',
        'ja2.md': 'データベースを設計する',
        'ko.md': '정보검색을 위한 색인',
        'zh2.md': '给网站绑定域名',
        'zh3.md': '域外的名称',
        'th.md': 'การค้นหาข้อความในบันทึก',
        'hi.md': 'नमस्ते दुनिया',
      },
      async ({ find }) => {
        for (const [query, path] of [
          ['知识', 'zh.md'],
          ['笔记 管理', 'zh.md'],
          ['猫', 'zh.md'],
          ['"管理和笔记"', 'zh.md'],
          ['検索', 'ja.md'],
          ['全文検索', 'ja.md'],
          ['エンジン', 'ja.md'],
          ['ベース', 'ja2.md'],
          ['"タベース"', 'ja2.md'],
          ['"站绑定域"', 'zh2.md'],
          ['검색', 'ko.md'],
          ['정보', 'ko.md'],
          ['ค้นหา', 'th.md'],
          ['ข้อความ', 'th.md'],
          ['दुनिया', 'hi.md'],
        ] as const) {
          expect({ query, first: (await find(query))[0] }).toEqual({ query, first: path });
        }
        expect(await find('犬')).toEqual([]);
        // Characters that no dictionary joins are one word, and not two that stand anywhere.
        expect(await find('域名')).toEqual(['zh2.md']);
        expect((await find('域')).sort()).toEqual(['zh2.md', 'zh3.md']);
      },
    ));

  it('S2-11 finds literal text in `exact` mode, operators included', () =>
    eitherWay({ 'a.md': 'if (a => B) { return [status] }', 'b.md': 'nothing\n', 'Über.md': 'x' }, async ({ ask, find }) => {
      expect(await find('A => b', { mode: 'exact' })).toEqual(['a.md']);
      expect(await find('[status]', { mode: 'exact' })).toEqual(['a.md']);
      expect(await find('über', { mode: 'exact' })).toEqual(['Über.md']);
      expect(await find('uber', { mode: 'exact' })).toEqual([]);
      expect(await find('othin', { mode: 'exact' })).toEqual(['b.md']);
      expect((await ask('A => b', { mode: 'exact' })).hits[0]?.snippet).toContain('=>');
    }));

  it('finds marks that make no word literally', () =>
    eitherWay({ 'a.md': 'if (a => B)', 'b.md': 'b' }, async ({ find }) => {
      expect(await find('=>')).toEqual(['a.md']);
      expect(await find('   ')).toEqual([]);
      expect(await find('')).toEqual([]);
    }));

  it('finds what stands only in frontmatter, even where the YAML is broken', () =>
    eitherWay({ 'a.md': '---\nproject: kestrel\n---\n', 'b.md': '---\nproject: [kestrel\n---\nbody', 'c.md': 'c' }, async ({ find }) => {
      expect(await find('kestrel')).toEqual(['a.md', 'b.md']);
    }));

  it('finds the last word of a long note', () =>
    eitherWay({ 'long.md': `${'Word upon word. '.repeat(150_000)}needle`, 'short.md': 'hay' }, async ({ ask }) => {
      const { hits } = await ask('needle');
      expect(hits.map(({ path }) => path)).toEqual(['long.md']);
      expect(hits[0]?.snippet).toContain('needle');
    }));

  it('is not held up by a query made to hold it up', () =>
    eitherWay({ 'a.md': 'a'.repeat(50_000), 'b.md': `${'-'.repeat(50_000)}x ${"a'".repeat(20_000)}` }, async ({ ask }) => {
      for (const query of ['(a+)+$', `${'a'.repeat(60)}b`, 'a?'.repeat(200), "a'".repeat(100), '"'.repeat(99), '[a'.repeat(200)]) {
        expect((await ask(query)).total).toBeLessThanOrEqual(2);
      }
    }));
});
