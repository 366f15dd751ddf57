import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';
import { typeAtEnd } from './type-at-end.ts';

describe.skipIf(chromiumPath === null)('U-03 edits that others disturb', () => {
  it('U-03 a note that is deleted meanwhile is created again from the text, and no other of its name is touched', async () => {
    await withBrowser({ 'a.md': 'one\n', 'other/a.md': 'one\n' }, async ({ page, vault, open, forgive, troubles }) => {
      let saves = 0;
      page.on('request', (request) => void (request.url().endsWith('/save_edit') && saves++));
      await open('/note/a.md?edit=');
      await page.waitForSelector('.cm-content');
      await typeAtEnd(page, 'typed');
      vault.remove('a.md');
      await page.waitForSelector('.edit-notice:has-text("deleted")');
      // Nothing is saved by accident.
      await page.keyboard.press('Control+s');
      await page.getByRole('button', { name: 'Create it again' }).click();
      await page.waitForSelector('.edit-state:text-is("Saved")');
      expect([saves, vault.read('a.md')]).toEqual([1, 'one\ntyped']);
      await page.keyboard.type('!');
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector('.prose');
      expect([vault.read('a.md'), vault.read('other/a.md')]).toEqual(['one\ntyped!', 'one\n']);
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });

  for (const hears of [false, true])
    it(`U-03 a save whose answer is lost is no change by someone else, and what is typed after it is saved; the page ${hears ? 'hears' : 'does not hear'} of it`, async () => {
      await withBrowser({ 'a.md': 'one\n' }, async ({ page, vault, open, forgive, troubles }) => {
        // A stream of events that never begins.
        if (!hears) await page.route('**/api/events', () => undefined);
        await open('/note/a.md?edit=');
        await page.waitForSelector('.cm-content');
        await typeAtEnd(page, 'first');
        await page.route('**/api/save_edit', async (route) => {
          await route.fetch();
          await route.abort();
        });
        await page.keyboard.press('Control+s');
        // It may hear of its own change at once.
        const said = '.edit-state:has-text("The server cannot be reached")';
        await page.waitForSelector(hears ? `${said}, .edit-state:text-is("Saved")` : said);
        await page.unroute('**/api/save_edit');
        await page.keyboard.type(' second');
        await page.keyboard.press('Control+s');
        await page.waitForSelector('.edit-state:text-is("Saved"), .edit-notice');
        expect(await page.locator('.edit-notice').count()).toBe(0);
        expect(vault.read('a.md')).toBe('one\nfirst second');
        forgive(/ERR_FAILED|409/);
        expect(troubles).toEqual([]);
      });
    });

  it('U-03 what is typed after a notice of a change is in the merge, by saving, by its button and after a comparison', async () => {
    await withBrowser({ 'a.md': 'top\n\nmiddle\n\nend' }, async ({ page, vault, open, forgive, troubles }) => {
      await open('/note/a.md?edit=');
      await page.waitForSelector('.cm-content');
      const disturb = async (from: string, to: string): Promise<void> => {
        await page.keyboard.type(' typed');
        vault.write('a.md', vault.read('a.md').replace(from, to));
        await page.waitForSelector('.edit-notice');
        await page.keyboard.type(' after');
      };
      const becomes = (text: string) => waitFor(() => vault.read('a.md') === text, { what: text });
      await typeAtEnd(page, ' 1');
      await disturb('top', 'TOP');
      await page.keyboard.press('Control+s');
      await becomes('TOP\n\nmiddle\n\nend 1 typed after');
      await disturb('middle', 'MIDDLE');
      await page.getByRole('button', { name: 'Merge both' }).click();
      await page.waitForSelector('.edit-notice', { state: 'detached' });
      await page.keyboard.press('Control+s');
      await becomes('TOP\n\nMIDDLE\n\nend 1 typed after typed after');
      await disturb('end', 'END');
      await page.getByRole('button', { name: 'Compare both' }).click();
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type(' last');
      const putIn = page.getByRole('button', { name: 'Put this into the editor' });
      await page.getByLabel('Keep yours').check();
      await putIn.click();
      // The places are found again with what was typed: nothing was put in yet.
      await page.waitForSelector('.compare pre:has-text("last")');
      await page.getByLabel('Keep yours').check();
      await putIn.click();
      await page.waitForSelector('.compare', { state: 'detached' });
      await page.keyboard.press('Control+s');
      await becomes('TOP\n\nMIDDLE\n\nend 1 typed after typed after typed after last');
      forgive(/409/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 properties keep what nobody changed: digits, numbers in lists, lines of a text, items without a text', async () => {
    const text = '---\nplain: 0123\nyears: [2024, 2025]\nwords: |\n  one\n  two\nlist:\n  - a\n  -\nlines: ["a\\nb", c]\n---\nText\n';
    await withBrowser({ 'a.md': text }, async ({ page, vault, open, until, troubles }) => {
      await open('/note/a.md');
      const save = async (name: string, value: string | null): Promise<void> => {
        await page.getByRole('button', { name: `Edit ${name}` }).click();
        if (value !== null) await page.getByLabel(`Value of ${name}`).fill(value);
        await page.getByRole('button', { name: 'Save' }).click();
      };
      await save('plain', null);
      await page.waitForSelector('.edit-property', { state: 'detached' });
      expect(vault.read('a.md')).toBe(text);
      await save('plain', '12345678901234567890');
      await page.waitForSelector('.edit-property .failure:has-text("to its last digit")');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await save('years', '2024\n2025\n2026');
      await until(`document.querySelectorAll('.property-value').length > 0 && document.querySelector('.edit-property') === null`);
      await page.getByRole('button', { name: 'Edit words' }).click();
      expect(await page.getByLabel('Value of words').inputValue()).toBe('one\ntwo\n');
      await page.getByLabel('Value of words').fill('one\nthree\n');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForSelector('.edit-property', { state: 'detached' });
      await save('list', 'a\nb');
      await page.waitForSelector('.edit-property', { state: 'detached' });
      // An item of several lines would become several items.
      await page.getByRole('button', { name: 'Edit lines' }).click();
      await page.waitForSelector('.toast:has-text("cannot be edited here")');
      expect(vault.read('a.md')).toBe(text.replace('2025]', '2025, 2026]').replace('  two', '  three').replace('  -\n', '  - b\n'));
      expect(troubles).toEqual([]);
    });
  });
});
