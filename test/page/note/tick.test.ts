import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';

const LIST =
  '\ufeff---\r\ntitle: Day\r\n---\r\n# Day\r\n\r\n- [ ] one\r\n  - [x] two\n- [>] three\n- [ ] same\n- [ ] same\n\n> [!todo]\n> 1. [ ] four';

describe.skipIf(chromiumPath === null)('U-03 checkboxes', () => {
  it('U-03 a checkbox ticks by click and by Space, nested and in a callout too, and one character of the file changes', async () => {
    await withBrowser({ 'Day.md': LIST }, async ({ page, vault, open, until, troubles }) => {
      await open('/note/Day.md');
      await page.waitForSelector('.prose input[data-line]');
      expect(await page.locator('.prose input:disabled').count()).toBe(1);
      const box = (line: number) => page.locator(`.prose input[data-line="${line}"]`);
      const text = (): string => vault.readBytes('Day.md').toString('utf8');
      await box(5).click();
      await waitFor(() => text() === LIST.replace('[ ] one', '[x] one'), { what: 'the tick in the file' });
      await until(`document.querySelector('li[data-task="x"] .done')?.textContent.trim() === 'one'`);
      await box(6).focus();
      await page.keyboard.press('Space');
      await waitFor(() => text().includes('[ ] two'), { what: 'the second one' });
      // The list was replaced; the focus stays, and Space takes it back.
      await until(`document.activeElement?.dataset?.line === '6' && document.activeElement.closest('li').dataset.task === ' '`);
      await page.keyboard.press('Space');
      await waitFor(() => text().includes('[x] two'), { what: 'back again' });
      await box(12).click();
      await waitFor(() => text().endsWith('[x] four'), { what: 'the one in a callout' });
      // One after the other, before the page has seen the first: equal lines are told apart.
      await page.evaluate(`for (const line of [8, 9]) document.querySelector('.prose input[data-line="' + line + '"]').click()`);
      await waitFor(
        () => text() === LIST.replace('[ ] one', '[x] one').replaceAll('[ ] same', '[x] same').replace('[ ] four', '[x] four'),
        {
          what: 'both of the equal ones',
        },
      );
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a checkbox ticks in a line with NUL, which stays', async () => {
    await withBrowser({ 'a.md': '- [ ] one\0\n' }, async ({ page, vault, open, troubles }) => {
      await open('/note/a.md');
      await page.locator('.prose input:not(:disabled)').click();
      await waitFor(() => vault.readBytes('a.md').toString() === '- [x] one\0\n', { what: 'the tick in the file' });
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a tick of a line that moved is made there; of one that changed it is taken back with words', async () => {
    await withBrowser({ 'a.md': '- [ ] one\n- [ ] two\n' }, async ({ page, vault, open, until, forgive, troubles }) => {
      await open('/note/a.md');
      await page.waitForSelector('.prose input:not(:disabled)');
      // The page does not see the change.
      await page.route('**/api/read_page', (route) => route.abort());
      vault.write('a.md', 'new first line\n\n- [ ] one\n- [ ] two, but later\n');
      await page.locator('.prose input').first().click();
      await waitFor(() => vault.read('a.md') === 'new first line\n\n- [x] one\n- [ ] two, but later\n', { what: 'the tick' });
      await page.locator('.prose input').nth(1).click();
      await page.waitForSelector('.toast.bad:has-text("This line has changed")');
      expect(await page.locator('.prose input').nth(1).isChecked()).toBe(false);
      expect(vault.read('a.md')).toBe('new first line\n\n- [x] one\n- [ ] two, but later\n');
      await page.unroute('**/api/read_page');
      await until(`document.querySelector('.prose').textContent.includes('but later')`);
      forgive(/read_page|409|Failed to load/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a reader of a read-only server ticks nothing', async () => {
    await withBrowser(
      { 'a.md': '- [ ] one\n' },
      async ({ page, open, troubles }) => {
        await open('/note/a.md');
        await page.waitForSelector('.prose input');
        expect(await page.locator('.prose input:disabled').count()).toBe(1);
        expect(troubles).toEqual([]);
      },
      { flags: ['--read-only'] },
    );
  });
});
