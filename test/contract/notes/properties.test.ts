import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, seed } from '../../support/effort.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const all = { flags: ['--toolsets', 'all'] };

describe('properties of notes', () => {
  it('E-28 a new property of a note that people write goes to the top level, where Obsidian sees it; a present one stays where it stands', () =>
    withVault(
      {
        'plain.md': 'Text\n',
        'book.md': '---\ntype: book\n# what I think of it\nrating: 3\n---\nText\n',
        'map.md': '---\nproperties:\n  a: 1\n---\nText\n',
        'both.md': '---\nk: 2\nproperties:\n  k: 1\n---\nText\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          await ask('update_node', { id: 'plain', properties: { due: '2026-01-15', done: false } });
          expect(vault.read('plain.md')).toBe('---\ndue: 2026-01-15\ndone: false\n---\nText\n');
          const book = await ask('update_node', { include_content: true, id: 'book', properties: { rating: 4, pages: 100 } });
          expect(vault.read('book.md')).toContain('type: book\n# what I think of it\nrating: 4\npages: 100\n');
          expect(book.properties).toEqual({ rating: 4, pages: 100 });
          await ask('update_node', { id: 'map', properties: { a: 2, b: 3 } });
          expect(vault.read('map.md')).toContain('properties:\n  a: 2\n  b: 3\n');
          expect((await ask('update_node', { include_content: true, id: 'both', properties: { k: null } })).properties).toEqual({});
          const made = await ask('create_node', { include_content: true, title: 'Made', properties: { mood: 'good' } });
          expect(vault.read(made.path)).toContain('\nmood: good\n');
          expect(made.properties).toEqual({ mood: 'good' });
        }),
    ));

  it('E-28 in tasks, entities and typed nodes it goes into the map, and `[key:value]` finds it in both places', () =>
    withVault({ 'plain.md': '---\ncolour: red\n---\nText\n', 'bug.md': '---\nresolved: false\n---\nNo task\n' }, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          await ask('create_ontology', { node_types: ['Doc'], connection_types: [] });
          const typed = await ask('create_node', { title: 'Typed', type: 'Doc', properties: { colour: 'red' } });
          await ask('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: [] }] });
          const entity = await ask('update_node', { id: 'Ada', properties: { colour: 'red' } });
          await ask('graph_open', { project: 'shed', goal: 'g' });
          const { created } = await ask('graph_plan', { project: 'shed', nodes: [{ ref: 'a', summary: 'A' }] });
          const task = await ask('update_node', { id: created[0].id, properties: { colour: 'red' } });
          for (const { path } of [typed, entity, task]) expect(vault.read(path), path).toContain('properties:\n  colour: red\n');
          await ask('update_node', { id: 'bug', properties: { colour: 'red' } });
          expect(vault.read('bug.md')).toContain('\ncolour: red\n');
          const found = await ask('search', { query: '[colour:red]' });
          const paths = new Set(found.map(({ path }: { path: string }) => path));
          expect(paths).toEqual(new Set(['bug.md', 'plain.md', typed.path, entity.path, task.path]));
        },
        all,
      ),
    ));

  it('E-28 a value is a scalar or a flat list of them; one value for a list is refused with the list, and null removes', () =>
    withVault({ 'a.md': '---\ntopics:\n  - one\n  - two\ndeep:\n  - x: 1\nwhere:\n  city: Ulm\n---\nText\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const before = vault.read('a.md');
        const { error } = await refuse('update_node', { id: 'a', properties: { topics: 'three' } });
        expect(error).toMatchObject({ code: 'INVALID_PARAMS', details: { field: 'properties.topics' } });
        expect(error.message).toContain('["one","two"]');
        for (const lost of [
          { deep: ['y'] },
          { where: 'Ulm' },
          { where: ['Ulm'] },
          { topics: [['a']] },
          { topics: [null] },
          { new: { a: 1 } },
        ])
          expect((await refuse('update_node', { id: 'a', properties: lost })).error.code, JSON.stringify(lost)).toBe('INVALID_PARAMS');
        expect(vault.read('a.md')).toBe(before);
        const now = await ask('update_node', {
          include_content: true,
          id: 'a',
          properties: { topics: ['two', 'three'], n: [1, true, '1'], where: null },
        });
        expect(now.properties).toEqual({ topics: ['two', 'three'], deep: [{ x: 1 }], n: [1, true, '1'] });
        const proto = JSON.parse('{"__proto__":"v","ok":1}') as object;
        for (const [tool, more] of [
          ['create_node', { title: 'P' }],
          ['update_node', { id: 'a' }],
        ] as const)
          expect((await refuse(tool, { ...more, properties: proto })).error.message).toContain('__proto__');
        const none = await ask('update_node', { include_content: true, id: 'a', properties: { topics: null, n: [] } });
        expect(none.properties).toEqual({ deep: [{ x: 1 }], n: [] });
        const made = await ask('create_node', { title: 'New', properties: { topics: ['a: b', 'yes', '1'] } });
        expect((await ask('get_node', { id: made.id })).properties).toEqual({ topics: ['a: b', 'yes', '1'] });
      }),
    ));

  it('E-28 tags and aliases go where they belong, and what roux keeps itself is no property', () =>
    withVault({ 'a.md': '---\ntags: one two\naliases: [A1]\n---\nText\n', 'b.md': 'Text\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const b = await ask('update_node', { include_content: true, id: 'b', properties: { tags: ['#x', 'y'], aliases: 'Bee' } });
        expect(b.tags).toEqual(['x', 'y']);
        expect(vault.read('b.md')).toContain('tags:\n  - x\n  - y\naliases:\n  - Bee\n');
        expect((await ask('get_node', { id: 'Bee' })).path).toBe('b.md');
        expect((await refuse('update_node', { id: 'a', properties: { aliases: 'A2' } })).error.message).toContain('["A1"]');
        expect((await refuse('update_node', { id: 'a', properties: { tags: 'three' } })).error.message).toContain('["one","two"]');
        expect((await refuse('update_node', { id: 'a', tags: ['x'], properties: { tags: ['y'] } })).error.message).toContain('once');
        for (const name of ['id', 'rev', 'title', 'type', 'format', 'properties', 'updated_at'])
          expect((await refuse('update_node', { id: 'a', properties: { [name]: 'x' } })).error.message, name).toContain(
            `properties.${name}`,
          );
        expect(vault.read('a.md')).toBe('---\ntags: one two\naliases: [A1]\n---\nText\n');
        const made = await ask('create_node', { include_content: true, title: 'C', properties: { tags: 'x', aliases: ['Sea'] } });
        expect(made.tags).toEqual(['x']);
        expect((await ask('get_node', { id: 'Sea' })).id).toBe(made.id);
        // Several in one text, as people write them too; and a list without an item is none.
        expect((await ask('update_node', { include_content: true, id: made.id, properties: { tags: null } })).tags).toEqual([]);
        expect(
          (await ask('update_node', { include_content: true, id: made.id, properties: { tags: 'one, two #three', aliases: [] } })).tags,
        ).toEqual(['one', 'two', 'three']);
        expect(vault.read(made.path)).not.toContain('aliases');
      }),
    ));

  it('E-28 whatever values are given come back as given, wherever they stand', async () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom('yes', '1.10', '12:30', '[[a]]', '- x', '# y', ''),
    );
    const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }));
    await withVault({ 'a.md': 'Text\n', 'b.md': '---\nproperties:\n  k: 1\n---\nText\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await fc.assert(
          fc.asyncProperty(
            fc.dictionary(fc.constantFrom('k', 'a b', 'ключ', 'x.y', 'toString'), value, { minKeys: 1 }),
            async (properties) => {
              for (const id of ['a', 'b']) {
                const nothing = Object.fromEntries(Object.keys((await ask('get_node', { id })).properties).map((key) => [key, null]));
                if (Object.keys(nothing).length > 0) await ask('update_node', { id, properties: nothing });
                await ask('update_node', { id, properties });
                expect((await ask('get_node', { id })).properties).toEqual(properties);
              }
            },
          ),
          { numRuns: runs(40), seed },
        );
      }),
    );
  });
});

