import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withBuiltPage, withPage } from '../../support/page-server.ts';
import type { PageServer } from '../../support/page-server.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const BOOKMARKS = {
  items: [
    { type: 'group', title: 'Mine', items: [{ type: 'file', path: 'plans/b.md', title: 'The plan', subpath: '#Steps' }] },
    { type: 'file', path: 'gone.md' },
    { type: 'file', path: 'Templates/t.md' },
    { type: 'file', path: 'pictures/sun 2.png' },
    { type: 'folder', path: 'plans' },
    { type: 'folder', path: 'nowhere' },
    { type: 'search', query: 'tag:plan' },
    { type: 'url', url: 'https://example.com' },
    'no item',
  ],
};

const FILES = {
  '.obsidian/app.json': '{"userIgnoreFilters": ["Templates/"]}',
  '.obsidian/bookmarks.json': JSON.stringify(BOOKMARKS),
  '.obsidian/daily-notes.json': '{"folder": "journal", "format": "YYYY-MM-DD"}',
  'README.md': 'Begin here. [[nowhere]] [[nowhere]] [[b]]\n',
  'plans/b.md': '---\ntags: [plan/garden, Plan]\n---\n# Steps\n\n[[nowhere]] ![[sun 2.png]]\n',
  'plans/deep/b.md': '#plan/Garden/beds\n',
  'broken.md': '---\nx: [\n---\n',
  'old.md': '---\nstale_after: 2020-01-01\n---\n',
  'note 10.md': 'ten\n',
  'note 2.md': 'two #zebra\n',
  'Templates/t.md': 'hidden #hidden\n',
  'Templates/hidden.png': 'x',
  'journal/2026-03-05.md': 'a day\n',
  'pictures/sun 2.png': 'x'.repeat(1500),
  'projects/shed/t-1.md': '---\nid: t-1\nsummary: Sand\n---\n',
};

