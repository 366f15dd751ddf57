import { describe, expect, it } from 'vitest';
import { withBuiltPage } from '../../support/page-server.ts';
import type { PageServer } from '../../support/page-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

describe('texts that edits by hand replaced', () => {
  it('U-04 each edit has its lines, also the first one, one while nothing ran, and the removal of a note', () =>
    withVault({ 'a.md': '# A\none\n', 'b.md': 'B\n', 'c.md': '---\ntags: [x]\n---\nC\n' }, async (vault) => {
      await withBuiltPage(vault, async (server) => {
        await waitForCopies(vault);
        vault.write('a.md', '# A\ntwo\n');
        await waitFor(async () => (await versionsOf(server, 'a.md')).length === 1);
        // Only a property: its lines are shown as well.
        vault.write('c.md', '---\ntags: [y]\n---\nC\n');
        await waitFor(async () => (await versionsOf(server, 'c.md')).length === 1);
        expect(await linesOf(server, 'c.md')).toEqual([['-tags: [x]', '+tags: [y]']]);
        await server.stop();
      });
      vault.write('a.md', '# A\nthree\n');
      vault.remove('b.md');
      await withBuiltPage(vault, async (server) => {
        await waitFor(async () => (await versionsOf(server, 'a.md')).length === 2);
        expect(await linesOf(server, 'a.md')).toEqual([
          ['-two', '+three'],
          ['-one', '+two'],
        ]);
        expect(await linesOf(server, 'b.md')).toEqual([['-B']]);
      });
    }));

  it('U-04 what an agent wrote, a person changed and an agent wrote again is told step by step', () =>
    withVault({ 'a.md': 'one\n' }, async (vault) => {
      await withBuiltPage(vault, async (server) => {
        const agent = await server.agent('gardener');
        await agent.call('get_node', { id: 'a.md' });
        await agent.call('update_node', { id: 'a.md', content: 'two\n' });
        await waitForCopies(vault);
        vault.write('a.md', 'three\n');
        await waitFor(async () => (await versionsOf(server, 'a.md')).length === 2);
        await agent.call('get_node', { id: 'a.md' });
        await agent.call('update_node', { id: 'a.md', content: 'four\n' });
        expect(await linesOf(server, 'a.md')).toEqual([
          ['-three', '+four'],
          ['-two', '+three'],
          ['-one', '+two'],
        ]);
      });
    }));

  it('U-04 a copy that is damaged is not shown', () =>
    withVault({ 'a.md': 'one\n' }, async (vault) => {
      await withBuiltPage(vault, async (server) => {
        await waitForCopies(vault);
        const [name = ''] = vault.list('.roux/cache/texts');
        const bytes = Buffer.from(vault.readBytes(`.roux/cache/texts/${name}`));
        vault.write(`.roux/cache/texts/${name}`, bytes.fill(0x20, bytes.length - 4));
        vault.write('a.md', 'two\n');
        await waitFor(async () => (await versionsOf(server, 'a.md')).length === 1);
        expect(await linesOf(server, 'a.md')).toEqual([[]]);
      });
    }));
});

/** The changes of a note, newest first. */
async function versionsOf(server: PageServer, path: string): Promise<readonly { readonly id: string }[]> {
  const { events } = (await server.page('page_history', { path })) as { events: readonly { readonly id: string }[] };
  return events;
}

/** The changed lines of each change of a note, newest first. */
async function linesOf(server: PageServer, path: string): Promise<readonly (readonly string[])[]> {
  const found: string[][] = [];
  for (const { id } of await versionsOf(server, path)) {
    const { files } = (await server.page('activity_diff', { id })) as { files: readonly DiffedFile[] };
    const hunks = files.find((file) => file.path === path)?.diff?.hunks ?? [];
    const lines = hunks.flatMap((hunk) => hunk.lines).filter(({ sign }) => sign !== ' ');
    found.push(lines.map(({ sign, parts }) => sign + parts.map(([text]) => text).join('')));
  }
  return found;
}

interface DiffedFile {
  readonly path: string;
  readonly diff: {
    readonly hunks: readonly { readonly lines: readonly { readonly sign: string; readonly parts: readonly (readonly [string])[] }[] }[];
  } | null;
}

/** Waits until the texts of the vault were copied first. */
async function waitForCopies(vault: TestVault): Promise<void> {
  const isThere = (): boolean =>
    vault.exists('.roux/cache/texts') && vault.list('.roux/cache/texts').some((name) => name.endsWith('.texts'));
  await waitFor(isThere, { what: 'the copies' });
}
