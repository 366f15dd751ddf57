import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import { planCreateSideEffects, planExternalMoves, planMoves } from '../../../src/vault/links/move.ts';
import { warnOfBrokenLinks } from '../../../src/vault/links/link-warnings.ts';
import { planRename } from '../../../src/vault/links/rename.ts';
import { runs } from '../../support/effort.ts';
import { carryOut, contextOf, linkTargets, planFolderMove, rename } from './planned-vault.ts';
import type { Files } from './planned-vault.ts';

const minimal = { style: { format: 'minimal', markdown: false } } as const;
const absolute = { style: { format: 'absolute', markdown: false } } as const;
const relative = { style: { format: 'relative', markdown: false } } as const;

function refusal(run: () => unknown): RouxError {
  try {
    run();
  } catch (error) {
    if (error instanceof RouxError) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

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
    expect(warnOfBrokenLinks(contextOf(files).graph, ['a/X.md'])).toEqual([
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

  it('W36 links to a title that no link can hold are by the safe name of its file; what is no title and no path is refused', () => {
    const titles = ['a#b', 'a^b', 'a[b', 'a]b', 'a|b', 'a/b', 'a\\b', 'a%%b', 'CON', 'con.x', '.hidden', 'x'.repeat(300), 'end.'];
    const names = [...Array<string>(7).fill('a b'), 'a%b', 'note-CON', 'note-con.x', 'hidden', 'x'.repeat(197), 'end'];
    for (const [at, title] of titles.entries()) {
      const { files } = rename({ 'Old.md': '', 'x.md': '[[Old]]' }, { from: 'Old.md', to: { title } });
      expect(files).toMatchObject({ 'x.md': `[[${names[at]}]]`, [`${names[at]}.md`]: expect.stringContaining('title: ') as string });
    }
    for (const title of ['', ' ', 'a\nb', 'a\u0000', 'x'.repeat(1_001)])
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

  it('follows a file through all the places that it had', () => {
    const files = {
      'd.md': '---\nrev: 1\n---\n[[./z]]',
      'x/z.md': '',
      'l.md': '---\nrev: 1\n---\n[[a]] [[x/c|c]] [t](a.md)',
      'a.canvas': '{"nodes":[{"file":"a.md"}]}',
    };
    const moves = [
      { from: 'a.md', to: 'd.md' },
      { from: 'x/c.md', to: 'd.md' },
    ];
    expect(carryOut(files, planExternalMoves(contextOf(files, minimal), moves))).toEqual({
      'd.md': '---\nrev: 2\nupdated_at: 2026-01-02T03:04:05.678Z\n---\n[[./x/z]]',
      'x/z.md': '',
      'l.md': '---\nrev: 2\nupdated_at: 2026-01-02T03:04:05.678Z\n---\n[[d]] [[d|d]] [t](d.md)',
      'a.canvas': '{"nodes":[{"file":"d.md"}]}',
    });
  });

  it('leaves links alone that lead somewhere, though it be elsewhere than before', () => {
    const files = { 'New.md': '', 'x/Old.md': '', 'l.md': '[[Old]] [[gone]]' };
    expect(planExternalMoves(contextOf(files, minimal), [{ from: 'Old.md', to: 'New.md' }]).files).toEqual([]);
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
      { numRuns: runs(150) },
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
      { numRuns: runs(50) },
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
      { numRuns: runs(50) },
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
