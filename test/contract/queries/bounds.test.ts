import { describe, expect, it, vi } from 'vitest';
import { compile } from '../../../src/query/compile.ts';
import { createQueryNames } from '../../../src/query/formulas.ts';
import { Run, runLimits } from '../../../src/query/run.ts';
import { readSort, splitList } from '../../../src/query/sort-keys.ts';
import { FileValue } from '../../../src/query/values.ts';
import { graphOf } from '../../graph/graph-of.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const nested = (mark: readonly [string, string], times: number, inner: string): string =>
  mark[0].repeat(times) + inner + mark[1].repeat(times);
/** Formulas each of which names the next one, so many levels deep. */
const chain = (count: number, levels: number, mark: readonly [string, string]): string =>
  Array.from({ length: count }, (_, at) => `  f${at}: '${nested(mark, levels, at === count - 1 ? 'true' : `formula.f${at + 1}`)}'\n`).join(
    '',
  );
const viewOf = (formulas: string, order: string): string =>
  `formulas:\n${formulas}views:\n  - type: table\n    name: t\n    order: [${order}]\n`;

const shared = '[1,2,3,4,5,6,7,8,9,10].reduce([acc,acc,acc,acc,acc,acc,acc,acc], 0)';
const long = '"a".repeat(200000)';
const many = '"a".repeat(20000).split("")';

const notes = {
  'a.md': '---\nx: 1\nname: "x(y)"\n---\n',
  'Big.base': viewOf(`  f: '${shared}'\n`, 'formula.f'),
  'Deep.base': viewOf(chain(200, 60, ['!', '']), 'formula.f0'),
  'Back.base': viewOf(chain(200, 60, ['[', ']']), Array.from({ length: 200 }, (_, at) => `formula.f${199 - at}`).join(', ')),
  'Fine.base': viewOf(chain(8, 60, ['!', '']), 'formula.f0'),
};

describe('what a query may take', () => {
  for (const [title, args, said] of [
    ['a value that is written out many times over', { fields: [shared] }, 'too many steps'],
    ['one in a formula', { base: 'Big' }, 'too many steps'],
    ['one in a map', { fields: [`[1,2,3,4,5,6,7,8,9].reduce({"a": [acc,acc,acc,acc,acc,acc,acc,acc]}, 0)`] }, 'too many steps'],
    [
      'a long text in a list many times',
      { fields: [`${many}.map(acc).length + [${long}].map([value,value,value]).length`, `[${long},${long}]`] },
      'at most 200000',
    ],
    ['what is flat only by far', { where: `${shared}.flat().length > 3` }, 'too many steps'],
    ['a group of many', { group_by: shared }, 'at most 200000'],
    [
      'a text that is searched again and again',
      { where: `${many}.reduce(if(acc.contains("aaaaab"), acc, acc), ${long}).length == 1` },
      'too many steps',
    ],
    ['one that is searched for a long one', { where: `${long}.contains("b" + "a".repeat(100000))` }, 'too many steps'],
    [
      'one that is compared again and again',
      { where: `${many}.reduce(if(acc == "b" + "a".repeat(199999), acc, acc), ${long}).length == 1` },
      'too many steps',
    ],
    [
      'one that is trimmed again and again',
      { where: `${many}.reduce(if(acc.trim() == "", acc, acc), ${long}).length == 1` },
      'too many steps',
    ],
    ['long texts in an order', { where: `${many}.map(index + ${long}.slice(9)).sort().length == 1` }, 'too many steps'],
    ['lists that are summed again and again', { where: `${many}.map(${many}.sum()).length == 1` }, 'too many steps'],
    ['formulas that go deep', { base: 'Deep' }, 'nested more than 512 deep'],
    ['formulas that go deep, the last one read first', { base: 'Back' }, 'nested more than 512 deep'],
  ] as const) {
    it(`E-21 is refused: ${title}`, () =>
      withVault(notes, (vault) =>
        withServer(vault, async ({ refuse }) => {
          const { error } = await refuse('list_nodes', args);
          expect(error.code).toBe('INVALID_PARAMS');
          expect(error.message).toContain(said);
        }),
      ));
  }

  it('E-21 formulas that name one another some levels deep, and long texts that are read once, give what they say', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect((await ask('list_nodes', { base: 'Fine', where: 'x == 1' })).nodes[0].fields).toEqual({ 'formula.f0': true });
        const odd = [`number("1".repeat(199000) + "x")`, `file.inFolder("/".repeat(199000) + "b")`, `${long}.contains("ab")`];
        const { fields } = (await ask('list_nodes', { where: 'x == 1', fields: odd })).nodes[0];
        expect(Object.values(fields)).toEqual([null, false, false]);
      }),
    ));

  it('E-21 what looks through a text costs by its length', () => {
    const graph = graphOf({ 'a.md': '' });
    const source = { graph, now: 0, random: () => 0, timesOf: () => null };
    const names = createQueryNames({ formulas: new Map(), hasContext: false, isProperty: () => false, place: String });
    const stepsOf = (text: string): number => {
      const run = new Run(source, null);
      run.turnTo(new FileValue('a.md', null));
      let steps = 0;
      vi.spyOn(run, 'charge').mockImplementation((count) => void (steps += count));
      compile({ text, place: 'where' }, names)(run);
      return steps;
    };
    const made = stepsOf(long);
    for (const asked of ['contains("b")', 'containsAny("b", "c")', 'containsAll("b")', 'replace("b", "")', 'split("b")', 'trim()']) {
      expect(stepsOf(`${long}.${asked}`) - made, asked).toBeGreaterThan(3_000);
    }
    for (const asked of ['startsWith', 'endsWith']) expect(stepsOf(`"a".${asked}(${long})`) - made, asked).toBeGreaterThan(3_000);
    expect(made).toBeLessThan(runLimits.rowSteps);
  });

  it('E-21 the expressions of a list are parted as they are read, regular expressions too', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ ask }) => {
        const replaced = 'name.replace(/\\)/g, "-")';
        const { nodes } = await ask('list_nodes', {
          where: 'name',
          fields: [`${replaced}, name.split(/'/).length, 4 / 2, x / (1)`],
          sort: `-${replaced}, x`,
        });
        expect(nodes[0].fields).toEqual({ [replaced]: 'x(y-', "name.split(/'/).length": 1, '4 / 2': 2, 'x / (1)': 1 });
        expect(splitList('a.replace(/[/,(]/, "b"), c / d, /x,y/.matches(e)')).toEqual([
          'a.replace(/[/,(]/, "b")',
          'c / d',
          '/x,y/.matches(e)',
        ]);
        const blanks = ' '.repeat(1_000_000);
        expect(readSort(`x${blanks}!, -y${blanks}desc, z  ASC`).map(({ source, direction }) => [source.text.length, direction])).toEqual([
          [1_000_002, 1],
          [1, 1],
          [1, 1],
        ]);
      }),
    ));
});
