import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listSections } from '../../../src/note/body/find-heading.ts';
import { followHeadings } from '../../../src/note/body/heading-path.ts';
import { splitLinkText } from '../../../src/note/markdown/link-text.ts';
import { parseNote } from '../../../src/note/parse.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { lineEnd, lineStart } from '../../../src/note/text.ts';
import { runs, seed } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const TITLES = { '.rouxrc.json': '{"filenames":"title"}\n' };

const BIG = `---
status: draft # kept
up: "[[Big#Deep]]"
---
# Big

See [[#Tea]], [[#Deep|below]] and [[Big#Coffee]].

## Tea

Boil. ![[#Deep]] [[#Coffee]] [[Big#Deep]] [[Big]] ![](./pot.png) [o](other.md)

Steep it. ^steep

### Deep

Down here, see [[#Tea|above]].

## Coffee

Grind, as in [[#^steep]].
`;

const VAULT = {
  ...TITLES,
  'a/Big.md': BIG,
  'a/pot.png': 'x',
  'a/other.md': 'o\n',
  'b/x.md': '[[Big#Tea]] [[Big#Tea#Deep|d]] ![[Big#^steep]] [t](../a/Big.md#Deep) [[Big#Coffee]] [[Big]] `[[Big#Tea]]`\n',
  'c.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"a/Big.md","subpath":"#Tea"},{"id":"2","type":"file","file":"a/Big.md","subpath":"#Tea#Deep"},{"id":"3","type":"text","text":"[[Big#Deep]]"}]}',
};

const snapshot = (vault: TestVault): readonly (readonly [string, string])[] => vault.files().map((path) => [path, vault.read(path)]);

