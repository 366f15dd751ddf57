import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';

const VAULT = {
  '.obsidian/templates.json': '{ "folder": "/Templates/" }',
  'Templates/Meeting.md': '---\nid: n_template\nkind: meeting\n---\n# {{title}}\n\nWho was there?\n',
  'Templates/People/Person.md': 'A person.\n',
  'a.md': 'See [[Kick-off]].\n',
};

describe.skipIf(chromiumPath === null)('U-03 templates of the vault', () => {
  it('U-03 a new note begins with a template of the vault, from c and from a link to nothing; without one it is empty', async () => {
    await withBrowser(VAULT, async ({ page, vault, open, troubles, screenshot }) => {
      await open('/note/a.md');
      await page.waitForSelector('.prose');
      await page.keyboard.press('c');
      const dialog = page.getByRole('dialog', { name: 'New note' });
      const field = dialog.getByLabel('Template', { exact: true });
      await field.waitFor();
      expect(await field.locator('option').allTextContents()).toEqual(['None', 'Meeting', 'People/Person']);
      expect(await seriousFindings(page)).toEqual([]);
      await screenshot('note/new-from-template');
      await dialog.getByLabel(/^Title/).fill('Ada');
      await field.selectOption({ label: 'People/Person' });
      await dialog.getByRole('button', { name: 'Create and edit' }).click();
      await page.waitForSelector('.cm-content:has-text("A person.")');
      expect(vault.read('Ada.md')).toBe('A person.\n');

      await open('/note/a.md');
      await page.locator('.prose a', { hasText: 'Kick-off' }).click();
      await page.getByRole('button', { name: 'From a template…' }).click();
      expect(await dialog.getByLabel(/^Title/).inputValue()).toBe('Kick-off');
      await field.selectOption({ label: 'Meeting' });
      await dialog.getByRole('button', { name: 'Create and edit' }).click();
      await waitFor(() => vault.exists('Kick-off.md'), { what: 'the note' });
      expect(vault.read('Kick-off.md')).toBe('---\nkind: meeting\n---\n# Kick-off\n\nWho was there?\n');
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a template that is gone makes no note, and says so; a vault without templates asks for none', async () => {
    await withBrowser({ ...VAULT, 'b.md': 'b\n' }, async ({ page, vault, open, forgive, until }) => {
      forgive(/404/);
      await open('/note/a.md');
      await page.waitForSelector('.prose');
      await page.keyboard.press('c');
      const dialog = page.getByRole('dialog', { name: 'New note' });
      await dialog.getByLabel(/^Title/).fill('Standup');
      await dialog.getByLabel('Template', { exact: true }).waitFor();
      // The list on the page is as old as its last answer.
      await page.route('**/api/list_templates', (route) => route.abort());
      await dialog.getByLabel('Template', { exact: true }).selectOption({ label: 'Meeting' });
      vault.remove('Templates/Meeting.md');
      await dialog.getByRole('button', { name: 'Create and edit' }).click();
      await dialog.getByRole('alert').getByText('There is no template').waitFor();
      expect(vault.exists('Standup.md')).toBe(false);
      await until(`document.querySelector('dialog input').value === 'Standup'`);
    });
    await withBrowser({ 'a.md': 'See [[Kick-off]].\n' }, async ({ page, open }) => {
      await open('/note/a.md');
      await page.waitForSelector('.prose');
      const listed = page.waitForResponse('**/api/list_templates');
      await page.keyboard.press('c');
      await listed;
      expect(await page.getByRole('dialog', { name: 'New note' }).getByLabel('Template', { exact: true }).count()).toBe(0);
    });
  });
});
