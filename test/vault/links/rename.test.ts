import { describe, expect, it } from 'vitest';
import { planMoves } from '../../../src/vault/links/move.ts';
import type { RenameContext } from '../../../src/vault/links/rename.ts';
import { carryOut, contextOf, planFolderMove, rename } from './planned-vault.ts';

const minimal = { style: { format: 'minimal', markdown: false } } as const;
const absolute = { style: { format: 'absolute', markdown: false } } as const;

/** What becomes of one text that links to `Old.md`, renamed to `New.md`. */
function rewritten(text: string, options: Partial<RenameContext> & { to?: string; old?: string } = {}): string {
  const { old = 'old', ...rest } = options;
  return rename({ 'Old.md': old, 'a.md': text }, rest).files['a.md'] ?? '';
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
