import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import type { McpSession } from '../../../support/program/mcp-client.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { notesOf, vaultsNamed } from '../../../support/vaults.ts';
import { withVault } from '../../../support/vault.ts';

const notes = {
  'meeting.md': '---\nstatus: Draft\nduration: 4\ndue: 2024-03-01\n---\n# Agenda\n\nA work meeting.\n\n# Notes\n\nPersonal remarks.\n',
  'meetup.md': '---\nstatus: Published\nduration: 12\n---\nA personal meetup. Mix water.\n\nThen flour.\n',
  'recipe.md':
    '---\nstatus:\nduration: 5\n---\nMix the flour.\n\n- [ ] call the baker\n- [x] email the miller\n\n```\n- [ ] call in code\n```\n',
  'log/2024-03-02.md': 'Nothing of note, std::vector aside.\n',
};

/** Paths of an answer in its order, and what was said beside them. */
async function find({ call }: McpSession, args: Record<string, unknown>): Promise<{ paths: string[]; warnings: readonly string[] }> {
  const { value, texts } = await call('search', args);
  const warnings: readonly string[] = texts[1] === undefined ? [] : JSON.parse(texts[1])._warnings;
  return { paths: value.map(({ path }: { path: string }) => path), warnings };
}

describe('search: operators', () => {
  it('search: finds by file:, line:, section:, block:, content:, task:, OR, parentheses and what properties hold', () =>
    withVault(notes, (vault) =>
      withServer(vault, async (session) => {
        for (const [query, paths] of [
          ['file:2024', ['log/2024-03-02.md']],
          ['file:meet -file:up', ['meeting.md']],
          ['line:(mix flour)', ['recipe.md']],
          ['mix flour -line:(mix flour)', ['meetup.md']],
          ['section:(work personal)', []],
          ['section:(work agenda)', ['meeting.md']],
          ['block:(personal water)', ['meetup.md']],
          ['content:agenda', ['meeting.md']],
          ['content:draft', []],
          ['task:call', ['recipe.md']],
          ['task:(call OR email)', ['recipe.md']],
          ['task-todo:email', []],
          ['task-done:email', ['recipe.md']],
          ['task-todo:code', []],
          ['task:""', ['recipe.md']],
          ['meeting OR meetup', ['meeting.md', 'meetup.md']],
          ['work meeting OR flour personal', ['meeting.md', 'meetup.md']],
          ['personal (flour OR remarks)', ['meeting.md', 'meetup.md']],
          ['meetup OR (duration -status)', ['meetup.md']],
          ['personal -(work meeting)', ['meetup.md']],
          ['[status]', ['meeting.md', 'meetup.md', 'recipe.md']],
          ['[status:null]', ['recipe.md']],
          ['[status:Draft OR Published]', ['meeting.md', 'meetup.md']],
          ['[duration:>4]', ['meetup.md', 'recipe.md']],
          ['[duration:<5]', ['meeting.md']],
          ['[duration:>=5] -[duration:>5]', ['recipe.md']],
          ['[due:<2024-04]', ['meeting.md']],
          ['path:(log OR nowhere)', ['log/2024-03-02.md']],
        ] as const) {
          const found = await find(session, { query });
          expect({ query, paths: found.paths.sort(), warnings: found.warnings }).toEqual({ query, paths: [...paths].sort(), warnings: [] });
        }
      }),
    ));

  it('search: warns of operators there are not, with those there are, and not of what only looks like one', () =>
    withVault(notes, (vault) =>
      withServer(vault, async (session) => {
        const { paths, warnings } = await find(session, { query: 'status:draft meeting' });
        expect(paths[0]).toBe('meeting.md');
        expect(warnings).toHaveLength(1);
        expect(warnings[0]).toContain('"status:" is no operator of search and was read as a word');
        for (const known of ['"[status:draft]"', 'file:', 'section:', 'task-todo:', 'OR']) expect(warnings[0]).toContain(known);
        for (const query of ['http://x.org', '10:30', 'std::vector']) expect((await find(session, { query })).warnings).toEqual([]);
      }),
    ));

  it('S2-08 refuses a query that nests too deep with INVALID_PARAMS, and reads every other', () =>
    withVault(notes, (vault) =>
      withServer(vault, async ({ refuse, call }) => {
        const nested = (depth: number): string => `${'('.repeat(depth)}a OR b${')'.repeat(depth)}`;
        for (const query of [nested(900), nested(10_000), '('.repeat(10_000), 'line:('.repeat(200) + ')'.repeat(200)]) {
          expect((await refuse('search', { query })).error.code).toBe('INVALID_PARAMS');
        }
        for (const query of [
          nested(30),
          '('.repeat(2000),
          ')'.repeat(2000),
          '-('.repeat(999),
          'OR '.repeat(600),
          '[a:('.repeat(400),
          '"'.repeat(1999),
        ]) {
          expect({ query, isError: (await call('search', { query })).isError }).toEqual({ query, isError: false });
        }
      }),
    ));

  it('search: the command line takes the same queries and says what it did not take', () =>
    withVault(notes, async (vault) => {
      const { stdout, status } = await cli(['search', 'work OR (flour [duration:>10])', '--vault', vault.root]);
      expect({ status, lines: stdout.split('\n').filter((line) => line.includes('.md')).length }).toEqual({ status: 0, lines: 2 });
      const odd = await cli(['search', 'status:draft meeting', '--vault', vault.root]);
      expect(odd.stderr).toContain('"status:" is no operator');
      expect(await cli(['search', `${'('.repeat(40)}a OR b${')'.repeat(40)}`, '--vault', vault.root])).toMatchObject({ status: 2 });
    }));
});

