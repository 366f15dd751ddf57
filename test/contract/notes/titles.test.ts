import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../src/note/frontmatter/read-frontmatter.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { runs, seed } from '../../support/effort.ts';
import { withVault } from '../../support/vault.ts';

const LONG = `${'A very long title '.repeat(20)}ends`;

/** Titles that no file can have as its name, with the name that it gets. */
const TITLES: readonly (readonly [title: string, file: string])[] = [
  ['Acme Inc.', 'Acme Inc.md'],
  ['A/B', 'A B.md'],
  ['x.md', 'x md.md'],
  ['C#', 'C.md'],
  ['a:b?', 'a b.md'],
  ['What | why', 'What why.md'],
  ['[y]', 'y.md'],
  ['[[z]]', 'z.md'],
  ['^w', 'w.md'],
  ['#1 fan', '1 fan.md'],
  ['back\\slash', 'back slash.md'],
  ['and so on ...', 'and so on.md'],
  ['.env', 'env.md'],
  ['CON', 'note-CON.md'],
  ['100 %% sure', '100 % sure.md'],
  ['folder/', 'folder.md'],
  ['~5 km', '5 km.md'],
  ['~', 'Untitled.md'],
  [LONG, `${LONG.slice(0, 197).trim()}.md`],
];

describe('A-19 titles that no file name can hold', () => {
  it.each(TITLES)('A-19 %j is kept as the title and found by it, the file is %j', (title, file) =>
    withVault({ 'other.md': 'Other\n', '.rouxrc.json': '{"filenames":"title"}' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const link = `[[${file.slice(0, -3)}|shown]]`;
        await ask('update_node', { id: 'other', content: `${link}\n` });
        const made = await ask('create_node', { title, content: 'Its text\n', aliases: ['mine'] });
        expect(made).toMatchObject({ id: file, title, path: file });
        expect(readFrontmatter(vault.read(file)).data).toMatchObject({ title, aliases: ['mine', title] });
        expect(await ask('get_node', { id: title })).toMatchObject({ id: file, title, content: 'Its text\n' });
        expect(await ask('get_node', { id: file.slice(0, -3) })).toMatchObject({ id: file, title });
        expect((await ask('get_node', { id: 'other' })).links).toMatchObject([{ id: file, title }]);
        expect(JSON.stringify(await ask('list_nodes', {}))).toContain(JSON.stringify(title));
        // By its title it is one note.
        expect((await refuse('create_node', { title })).error).toMatchObject({ code: 'NODE_EXISTS', details: { id: file } });
        await ask('create_node', { title, if_exists: 'update', content: 'Changed\n' });
        expect(
          vault
            .files()
            .filter((path) => path.endsWith('.md'))
            .sort(),
        ).toEqual([file, 'other.md'].sort());
        // Away and back: links follow.
        await ask('update_node', { id: title, title: 'Elsewhere' });
        expect(vault.read('other.md')).toContain('[[Elsewhere|shown]]');
        await ask('update_node', { id: 'Elsewhere', title });
        expect(vault.read('other.md')).toContain(link);
        expect(await ask('get_node', { id: title })).toMatchObject({
          id: file,
          title,
          content: 'Changed\n',
          aliases: ['mine', title, 'Elsewhere'],
        });
      }),
    ),
  );

  it('A-19 two long titles that begin alike are two notes, whose file names no system cuts', () =>
    withVault({ '.rouxrc.json': '{"filenames":"title"}' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const [first, second] = [`${LONG} here`, `${LONG} there`];
        const { path } = await ask('create_node', { title: first });
        const made = await ask('create_node', { title: second });
        expect(made).toMatchObject({ title: second, path: expect.stringMatching(/ 2\.md$/) });
        expect(Buffer.byteLength(made.path)).toBeLessThanOrEqual(200);
        expect((await refuse('create_node', { title: second })).error.details).toEqual({ id: made.path });
        expect(await ask('update_node', { id: second, directory: 'far' })).toMatchObject({ title: second, path: `far/${made.path}` });
        expect(await ask('get_node', { id: first })).toMatchObject({ path });
      }),
    ));

  it('A-19 spaces around a title are no part of it', () =>
    withVault({ '.rouxrc.json': '{"filenames":"title"}' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('create_node', { title: ' Tea ' });
        await ask('update_node', { id: 'Tea', title: ' C# ' });
        expect(readFrontmatter(vault.read('C.md')).data).toMatchObject({ title: 'C#', aliases: ['Tea', 'C#'] });
        await ask('update_node', { id: 'C#', title: 'Tea ' });
        expect(readFrontmatter(vault.read('Tea.md')).data).toMatchObject({ title: 'Tea', aliases: ['Tea', 'C#'] });
      }),
    ));

  it('A-19 titles that make one file name are different notes, also when one is renamed to the other', () =>
    withVault({ 'C.md': 'Vitamin\n', '.rouxrc.json': '{"filenames":"title"}' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        expect(await ask('create_node', { title: 'C#' })).toMatchObject({ path: 'C 2.md', title: 'C#' });
        expect(await ask('create_node', { title: 'D' })).toMatchObject({ path: 'D.md' });
        expect(await ask('update_node', { id: 'D', title: 'C|' })).toMatchObject({ path: 'C 3.md', title: 'C|' });
        expect(await ask('update_node', { id: 'C#', title: '[C]' })).toMatchObject({ path: 'C 2.md', title: '[C]' });
        expect((await refuse('update_node', { id: 'C 2', title: 'c' })).error.code).toBe('NODE_EXISTS');
        expect((await refuse('update_node', { id: 'C 2', title: 'C?' })).error.code).toBe('NODE_EXISTS');
        expect(vault.read('C.md')).toBe('Vitamin\n');
      }),
    ));

  it('A-19 with slugs the file is the slug, and the title an alias only where no file could have it', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('create_node', { title: 'A/B test' })).toMatchObject({ path: 'a-b-test.md' });
        expect((await ask('get_node', { id: 'A/B test' })).aliases).toEqual(['A/B test']);
        expect(await ask('create_node', { title: 'Plain title' })).toMatchObject({ path: 'plain-title.md' });
        expect(vault.read('plain-title.md')).not.toContain('aliases');
      }),
    ));

  it('A-19 the title joins the aliases that a template, the content or the call gives', () =>
    withVault({ 'T.md': '---\naliases: [of template]\n---\n{{title}}\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('create_node', { title: 'C#', template: 'T' });
        expect(await ask('get_node', { id: 'C#' })).toMatchObject({ aliases: ['of template', 'C#'], content: 'C#\n' });
        await ask('create_node', { title: 'D#', content: '---\naliases: [of content]\n---\nD\n' });
        expect(await ask('get_node', { id: 'D#' })).toMatchObject({ aliases: ['of content', 'D#'], content: 'D\n' });
        await ask('create_node', { title: 'E#', template: 'T', aliases: ['e#', 'of call'] });
        expect((await ask('get_node', { id: 'E#' })).aliases).toEqual(expect.arrayContaining(['of call', 'e#']));
      }),
    ));

  it('A-19 a link by such a title is answered with the link to write, and doctor writes it', () =>
    withVault({ '.rouxrc.json': '{"filenames":"title"}' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('create_node', { title: 'Acme Inc.' });
        await ask('create_node', { title: 'A/B' });
        await ask('create_node', { title: 'C# in depth' });
        const content = '[[Acme Inc.]] [[A/B]] [[C# in depth]] [[A/B#Why]]\n';
        const { _warnings: warnings } = await ask('create_node', { title: 'a', content });
        expect(warnings).toEqual([
          'Broken link: [[Acme Inc.]]; write [[Acme Inc|Acme Inc.]]',
          'Broken link: [[A/B]]; write [[A B|A/B]]',
          'Broken link: [[C# in depth]]; write [[C in depth|C# in depth]]',
        ]);
        // A note "A B" with no heading "Why" is left as a finding.
        expect(await cli(['doctor', '--fix', '--vault', vault.root])).toMatchObject({ status: 1 });
        expect(vault.read('a.md')).toContain('[[Acme Inc]] [[A B]] [[C in depth]] [[A B#Why]]\n');
      }),
    ));

  it('A-19 the command line takes them, and rename a title; with a slash "to" is a path', () =>
    withVault({ 'note.md': 'N\n', 'a.md': '[[note]]\n', '.rouxrc.json': '{"filenames":"title"}' }, async (vault) => {
      const run = (...args: readonly string[]) => cli([...args, '--vault', vault.root]);
      expect(await run('create', 'C#')).toMatchObject({ status: 0 });
      expect((await run('get', 'C#')).stdout).toContain('C#');
      expect(await run('rename', 'note', 'Acme Inc.')).toMatchObject({ status: 0 });
      expect(vault.read('a.md')).toBe('[[Acme Inc]]\n');
      expect(vault.read('Acme Inc.md')).toContain('title: Acme Inc.\n');
      expect(await run('rename', 'Acme Inc.', 'b/c')).toMatchObject({ status: 0 });
      expect(vault.files()).toEqual(expect.arrayContaining(['C.md', 'b/c.md']));
    }));

  it.each([['two\nlines'], ['a\u0000'], ['a\u2028b'], ['x'.repeat(1_001)]])('A-19 %j is no title, and the answer says why', (title) =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(vault, async ({ refuse }) => {
        for (const error of [
          (await refuse('create_node', { title })).error,
          (await refuse('update_node', { id: 'a', title })).error,
          (await refuse('rename', { changes: [{ from: 'a', to: title }] })).error,
        ]) {
          expect(error.code).toBe('INVALID_PARAMS');
          expect(error.message).toMatch(/it contains the character U\+|it is longer than 1000 characters/);
        }
        expect(vault.files()).toEqual(['a.md']);
      }),
    ),
  );

  it('A-19 any printable title is kept, found, renamed away and back, and its file is one that every system can have', () =>
    withVault({ '.rouxrc.json': '{"filenames":"title"}' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await fc.assert(
          fc.asyncProperty(printable, async (title) => {
            const { path } = await ask('create_node', { title, content: 'x\n' });
            expect(Buffer.byteLength(path)).toBeLessThanOrEqual(200);
            expect(path).not.toMatch(/[<>:"/\\|?*\p{Cc}]|^[\s.]|[\s.]\.md$/u);
            expect(path).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)\s*\./i);
            expect(vault.exists(path)).toBe(true);
            for (const step of ['', 'away', 'back']) {
              const id = step === 'back' ? 'Away from here' : title;
              if (step !== '') await ask('update_node', { id, title: step === 'away' ? 'Away from here' : title });
              const now = step === 'away' ? 'Away from here' : title;
              expect(await ask('get_node', { id: now })).toMatchObject({ title: now.trim(), content: 'x\n' });
            }
            expect(await ask('get_node', { id: title })).toMatchObject({ path });
            await ask('delete_node', { id: path });
          }),
          { numRuns: runs(60), seed },
        );
      }),
    ));
});

/** Without what a reference means otherwise: `[[…]]` around it, a day (`@today`), and the part of a PDF. */
const printable = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }),
    fc.string({
      minLength: 1,
      maxLength: 20,
      unit: fc.constantFrom('a', 'B', '#', '|', '[', ']', '/', '\\', '.', ' ', '^', '%', ':', '"', "'", '-', 'é', '語', '🚀'),
    }),
  )
  .filter((title) => title.trim() !== '' && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(title) && !/^\s*(?:\[\[|@)|\.pdf/i.test(title));
