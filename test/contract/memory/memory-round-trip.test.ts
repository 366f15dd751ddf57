import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import type { ToolAnswer } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

/** Names that file names, links, YAML, Markdown, URLs or other scripts make hard, some alike but for case, form or sign. */
const HOSTILE: readonly string[] = [
  [
    'C',
    'C++',
    'c',
    'C#',
    'a/b',
    'a\\b',
    '..',
    '../x',
    '.hidden',
    'CON',
    'nul.md',
    'x.md',
    'trailing.',
    ' spaced  out ',
    '[[link]]',
    '#tag',
  ],
  ['a|b', 'key: value', '- item', '"quoted"', "it's", '`code`', '<b>', '%2e%2e', '%%', '---', '&amp;', 'null', 'true', '42', '1e5', '~'],
  [
    'Ünïcode',
    'u\u0308',
    'ü',
    'ſ',
    'İstanbul',
    'ΣΊΣΥΦΟΣ',
    '東京',
    '東京 タワー',
    'العربية',
    'עברית',
    'हिन्दी',
    'ไทย',
    '👩‍👩‍👧',
    '🚀',
    '\u200bzero',
  ],
  [
    '__proto__',
    'constructor',
    'toString',
    'x'.repeat(300),
    '長'.repeat(120),
    'line\u2028sep',
    'tab\tbed',
    'new\nline',
    '^id',
    'a^b',
    'Ada#Home',
  ],
].flat();

const nameOf = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }));
const text = fc.oneof(
  fc.constantFrom(...HOSTILE, '{"type":"x","data":{"a":[1]}}', '## Relations', '- [ ] todo'),
  fc.string({ minLength: 1, unit: 'grapheme' }),
);

interface Graph {
  readonly entities: readonly { readonly name: string; readonly entityType: string; readonly observations: readonly string[] }[];
  readonly relations: readonly { readonly from: string; readonly to: string; readonly relationType: string }[];
}

const graphs: fc.Arbitrary<Graph> = fc
  .uniqueArray(fc.record({ name: nameOf, entityType: nameOf, observations: fc.uniqueArray(text, { maxLength: 3 }) }), {
    selector: ({ name }) => name,
    minLength: 1,
    maxLength: 8,
  })
  .chain((entities) => {
    const one = fc.constantFrom(...entities.map(({ name }) => name));
    const relation = fc.record({ from: one, to: one, relationType: nameOf });
    return fc.record({
      entities: fc.constant(entities),
      relations: fc.uniqueArray(relation, { maxLength: 6, selector: (each) => JSON.stringify(each) }),
    });
  });

/** How many were made. */
const countOf = ({ isError, value }: ToolAnswer): number => (isError ? 0 : value.length);

const sorted = (jsonl: string): readonly string[] => jsonl.split('\n').filter(Boolean).toSorted();

it('X-28 export then import into an empty vault gives the same graph, whatever the names; a second import changes nothing', async () => {
  const every: Graph = {
    entities: HOSTILE.map((name, n) => ({
      name,
      entityType: HOSTILE[(n * 7) % HOSTILE.length] ?? '',
      observations: [name, `about ${name}`],
    })),
    relations: HOSTILE.map((from, n) => ({
      from,
      to: HOSTILE[(n * 11 + 3) % HOSTILE.length] ?? '',
      relationType: HOSTILE[(n * 5) % HOSTILE.length] ?? '',
    })),
  };
  await fc.assert(
    fc.asyncProperty(graphs, (graph) =>
      withVault({}, (from) =>
        withVault({}, async (to) => {
          let made = 0;
          await withServer(
            from,
            async ({ call }) => {
              // What is no name is refused, and is then in neither vault.
              for (const entity of graph.entities) made += countOf(await call('create_entities', { entities: [entity] }));
              for (const relation of graph.relations) made += countOf(await call('create_relations', { relations: [relation] }));
            },
            { flags: ['--toolsets', 'memory'] },
          );
          const first = await cli(['export', '--vault', from.root]);
          expect(sorted(first.stdout)).toHaveLength(made);
          const imported = await cli(['import', '-', '--vault', to.root, '--json'], { stdin: first.stdout });
          expect(JSON.parse(imported.stdout).problems).toEqual([]);
          const second = await cli(['export', '--vault', to.root]);
          expect(sorted(second.stdout)).toEqual(sorted(first.stdout));
          const before = to.files().map((file) => [file, to.read(file)]);
          const again = await cli(['import', '-', '--vault', to.root, '--json'], { stdin: first.stdout });
          expect(JSON.parse(again.stdout)).toMatchObject({ entities: 0, observations: 0, relations: 0, problems: [] });
          expect(to.files().map((file) => [file, to.read(file)])).toEqual(before);
        }),
      ),
    ),
    { numRuns: 12, examples: [[every]] },
  );
}, 120_000);

it('X-28 every one of these names can be remembered, told more and related, and reads back as it was given', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask }) => {
        // `c` is `C` for who tells of it; only an import has both.
        const names = HOSTILE.filter((name) => name !== 'c');
        const entities = names.map((name) => ({ name, entityType: 'thing', observations: [name, `about ${name}`] }));
        await ask('create_entities', { entities });
        const relations = names.map((from) => ({ from, to: 'C', relationType: 'likes' }));
        await ask('create_relations', { relations });
        const { stdout } = await cli(['export', '--vault', vault.root]);
        const told = sorted(stdout).map(
          (line) => JSON.parse(line) as { type: string; name?: string; from?: string; observations?: string[] },
        );
        const remembered = told.filter(({ type }) => type === 'entity');
        expect(remembered).toHaveLength(names.length);
        expect(new Map(remembered.map(({ name, observations }) => [name, observations]))).toEqual(
          new Map(entities.map(({ name, observations }) => [name, observations])),
        );
        expect(told.flatMap(({ from }) => from ?? []).toSorted()).toEqual(names.toSorted());
      },
      { flags: ['--toolsets', 'memory'] },
    ),
  ));