describe('A-10 a section becomes a note of its own', () => {
  it('A-10 a link stays below its heading, every link to it, into it and out of it follows, and one undo brings all back', () =>
    withVault(VAULT, (vault) =>
      withServer(vault, async ({ ask }) => {
        const before = snapshot(vault);
        const made = await ask('create_node', { title: 'Tea making', directory: 'b', from: 'Big#Tea', include_content: true });
        expect(made).toMatchObject({ path: 'b/Tea making.md', title: 'Tea making', links_rewritten_in: 2 });
        expect(made._warnings ?? []).toEqual([]);
        expect(made.content).toBe(
          `Boil. ![[#Deep]] [[Big#Coffee]] [[Tea making#Deep]] [[Big]] ![](../a/pot.png) [o](other.md)\n\nSteep it. ^steep\n\n### Deep\n\nDown here, see [[Tea making|above]].\n`,
        );
        expect(vault.read('a/Big.md')).toBe(
          `---
status: draft # kept
up: "[[Tea making#Deep]]"
---
# Big

See [[Tea making]], [[Tea making#Deep|below]] and [[Big#Coffee]].

## Tea

[[Tea making]]

## Coffee

Grind, as in [[Tea making#^steep]].
`,
        );
        expect(vault.read('b/x.md')).toBe(
          '[[Tea making]] [[Tea making#Deep|d]] ![[Tea making#^steep]] [t](./Tea%20making.md#Deep) [[Big#Coffee]] [[Big]] `[[Big#Tea]]`\n',
        );
        expect(JSON.parse(vault.read('c.canvas'))).toMatchObject({
          nodes: [{ file: 'b/Tea making.md', subpath: '' }, { file: 'b/Tea making.md', subpath: '#Deep' }, { text: '[[Tea making#Deep]]' }],
        });
        expect((await ask('vault_health', {})).counts).toEqual({});
        expect(await cli(['undo', made.batch, '--vault', vault.root])).toMatchObject({ status: 0 });
        expect(snapshot(vault)).toEqual(before);
      }),
    ));

  it('A-10 a dry run shows the difference and writes nothing; the command line takes it too', () =>
    withVault(VAULT, async (vault) => {
      const before = snapshot(vault);
      await withServer(vault, async ({ ask }) => {
        const { diff } = await ask('create_node', { title: 'Tea making', from: 'Big#Tea', dry_run: true });
        expect(diff).toContain('-Steep it. ^steep');
        expect(diff).toContain('+Steep it. ^steep');
        expect(diff).toContain('+[[Tea making]]');
      });
      expect(snapshot(vault)).toEqual(before);
      expect(await cli(['create', 'Depth', '--from', 'Big#Tea#Deep', '--vault', vault.root])).toMatchObject({ status: 0 });
      expect(vault.read('a/Big.md')).toContain('### Deep\n\n[[Depth]]\n\n## Coffee');
      expect(vault.read('Depth.md')).toContain('\n---\nDown here, see [[Big#Tea|above]].\n');
    }));

  it('A-10 a title that no file can have is what the link shows', () =>
    withVault({ ...TITLES, 'C#.md': '# A\n\none\n', 'n.md': '# One #two\n\ntext\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('create_node', { title: 'D#', content: '# H\n\nin D\n' });
        await ask('create_node', { title: 'Half/half', from: 'D##H' });
        expect(vault.read('D.md')).toContain('# H\n\n[[Half half|Half/half]]\n');
        await ask('create_node', { title: 'Two', from: 'n#One #two' });
        expect(vault.read('n.md')).toBe('# One #two\n\n[[Two]]\n');
      }),
    ));

  it('A-10 a link of the note to another one by the name of the new one is not mistaken for it', () =>
    withVault({ ...TITLES, 'a/New.md': 'old\n', 'Big.md': '[[New]]\n\n# S\n\ntext [[New]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('create_node', { title: 'New', from: 'Big#S' });
        expect(vault.read('Big.md')).toBe('[[a/New]]\n\n# S\n\n[[New.md|New]]\n');
        expect(vault.read('New.md')).toContain('text [[a/New]]\n');
      }),
    ));

  it('A-10 what would be lost or torn is refused, or named', () =>
    withVault(
      {
        ...TITLES,
        'twice.md': '# A\n\n## Log\n\none\n\n# B\n\n## Log\n\ntwo\n',
        'fence.md': '# A\n\ntext\n\n```\nopen\n',
        'comment.md': '# A\n\n%% open\n\n# B\n\n%% text\n',
        'empty.md': '# A\n\n## B\n\nb\n\n## C\n',
        'notes.md': '# A\n\na[^1] [x][r]\n\n[^2]: two\n\n# B\n\nb[^2]\n\n[^1]: one\n\n[r]: twice.md\n',
        'rule.md': '# A\r\n\r\n---\r\nx: 1\r\n---\r\n\r\ntext\r\n',
      },
      (vault) =>
        withServer(vault, async ({ ask, refuse }) => {
          await ask('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] });
          const { root } = await ask('graph_open', { project: 'shed', goal: 'It stands' });
          await ask('create_node', { title: 'Taken', content: 'mine\n' });
          const before = snapshot(vault);
          const error = async (from: string, more: object = {}) => (await refuse('create_node', { title: 'New', from, ...more })).error;
          expect(await error('twice#Log')).toMatchObject({ code: 'INVALID_PARAMS', details: { lines: [3, 9] } });
          expect((await error('twice#Lag')).message).toContain('Its headings: # A, ## Log, # B, ## Log');
          expect((await error('fence#A')).message).toContain('open at the end');
          expect((await error('comment#A')).message).toContain('open at the end');
          expect((await error('empty#C')).message).toContain('nothing is below');
          expect((await error('nobody#A')).code).toBe('NODE_NOT_FOUND');
          for (const from of ['twice', 'twice#', 'twice#^x']) expect((await error(from)).message).toContain('names no heading');
          expect((await error('Ada#Observations')).message).toContain('memory');
          expect((await error(`${root.id}#A`)).message).toContain('task');
          expect((await error('twice#B', { title: 'Taken' })).code).toBe('NODE_EXISTS');
          for (const more of [{ content: 'x' }, { if_exists: 'update' }, { format: 'json' }, { template: 'twice' }])
            expect((await error('twice#B', more)).message).toContain(`leave ${Object.keys(more)[0]} out`);
          expect(snapshot(vault)).toEqual(before);
          expect((await ask('create_node', { title: 'Torn', from: 'notes#A' }))._warnings).toEqual([
            'The new note uses [^1], [r], which notes.md defines; copy the line.',
            'notes.md uses [^2], which the new note defines; copy the line.',
          ]);
          await ask('create_node', { title: 'Second', from: 'twice#B#Log' });
          expect(vault.read('twice.md')).toBe('# A\n\n## Log\n\none\n\n# B\n\n## Log\n\n[[Second]]\n');
          // What looks like frontmatter is text, and line ends are those of the new note.
          await ask('create_node', { title: 'Ruled', from: 'rule#A' });
          expect(vault.read('rule.md')).toBe('# A\r\n\r\n[[Ruled]]\r\n');
          expect((await ask('get_node', { id: 'Ruled' })).content).toBe('\n---\nx: 1\n---\n\ntext\n');
        }),
    ));

  it('A-10 K-19 a section of a page from the web makes a note from the web; a repeat with its key is answered as the first call', () =>
    withVault({ 'w.md': '---\norigin: web\n---\n# A\n\ntheirs\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const call = { title: 'New', from: 'w#A', idempotency_key: 'k' };
        const first = await ask('create_node', call);
        expect(first).toMatchObject({ links_rewritten_in: 0 });
        expect(vault.read('new.md')).toContain('origin: web\n');
        expect(await ask('create_node', call)).toMatchObject({ path: first.path, links_rewritten_in: 0 });
        expect(vault.files().filter((path) => path.endsWith('.md'))).toEqual(['new.md', 'w.md']);
      }),
    ));

  it('A-10 whatever the note, each of its lines is in one of the two afterwards, every link leads to the same text, and undo brings all back', () =>
    fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(), async (lines, at) => {
        const text = `# Top\n\n${lines.map((each, index) => each.replaceAll('@', `@${index};`)).join('\n')}\n`;
        const names = listSections(text).map(({ heading }) => heading.text);
        const links = ['Big#One', 'Big#Two', 'Big#Two#Three', 'Big#^b', 'Big'].map((link, index) => `[[${link}]] @x${index};\n`).join('\n');
        await withVault({ ...TITLES, 'Big.md': text, 'x.md': links }, (vault) =>
          withServer(vault, async ({ call }) => {
            const before = snapshot(vault);
            const { value, isError } = await call('create_node', { title: 'New', from: `Big#${names[at % names.length] ?? ''}` });
            const after = snapshot(vault);
            const outcome = isError ? value.error.message : 'moved';
            expect(outcome).toMatch(/^moved$|is there \d+ times|nothing is below|open at the end|change how/);
            const count = (files: typeof before): readonly string[] =>
              files.flatMap(([path, each]) => (path === 'x.md' ? [] : (each.match(/@\w+;|^#+ .*$|^```$/gm) ?? []))).sort();
            expect(count(after)).toEqual(count(before));
            expect(targets(after)).toEqual(targets(before));
            // What is refused has changed nothing.
            if (!isError) await cli(['undo', value.batch, '--vault', vault.root]);
            expect(snapshot(vault)).toEqual(before);
          }),
        );
      }),
      { numRuns: runs(60), seed },
    ));
});

