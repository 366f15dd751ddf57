import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';

const NOTES = {
  'Rain barrel.md': `${'water\n\n'.repeat(80)}`,
  'one.md': 'We filled the rain barrel today.\n',
  'two.md': 'The rain barrel leaks.\n',
  'Barrel makers.md': 'who make a barrel\n',
};

describe.skipIf(chromiumPath === null)('U-08 beside a note', () => {
  it('U-08 related notes are looked for when they come into view; "Link it" makes a link, which Undo takes back', () =>
    withBrowser(NOTES, async ({ page, open, until, vault, troubles, screenshot }) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url().replace(/^.*\//, '')));
      await open('/note/Rain%20barrel.md');
      await page.waitForSelector('.prose');
      await until(`document.getElementById('related') !== null`);
      expect(asked).not.toContain('related_notes');
      await page.locator('#related').scrollIntoViewIfNeeded();
      await until(`document.querySelectorAll('.related a').length === 3`);
      await page.getByText('Mentions without a link').click();
      const button = page.getByRole('button', { name: 'Link it in one: rain barrel' });
      await button.focus();
      await screenshot('related');
      await page.keyboard.press('Enter');
      await until(`document.querySelector('.toast')?.textContent.includes('“one” now links here.')`);
      expect(vault.read('one.md')).toBe('We filled the [[Rain barrel|rain barrel]] today.\n');
      await until(`document.getElementById('backlinks').textContent === 'One note links here'`);
      expect(await seriousFindings(page)).toEqual([]);
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await until(`document.getElementById('backlinks').textContent === 'No note links here'`);
      expect(vault.read('one.md')).toBe(NOTES['one.md']);
      expect(troubles).toEqual([]);
    }));

  it('U-08 a line that changed since it was shown is left alone, and the page says so', () =>
    withBrowser(NOTES, async ({ page, open, until, vault, troubles, forgive }) => {
      await open('/note/Rain%20barrel.md');
      await page.getByText('Mentions without a link').click();
      await page.waitForSelector('.link-it');
      await page.route('**/api/link_mention', async (route) => {
        vault.write('two.md', 'The old rain barrel leaks.\n');
        await route.continue();
      });
      await page.getByRole('button', { name: 'Link it in two: rain barrel' }).click();
      await until(`document.querySelector('.toast.bad')?.textContent.includes('This line has changed since it was shown.')`);
      expect(vault.read('two.md')).toBe('The old rain barrel leaks.\n');
      // What is shown is the new line, which can be linked.
      await until(`document.querySelector('.backlinks')?.textContent.includes('The old rain barrel')`);
      forgive(/409/);
      expect(troubles).toEqual([]);
    }));
});
