import { expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';
import { importInto, runImport, unresolvedIn } from './run-import.ts';

const idOf = (number: number): string => String(number).padStart(32, '0');
const block = (number: number): string => `64a1b2c3-0000-4000-8000-00000000000${number}`;
const page = (body: string): string => `# Home\n\n${body}\n`;
const HOME = `Home ${idOf(1)}.md`;

it('O-06 Notion: a number sign in the name of a page or picture is no part of a page, and cells of a table run nothing', () =>
  withVault(
    {
      [HOME]: page(`[C#](C%23%20notes%20${idOf(2)}.md) ![p](pic%20%231.png)`),
      [`C# notes ${idOf(2)}.md`]: '# C# notes\n\nx\n',
      [`Table ${idOf(3)}.csv`]: 'Name,Note\nRow,`$= dv.pages()`\n',
      'pic #1.png': 'PNG',
    },
    (source) =>
      withVault({ 'My note.md': 'x\n' }, async (vault) => {
        await importInto(vault, source.root);
        expect(vault.read('Notion/Home.md')).toContain('[[C notes|C#]] ![[Notion/pic 1.png]]\n');
        expect(vault.read('Notion/Table.md')).toContain('| Row | \\`$= dv.pages()\\` |');
        expect(await unresolvedIn(vault)).toEqual([]);
      }),
  ));

it('O-06 Notion: relations in the cells of a table are links where their pages are there, and text where one is not', () =>
  withVault(
    {
      [`Tasks ${idOf(1)}.csv`]: [
        'Name,Project,Gone',
        `Sow,"A | B (Projects%20${idOf(2)}/A%20${idOf(3)}.md), C (d) (Projects%20${idOf(2)}/C%20${idOf(4)}.md)",Old (Old%20${idOf(5)}.md)`,
        `Reap,"C (../Tasks%20${idOf(1)}/../Projects%20${idOf(2)}/C%20${idOf(4)}.md)",see (b.md)`,
        '',
      ].join('\n'),
      [`Tasks ${idOf(1)}/Sow ${idOf(6)}.md`]: '# Sow\n\nx\n',
      [`Projects ${idOf(2)}/A ${idOf(3)}.md`]: '# A\n\nx\n',
      [`Projects ${idOf(2)}/C ${idOf(4)}.md`]: '# C\n\nx\n',
    },
    (source) =>
      withVault({ 'My note.md': 'x\n' }, async (vault) => {
        await importInto(vault, source.root);
        const table = vault.read('Notion/Tasks.md');
        expect(table).toContain(`| [[Sow]] | [[A\\|A B]], [[C\\|C (d)]] | Old (Old%20${idOf(5)}.md) |\n`);
        expect(table).toContain('| Reap | [[C]] | see (b.md) |\n');
        expect(await unresolvedIn(vault)).toEqual([]);
      }),
  ));

it('O-06 Logseq: pictures and files whose paths have spaces are shown in their place, and code and other text stay', () =>
  withVault(
    {
      'logseq/config.edn': '{}',
      'assets/my pic (1).png': 'PNG',
      'assets/a plan.pdf': '%PDF-1.4',
      'pages/A.md': [
        '- ![x](../assets/my pic (1).png){:height 10, :width 200} and [the plan](../assets/a plan.pdf)',
        '- `![x](../assets/my pic (1).png)` and \\[x](../assets/a plan.pdf)',
        '- [gone](../assets/not there.png)',
        '',
      ].join('\n'),
    },
    (source) =>
      withVault({ 'My note.md': 'x\n' }, async (vault) => {
        await importInto(vault, source.root);
        expect(vault.read('Logseq/pages/A.md')).toContain(
          [
            '- ![[Logseq/assets/my pic (1).png|200]] and [[Logseq/assets/a plan.pdf|the plan]]',
            '- `![x](../assets/my pic (1).png)` and \\[x](../assets/a plan.pdf)',
            '- [gone](../assets/not there.png)\n',
          ].join('\n'),
        );
      }),
  ));

it('O-06 a file whose content changed and whose size did not is copied anew: nothing is replaced, and the dry run says so', () =>
  withVault({ [HOME]: page('![p](p.png)'), 'p.png': 'ONE' }, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      await importInto(vault, source.root);
      const names = ['p.png'];
      for (const content of ['TWO', 'TRI', 'FOU']) {
        source.write('p.png', content);
        const { stdout } = await runImport(vault, source.root, '--dry-run', '--json');
        const done = await importInto(vault, source.root);
        expect({ ...done, written: false, batches: [] }).toEqual(JSON.parse(stdout));
        expect([done.copied.length, done.left]).toEqual([1, []]);
        expect(vault.read(done.copied[0] ?? '')).toBe(content);
        expect(vault.read('Notion/Home.md')).toContain(`![[${done.copied[0] ?? ''}]]`);
        names.push(...done.copied);
      }
      expect([new Set(names).size, vault.read('Notion/p.png')]).toEqual([4, 'ONE']);
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 1, copied: [] });
    }),
  ));

