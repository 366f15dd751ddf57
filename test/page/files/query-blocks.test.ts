import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';

describe.skipIf(chromiumPath === null)('U-02 searches inside notes', () => {
  it('U-02 a query block shows its hits with what matched, page by page, linked; Dataview stays code with a word', () => {
    const files = {
      'Search.md': '```query\ntag:#herb zebra\n```\n\n```query\n```\n\n```dataview\nLIST FROM #herb\n```\n',
      'none.md': '```query\ntag:#nothing\n```\n',
      'other.md': 'a zebra without the tag\n',
      ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`herbs/h${at}.md`, `#herb a zebra number ${at}\n`])),
    };
    return withBrowser(files, async ({ page, open, vault, until, troubles, screenshot }) => {
      await open('/note/Search.md');
      await page.waitForSelector('.query-hits li');
      const first = page.locator('.query-block').first();
      expect(await first.locator('.block-head').textContent()).toContain('12 notes');
      expect(await first.locator('li').count()).toBe(10);
      expect(await first.locator('mark').first().textContent()).toBe('zebra');
      await first.getByRole('button', { name: 'Show more' }).click();
      await until(`document.querySelectorAll('.query-block')[0].querySelectorAll('li').length === 12`);
      expect(await page.locator('.query-block').nth(1).textContent()).toContain('This block has no search words.');
      expect(await page.locator('.block-note').textContent()).toBe('Dataview queries are not run here.');
      expect(await page.locator('code.language-dataview').textContent()).toContain('LIST FROM #herb');
      await screenshot('query-block');
      vault.write('herbs/new.md', '#herb one more zebra\n');
      await until(`document.querySelector('.query-block .block-head').textContent.includes('13 notes')`);
      await first.locator('li a').first().click();
      await page.waitForSelector('.note[data-path^="herbs/"]');
      await open('/note/none.md');
      await page.waitForSelector('text=Nothing found.');
      expect(troubles).toEqual([]);
    });
  });
});
