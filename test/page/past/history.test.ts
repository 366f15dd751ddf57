import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';
import type { BrowserTest } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';

/** What no person has to read: ids and hashes, names of tools, roux's own keys. */
const FOR_PROGRAMS = /\b[0-9a-z]{26}\b|\b[0-9a-f]{16}\b|\b(?:update|create|delete|rename|move)_node\b|^rev:|updated_at|created_by/m;

describe.skipIf(chromiumPath === null)('the past of notes', () => {
  /** A test changes notes of its own only. */
  const site = useSite({
    'bread.md': '# Bread\n\nTwo loaves.\n',
    'counted.md': 'one\n',
    'a.md': '# Apples\n',
    'b.md': '# Berries\n',
    'Compost.md': 'heap\n',
  });

  it('U-04 an edit in an editor is shown with its lines; an earlier version is read as a page and restored, and that is undone', async () => {
    await withWindow(await site(), async (test) => {
      const { page, open, until, vault, troubles, screenshot } = test;
      await open('/note/bread.md');
      await firstCopies(test);
      vault.write('bread.md', '# Bread\n\nThree loaves.\n');
      await until(`document.querySelector('.prose').textContent.includes('Three loaves')`);
      await page.locator('summary h2', { hasText: 'History' }).click();
      await page.waitForSelector('.history > li');
      await page.locator('.history summary').first().click();
      await page.waitForSelector('.diff');
      expect(await page.locator('.diff del').allTextContents()).toEqual(['Two']);
      expect(await page.locator('.diff ins').allTextContents()).toEqual(['Three']);
      await screenshot('past/history');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('link', { name: 'Show the note before this change' }).click();
      await page.waitForSelector('.version-notice');
      expect(await page.textContent('.prose')).toContain('Two loaves');
      await screenshot('past/version');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Restore this version…' }).click();
      await page.getByRole('button', { name: 'Restore this version', exact: true }).click();
      await waitFor(() => vault.read('bread.md') === '# Bread\n\nTwo loaves.\n');
      await page.waitForSelector('.toast:has-text("Restored.")');
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Undo the change' }).click();
      await waitFor(() => vault.read('bread.md') === '# Bread\n\nThree loaves.\n');
      expect(troubles).toEqual([]);
    });
  });

  it('U-04 a version is not restored over a text that was not shown', async () => {
    await withWindow(await site(), async ({ page, open, vault, server, troubles, forgive }) => {
      const ada = await server.agent('ada');
      await ada.ask('update_node', { id: 'counted', content: 'two\n' });
      await open('/note/counted.md');
      await page.locator('summary h2', { hasText: 'History' }).click();
      await page.locator('.history summary').first().click();
      await page.getByRole('button', { name: 'Restore…' }).click();
      vault.write('counted.md', 'three\n');
      await page.getByRole('button', { name: 'Restore this version', exact: true }).click();
      await page.waitForSelector('.toast.bad');
      expect(await page.textContent('.toast.bad')).toContain('Nothing was changed');
      expect(vault.read('counted.md')).toBe('three\n');
      forgive(/409/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-04 no id, tool or key of roux is in the history, the activity or the preview of an undo', async () => {
    await withBrowser('demo', async ({ page, open, until, server, troubles, screenshot }) => {
      const ada = await server.agent('ada');
      const { path } = await ada.ask('create_node', { title: 'Plan', content: 'First [[Compost]]\n', type: 'idea' });
      await ada.ask('update_node', { id: path, content: 'Second [[Compost]]\n', properties: { status: 'open' } });
      await ada.ask('rename', { changes: [{ from: path, to: 'Better plan' }] });
      await ada.ask('delete_node', { id: 'Better plan' });
      await open('/activity');
      await page.waitForSelector('.entry');
      // One after the other: a diff that opens moves the button that is clicked next.
      for (let shown = 1; shown <= 4; shown += 1) {
        await page.getByRole('button', { name: 'Show changes' }).first().click();
        await until(`document.querySelectorAll('.diff').length === ${shown}`);
      }
      const text = await page.innerText('main');
      expect(text).not.toMatch(FOR_PROGRAMS);
      expect(text).toMatch(/renamed\s+plan\s+to\s+/i);
      expect(text).toMatch(/deleted\s+better.plan/i);
      await screenshot('past/activity');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Undo…' }).first().click();
      await page.waitForSelector('dialog .diff');
      expect(await page.innerText('dialog')).not.toMatch(FOR_PROGRAMS);
      expect(troubles).toEqual([]);
    });
  });

  it('U-10 a deleted note says when and by whom, and comes back, whether a tool deleted it or a person', async () => {
    await withWindow(await site(), async (test) => {
      const { page, open, vault, server, troubles, forgive, screenshot } = test;
      await open('/note/a.md');
      await firstCopies(test);
      const ada = await server.agent('ada');
      await ada.ask('delete_node', { id: 'a' });
      // What was open stays, and says so.
      await page.waitForSelector('.notice:has-text("was deleted")');
      await page.reload();
      await page.waitForSelector('h1:has-text("was deleted")');
      expect(await page.innerText('main')).toMatch(/deleted .*by ada/);
      await screenshot('past/deleted');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Restore this note' }).click();
      await page.waitForSelector('.prose');
      expect(vault.read('a.md')).toBe('# Apples\n');
      await open('/note/b.md');
      vault.remove('b.md');
      await page.waitForSelector('.notice:has-text("outside of roux")');
      await page.getByRole('link', { name: 'Read it' }).click();
      await page.waitForSelector('.version-notice');
      await page.getByRole('button', { name: 'Restore this note' }).click();
      await waitFor(() => vault.exists('b.md') && vault.read('b.md') === '# Berries\n');
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-10 an unknown address is a page with status 404, a field and near names; the old address of a note leads to the new one', async () => {
    await withWindow(await site(), async ({ page, open, until, server, troubles, forgive, screenshot }) => {
      await open('/');
      const response = await page.goto(`${server.url}/compsot`);
      expect(response?.status()).toBe(404);
      await page.waitForSelector('h1:has-text("Nothing has this address")');
      await page.waitForSelector('.empty a:has-text("Compost")');
      await screenshot('past/unknown-address');
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('searchbox', { name: 'Search all notes' }).fill('heap');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.hit');
      await open('/note/compsot.md');
      await page.waitForSelector('h1:has-text("Nothing has this address")');
      await page.locator('.empty a', { hasText: 'Compost' }).click();
      await page.waitForSelector('.prose');
      const ada = await server.agent('ada');
      await ada.ask('rename', { changes: [{ from: 'Compost', to: 'Heap' }] });
      await until(`location.pathname.toLowerCase().startsWith('/note/heap')`);
      await open('/note/Compost.md');
      await until(`location.pathname.toLowerCase().startsWith('/note/heap')`);
      expect((await fetch(`${server.url}/nowhere`)).status).toBe(401);
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });
});

/** Waits until the server has copied the texts of the vault. */
async function firstCopies({ vault }: BrowserTest): Promise<void> {
  await waitFor(() => vault.exists('.roux/cache/texts') && vault.list('.roux/cache/texts').some((name) => name.endsWith('.texts')));
}
