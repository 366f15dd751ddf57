import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';

const TASKS = [
  '- [ ] buy soil\n- [x] sow beans\n  - [ ] in rows\n  - a plain item\n- plain\n  - [-] dropped\n\n1. [ ] first\n2. second\n',
  '> [!todo] Garden\n> - [ ] in a callout\n>   - [/] half done\n\n- [x] loose\n\n  with a second paragraph\n\n- [ ] other\n',
].join('\n');

describe.skipIf(chromiumPath === null)('U-02 what a note shows', () => {
  const site = useSite({ 'tasks.md': `---\nstatus: open\n---\n${TASKS}` });

  it('U-02 no bullet stands beside a checkbox, and every other item has its own', async () => {
    await withWindow(await site(), async ({ page, open, screenshot, troubles }) => {
      await open('/note/tasks.md');
      await page.waitForSelector('.prose input');
      const styles = (selector: string): Promise<string[]> =>
        page.locator(selector).evaluateAll((items) => items.map((item) => getComputedStyle(item).listStyleType));
      expect(new Set(await styles('.prose li:has(> input, > p > input)'))).toEqual(new Set(['none']));
      expect(await styles('.prose li:not(:has(> input, > p > input))')).toEqual(['circle', 'disc', 'decimal']);
      // The frontmatter counts.
      expect(await page.locator('.prose input').first().getAttribute('data-line')).toBe('3');
      await screenshot('note-tasks');
      expect(troubles).toEqual([]);
    });
  });
});
