import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idsOf, withQueries } from '../../support/queries.ts';
import { vaultsNamed } from '../../support/vaults.ts';

const books = `filters:
  and:
    - file.hasTag("book")
    - not:
        - file.inFolder("Templates")
formulas:
  formatted_price: 'if(price, price.toFixed(2) + " dollars")'
  ppu: "(price / age).toFixed(2)"
  twice: formula.ppu + formula.ppu
properties:
  status:
    displayName: Status
  formula.formatted_price:
    displayName: "Price"
  file.ext:
    displayName: Extension
summaries:
  customAverage: 'values.mean().round(3)'
views:
  - type: table
    name: "My table"
    limit: 2
    groupBy:
      property: note.age
      direction: DESC
    filters:
      and:
        - 'status != "done"'
        - or:
            - "formula.ppu > 5"
            - "price > 2.1"
    order:
      - file.name
      - file.ext
      - note.age
      - formula.ppu
      - formula.formatted_price
    sort:
      - property: price
        direction: DESC
    summaries:
      price: customAverage
      age: Max
  - type: cards
    name: All
    order: [file.name, status, reading status]
    sort:
      - property: note.price
        direction: ASC
  - type: table
    name: Links to this
    filters: file.hasLink(this)
  - type: table
    name: Beside this
    filters:
      and:
        - file.folder == this.file.folder
        - file.name != this.file.name
`;

const notes = {
  'Books.base': books,
  'a.md': '---\ntags: book\nprice: 10\nage: 4\nstatus: open\nreading status: half\n---\nSee [[d]].\n',
  'b.md': '---\ntags: [book]\nprice: 3\nage: 7\n---\n',
  'c.md': '---\nprice: 8\nage: 4\nstatus: open\n---\n#book/novel\n',
  'd.md': '---\ntags: book\nprice: 99\nstatus: done\n---\n',
  'e.md': 'no book, [[d]]\n',
  'Templates/t.md': '---\ntags: book\nprice: 50\nage: 1\n---\n',
  'pic.png': 'png',
};

