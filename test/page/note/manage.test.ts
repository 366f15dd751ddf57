import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(chromiumPath === null)('U-03 notes and their properties', () => {
  it('U-03 properties are edited in their place, added and removed; every other byte stays', async () => {
    const text =
      '---\r\n# a comment\r\nstatus: "open"  # why\r\ncount: 3\r\ntopics: [a, b]\r\ndone: false\r\nmap:\r\n  deep: 1\r\n---\r\nText\r\n';
    const notes = { 'a.md': text, '.obsidian/types.json': '{"types":{"due":"date"}}' };
    await withBrowser(notes, async ({ page, vault, open, troubles }) => {
      await open('/note/a.md');
      const edit = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: `Edit ${name}` }).focus();
        await page.keyboard.press('Enter');
        await page.waitForSelector('.edit-property');
      };
      const saved = async (expected: string): Promise<void> => {
        await waitFor(() => vault.readBytes('a.md').toString() === expected, { what: expected });
        await page.waitForSelector('.edit-property', { state: 'detached' });
      };
      expect(await page.getByRole('button', { name: 'Edit map' }).count()).toBe(0);
      let now = text;
      const becomes = async (from: string, to: string): Promise<void> => {
        now = now.replace(from, to);
        await saved(now);
      };
      await edit('count');
      await page.getByLabel('Value of count').fill('many');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.edit-property .failure:has-text("no number")');
      await page.getByLabel('Value of count').fill('4');
      await page.keyboard.press('Enter');
      await becomes('count: 3', 'count: 4');
      await edit('done');
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Save' }).click();
      await becomes('done: false', 'done: true');
      await edit('topics');
      await page.getByLabel('Value of topics').fill('a\nb\nc');
      await page.getByRole('button', { name: 'Save' }).click();
      await becomes('[a, b]', '[a, b, c]');
      await page.getByRole('button', { name: 'Add a property' }).click();
      await page.getByLabel('Name of the property').fill('due');
      expect(await page.getByLabel('Kind of property').inputValue()).toBe('date');
      await page.getByLabel('Value', { exact: true }).fill('2026-11-30');
      await page.keyboard.press('Enter');
      await becomes('  deep: 1\r\n', '  deep: 1\r\ndue: 2026-11-30\r\n');
      await edit('due');
      await page.getByRole('button', { name: 'Remove' }).click();
      await becomes('due: 2026-11-30\r\n', '');
      // One that changed meanwhile is not overwritten; another change of the note is no obstacle.
      await edit('count');
      now = now.replace('Text', 'Other text');
      vault.write('a.md', now);
      await page.getByLabel('Value of count').fill('5');
      await page.keyboard.press('Enter');
      await becomes('count: 4', 'count: 5');
      await edit('count');
      now = now.replace('count: 5', 'count: 6');
      vault.write('a.md', now);
      await page.getByLabel('Value of count').fill('7');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.edit-property .failure:has-text("Someone else changed this property")');
      expect(vault.readBytes('a.md').toString()).toBe(now);
      expect(troubles.filter((trouble) => !trouble.includes('409'))).toEqual([]);
    });
  });

  it('U-03 a link to nothing, a search that finds nothing and a key make a note, without keys of roux, and open it', async () => {
    const notes = {
      'a.md': '[[New thing]] [[2026-11-30]]\n',
      'Templates/day.md': '# {{title}}\n\n- [ ] \n',
      '.obsidian/daily-notes.json': '{"folder":"Days","template":"Templates/day"}',
      '.obsidian/app.json': '{"newFileLocation":"folder","newFileFolderPath":"Inbox"}',
    };
    await withBrowser(notes, async ({ page, vault, open, forgive, troubles }) => {
      await open('/note/a.md');
      await page.getByRole('link', { name: 'New thing' }).click();
      await page.waitForSelector('.empty:has-text("One note links to it")');
      await page.getByRole('button', { name: 'Create this note' }).click();
      await page.waitForSelector('.cm-content');
      expect(vault.read('Inbox/New thing.md')).toBe('');
      await open('/note/2026-11-30');
      await page.getByRole('button', { name: 'Create this note' }).click();
      await page.waitForSelector('.cm-content');
      expect(vault.read('Days/2026-11-30.md')).toBe('# 2026-11-30\n\n- [ ] \n');
      await open('/search?q=xylophone');
      await page.getByRole('button', { name: 'Create the note “xylophone”' }).click();
      await page.waitForSelector('.cm-content');
      expect(vault.exists('Inbox/xylophone.md')).toBe(true);
      await page.keyboard.press('Escape');
      await page.waitForSelector('.note');
      await page.keyboard.press('c');
      await page.getByLabel('Title, with a folder').fill('../out');
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog .form-problem:has-text("No note can be named")');
      await page.getByLabel('Title, with a folder').fill('Deep/er/Note <b>');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.cm-content, dialog .form-problem');
      forgive(/400|422/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 rename, move and delete: links follow, and each is taken back by one button', async () => {
    const notes = { 'a.md': 'A\n', 'b.md': 'see [[a]]\n', '.obsidian/app.json': '{}' };
    await withBrowser(notes, async ({ page, vault, open, until, troubles }) => {
      await open('/note/a.md');
      await page.getByRole('button', { name: 'Rename', exact: true }).click();
      await page.locator('dialog').getByLabel('Title').fill('Better name');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.toast:has-text("Links in one note were adapted")');
      expect(vault.read('b.md')).toContain('[[Better name]]');
      expect(page.url()).toContain('Better%20name.md');
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await waitFor(() => vault.read('b.md') === 'see [[a]]\n' && vault.exists('a.md'), { what: 'the old name' });
      await page.waitForSelector('.toast:has-text("Undone")');
      await until(`document.querySelector('.note h1')?.textContent === 'a'`);
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await page.locator('dialog').getByLabel('Folder').fill('Some where');
      await page.keyboard.press('Enter');
      await waitFor(() => vault.exists('Some where/a.md'), { what: 'the note in its folder' });
      await until(`location.pathname.endsWith('/Some%20where/a.md') && document.querySelector('.note h1')?.textContent === 'a'`);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Delete the note' }).click();
      await page.waitForSelector('.toast:has-text("in the trash")');
      expect(vault.exists('Some where/a.md')).toBe(false);
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await waitFor(() => vault.exists('Some where/a.md'), { what: 'the note again' });
      await page.waitForSelector('.note h1');
      expect(troubles).toEqual([]);
    });
  });
});