it('O-06 a note whose links were rewritten because a note was renamed is no note that was changed here', () =>
  withVault({ [HOME]: page(`See [B](B%20${idOf(2)}.md).`), [`B ${idOf(2)}.md`]: '# B\n\nx\n' }, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const rename = async (from: string, to: string) => expect((await cli(['rename', from, to, '--vault', vault.root])).status).toBe(0);
      await importInto(vault, source.root);
      await rename('Notion/B.md', 'Bee');
      source.write(HOME, page(`See [B](B%20${idOf(2)}.md).\n\nMore.`));
      expect((await importInto(vault, source.root)).notes).toMatchObject([{ change: 'updated', fields: ['text'] }]);
      expect(vault.read('Notion/Home.md')).toMatch(/\n---\nSee \[\[Bee\|B\]\]\.\n\nMore\.\n$/);
      // A link that somebody leads elsewhere is a change.
      await rename('Notion/Bee.md', 'Bumble');
      vault.write('Notion/Home.md', vault.read('Notion/Home.md').replace(/\[\[Bumble[^\]]*\]\]/, '[[My note]]'));
      source.write(HOME, page(`See [B](B%20${idOf(2)}.md).\n\nStill more.`));
      expect((await importInto(vault, source.root)).notes).toMatchObject([{ change: 'none', conflicts: ['text'] }]);
      expect(vault.read('Notion/Home.md')).toContain('See [[My note]].');
    }),
  ));

it('O-06 Logseq: ids of code and tables lead there, and names that a page gets later are taken over', () =>
  withVault(
    {
      'logseq/config.edn': '{}',
      'pages/A.md': `alias:: one

- id:: ${block(1)}
  \`\`\`js
  code
  \`\`\`
- \`\`\`js
  code
  \`\`\`
  id:: ${block(2)}
- | a | b |
  |---|---|
  | 1 | 2 |
  id:: ${block(3)}
`,
      'pages/B.md': [1, 2, 3].map((number) => `- ((${block(number)}))\n`).join(''),
    },
    (source) =>
      withVault({ 'My note.md': 'x\n' }, async (vault) => {
        await importInto(vault, source.root);
        expect(JSON.parse((await cli(['check', '--vault', vault.root, '--json'])).stdout)).toMatchObject({ findings: [] });
        expect(vault.read('Logseq/pages/A.md')).toContain('- | a | b |\n  |---|---|\n');
        source.write('pages/A.md', source.read('pages/A.md').replace('alias:: one', 'alias:: one, two'));
        expect((await importInto(vault, source.root)).notes).toMatchObject([{ change: 'updated', fields: ['aliases'] }]);
        expect(vault.read('Logseq/pages/A.md')).toContain('aliases:\n  - one\n  - two\n');
        expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 2 });
      }),
  ));

it('O-06 Logseq: the id of a block stands behind its day, in whatever order they are written', () =>
  withVault(
    {
      'logseq/config.edn': '{}',
      'pages/A.md': `- TODO water\n  id:: ${block(1)}\n  SCHEDULED: <2024-05-01 Wed>\n- ((${block(1)}))\n`,
    },
    (source) =>
      withVault({ 'My note.md': '' }, async (vault) => {
        await importInto(vault, source.root);
        expect(vault.read('Logseq/pages/A.md')).toContain(`- [ ] water [scheduled:: 2024-05-01] ^${block(1)}\n`);
      }),
  ));