/** Lines of a note: `@` becomes a mark by which a line is known again. */
const line = fc.constantFrom(
  ...['One', 'Two'].map((name) => `## ${name}\n\nunder it @\n`),
  '### Three\n\nunder it @\n',
  '# Four\n\nunder it @\n',
  ...['[[#One]]', '[[Big#Two#Three]]', '[[#^b]]', '![[#Two]]', '[t](Big.md#One)', '[[Big]]', '[[x]]'].map((link) => `see ${link} @\n`),
  'block @ ^b\n',
  '> quote @\n',
  '- item @',
  '',
  '```',
  '---',
  '%% @\n',
);

/** Returns, by the mark of its line, the mark of the text that each link leads to. */
function targets(files: readonly (readonly [path: string, text: string])[]): ReadonlyMap<string, string> {
  const notes = new Map(files.map(([path, text]) => [path, parseNote(path as NotePath, text)]));
  const markFrom = (text: string, offset: number): string => /@\w+;/.exec(text.slice(offset))?.[0] ?? '';
  const found = [...notes].flatMap(([path, note]) =>
    note.links.map((link): [string, string] => {
      const { linkpath, subpath } = splitLinkText(link.link);
      const target = linkpath === '' ? path : `${linkpath.replace(/\.md$|^\.\//g, '')}.md`;
      const to = notes.get(target);
      if (to === undefined) return [markFrom(note.text.slice(0, lineEnd(note.text, link.start)), link.start), `nothing at ${target}`];
      const block = to.blocks.find(({ id }) => subpath === `#^${id}`);
      const heading = to.headings[followHeadings(to.headings, subpath)?.at(-1) ?? -1];
      const isNew = target === 'New.md' && subpath === '';
      const start = block === undefined ? (heading?.start ?? (isNew ? to.bodyStart : null)) : lineStart(to.text, block.start);
      return [
        markFrom(note.text.slice(0, lineEnd(note.text, link.start)), link.start),
        start === null ? `${target === 'New.md' ? 'Big.md' : target} ${subpath}` : markFrom(to.text, start),
      ];
    }),
  );
  // The link that stays has no mark of its own.
  return new Map(found.filter(([mark, to]) => mark !== '' && to !== ''));
}