describe('frontmatter inside content', () => {
  const block = '---\n# mine\nstatus: draft\ntags: [a, b]\n---\n';

  it('is read as the properties of a new note, in its own notation', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask }) => {
        const made = await ask('create_node', { include_content: true, title: 'New', content: `${block}Body\n`, tags: ['b', 'A'] });
        expect(made).toMatchObject({ content: 'Body\n', tags: ['a', 'b'], properties: { status: 'draft' } });
        expect(vault.read(made.path)).toMatch(/^---\n# mine\nstatus: draft\ntags: \[a, b\]\n(?:title: New\n)?rev: 1\n[^]+\n---\nBody\n$/);
      }),
    ));

  it('is refused where it cannot be read, or says what the call says otherwise, and nothing is written', () =>
    withVault({ 'other.md': '---\nid: mine\n---\n' }, (vault) =>
      withServer(vault, async ({ refuse }) => {
        for (const [content, more] of [
          ['---\nstatus: [\n---\nBody\n', {}],
          ['---\na: 1\na: 2\n---\nBody\n', {}],
          ['---\nJust text\n---\nBody\n', {}],
          [`${block}Body\n`, { tags: ['c'] }],
          [`${block}Body\n`, { properties: { status: 'done' } }],
          ['---\ntitle: Old\n---\nBody\n', {}],
          ['---\nid: mine\n---\nBody\n', {}],
          ['---\nformat: json\n---\nBody\n', {}],
        ] as const) {
          const { error } = await refuse('create_node', { title: 'New', content, ...more });
          expect(error, content).toMatchObject({ code: 'INVALID_PARAMS', details: { field: 'content' } });
        }
        expect(vault.files()).toEqual(['other.md']);
      }),
    ));

  it('sets what it says in a note that is there, and leaves the rest; two lines of dashes that the body had are text', () =>
    withVault({ 'a.md': '---\nkeep: 1\nstatus: old # why\n---\nOld\n', 'lines.md': '---\nx: 1\n---\n---\nText\n---\nMore\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('get_node', { id: 'a' });
        const now = await ask('update_node', { include_content: true, id: 'a', content: `${block}New\n` });
        expect(now).toMatchObject({ content: 'New\n', tags: ['a', 'b'], properties: { keep: 1, status: 'draft' } });
        expect(vault.read('a.md')).toContain('keep: 1\nstatus: draft # why\n');
        expect((await refuse('update_node', { id: 'a', content: '---\nid: other\n---\nNew\n' })).error.message).toContain('id');
        const { content } = await ask('get_node', { id: 'lines' });
        await ask('update_node', { id: 'lines', content: `${content}Added\n` });
        expect(vault.read('lines.md')).toContain('---\n---\nText\n---\nMore\nAdded\n');
      }),
    ));

  it('sent back as it was read, changes nothing that a person changed meanwhile, and is refused where both changed it', () =>
    withVault({ 'a.md': '---\nstatus: old\nmood: low\n---\nOld\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('get_node', { id: 'a' });
        vault.write('a.md', '---\nstatus: mine\nmood: low\n---\nOld\n');
        const { error } = await refuse('update_node', { id: 'a', content: '---\nstatus: theirs\nmood: low\n---\nNew\n' });
        expect(error).toMatchObject({ code: 'CONFLICT', details: { properties: { status: 'mine' } } });
        await ask('update_node', { id: 'a', content: '---\nstatus: old\nmood: high\n---\nNew\n' });
        expect(vault.read('a.md')).toBe('---\nstatus: mine\nmood: high\n---\nNew\n');
      }),
    ));

  it('stays as it is in typed content', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          const { id, path } = await ask('create_node', {
            title: 'Typed',
            format: 'markdown',
            encoding: 'utf-8',
            content: `${block}Body\n`,
          });
          expect((await ask('get_node_content', { node_id: id })).content).toBe(`${block}Body\n`);
          expect(vault.read(path)).toContain(`---\n${block}Body\n`);
        },
        all,
      ),
    ));
});
