import { describe, expect, it } from 'vitest';
import { idsOf, withQueries } from '../../support/queries.ts';

const notes = {
  'bool.md': '---\nx: true\n---\n',
  'date.md': '---\nx: 2025-01-02\n---\n',
  'empty.md': '---\nx:\n---\n',
  'link.md': '---\nx: "[[date]]"\n---\n',
  'list.md': '---\nx: [1, a]\n---\n',
  'map.md': '---\nx: { a: 1 }\n---\n',
  'none.md': 'no frontmatter\n',
  'small.md': '---\nx: 3\n---\n',
  'big.md': '---\nx: 20\n---\n',
  'text.md': '---\nx: "20"\n---\n',
  'word.md': '---\nx: Zebra\n---\n',
};

describe('E-22 properties of mixed type', () => {
  it('E-22 a comparison of different types is false, and its opposite by != is true', () =>
    withQueries(notes, async (list) => {
      const found = async (where: string): Promise<readonly string[]> => idsOf(await list({ where }));
      expect(await found('x > 2')).toEqual(['big.md', 'small.md']);
      expect(await found('x <= 3')).toEqual(['small.md']);
      expect(await found('x == 20')).toEqual(['big.md']);
      expect(await found('x == "20"')).toEqual(['text.md']);
      expect(await found('x > "A"')).toEqual(['word.md']);
      expect(await found('x > date("2025-01-01")')).toEqual(['date.md']);
      expect(await found('x == "2025-01-02"')).toEqual(['date.md']);
      expect(await found('x == true')).toEqual(['bool.md']);
      expect(await found('x == null')).toEqual(['empty.md', 'none.md']);
      expect(await found('x == [1, "a"]')).toEqual(['list.md']);
      expect(await found('x == file("date")')).toEqual(['link.md']);
      expect((await found('x != 20')).length).toBe(Object.keys(notes).length - 1);
    }));

  it('E-22 no operator and no function throws, whatever the value', () =>
    withQueries(notes, async (list) => {
      const expressions = [
        'x + 1',
        'x - "1d"',
        'x * 2',
        'x / 0',
        'x % 2',
        '-x',
        '!x',
        'x.length',
        'x.a.b.c',
        'x[0]',
        'x["a"]',
        'x[x]',
        'x.year',
      ];
      const calls = [
        'contains("a")',
        'lower()',
        'round(2)',
        'format("YYYY")',
        'map(value + 1)',
        'reduce(acc + value, 0)',
        'asFile()',
        'keys()',
        'sort()',
      ];
      const fields = [
        ...expressions,
        ...calls.map((call) => `x.${call}`),
        'max(x, 1)',
        'date(x)',
        'link(x)',
        'number(x)',
        'duration(x)',
        'list(x)',
      ];
      const { nodes, total } = await list({ fields });
      expect(total).toBe(Object.keys(notes).length);
      for (const { fields: values } of nodes) expect(Object.keys(values)).toEqual(fields);
    }));

  it('E-22 sorts by type, numbers as numbers, and nothing last both ways', () =>
    withQueries(notes, async (list) => {
      const up = idsOf(await list({ sort: 'x' }));
      expect(up).toEqual(
        ['bool', 'small', 'big', 'date', 'text', 'link', 'word', 'list', 'map', 'empty', 'none'].map((name) => `${name}.md`),
      );
      const down = idsOf(await list({ sort: '-x' }));
      expect(down).toEqual([...up.slice(0, 9).reverse(), 'empty.md', 'none.md']);
      expect(idsOf(await list({ sort: 'x desc', where: 'x.isType("number")' }))).toEqual(['big.md', 'small.md']);
    }));

  it('E-22 sorts by several expressions, then by path, and groups', () =>
    withQueries(
      {
        'a.md': '---\ns: open\np: 1\n---\n',
        'b.md': '---\ns: done\np: 2\n---\n',
        'c.md': '---\ns: open\np: 2\n---\n',
        'd.md': '---\np: 2\n---\n',
      },
      async (list) => {
        expect(idsOf(await list({ sort: '-p, s' }))).toEqual(['b.md', 'c.md', 'd.md', 'a.md']);
        expect(idsOf(await list({ sort: 'if(p > 1, "x", "y"), file.name desc' }))).toEqual(['d.md', 'c.md', 'b.md', 'a.md']);
        const grouped = await list({ group_by: 's', sort: '-p', fields: ['p'] });
        expect(grouped.groups).toEqual([
          { value: 'done', count: 1 },
          { value: 'open', count: 2 },
          { value: null, count: 1 },
        ]);
        expect(grouped.nodes).toEqual([
          { id: 'b.md', title: 'b', group: 'done', fields: { p: 2 } },
          { id: 'c.md', title: 'c', group: 'open', fields: { p: 2 } },
          { id: 'a.md', title: 'a', group: 'open', fields: { p: 1 } },
          { id: 'd.md', title: 'd', group: null, fields: { p: 2 } },
        ]);
        expect(idsOf(await list({ group_by: '-s', where: 's' }))).toEqual(['a.md', 'c.md', 'b.md']);
      },
    ));

  it('E-28 finds what stands in the properties map as what stands beside it, and follows a change', () =>
    withQueries(
      { 'a.md': '---\nid: a\ntype: thing\nproperties:\n  rating: 5\n---\n', 'b.md': '---\nrating: 3\n---\n' },
      async (list, { call }) => {
        expect(idsOf(await list({ where: 'rating >= 3', sort: '-rating' }))).toEqual(['a', 'b.md']);
        expect((await call('update_node', { id: 'b.md', properties: { rating: 9 } })).isError).toBe(false);
        expect(idsOf(await list({ where: 'rating >= 3', sort: '-rating' }))).toEqual(['b.md', 'a']);
        expect((await call('update_node', { id: 'a', properties: { rating: null } })).isError).toBe(false);
        expect(idsOf(await list({ where: 'rating >= 3' }))).toEqual(['b.md']);
        expect(idsOf(await list({ where: 'rating == null', type: 'thing' }))).toEqual(['a']);
      },
    ));

  it('answers page by page, each page within what an answer may hold', () =>
    withQueries(
      Object.fromEntries(
        Array.from({ length: 120 }, (_, index) => [
          `n${String(index).padStart(3, '0')}.md`,
          `---\nlong: ${JSON.stringify('p'.repeat(index % 10 === 0 ? 50_000 : 900))}\nlist: [${'x, '.repeat(400)}x]\n---\n`,
        ]),
      ),
      async (list, { call }) => {
        const seen: string[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const { texts, value } = await call('list_nodes', { fields: ['long', 'list'], offset, where: 'long' });
          expect(texts[0]?.length).toBeLessThanOrEqual(40_000);
          expect(value.total).toBe(120);
          seen.push(...idsOf(value));
          offset = value.next_offset;
        }
        expect(seen).toEqual([...seen].sort());
        expect(new Set(seen).size).toBe(120);
        expect((await list({ where: 'long', limit: 2, offset: 118 })).next_offset).toBeUndefined();
      },
    ));
});
