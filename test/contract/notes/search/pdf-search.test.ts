import { describe, expect, it } from 'vitest';
import { isLong } from '../../../support/effort.ts';
import { cli, cliProcess } from '../../../support/program/cli.ts';
import type { CliResult } from '../../../support/program/cli.ts';
import { withMcp } from '../../../support/program/mcp-client.ts';
import type { McpSession } from '../../../support/program/mcp-client.ts';
import { useOnce } from '../../../support/program/use-once.ts';
import { makePdf } from '../../../support/pdf/make-pdf.ts';
import type { TestVault } from '../../../support/vault.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

const files = {
  'notes.md': 'A note about granite. ![[rocks.pdf]]\n',
  'papers/rocks.pdf': makePdf(['Sandstone is soft.', 'Chapter two', 'Granite is a hard igneous rock.\nIt cools slowly.'], {
    isCompressed: true,
  }),
  'papers/clouds.pdf': makePdf(['Cumulus clouds are puffy.']),
  'long.pdf': makePdf(Array.from({ length: 40 }, (_, at) => `Page ${at + 1} says\n${Array(30).fill('something else again').join('\n')}`)),
  'locked.pdf': makePdf(['igneous'], { isEncrypted: true }),
  'picture.png': 'no picture',
};

/** One with more than is read of a PDF, whose last part that is read has a word: pages, or text of its first page, which is read sooner. */
const tooLong = isLong
  ? makePdf(Array.from({ length: 2_001 }, (_, at) => `Page ${at + 1}${at === 1_999 ? ' igneous' : ''}`))
  : makePdf([Array.from({ length: 10_000 }, () => 'words').join('\n'), 'igneous']);

interface Shared {
  readonly vault: TestVault;
  readonly session: McpSession;
  /** What the command line said before a PDF was read. */
  readonly unread: CliResult;
}

interface Found {
  readonly path: string;
  readonly page?: number;
  readonly link: string;
  readonly snippet: string;
  readonly score: number;
}

/** What `search` finds in files, besides the notes. */
async function filesOf(session: McpSession, args: Record<string, unknown>): Promise<readonly Found[]> {
  const { texts } = await session.call('search', args);
  return texts.flatMap((text) => (JSON.parse(text) as { files?: readonly Found[] }).files ?? []);
}

/** Waits until no file waits to be read any more, and what was read is searched. */
function allRead(session: McpSession): Promise<boolean> {
  return waitFor(async () => {
    const { texts } = await session.call('search', { query: 'igneous' });
    return texts.some((text) => text.includes('igneous')) && texts.every((text) => !text.includes('not be searched yet'));
  });
}

const places = (found: readonly Found[]): string[] => found.map(({ path, page }) => `${path} ${page}`);

