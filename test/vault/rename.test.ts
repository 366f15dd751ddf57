import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { RouxError } from '../../src/errors.ts';
import { planCreateSideEffects, planExternalMoves, planMoves, removeWarnings } from '../../src/vault/move.ts';
import { planFolderMove, planRename } from '../../src/vault/rename.ts';
import type { RenameContext } from '../../src/vault/rename.ts';
import { carryOut, contextOf, linkTargets, rename } from './planned-vault.ts';
import type { Files } from './planned-vault.ts';

const minimal = { style: { format: 'minimal', markdown: false } } as const;
const absolute = { style: { format: 'absolute', markdown: false } } as const;
const relative = { style: { format: 'relative', markdown: false } } as const;

/** What becomes of one text that links to `Old.md`, renamed to `New.md`. */
function rewritten(text: string, options: Partial<RenameContext> & { to?: string; old?: string } = {}): string {
  const { old = 'old', ...rest } = options;
  return rename({ 'Old.md': old, 'a.md': text }, rest).files['a.md'] ?? '';
}

function refusal(run: () => unknown): RouxError {
  try {
    run();
  } catch (error) {
    if (error instanceof RouxError) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

describe('links to a renamed note', () => {
  const rows: [string, string, string][] = [
    ['W01', '[[Old]]', '[[New]]'],
    ['W02', '[[Old|text]]', '[[New|text]]'],
    ['W03', '[[Old#h|t]], [[Old#h1#h2]], [[Old#^b]]', '[[New#h|t]], [[New#h1#h2]], [[New#^b]]'],
    ['W04', '![[Old]] ![[Old#h]] ![[Old|100]]', '![[New]] ![[New#h]] ![[New|100]]'],
    ['W05', '[[oLD]]', '[[New]]'],
    ['W06', '[[ Old ]]', '[[ New ]]'],
    ['W07', '[[Old.md]]', '[[New]]'],
    ['W08', '| a |\n|---|\n| [[Old\\|t]] |\n', '| a |\n|---|\n| [[New\\|t]] |\n'],
    ['W09', '[Old](Old.md)', '[New](New.md)'],
    ['W10', '[text](Old.md)', '[text](New.md)'],
    ['W11', '[text](Old)', '[text](New.md)'],
    ['W12', '[t](<Old.md#h>)', '[t](<New.md#h>)'],
    ['W14', '[t](Old.md "T")', '[t](New.md "T")'],
    ['W16', '[[Old|Old]]', '[[New|Old]]'],
    ['W17', '---\nlink: "[[Old]]"\n---\n', '---\nlink: "[[New]]"\n---\n'],
    ['W18', "---\nl:\n  - '[[Old|x]]' # c\n---\n", "---\nl:\n  - '[[New|x]]' # c\n---\n"],
    ['W19', '---\nl: "[x](Old.md)"\n---\n', '---\nl: "[x](New.md)"\n---\n'],
    ['W22', '`[[Old]]`\n\n```\n[[Old]]\n```\n\n<!-- [[Old]] -->\n', '`[[Old]]`\n\n```\n[[Old]]\n```\n\n<!-- [[Old]] -->\n'],
    ['W23', '%% [[Old]] %%', '%% [[New]] %%'],
    ['W38', '[[Older]], [[Old 2]], my Old note', '[[Older]], [[Old 2]], my Old note'],
    ['W39', '[[Old]] and [[Old#a]]; [x [[Old]] y](u.md)', '[[New]] and [[New#a]]; [x [[New]] y](u.md)'],
    ['W47', '[t][r]\n\n[r]: Old.md "T"\n', '[t][r]\n\n[r]: New.md "T"\n'],
  ];
  for (const [id, before, after] of rows)
    it(`${id} ${JSON.stringify(before)} becomes ${JSON.stringify(after)}`, () => expect(rewritten(before)).toBe(after));

  it('W07 keeps the extension with the minimal format', () =>
    expect(rewritten('[[Old.md]] [t](Old)', minimal)).toBe('[[New.md]] [t](New)'));

  it('W13 encodes in Markdown links only what Markdown needs', () => {
    expect(rewritten('[t](Old.md)', { to: 'New é name' })).toBe('[t](New%20é%20name.md)');
    expect(rewritten('[t](<Old.md>)', { to: 'New é name' })).toBe('[t](<New é name.md>)');
    expect(rewritten('[t](Old.md)', { to: 'a (b' })).toBe('[t](a%20%28b.md)');
    expect(rewritten('[t](Old.md)', { to: 'a (b)' })).toBe('[t](a%20(b).md)');
    expect(rewritten('[t](Old.md) [[Old]]', { to: '100%25 & &amp;' })).toBe('[t](100%2525%20&%20%26amp;.md) [[100%25 & &amp;]]');
  });

  it('W15 an alias of a path link that shows the old name shows the new one', () => {
    const files = { 'f/Old.md': '', 'a.md': '[[f/Old|Old]] [[f/Old|other]]' };
    expect(rename(files, { from: 'f/Old.md', ...absolute }).files['a.md']).toBe('[[f/New|New]] [[f/New|other]]');
    expect(rename(files, { from: 'f/Old.md' }).files['a.md']).toBe('[[New|New]] [[New|other]]');
    expect(rename(files, { from: 'f/Old.md', ...minimal }).files['a.md']).toBe('[[f/New|New]] [[f/New|other]]');
  });

  it('W20 escapes the new name for the quotes it stands in', () => {
    // A double quote is legal in a file name here, but not in a title: the file is moved by its path.
    const files = { 'Old.md': '', 'a.md': "---\na: '[[Old]]'\nb: \"[[Old]]\"\nc: [ '[[Old]]' ]\n---\n" };
    expect(rename(files, { to: "It's q" }).files['a.md']).toBe("---\na: '[[It''s q]]'\nb: \"[[It's q]]\"\nc: [ '[[It''s q]]' ]\n---\n");
    const quoted = planMoves(contextOf(files), [{ from: 'Old.md', to: 'It\'s "q".md' }]);
    expect(carryOut(files, quoted)['a.md']).toBe("---\na: '[[It''s \"q\"]]'\nb: \"[[It's \\\"q\\\"]]\"\nc: [ '[[It''s \"q\"]]' ]\n---\n");
  });

  it('W21 leaves an unquoted link in a property alone and reports it', () => {
    const { files, warnings } = rename({ 'Old.md': '', 'a.md': '---\na: [[Old]]\nl:\n  - [[Old]]\nm: {n: [[Old]]}\n---\n' });
    expect(files['a.md']).toContain('a: [[Old]]\nl:\n  - [[Old]]\n');
    expect(warnings.filter((warning) => warning.startsWith('a.md:'))).toHaveLength(3);
    expect(warnings.join('\n')).toContain('the property a holds [[Old]]');
  });

  it('W24 leaves a nameless self link, and W25 renames a named one', () => {
    const { files } = rename({ 'Old.md': '[[#h]] [x](#h) [[Old#h]]\n\n# h\n' });
    expect(files).toEqual({ 'New.md': '[[#h]] [x](#h) [[New#h]]\n\n# h\n' });
  });

  it('W28 leaves a filter of a base alone and reports it', () => {
    const base = 'filters:\n  and:\n    - categories.contains(link("Old"))\n';
    const { files, warnings } = rename({ 'Old.md': '', 'x.base': base });
    expect(files['x.base']).toBe(base);
    expect(warnings).toEqual(['x.base: a filter names link("Old"); it was left alone. Change it by hand.']);
  });

  it('W37 takes a title with dollar signs literally', () => {
    expect(rewritten('[[Old]] [Old](Old.md)\n', { to: '$& $1 $$' })).toBe('[[$& $1 $$]] [$& $1 $$]($&%20$1%20$$.md)\n');
    expect(rewritten("---\na: '[[Old]]'\n---\n", { to: '$& $1 $$' })).toBe("---\na: '[[$& $1 $$]]'\n---\n");
  });

  it('W40 keeps a missing final newline, CRLF, a BOM and trailing spaces', () => {
    for (const text of [
      '\ufeff[[Old]]  \r\nx\ty  ',
      '---\r\nl: "[[Old]]"  \r\n---\r\n[[Old]]',
      'a\r[[Old]]\r',
      '[[Old]]\u2028😀[[Old]] ',
    ]) {
      expect(rewritten(text)).toBe(text.replaceAll('Old', 'New'));
    }
  });

  it('W44 follows a link in NFC to a file whose name is in NFD', () => {
    const nfd = 'Cafe\u0301.md';
    expect(rename({ [nfd]: '', 'a.md': '[[Caf\u00e9]]' }, { from: nfd }).files['a.md']).toBe('[[New]]');
    expect(rename({ [nfd]: '[[b]]', 'b.md': '[[Caf\u00e9]]' }, { from: 'b.md', to: 'c' }).files).toEqual({
      [nfd]: '[[c]]',
      'c.md': '[[Caf\u00e9]]',
    });
  });

  it('W46 rewrites links in notes that are hidden from search', () => {
    expect(rename({ 'Old.md': '', 'x/a.md': '[[Old]]' }, { hidden: ['x/a.md'] }).files['x/a.md']).toBe('[[New]]');
  });

  it('W48 renames an attachment: embeds keep their size, images their text', () => {
    const files = { 'old.png': 'P', 'a.md': '![[old.png|100]] ![a](old.png) ![old.png](old.png)' };
    const { files: after } = rename(files, { from: 'old.png', to: { path: 'new.png' } });
    expect(after).toEqual({ 'new.png': 'P', 'a.md': '![[new.png|100]] ![a](new.png) ![new.png](new.png)' });
    expect(rename(files, { from: 'old.png', to: { path: 'img/new' } }).to).toBe('img/new.png');
  });
});

describe('canvases', () => {
  it('W26 changes a file node, every other byte kept', () => {
    const canvas =
      '{\n\t"nodes":[\n\t\t{"id":"1","type":"file","file":"Old.md","x":-1.0,"own":"Old.md"},\n\t\t{"type":"group","background":"Old.md"}\n\t],\n\t"edges":[]\n}';
    const { files } = rename({ 'Old.md': '', 'c.canvas': canvas });
    expect(files['c.canvas']).toBe(
      canvas.replace('"file":"Old.md"', '"file":"New.md"').replace('"background":"Old.md"', '"background":"New.md"'),
    );
  });

  it('W27 changes links in a text node inside its JSON string', () => {
    const canvas =
      '{"nodes":[{"type":"text","text":"\\u00e9 \\"q\\"\\n[[Old|a]] \\/ `[[Old]]` [Old](Old.md)"},{"type":"text","text":"Old"}]}';
    const { files } = rename({ 'Old.md': '', 'c.canvas': canvas }, { to: "New's" });
    expect(files['c.canvas']).toBe(canvas.replace('[[Old|a]]', "[[New's|a]]").replace('[Old](Old.md)', "[New's](New's.md)"));
  });

  it('moves a canvas with its folder and keeps what it shows', () => {
    const files = { 'a/N.md': '', 'a/c.canvas': '{"nodes":[{"type":"file","file":"a/N.md"}]}' };
    expect(carryOut(files, planFolderMove(contextOf(files), 'a', 'b'))).toEqual({
      'b/N.md': '',
      'b/c.canvas': '{"nodes":[{"type":"file","file":"b/N.md"}]}',
    });
  });

  it('reports a canvas that is not valid JSON and leaves it alone', () => {
    const { files, warnings } = rename({ 'Old.md': '', 'c.canvas': '{"nodes":[{"file":"Old.md"' });
    expect(files['c.canvas']).toBe('{"nodes":[{"file":"Old.md"');
    expect(warnings[0]).toContain('c.canvas');
  });
});

describe('names that change hands', () => {
  it('W29 a link that the new name would draw away keeps its note', () => {
    const files = { 'X.md': '', 'a/Note.md': '', 'b.md': '[[Note]] [[X]]', 'a/c.md': '[[Note]]' };
    expect(rename(files, { from: 'X.md', to: 'Note' }).files['b.md']).toBe('[[a/Note]] [[Note]]');
    expect(rename(files, { from: 'X.md', to: 'Note', ...minimal }).files['b.md']).toBe('[[a/Note]] [[Note]]');
    expect(rename(files, { from: 'X.md', to: 'Note', ...minimal }).files['a/c.md']).toBe('[[a/Note]]');
  });

  it('W30 a new note does not draw links to itself', () => {
    const files = { 'q/Root.md': '', 'b.md': '[[Root]] ![[Root#h]] [[./q/Root]]', 'c.md': '[[Other]]' };
    for (const style of [minimal, absolute, {}]) {
      const { files: changes } = planCreateSideEffects(contextOf(files, style), ['Root.md']);
      expect(carryOut(files, { files: changes })).toEqual({ ...files, 'b.md': '[[q/Root]] ![[q/Root#h]] [[./q/Root]]' });
    }
    expect(planCreateSideEffects(contextOf(files), ['New.md', 'Other.md']).files).toEqual([]);
  });

  it('W50 a removed note leaves prose as it is; what its links do then is told', () => {
    const files = { 'a/X.md': '', 'b/b/X.md': '', 'n.md': '[[X]] [[a/X]]' };
    expect(removeWarnings(contextOf(files).graph, ['a/X.md'])).toEqual([
      'n.md: the link to X now leads to b/b/X.md.',
      'n.md: the link to a/X now leads nowhere.',
    ]);
  });

  it('W51 refuses a place that is taken, also by case or Unicode form', () => {
    const files = { 'Old.md': '', 'new.md': '', 'Café.md': '' };
    for (const title of ['new', 'New', 'NEW', 'Cafe\u0301']) {
      expect(refusal(() => planRename(contextOf(files), 'Old.md', { title })).code).toBe('NODE_EXISTS');
    }
    expect(refusal(() => planRename(contextOf(files), 'Gone.md', { title: 'x' })).code).toBe('NODE_NOT_FOUND');
  });

  it('W52 swaps two notes, every link follows its note', () => {
    const files = { 'A.md': 'a [[B]]', 'B.md': 'b [[A]]', 'n.md': '[[A]] [[B|b]]' };
    const plan = planMoves(contextOf(files), [
      { from: 'A.md', to: 'B.md' },
      { from: 'B.md', to: 'A.md' },
    ]);
    expect(carryOut(files, plan)).toEqual({ 'B.md': 'a [[A]]', 'A.md': 'b [[B]]', 'n.md': '[[B]] [[A|b]]' });
  });

  it('W36 refuses titles that no file or link can hold, before anything is planned', () => {
    const titles = ['a#b', 'a^b', 'a[b', 'a]b', 'a|b', 'a/b', 'a\\b', 'CON', 'con.x', '.hidden', 'x'.repeat(300), '', ' ', 'a\nb', 'end.'];
    for (const title of titles)
      expect([title, refusal(() => planRename(contextOf({ 'Old.md': '' }), 'Old.md', { title })).code]).toEqual([title, 'INVALID_PARAMS']);
    for (const path of ['../x.md', '.git/x.md', 'a/../b.md', 'node_modules/x.md', 'a\\b.md', '/', 'a//b.md']) {
      expect([path, refusal(() => planRename(contextOf({ 'Old.md': '' }), 'Old.md', { path })).code]).toEqual([path, 'INVALID_PARAMS']);
    }
  });
});

describe('moves', () => {
  it('W31 leaves a link by name alone, and W32 rewrites a path link in the form of the vault', () => {
    const files = { 'a/N.md': '', 'x.md': '[[N]] [[a/N]] [[/a/N]] [[./a/N]] [t](a/N.md)' };
    const move = (style: object): string | undefined => rename(files, { from: 'a/N.md', to: { folder: 'b' }, ...style }).files['x.md'];
    expect(move({})).toBe('[[N]] [[N]] [[N]] [[N]] [t](N.md)');
    expect(move(absolute)).toBe('[[N]] [[b/N]] [[b/N]] [[b/N]] [t](b/N.md)');
    expect(move(relative)).toBe('[[N]] [[b/N]] [[b/N]] [[b/N]] [t](b/N.md)');
    expect(move(minimal)).toBe('[[N]] [[b/N]] [[/b/N]] [[./b/N]] [t](b/N.md)');
  });

  it('W33 recomputes the relative links of the moved note itself', () => {
    const files = { 'a/b/M.md': '[x](../y.md) ![[./i.png]] [[../../z]] [[y]]', 'a/y.md': '', 'a/b/i.png': '', 'z.md': '' };
    const move = (style: object): string | undefined => rename(files, { from: 'a/b/M.md', to: { folder: 'c' }, ...style }).files['c/M.md'];
    expect(move(minimal)).toBe('[x](../a/y.md) ![[../a/b/i.png]] [[../z]] [[y]]');
    expect(move({})).toBe('[x](y.md) ![[i.png]] [[z]] [[y]]');
  });

  it('W34 rewrites every path link below a moved folder', () => {
    const files = {
      'a/x.md': '[[y]] [[a/y]] ![[../a/sub/i.png]]',
      'a/y.md': '[[../n]]',
      'a/sub/i.png': 'I',
      'n.md': '[[a/x|x]] [t](a/sub/i.png) [[x]]',
      'ab/k.md': '[[a/y]]',
    };
    const plan = planFolderMove(contextOf(files, minimal), 'a/', '/c/d');
    expect(carryOut(files, plan)).toEqual({
      'c/d/x.md': '[[y]] [[c/d/y]] ![[./sub/i.png]]',
      'c/d/y.md': '[[../../n]]',
      'c/d/sub/i.png': 'I',
      'n.md': '[[c/d/x|x]] [t](c/d/sub/i.png) [[x]]',
      'ab/k.md': '[[c/d/y]]',
    });
    expect(refusal(() => planFolderMove(contextOf(files), 'a', 'a/b')).code).toBe('INVALID_PARAMS');
    expect(refusal(() => planFolderMove(contextOf(files), 'q', 'r')).code).toBe('NODE_NOT_FOUND');
    expect(refusal(() => planFolderMove(contextOf({ ...files, 'b/X.md': '' }), 'a', 'b')).code).toBe('NODE_EXISTS');
  });

  it('W35 changes only the case of a name, in links as well', () => {
    const { files } = rename({ 'note.md': '', 'a.md': '[[note]] [[NOTE|x]] [t](note.md) [[Note]]' }, { from: 'note.md', to: 'Note' });
    expect(files).toEqual({ 'Note.md': '', 'a.md': '[[Note]] [[Note|x]] [t](Note.md) [[Note]]' });
  });

  it('keeps links by name where several notes have it', () => {
    const files = { 'a/N.md': '', 'b/N.md': '', 'a/x.md': '[[N]]', 'b/x.md': '[[N]]', 'y.md': '[[b/N]] [[N]]' };
    const after = rename(files, { from: 'a/N.md', to: { folder: 'c/c' }, ...minimal }).files;
    expect(linkTargets(after)).toEqual({
      'c/c/N.md': [],
      'b/N.md': [],
      'a/x.md': ['c/c/N.md'],
      'b/x.md': ['b/N.md'],
      'y.md': ['b/N.md', 'c/c/N.md'],
    });
    expect(after['b/x.md']).toBe('[[N]]');
  });
});

describe('moves made outside', () => {
  it('rewrites what still names the old place, in other notes, canvases and the moved note', () => {
    const files = {
      'b/New.md': '[x](../y.md) [[./z]] [[Old]]',
      'a/z.md': '',
      'y.md': '[[Old|x]] [[a/Old]] [[New]] [[Other]]',
      'c.canvas': '{"nodes":[{"file":"a/Old.md"}]}',
      'n/m.md': '[t](../a/Old.md)',
    };
    const plan = planExternalMoves(contextOf(files, minimal), [{ from: 'a/Old.md', to: 'b/New.md' }]);
    expect(carryOut(files, plan)).toEqual({
      'b/New.md': '[x](../y.md) [[../a/z]] [[New]]',
      'a/z.md': '',
      'y.md': '[[New|x]] [[b/New]] [[New]] [[Other]]',
      'c.canvas': '{"nodes":[{"file":"b/New.md"}]}',
      'n/m.md': '[t](../b/New.md)',
    });
  });
});

describe('the renamed note itself', () => {
  it('keeps its title in step and its old title as an alias', () => {
    const context = { renameAlias: 'add', filenames: 'slug' } as const;
    expect(rename({ 'old-name.md': '---\ntitle: Old Name\n---\nx' }, { from: 'old-name.md', to: 'New Name', ...context }).files).toEqual({
      'new-name.md': '---\ntitle: New Name\naliases:\n  - Old Name\n---\nx',
    });
    expect(rename({ 'Old.md': 'x' }, { to: 'new', ...context }).files).toEqual({ 'new.md': '---\naliases:\n  - Old\n---\nx' });
    expect(rename({ 'Old.md': 'x' }, { to: 'New', renameAlias: 'add' }).files).toEqual({ 'New.md': '---\naliases:\n  - Old\n---\nx' });
    expect(rename({ 'Old.md': '---\naliases: [old]\n---\n' }, { to: 'New', renameAlias: 'add' }).files).toEqual({
      'New.md': '---\naliases: [old]\n---\n',
    });
    expect(rename({ 'Old.md': 'x' }, { to: { folder: 'f' }, renameAlias: 'add' }).files).toEqual({ 'f/Old.md': 'x' });
    expect(rename({ 'Old.md': 'x' }, { to: 'OLD', renameAlias: 'add' }).files).toEqual({ 'OLD.md': 'x' });
  });

  it('changes a title in place where the file name stays', () => {
    const context = { filenames: 'slug', from: 'same-name.md', to: 'Same name!' } as const;
    expect(rename({ 'same-name.md': '---\ntitle: Same Name\n---\n' }, context)).toMatchObject({
      files: { 'same-name.md': '---\ntitle: Same name!\n---\n' },
      to: 'same-name.md',
    });
  });

  it('counts revisions of notes that have them, and gives none to those that have not', () => {
    const files = { 'Old.md': '---\nrev: 3\n---\n', 'a.md': '[[Old]]', 'b.md': '---\nrev: 1\nup: "[[Old]]"\n---\n' };
    expect(rename(files).files).toEqual({
      'New.md': '---\nrev: 3\n---\n',
      'a.md': '[[New]]',
      'b.md': '---\nrev: 2\nup: "[[New]]"\nupdated_at: 2026-01-02T03:04:05.678Z\n---\n',
    });
  });

  it('moves a note whose frontmatter cannot be read, and says that its aliases stay', () => {
    const text = '---\n- @x: y: z\n---\nbody';
    const { files, warnings } = rename({ 'Old.md': text, 'a.md': '[[Old]]' }, { renameAlias: 'add' });
    expect(files).toEqual({ 'New.md': text, 'a.md': '[[New]]' });
    expect(warnings).toEqual(['New.md: its frontmatter cannot be read, so title and aliases stay as they were. Correct it by hand.']);
  });

  it('rewrites links in the body of a note whose frontmatter cannot be read', () => {
    expect(rewritten('---\n- @x: y: z\n---\n[[Old]]')).toBe('---\n- @x: y: z\n---\n[[New]]');
  });
});

describe('whatever the vault', () => {
  const folder = fc.constantFrom('', 'a/', 'b/', 'a/c/');
  const name = fc.constantFrom('N', 'M', 'n o', 'Ü');
  const path = fc.tuple(folder, name).map(([where, what]) => `${where}${what}.md`);
  const link = fc
    .tuple(
      fc.constantFrom('', './', '../', '/', 'a/', 'c/', 'a/c/', 'b/'),
      name,
      fc.constantFrom('', '.md'),
      fc.constantFrom('', '#h', '#^b'),
      fc.nat(4),
    )
    .map(([where, what, extension, subpath, form]) => {
      const target = `${where}${what}${extension}${subpath}`;
      return (
        [`[[${target}]]`, `![[${target}|x]]`, `[t](<${target}>)`, `[t](${target.replaceAll(' ', '%20')})`, `[[ ${target} | ${what} ]]`][
          form
        ] ?? ''
      );
    });
  const vault = fc
    .uniqueArray(fc.tuple(path, fc.array(link, { maxLength: 5 })), { minLength: 1, maxLength: 7, selector: ([where]) => where })
    .map((notes): Files => Object.fromEntries(notes.map(([where, links]) => [where, `text ${links.join(' and ')} end`])));
  const format = fc.constantFrom('minimal', 'shortest', 'relative', 'absolute');

  it('every link leads to the same note after a move as before', () => {
    fc.assert(
      fc.property(vault, fc.nat(), path, format, (files, pick, to, chosen) => {
        const paths = Object.keys(files);
        const from = paths[pick % paths.length] as string;
        fc.pre(files[to] === undefined || from === to);
        const context = contextOf(files, { style: { format: chosen, markdown: false } });
        const after = carryOut(files, planMoves(context, [{ from, to }]));
        const moved = (target: string): string => (target === from ? to : target);
        const before = Object.entries(linkTargets(files)).map(([source, targets]) => [moved(source), targets.map(moved)] as const);
        expect(resolvedOnes(linkTargets(after), Object.fromEntries(before))).toEqual(resolvedOnes(Object.fromEntries(before)));
      }),
      { numRuns: 300 },
    );
  });

  it('W53 a rename there and back leaves every byte as it was with the minimal format', () => {
    fc.assert(
      fc.property(vault, fc.nat(), (files, pick) => {
        const paths = Object.keys(files);
        const from = paths[pick % paths.length] as string;
        const to = from.replace(/[^/]+\.md$/, 'Z.md');
        const there = carryOut(files, planMoves(contextOf(files, minimal), [{ from, to }]));
        // A link that leads to another note while this one is away has to say so by its path, and keeps that.
        const context = contextOf(files, minimal);
        fc.pre(!Object.keys(files).some((source) => context.graph.links(source).some((use) => use.isAmbiguous)));
        expect(carryOut(there, planMoves(contextOf(there, minimal), [{ from: to, to: from }]))).toEqual(files);
      }),
      { numRuns: 100 },
    );
  });

  it('a new note changes where no link leads', () => {
    fc.assert(
      fc.property(vault, path, format, (files, created, chosen) => {
        fc.pre(files[created] === undefined);
        const context = contextOf(files, { style: { format: chosen, markdown: false } });
        const after = { ...carryOut(files, { files: planCreateSideEffects(context, [created]).files }), [created]: '' };
        const { [created]: _own, ...now } = linkTargets(after);
        expect(resolvedOnes(now, linkTargets(files))).toEqual(resolvedOnes(linkTargets(files)));
      }),
      { numRuns: 100 },
    );
  });
});

/** The targets that lead somewhere, in `targets` or in what they were before: a link to nothing may find something later. */
function resolvedOnes(
  targets: Record<string, readonly string[]>,
  before: Record<string, readonly string[]> = targets,
): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(targets).map(([source, list]) => [
      source,
      list.map((target, index) => (before[source]?.[index] === '-' ? '-' : target)),
    ]),
  );
}
