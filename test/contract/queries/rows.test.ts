import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { idsOf, withQueries } from '../../support/queries.ts';
import { withVault } from '../../support/vault.ts';

const view = (order: string): string => `views:\n  - type: table\n    name: t\n    order: [${order}]\n`;
const words = 'w '.repeat(2_500).trim();

describe('rows of an answer', () => {
  it('E-22 a group stands together, however its values are written', () =>
    withQueries(
      {
        'a.md': '---\nwho: "[[Mei|M.]]"\nk: 3\n---\n',
        'b.md': '---\nwho: "[[Max]]"\nk: 2\n---\n',
        'c.md': '---\nwho: "[[Mei]]"\nk: 1\n---\n',
        'd.md': '---\nwho: ""\nk: 1\n---\n',
        'e.md': '---\nwho: []\nk: 1\n---\n',
        'f.md': '---\nwho: ""\nk: 1\n---\n',
        'people/Mei.md': '',
        'people/Max.md': '',
      },
      async (list) => {
        for (const [group_by, groups] of [
          [
            'who',
            [
              [['c.md', 'a.md'], ['b.md']],
              [['d.md', 'f.md'], ['e.md']],
            ],
          ],
          [
            '-who',
            [
              [['c.md', 'a.md'], ['b.md']],
              [['d.md', 'f.md'], ['e.md']],
            ],
          ],
        ] as const) {
          const answer = await list({ group_by, sort: 'k', where: 'file.hasProperty("who")' });
          const ids = idsOf(answer).join();
          for (const group of groups.flat()) expect(ids).toContain(group.join());
          expect(answer.groups.map(({ count }: { count: number }) => count).toSorted()).toEqual([1, 1, 2, 2]);
        }
      },
    ));

  it('E-23 path narrows the rows of a base with its attachments, and what is hidden is none', () =>
    withQueries(
      {
        'img/p.png': 'x',
        'img/n.md': '#t',
        'imgs/q.png': 'x',
        'archive/h.md': 'h',
        'archive/h.png': 'y',
        '.obsidian/app.json': '{"userIgnoreFilters":["archive/"]}',
        'A.base': view('file.path'),
      },
      async (list) => {
        expect(idsOf(await list({ base: 'A' }))).toEqual(['A.base', 'img/n.md', 'img/p.png', 'imgs/q.png']);
        expect(idsOf(await list({ base: 'A', path: '/img/' }))).toEqual(['img/n.md', 'img/p.png']);
        expect(idsOf(await list({ base: 'A', path: 'img', tag: 't' }))).toEqual(['img/n.md']);
        expect(idsOf(await list({ where: 'true', path: 'img' }))).toEqual(['img/n.md']);
      },
    ));

  it('E-21 every field is in the row, however long its name and its value are; long names are cut and told apart', () =>
    withQueries(
      {
        'a.md': `---\nx: 1\nlong: ${words}\n---\n`,
        'F.base': view(`${'y'.repeat(50_000)}, x`),
        'V.base': `properties:\n  x: { displayName: ${'T'.repeat(20_000)} }\nviews:\n  - type: table\n    name: ${'V'.repeat(30_000)}\n    order: [x]\n`,
        'Wide.base': view(Array.from({ length: 80 }, (_, at) => `c${at}`).join(', ')),
      },
      async (list, { call }) => {
        const named = (letter: string, end: string): string => `if(true, "${letter.repeat(3_900)}", ${end})`;
        const fields = [named('y', '1'), named('y', '2'), named('z', '1'), '1 + 1', 'file.name', 'long'];
        const { nodes } = await list({ fields, where: 'x == 1' });
        const row = Object.entries(nodes[0].fields) as [string, unknown][];
        expect(row.map(([, value]) => String(value).length)).toEqual([300, 300, 300, 1, 1, 300]);
        expect(row.every(([name]) => name.length < 130)).toBe(true);
        expect(nodes[0].fields['1 + 1']).toBe(2);
        const { texts: told } = await call('list_nodes', { base: 'Wide' });
        expect(told[1]).toContain('Of 80 columns the first 50 are shown');
        for (const base of ['F', 'V', 'Wide']) {
          const { texts, value } = await call('list_nodes', { base, where: 'x == 1' });
          expect(value.error?.message, base).toBe(undefined);
          expect(texts[0]?.length, base).toBeLessThan(4_000);
          expect(Object.values(value.nodes[0].fields), base).toHaveLength({ F: 2, V: 1, Wide: 50 }[base] ?? 0);
        }
      },
    ));

  it('E-27 roux list prints whole values in every format, and asks once', () =>
    withVault(
      { 'a.md': `---\nbig: ${words}\nlist: [${'v, '.repeat(2_000)}v]\n---\n`, 'Long.base': view('y'.repeat(3_000)) },
      async (vault) => {
        const run = async (...args: string[]) => {
          const { status, stdout, stderr } = await cli(['list', ...args, '--vault', vault.root]);
          expect([status, stderr]).toEqual([0, '']);
          return stdout;
        };
        for (const format of ['csv', 'md', 'json', 'table']) {
          const text = await run('--fields', 'big,list', '--format', format);
          expect(text, format).toContain(words);
          expect(text.match(/\bv\b/g), format).toHaveLength(2_001);
        }
        expect(await run('--template', '{{properties.big}}')).toBe(`${words}\n`);
        expect(JSON.parse(await run('--group-by', 'big', '--json')).groups[0].value).toBe(words);
      },
    ));
});