describe('what the page asks for home and the sidebar', () => {
  const server = useOnce<PageServer>((use) =>
    withVault(FILES, async (vault) => {
      const at = (path: string, time: string): void => utimesSync(join(vault.root, path), new Date(time), new Date(time));
      for (const path of Object.keys(FILES)) at(path, '2020-01-01T00:00:00Z');
      at('note 2.md', '2024-05-01T10:00:00Z');
      at('plans/b.md', '2024-04-01T10:00:00Z');
      at('projects/shed/t-1.md', '2024-06-01T10:00:00Z');
      at('Templates/t.md', '2024-06-01T10:00:00Z');
      await withBuiltPage(vault, use);
    }),
  );

  it('U-05 home_page: notes edited last by their files, without tasks and hidden notes, and what is pinned and there', async () => {
    const { page } = await server();
    const home = await page('home_page');
    expect(home.recent.slice(0, 2)).toEqual([
      { path: 'note 2.md', title: 'note 2', folder: '', updated: '2024-05-01T10:00:00.000Z' },
      { path: 'plans/b.md', title: 'b', folder: 'plans', updated: '2024-04-01T10:00:00.000Z' },
    ]);
    expect(home.recent.some(({ path }: { path: string }) => /^(?:projects|Templates)\//.test(path))).toBe(false);
    expect(home.pinned).toEqual([
      { kind: 'note', title: 'The plan', target: 'plans/b.md', heading: 'Steps' },
      { kind: 'file', title: 'sun 2.png', target: 'pictures/sun 2.png' },
      { kind: 'folder', title: 'plans', target: 'plans' },
      { kind: 'search', title: 'tag:plan', target: 'tag:plan' },
      { kind: 'note', title: 'README', target: 'README.md' },
    ]);
    expect(home.today).toMatchObject({ is_there: false, path: expect.stringMatching(/^journal\/\d{4}-\d\d-\d\d\.md$/) });
  });

  it('U-05 attention_list: each finding with the notes concerned', async () => {
    const { page } = await server();
    expect(await page('attention_list', { kind: 'unresolved' })).toEqual({
      kind: 'unresolved',
      counts: { unresolved: 1, ambiguous: 1, unreadable: 1, stale: 1 },
      total: 1,
      findings: [
        {
          text: 'nowhere',
          notes: [
            { path: 'README.md', title: 'README' },
            { path: 'plans/b.md', title: 'b' },
          ],
          note_count: 2,
        },
      ],
    });
    const first = async (kind: string) => (await page('attention_list', { kind })).findings[0];
    expect(await first('ambiguous')).toMatchObject({ text: 'b', notes: [{ path: 'README.md' }] });
    expect(await first('unreadable')).toMatchObject({ notes: [{ path: 'broken.md' }] });
    expect(await first('stale')).toMatchObject({ text: '2020-01-01', notes: [{ path: 'old.md' }] });
  });

  it('U-06 tree_level: folders first, then files in natural order, nothing hidden; tree_filter finds parts of paths', async () => {
    const { page } = await server();
    const namesIn = async (folder: string) =>
      (await page('tree_level', { folder })).entries.map(({ name, kind }: { name: string; kind: string }) => `${kind} ${name}`);
    expect(await namesIn('')).toEqual([
      'folder journal',
      'folder pictures',
      'folder plans',
      'folder projects',
      'note broken.md',
      'note note 2.md',
      'note note 10.md',
      'note old.md',
      'note README.md',
    ]);
    expect(await namesIn('plans')).toEqual(['folder deep', 'note b.md']);
    expect(await namesIn('pictures')).toEqual(['file sun 2.png']);
    expect(await page('tree_level', { folder: 'Templates' })).toMatchObject({ is_there: false, entries: [] });
    const found = async (query: string) => (await page('tree_filter', { query })).files.map(({ path }: { path: string }) => path);
    expect(await found('B plans')).toEqual(['plans/b.md', 'plans/deep/b.md']);
    expect(await found('sun')).toEqual(['pictures/sun 2.png']);
    expect(await found('hidden')).toEqual([]);
    expect(await found(' ')).toEqual([]);
  });

  it('U-06 tree_level: a large folder comes in pages, and the page around a name is found', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_203 }, (_, at) => [`many/n${at}.md`, 'x\n']));
    await withVault(many, (vault) =>
      withPage(vault, async ({ page }) => {
        const first = await page('tree_level', { folder: 'many' });
        expect([first.total, first.entries.length, first.entries[0].name, first.entries[499].name]).toEqual([
          1203,
          500,
          'n0.md',
          'n499.md',
        ]);
        const around = await page('tree_level', { folder: 'many', around: 'n1100.md' });
        expect([around.offset, around.entries[0].name, around.entries.length]).toEqual([1000, 'n1000.md', 203]);
      }),
    );
  });

  it('U-06 tree_level follows what comes, goes and is hidden', async () => {
    await withVault({ 'a.md': 'x\n', 'in/b.md': 'x\n' }, (vault) =>
      withPage(vault, async ({ page }) => {
        const names = async (folder = ''): Promise<string> =>
          (await page('tree_level', { folder })).entries.map(({ name }: { name: string }) => name).join(' ');
        expect(await names()).toBe('in a.md');
        vault.write('in/deep/c.md', 'x\n');
        vault.write('p.png', 'x');
        await waitFor(async () => (await names('in')) === 'deep b.md' && (await names()) === 'in a.md p.png');
        vault.remove('in/deep/c.md');
        vault.remove('p.png');
        await waitFor(async () => (await names('in')) === 'b.md' && (await names()) === 'in a.md');
        vault.write('.obsidian/app.json', '{"userIgnoreFilters": ["in/"]}');
        await waitFor(async () => (await names()) === 'a.md');
      }),
    );
  });

  it('U-06 tag_level and tag_page: nested tags whatever their case, with counts, and their notes', async () => {
    const { page } = await server();
    expect((await page('tag_level')).entries).toEqual([
      { tag: 'Plan', name: 'Plan', count: 2, has_subtags: true },
      { tag: 'zebra', name: 'zebra', count: 1, has_subtags: false },
    ]);
    const below = await page('tag_level', { tag: 'plan' });
    expect(below.entries).toEqual([{ tag: 'Plan/garden', name: 'garden', count: 2, has_subtags: true }]);
    expect(await page('tag_page', { tag: '#PLAN/garden' })).toMatchObject({
      tag: 'Plan/garden',
      is_there: true,
      subtags: [{ tag: 'Plan/garden/beds', count: 1 }],
      notes: [{ path: 'plans/b.md' }, { path: 'plans/deep/b.md' }],
      total: 2,
    });
    expect(await page('tag_page', { tag: 'hidden' })).toMatchObject({ is_there: false, total: 0 });
  });

  it('U-06 calendar_month: the path of each day by the settings of the vault, and which are there', async () => {
    const { page } = await server();
    const { days, month, has_daily_notes: hasNotes } = await page('calendar_month', { month: '2026-03-31' });
    expect([month, days.length, hasNotes]).toEqual(['2026-03', 31, true]);
    expect(days.filter((day: { is_there: boolean }) => day.is_there)).toEqual([
      { day: '2026-03-05', path: 'journal/2026-03-05.md', is_there: true },
    ]);
    expect((await page('calendar_month', { month: '2028-02-01' })).days).toHaveLength(29);
  });

  it('U-06 file_page: what a file is and which notes use it', async () => {
    const { page, answer } = await server();
    expect(await page('file_page', { path: 'pictures/sun 2.png' })).toMatchObject({
      name: 'sun 2.png',
      folder: 'pictures',
      size: 1500,
      sources: [{ path: 'plans/b.md', title: 'b' }],
      source_count: 1,
    });
    expect(await answer('file_page', { path: 'a.md' })).toMatchObject({ status: 404 });
    expect(await answer('file_page', { path: '../secret' })).toMatchObject({ status: 404 });
  });
});