it('O-06 Logseq: journals whose files are called by a format of yours are journals, and other names are none', () =>
  withVault(
    {
      'logseq/config.edn': '{:journal/file-name-format "dd.MM.yyyy" :journal/page-title-format "dd-MM-yyyy"}',
      'journals/31.01.2024.md': '- x\n',
      'journals/2024_02_01.md': '- See [[31-01-2024]]\n',
      'journals/99.99.2024.md': '- y\n',
    },
    (source) =>
      withVault({ 'My note.md': 'x\n' }, async (vault) => {
        const done = await importInto(vault, source.root);
        expect(done.notes.map(({ path }) => path)).toEqual([
          'Logseq/journals/2024-02-01.md',
          'Logseq/journals/2024-01-31.md',
          'Logseq/pages/99.99.2024.md',
        ]);
        expect(vault.read('Logseq/journals/2024-02-01.md')).toContain('[[2024-01-31|31-01-2024]]');
      }),
  ));

it('O-06 what a second graph of Logseq holds is named, and an export is not imported into itself', () =>
  withVault({ 'a/logseq/config.edn': '{}', 'a/pages/A.md': '- a\n', 'b/logseq/config.edn': '{}', 'b/pages/B.md': '- b\n' }, (source) =>
    withVault({ 'Logseq/logseq/config.edn': '{}', 'Logseq/pages/P.md': '- p\n' }, async (vault) => {
      expect((await importInto(vault, source.root)).left.map(({ path }) => path)).toEqual(['b/logseq/config.edn', 'b/pages/B.md']);
      for (const options of [[], ['--into', 'Logseq/new']])
        expect((await runImport(vault, vault.path('Logseq'), '--yes', ...options)).stderr).toContain(
          'is where its notes would go; name another folder with --into.',
        );
      expect((await importInto(vault, vault.path('Logseq'), '--into', 'Graph')).notes.length).toBeGreaterThan(0);
    }),
  ));

it('O-06 basic-memory: a copy of a note with its permalink is a note besides, and links lead to the one that lies there', () =>
  withVault(
    {
      'a copy.md': '---\ntitle: A copy\npermalink: a\n---\n\nThe copy.\n',
      'a.md': '---\ntitle: A\npermalink: a\n---\n\nThe first.\n',
      'c.md': '---\ntitle: "C#"\npermalink: c\n---\n\nSee [[a]] and [[C#]].\n',
    },
    (source) =>
      withVault({ 'My note.md': 'x\n' }, async (vault) => {
        const done = await importInto(vault, source.root, '--from', 'basic-memory');
        expect([done.notes.map(({ title }) => title), done.left]).toEqual([['A copy', 'A', 'C#'], []]);
        expect(vault.read('memory/C.md')).toContain('See [[A|a]] and [[C|C#]].');
        expect(await importInto(vault, source.root, '--from', 'basic-memory')).toMatchObject({ notes: [], unchanged: 3 });
      }),
  ));

it('O-06 beads: types of links that are no word stop nothing, lines that come twice are named, a second parent is a link', () =>
  withVault({}, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const issue = (id: string, dependencies: readonly object[] = []) => ({
        id,
        title: id,
        status: 'open',
        issue_type: 'task',
        dependencies,
      });
      const on = (id: string, type: string) => ({ depends_on_id: id, type });
      const issues = [
        issue('bd-1'),
        issue('bd-2', [on('bd-1', 'x y'.repeat(1_000))]),
        issue('bd-3', [on('bd-1', 'parent-child'), on('bd-2', 'parent-child')]),
        issue('bd-1'),
      ];
      source.write('.beads/issues.jsonl', issues.map((each) => JSON.stringify(each)).join('\n'));
      const done = await importInto(vault, source.root, '--from', 'beads');
      expect(done.notes.map(({ id, change }) => [id, change])).toEqual(['bd-1', 'bd-2', 'bd-3'].map((id) => [id, 'new']));
      expect(done.left).toEqual([{ path: 'issues.jsonl, line 4', reason: 'bd-1 stands above already' }]);
      expect(vault.read('projects/bd/bd-3.md')).toMatch(/parent_child|relates_to/);
    }),
  ));