describe('E-23 rows of a base', () => {
  it('E-23 filters of file and view, formulas, order, sort, limit, groupBy, names and summaries', () =>
    withQueries(notes, async (list) => {
      const answer = await list({ base: 'Books.base', view: 'My table' });
      expect(answer).toEqual({
        base: 'Books.base',
        view: 'My table',
        views: ['My table', 'All', 'Links to this', 'Beside this'],
        titles: { 'file.ext': 'Extension', 'note.age': 'age', 'formula.ppu': 'ppu', 'formula.formatted_price': 'Price' },
        groups: [
          { value: 7, count: 1 },
          { value: 4, count: 1 },
        ],
        groups_total: 2,
        nodes: [
          {
            id: 'b.md',
            title: 'b',
            group: 7,
            fields: { 'file.name': 'b', 'file.ext': 'md', 'note.age': 7, 'formula.ppu': '0.43', 'formula.formatted_price': '3.00 dollars' },
          },
          {
            id: 'a.md',
            title: 'a',
            group: 4,
            fields: {
              'file.name': 'a',
              'file.ext': 'md',
              'note.age': 4,
              'formula.ppu': '2.50',
              'formula.formatted_price': '10.00 dollars',
            },
          },
        ],
        total: 2,
        summaries: { price: 6.5, age: 7 },
      });
      // The first view is what is shown when none is named, and a name needs neither folder nor ending.
      expect(await list({ base: 'books' })).toEqual(answer);
    }));

  it('E-23 where, sort and fields go on top of a view', () =>
    withQueries(notes, async (list) => {
      expect(idsOf(await list({ base: 'Books', view: 'all' }))).toEqual(['b.md', 'c.md', 'a.md', 'd.md']);
      const narrowed = await list({ base: 'Books', view: 'All', where: 'price > 5', sort: '-price', fields: ['formula.twice', 'price'] });
      expect(narrowed.nodes.map(({ fields }: { fields: unknown }) => fields)).toEqual([
        { 'formula.twice': null, price: 99 },
        { 'formula.twice': '2.502.50', price: 10 },
        { 'formula.twice': '2.002.00', price: 8 },
      ]);
      expect(idsOf(await list({ base: 'Books', view: 'All', limit: 1, offset: 1 }))).toEqual(['c.md']);
      const { nodes } = await list({ base: 'Books', view: 'All', where: 'file.name == "a"' });
      expect(nodes[0].fields).toEqual({ 'file.name': 'a', status: 'open', 'reading status': 'half' });
    }));

  it('E-23 `this` is the file in context, else the base itself', () =>
    withQueries(notes, async (list) => {
      expect(idsOf(await list({ base: 'Books', view: 'Links to this', context: 'd' }))).toEqual(['a.md']);
      expect(idsOf(await list({ base: 'Books', view: 'Links to this' }))).toEqual([]);
      expect(idsOf(await list({ base: 'Books', view: 'Beside this' }))).toEqual(['a.md', 'b.md', 'c.md', 'd.md']);
      expect(idsOf(await list({ base: 'Books', view: 'Beside this', context: 'Templates/t.md' }))).toEqual([]);
    }));

  it('E-23 a base without filters is about every file, and an edit to it counts at once', () =>
    withQueries(
      { ...notes, 'All.base': 'views:\n  - type: table\n    name: x\n    order: [file.name, file.size]\n' },
      async (list, session) => {
        const all = await list({ base: 'All' });
        expect(idsOf(all)).toEqual(['All.base', 'Books.base', 'Templates/t.md', 'a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'pic.png']);
        expect(all.nodes.at(-1)).toEqual({ id: 'pic.png', title: 'pic.png', fields: { 'file.name': 'pic.png', 'file.size': 3 } });
        expect(idsOf(await list({ base: 'All', where: '!file.ext.containsAny("base", "md")' }))).toEqual(['pic.png']);
        expect((await session.call('list_nodes', { base: 'All', tag: 'book' })).value.total).toBe(5);
      },
    ));

  const broken: readonly (readonly [title: string, base: string, said: string])[] = [
    ['no YAML', 'a: [', 'cannot be read as a base'],
    ['a list', '- 1', 'cannot be read as a base'],
    ['views that are no list', 'views: 5', 'views is not a list'],
    ['a filter of another kind', 'filters:\n  xor: [a]', 'and, or, not'],
    ['a formula that names itself', 'formulas:\n  a: formula.a + 1\nviews:\n  - order: [formula.a]', 'go in a circle: "a" -> "a"'],
    [
      'formulas that name each other',
      'formulas:\n  a: formula.b\n  b: formula.c * 2\n  c: 1 + formula.a\nviews:\n  - filters: formula.b > 1',
      'go in a circle: "b" -> "c" -> "a" -> "b"',
    ],
    ['a mistake in a formula', 'formulas:\n  a: price.rund()\nviews:\n  - order: [formula.a]', 'formula "a", column 7'],
    ['a mistake in a filter', 'views:\n  - name: v\n    filters: {and: ["status = 1"]}', 'filters of view "v", column 8'],
    ['a summary that is none', 'views:\n  - summaries: {price: Averag}', 'did you mean "Average"'],
    ['nested without end', `filters: ${'{and: ['.repeat(3_000)}`, 'cannot be read as a base'],
    ['a megabyte', `x: ${'y'.repeat(1_000_000)}`, 'longer than 64 KB'],
    [
      'aliases that multiply',
      `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefgh'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]}, `.repeat(9)}x]`)
        .join('\n')}\n`,
      'cannot be read as a base',
    ],
  ];
  for (const [title, text, said] of broken) {
    it(`E-23 a base that cannot be read says why: ${title}`, () =>
      withQueries({ 'x.base': text, 'a.md': '---\nprice: 1\n---\n' }, async (_list, { call }) => {
        const { isError, value } = await call('list_nodes', { base: 'x.base' });
        expect(isError).toBe(true);
        expect(value.error.message).toContain(said);
        expect(value.error.message).toContain('x.base');
        expect(value.error.message.length).toBeLessThan(600);
      }));
  }

  it('E-23 a base or view that is not there, or there twice, is told with those that are', () =>
    withQueries({ ...notes, 'x/Same.base': '', 'y/Same.base': '' }, async (list, { call }) => {
      expect((await call('list_nodes', { base: 'Nothing' })).value.error).toMatchObject({ code: 'NODE_NOT_FOUND' });
      expect((await call('list_nodes', { base: 'Nothing' })).value.error.message).toContain('Books.base');
      expect((await call('list_nodes', { base: 'Same' })).value.error).toMatchObject({ code: 'AMBIGUOUS' });
      expect((await list({ base: 'y/Same' })).base).toBe('y/Same.base');
      expect((await call('list_nodes', { base: 'Books', view: 'Al' })).value.error.message).toContain('did you mean "All"');
      expect((await call('list_nodes', { base: '../outside.base' })).value.error).toMatchObject({ code: 'NODE_NOT_FOUND' });
    }));

  for (const { name, root, isThere } of vaultsNamed('kepano')) {
    it.skipIf(!isThere)(
      `E-23 every view of every base of ${name} gives rows`,
      () =>
        withQueries(root, async (list) => {
          const { nodes: bases } = await list({ base: 'Everything', view: 'All files', where: 'file.ext == "base"' });
          expect(bases.length).toBe(30);
          for (const { id } of bases) {
            const { views = [undefined] } = await list({ base: id, limit: 1 });
            for (const view of views) {
              const answer = await list({ base: id, view, context: 'Templates/Bases/Books.base' });
              expect(answer.base).toBe(id);
            }
          }
          const count = async (args: Record<string, unknown>): Promise<number> => (await list(args)).total;
          const notesWith = (category: string): Promise<number> =>
            count({ where: `list(categories).contains(link("${category}")) && !file.name.contains("Template")` });
          for (const [base, category] of [
            ['Books', 'Books'],
            ['Movies', 'Movies'],
            ['Places', 'Places'],
            ['People', 'People'],
          ] as const)
            expect(await count({ base: `${base}.base` }), base).toBe(await notesWith(category));
          expect(existsSync(root) && readFileSync(`${root}/Templates/Bases/Books.base`, 'utf8')).toContain('categories.contains');
        }),
      60_000,
    );
  }
});
