import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';
import { runs, seed } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { withTasks } from '../tasks/task-session.ts';

/** A note as the kepano vault has them. */
const PARK = `---
aliases:
  - Griffith
  - 1896
categories:
  - "[[Places]]"
type:
  - "[[Parks]]"
  - "[[Gardens]]"
state: California
summary: Hills
resolved: maybe
parent: "[[Los Angeles]]"
created: 2023-09-12
rating:
hours: {open: 5, close: 22}
visits:
  - {on: 2024-01-01}
tags: [places, "#outdoors"]
---
See #hiking.
`;

describe('what a read of a note shows', () => {
  it('A-01 A-03 A-04 get_node, get_nodes, roux get and random_node show every key of the frontmatter as it is', () =>
    withVault({ 'Park.md': PARK }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const properties = {
          categories: ['[[Places]]'],
          type: ['[[Parks]]', '[[Gardens]]'],
          state: 'California',
          summary: 'Hills',
          resolved: 'maybe',
          parent: '[[Los Angeles]]',
          created: '2023-09-12',
          rating: null,
          hours: { open: 5, close: 22 },
          visits: [{ on: '2024-01-01' }],
        };
        const shown = { aliases: ['Griffith', '1896'], properties, tags: ['places', 'outdoors', 'hiking'] };
        expect(await ask('get_node', { id: 'Park' })).toMatchObject({ ...shown, type: null });
        expect((await ask('get_nodes', { ids: ['Park'] })).nodes).toMatchObject([shown]);
        expect(await ask('random_node')).toMatchObject(shown);
        expect((await ask('search', { query: 'hiking', fields: ['properties'] }))[0].properties).toEqual(properties);
        const { stdout } = await cli(['get', 'Park', '--vault', vault.root]);
        expect(stdout).toBe(PARK);
      }),
    ));

  it('A-01 what is sent back as it was shown changes no byte, and says where a null means nothing', () =>
    withVault({ 'Park.md': PARK }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { properties, aliases, tags } = await ask('get_node', { id: 'Park' });
        const all = await ask('update_node', { id: 'Park', properties, aliases, tags });
        expect(all._warnings).toEqual([expect.stringContaining('rating of Park.md: empty already, and left')]);
        expect(vault.read('Park.md')).toBe(PARK);
        // One changed, the rest sent along.
        await ask('update_node', { id: 'Park', properties: { ...properties, rating: 7 }, aliases, tags });
        expect(vault.read('Park.md').replace(/rev: .*\nupdated_at: .*\n/, '')).toBe(PARK.replace('rating:', 'rating: 7'));
      }),
    ));

  it("A-01 a person's own rev or updated_at stays through every write, and conditions are met by the count of changes", () =>
    withVault(
      {
        'part.md': '---\nrev: B\nupdated_at: last week\n---\nA part\n',
        'half.md': '---\nrev: [1, 2]\nupdated_at: 2024-01-05\n---\nHalf\n',
        'linking.md': '---\nrev: mine\n---\n[[part]]\n',
      },
      (vault) =>
        withServer(vault, async ({ ask, refuse }) => {
          expect(await ask('get_node', { id: 'part' })).toMatchObject({ properties: { rev: 'B', updated_at: 'last week' } });
          await ask('update_node', { id: 'part', append: 'More' });
          expect(vault.read('part.md')).toBe('---\nrev: B\nupdated_at: last week\n---\nA part\nMore\n');
          await ask('update_node', { id: 'half', append: 'More' });
          // A time is kept up to date.
          expect(vault.read('half.md')).toMatch(/^---\nrev: \[1, 2\]\nupdated_at: 20\d\d-\d\d-\d\dT[\d:.]+Z\n---\nHalf\n/);
          await ask('rename', { changes: [{ from: 'part.md', to: 'piece' }] });
          expect(vault.read('linking.md')).toBe('---\nrev: mine\n---\n[[piece]]\n');
          for (const expected of [0, 1]) {
            const { error } = await refuse('update_node', { id: 'piece', append: 'x', expected_rev: expected });
            expect(error).toMatchObject({ code: 'CONFLICT', details: { rev: 2 } });
          }
          expect(await ask('update_node', { id: 'piece', append: 'x', expected_rev: 2 })).toMatchObject({ rev: 3 });
        }),
    ));

  it('A-03 a note with the keys of a task is one below the projects root alone', () =>
    withTasks(async ({ ask, call, plan, vault }) => {
      const { a = '' } = await plan([{ ref: 'a', summary: 'A' }]);
      expect(await ask('get_node', { id: a })).toMatchObject({ properties: {}, task: { summary: 'A', resolved: false } });
      await ask('create_node', { title: 'Elsewhere', type: 'task', properties: { resolved: false, state: 'x' } });
      const elsewhere = await ask('get_node', { id: 'Elsewhere' });
      expect(elsewhere).toMatchObject({ type: 'task', properties: { resolved: false, state: 'x' } });
      expect(elsewhere.task).toBeUndefined();
      expect(
        (await ask('update_node', { include_content: true, id: 'Elsewhere', properties: { resolved: true } })).properties,
      ).toMatchObject({ resolved: true });
      expect((await call('update_node', { id: a, properties: { resolved: true } })).isError).toBe(true);
      expect(vault.read(elsewhere.path)).toContain('resolved: true');
    }));

  it('A-04 a list or a link as the type is written like any property, and no type takes its place unasked', () =>
    withVault(
      { 'Park.md': PARK, 'Lake.md': '---\ntype: "[[Lakes]]"\n---\n', 'Book.md': '---\ntype: book\n---\n', 'none.md': 'x\n' },
      (vault) =>
        withServer(vault, async ({ ask, refuse }) => {
          const told = (await refuse('update_node', { id: 'Park', type: 'place' })).error.message;
          expect(told).toContain('["[[Parks]]","[[Gardens]]"]');
          expect(
            (await ask('update_node', { include_content: true, id: 'Park', add: { type: ['[[Trails]]'] } })).properties.type,
          ).toHaveLength(3);
          expect((await ask('update_node', { id: 'Park', properties: { type: ['[[Parks]]'] } }))._warnings).toEqual([
            expect.stringContaining('type of Park.md: "[[Gardens]]", "[[Trails]]" went'),
          ]);
          await ask('update_node', { id: 'Park', properties: { type: null } });
          expect(await ask('update_node', { include_content: true, id: 'Park', type: 'place' })).toMatchObject({ type: 'place' });
          expect(await ask('get_node', { id: 'Lake' })).toMatchObject({ type: null, properties: { type: '[[Lakes]]' } });
          expect((await ask('update_node', { include_content: true, id: 'Lake', add: { type: ['[[Parks]]'] } })).properties.type).toEqual([
            '[[Lakes]]',
            '[[Parks]]',
          ]);
          expect((await ask('update_node', { include_content: true, id: 'none', properties: { type: ['[[Parks]]'] } })).properties).toEqual(
            {
              type: ['[[Parks]]'],
            },
          );
          // A text as the type is the argument of that name, as ever.
          expect((await refuse('update_node', { id: 'Book', properties: { type: 'film' } })).error.message).toContain('argument type');
          expect((await refuse('update_node', { id: 'Book', add: { type: ['film'] } })).error.message).toContain('argument type');
          expect(await ask('update_node', { include_content: true, id: 'Book', type: 'film' })).toMatchObject({ type: 'film' });
          const block = '---\ntype:\n  - "[[Films]]"\n---\nText\n';
          expect(await ask('create_node', { include_content: true, title: 'Film', content: block })).toMatchObject({
            type: null,
            properties: { type: ['[[Films]]'] },
          });
        }),
    ));

  it('A-02 a list that replaces a list says what went, whichever way it came', () =>
    withVault({ 'a.md': '---\ntopics: [one, two]\naliases: [A1, A2]\ntags: [x, y]\nmap: {k: v}\n---\nText #z\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const changed = await ask('update_node', { id: 'a', properties: { topics: ['two', 'three'] }, aliases: ['A2'], tags: ['x', 'z'] });
        expect(changed._warnings).toEqual([
          expect.stringContaining('tags of a.md: "y" went'),
          expect.stringContaining('topics of a.md: "one" went'),
          expect.stringContaining('aliases of a.md: "A1" went'),
        ]);
        // A tag of the text is no tag of the frontmatter for having been sent back.
        expect(vault.read('a.md')).toContain('tags: [x]\n');
        const none = await ask('update_node', { id: 'a', aliases: [], tags: [] });
        expect(none._warnings).toEqual([
          expect.stringContaining('"x" went'),
          expect.stringContaining('#z stays'),
          expect.stringContaining('"A2" went'),
        ]);
        await ask('get_node', { id: 'a' });
        const block = '---\ntopics: [three]\nmap: gone\n---\nText\n';
        expect((await ask('update_node', { id: 'a', content: block }))._warnings).toEqual([
          expect.stringContaining('topics of a.md: "two" went'),
          expect.stringContaining('map of a.md: the map {"k":"v"} was replaced'),
        ]);
      }),
    ));

  it('A-02 add and remove change items of lists and leave all others', () =>
    withVault({ 'a.md': '---\naliases: One\ntags: [x]\ntopics:\n  # mine\n  - one\n  - "[[Two|2]]"\nempty:\n---\nText #z\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const added = await ask('update_node', {
          include_content: true,
          id: 'a',
          add: { aliases: ['Uno'], tags: ['#y', 'X', 'z'], topics: ['one', 'three', 4], empty: 'item', fresh: ['f'] },
        });
        expect(added).toMatchObject({
          aliases: ['One', 'Uno'],
          tags: ['x', 'y', 'z'],
          properties: { topics: ['one', '[[Two|2]]', 'three', 4], empty: ['item'], fresh: ['f'] },
        });
        expect(vault.read('a.md')).toContain('topics:\n  # mine\n  - one\n  - "[[Two|2]]"\n  - three\n  - 4\n');
        const removed = await ask('update_node', {
          include_content: true,
          id: 'a',
          remove: { aliases: ['One'], tags: ['y', 'z'], topics: ['[[Two]]', 'none', 4], empty: null, gone: ['x'] },
        });
        expect(removed).toMatchObject({ aliases: ['Uno'], tags: ['x', 'z'], properties: { topics: ['one', 'three'], fresh: ['f'] } });
        expect(removed._warnings).toEqual([
          expect.stringContaining('tags of a.md: "z" is in the text'),
          expect.stringContaining('topics of a.md: "none" was not there to remove; it holds ["one"'),
          expect.stringContaining('gone of a.md: "x" was not there to remove; there is no such property'),
        ]);
        const before = vault.read('a.md');
        for (const [args, words] of [
          [{ add: { title: ['x'] } }, 'argument title'],
          [{ add: { rev: [1] } }, 'add.rev'],
          [{ add: { topics: ['x'] }, properties: { topics: ['y'] } }, 'add.topics'],
          [{ add: { tags: ['x'] }, tags: ['y'] }, 'add.tags'],
          [{ aliases: ['x'], properties: { aliases: ['y'] } }, 'once'],
          [{ add: { topics: [{ a: 1 }] } }, 'add.topics'],
        ] as const)
          expect((await refuse('update_node', { id: 'a', ...args })).error.message).toContain(words);
        expect(vault.read('a.md')).toBe(before);
      }),
    ));

  it('A-01 whatever the frontmatter holds: each property is sent back as it was shown, and no byte changes', async () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/\p{Surrogate}/u.test(text)),
      fc.constantFrom('[[Parks]]', '2024-01-15', 'yes', '1.10', '', ' x ', '#tag', 'a, b'),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        scalar,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 6 }), tie('value'), { maxKeys: 3 }),
      ),
    }));
    const key = fc.oneof(
      fc.constantFrom(
        'aliases',
        'tags',
        'type',
        'title',
        'id',
        'rev',
        'state',
        'summary',
        'resolved',
        'parent',
        'depends_on',
        'created',
        'updated_at',
        'format',
        'encoding',
        'properties',
        'created_by',
        'blocked',
        'evidence',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/\p{Surrogate}/u.test(text)),
    );
    await withVault({ 'first.md': 'x\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        let count = 0;
        await fc.assert(
          fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 6 }), async (data) => {
            const path = `n${(count += 1)}.md`;
            // A map in JSON is YAML too.
            const text = `---\n${Object.entries(data)
              .map(([name, each]) => `${JSON.stringify(name)}: ${JSON.stringify(each)}\n`)
              .join('')}---\nText #t\n`;
            fc.pre(readFrontmatter(text).problems.length === 0);
            vault.write(path, text);
            const node = await ask('get_node', { id: path });
            const hidden = Object.keys(data).filter(
              (name) => !Object.hasOwn(node.properties, name) && !FIELDS.has(name) && !Object.hasOwn(node.properties_shadowed ?? {}, name),
            );
            expect(hidden).toEqual([]);
            for (const [name, each] of Object.entries(node.properties))
              await ask('update_node', { id: path, properties: { [name]: each } });
            await ask('update_node', {
              id: path,
              properties: node.properties,
              tags: node.tags,
              ...(node.aliases === undefined ? {} : { aliases: node.aliases }),
            });
            expect(vault.read(path)).toBe(text);
          }),
          { numRuns: runs(60), seed },
        );
      }),
    );
  });
});

const FIELDS: ReadonlySet<string> = new Set([
  'id',
  'title',
  'type',
  'tags',
  'aliases',
  'rev',
  'created',
  'updated_at',
  'created_by',
  'format',
  'encoding',
  'properties',
]);
