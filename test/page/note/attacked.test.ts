import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { typeAtEnd } from './type-at-end.ts';

describe.skipIf(chromiumPath === null)('U-03 edits that others disturb', () => {
  it('U-03 a note that is deleted meanwhile is created again from the text, and no other of its name is touched', async () => {
    await withBrowser({ 'a.md': 'one\n', 'other/a.md': 'one\n' }, async ({ page, vault, open, forgive, troubles }) => {
      await open('/note/a.md?edit=');
      await page.waitForSelector('.cm-content');
      await typeAtEnd(page, 'typed');
      vault.remove('a.md');
      await page.waitForSelector('.edit-notice:has-text("deleted")');
      // Nothing is saved by accident.
      await page.keyboard.press('Control+s');
      expect(vault.files()).toEqual(['other/a.md']);
      await page.getByRole('button', { name: 'Create it again' }).click();
      await page.waitForSelector('.edit-state:has-text("Saved")');
      expect(vault.read('a.md')).toBe('one\ntyped');
      await page.keyboard.type('!');
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector('.prose');
      expect([vault.read('a.md'), vault.read('other/a.md')]).toEqual(['one\ntyped!', 'one\n']);
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });
});