describe('search: pages', () => {
  it('search: further pages follow the order of the first, whatever changes meanwhile', () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [
        `n${String(at).padStart(3, '0')}.md`,
        `${'heron '.repeat((at % 9) + 1)} ${'reed '.repeat(at % 7)}\n`,
      ]),
    );
    return withVault(many, (vault) =>
      withServer(vault, async (session) => {
        const query = 'heron reed';
        const seen = (await find(session, { query, limit: 20 })).paths;
        expect(seen).toHaveLength(20);
        await session.ask('create_node', { title: 'Heron reed', content: 'heron reed '.repeat(20) });
        await session.ask('update_node', { id: 'n003', content: 'heron reed '.repeat(30), overwrite: true });
        await session.ask('delete_node', { id: seen[0] });
        const gone = Object.keys(many).find((path) => !seen.includes(path) && path !== 'n003.md')!;
        await session.ask('delete_node', { id: gone });
        for (let offset: number | null = 20; offset !== null;) {
          const page = await find(session, { query, limit: 20, offset });
          seen.push(...page.paths);
          const next = /Use offset (\d+)/.exec(page.warnings.join(' '))?.[1];
          offset = next === undefined ? null : Number(next);
        }
        expect(seen).toHaveLength(120);
        expect([...seen].sort()).toEqual([...Object.keys(many).filter((path) => path !== gone), 'heron-reed.md'].sort());
        expect((await find(session, { query, limit: 1 })).paths).not.toEqual([seen[0]]);
      }),
    );
  });
});

const [chinese] = vaultsNamed('obsidian-help-zh');
describe('search: Chinese', () => {
  it.skipIf(chinese?.isThere !== true)('search: 域名 finds the notes that hold it, by scan and by index, and no others', () => {
    const files = notesOf(chinese!);
    const holding = files.filter(({ file, text }) => `${file}\n${text}`.includes('域名')).map(({ file }) => file);
    return withVault(Object.fromEntries(files.map(({ file, text }) => [file, text])), (vault) =>
      withServer(vault, async (session) => {
        const found = await find(session, { query: '域名', limit: 50 });
        expect(found.paths.sort()).toEqual(holding.sort());
        expect((await find(session, { query: '自定义域名', limit: 1 })).paths).toEqual(['Obsidian Publish/自定义域名.md']);
      }),
    );
  });
});