describe('search in PDFs', () => {
  /** A server that has read all of them, for tests that change nothing. */
  const shared = useOnce<Shared>((use) =>
    withVault(files, async (vault) => {
      const unread = await cli(['get', 'papers/rocks.pdf', '--vault', vault.root]);
      await withMcp(vault, async (session) => {
        await allRead(session);
        await use({ vault, session, unread });
      });
    }),
  );

  it('R-09 finds a page by its words, links to it, and the command line finds it too', async () => {
    const { vault, session } = await shared();
    const [found] = await filesOf(session, { query: 'igneous rock' });
    expect(found).toMatchObject({ path: 'papers/rocks.pdf', page: 3, link: '![[papers/rocks.pdf#page=3]]' });
    expect(found?.snippet).toContain('hard igneous rock');
    expect(found?.score).toBeGreaterThan(0.5);
    // Notes are as they were.
    const { value } = await session.call('search', { query: 'granite' });
    expect(value.map((note: { path: string }) => note.path)).toEqual(['notes.md']);
    const asked = await cliProcess(['search', 'igneous', '--vault', vault.root]);
    expect(asked.status).toBe(0);
    expect(asked.stdout).toBe('rocks.pdf, page 3  papers/rocks.pdf\n  Granite is a hard igneous rock. It cools slowly.\n');
    const json = await cli(['search', 'granite', '--json', '--vault', vault.root]);
    expect(JSON.parse(json.stdout)).toMatchObject([{ path: 'notes.md' }, { path: 'papers/rocks.pdf', page: 3 }]);
  });

  it('R-09 what a hit links to is read: a page, or all of them from the beginning, as long as a note may be', async () => {
    const { vault, session, unread } = await shared();
    expect(unread.stderr).toContain('The text of papers/rocks.pdf has not been read yet');
    const page = await session.ask('get_node', { id: 'papers/rocks.pdf#page=3' });
    expect(page).toMatchObject({
      path: 'papers/rocks.pdf',
      page: 3,
      pages: 3,
      content: 'Granite is a hard igneous rock.\nIt cools slowly.',
    });
    expect(page.next_offset).toBeUndefined();
    expect(await session.ask('get_node', { id: '![[rocks.pdf#page=2]]' })).toMatchObject({ page: 2, content: 'Chapter two' });
    expect(await session.ask('get_node', { id: 'rocks.pdf' })).toMatchObject({
      pages: 3,
      content: '[page 1]\nSandstone is soft.\n\n[page 2]\nChapter two\n\n[page 3]\nGranite is a hard igneous rock.\nIt cools slowly.',
    });
    const { nodes } = await session.ask('get_nodes', { ids: ['rocks.pdf#page=1', 'notes'] });
    expect(nodes[0]).toMatchObject({ page: 1, content: 'Sandstone is soft.' });

    const first = await session.ask('get_node', { id: 'long.pdf' });
    expect(first).toMatchObject({ pages: 40, next_offset: expect.any(Number) });
    expect(first.content.length).toBeLessThanOrEqual(10_000);
    const next = await session.ask('get_node', { id: 'long.pdf', offset: first.next_offset });
    expect(`${first.content.slice(0, first.next_offset)}${next.content}`).toContain('Page 21 says\nsomething');

    for (const id of ['rocks.pdf#page=4', 'rocks.pdf#page=0', 'rocks.pdf#page=999999999'])
      expect(await session.refuse('get_node', { id }), id).toMatchObject({
        error: { code: 'INVALID_PARAMS', message: expect.stringContaining('has no such page; its pages are 1 to 3') },
      });
    expect(await session.refuse('get_node', { id: 'picture.png#page=1' })).toMatchObject({
      error: { code: 'INVALID_PARAMS', message: expect.stringContaining('is no PDF and has no pages') },
    });
    for (const id of ['notes#page=1', 'none.pdf#page=1', 'rocks.pdf#page=x'])
      expect((await session.call('get_node', { id })).value?.path, id).toBeUndefined();
    const locked = await session.call('get_node', { id: 'locked.pdf#page=1' });
    expect(locked.value.content).toBeUndefined();
    expect(locked.texts.join('')).toContain('There is no text of locked.pdf: it needs a password.');
    const shown = await cliProcess(['get', '![[papers/rocks.pdf#page=3]]', '--vault', vault.root]);
    expect([shown.status, shown.stdout]).toEqual([0, 'Granite is a hard igneous rock.\nIt cools slowly.\n']);
    const json = await cli(['get', 'rocks.pdf#page=1', '--json', '--vault', vault.root]);
    expect(JSON.parse(json.stdout)).toMatchObject({ page: 1, pages: 3 });
    const whole = await cli(['get', 'long.pdf', '--vault', vault.root]);
    expect(whole.stdout.match(/^\[page \d+\]$/gm)).toHaveLength(40);
    expect(whole.stdout.match(/something/g)).toHaveLength(40 * 30);
  });

  it('R-09 says what cannot be read and why, reads everything else, and follows changes', () =>
    withVault(
      {
        'broken.pdf': '%PDF-1.7 and nothing more',
        'locked.pdf': makePdf(['igneous'], { isEncrypted: true }),
        'long.pdf': tooLong,
        'private/hidden.pdf': makePdf(['igneous']),
        '.obsidian/app.json': '{"userIgnoreFilters":["private/"]}',
      },
      async (vault) => {
        await withMcp(
          vault,
          async (session) => {
            const found = (query = 'igneous') => filesOf(session, { query }).then(places);
            await allRead(session);
            expect(await found()).toEqual([`long.pdf ${isLong ? 2000 : 2}`]);
            const { files: status } = await session.ask('vault_health', {});
            expect(status).toBe('PDFs: 1 searched; 1 only in part (long.pdf); 1 needs a password (locked.pdf); 1 is damaged (broken.pdf).');

            vault.write('broken.pdf', makePdf(['It is whole now, and igneous.']));
            vault.write('sub/new.pdf', makePdf(['A new igneous one.']));
            vault.remove('long.pdf');
            await waitFor(async () => (await found()).length === 2);
            expect((await found()).toSorted()).toEqual(['broken.pdf 1', 'sub/new.pdf 1']);

            vault.write('.obsidian/app.json', '{"userIgnoreFilters":["sub/"]}');
            await waitFor(async () => (await found()).includes('private/hidden.pdf 1'));
            expect((await found()).toSorted()).toEqual(['broken.pdf 1', 'private/hidden.pdf 1']);
          },
          { flags: ['--toolsets', 'all'] },
        );
        const doctor = await cli(['doctor', '--vault', vault.root]);
        expect(doctor.stderr).toContain('PDFs: 2 searched; 1 needs a password (locked.pdf).');
      },
    ));

  it('R-09 obeys the conditions that a file can meet, and finds none where only a note can meet them', async () => {
    const { session } = await shared();
    const found = async (query: string, args = {}): Promise<readonly string[]> => places(await filesOf(session, { query, ...args }));
    const [rocks, clouds] = ['papers/rocks.pdf 3', 'papers/clouds.pdf 1'];
    expect(await found('"hard igneous rock"')).toEqual([rocks]);
    expect(await found('"igneous hard rock"')).toEqual([]);
    expect(await found('igneous path:papers')).toEqual([rocks]);
    expect(await found('igneous path:elsewhere')).toEqual([]);
    expect(await found('igneous OR cumulus')).toEqual(expect.arrayContaining([rocks, clouds]));
    expect(await found('igneous -cools')).toEqual([]);
    expect(await found('clouds')).toEqual([clouds]);
    expect(await found('"granite is" file:rocks')).toEqual([rocks]);
    for (const query of [
      'igneous tag:stone',
      'igneous -tag:stone',
      'igneous [status:done]',
      'type:x igneous',
      'line:(igneous)',
      'path:papers',
    ])
      expect(await found(query), query).toEqual([]);
    expect(await found('igneous', { mode: 'exact' })).toEqual([]);
    expect(await found('igneous', { offset: 1 })).toEqual([]);
    // The words of bad input are found nowhere, and nothing stops.
    for (const query of ['x'.repeat(2_000), '((((', '"', '-', '石', '\u0000']) expect(await found(query)).toEqual([]);
  });
});
