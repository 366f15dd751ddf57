import { describe, expect, it } from 'vitest';
import { firstWeekday, monthAfter, weeksOf } from '../../../src/page/browser/sidebar/weeks.ts';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';

describe('U-06 weeks', () => {
  it('U-06 begin as the locale says', () => {
    expect([firstWeekday('en-US'), firstWeekday('de'), firstWeekday('no language')]).toEqual([7, 1, 1]);
    const days = Array.from({ length: 30 }, (_, at) => ({ day: `2026-11-${String(at + 1).padStart(2, '0')}` }));
    // The first of November 2026 is a Sunday.
    expect(weeksOf(days, 7)[0]?.[0]?.day).toBe('2026-11-01');
    expect(weeksOf(days, 1)[0]?.map((day) => day?.day ?? null)).toEqual([null, null, null, null, null, null, '2026-11-01']);
    expect([monthAfter('2026-01', -1), monthAfter('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
  });
});

describe.skipIf(chromiumPath === null)('U-06 the calendar', () => {
  it('U-06 has a dot for each daily note, other months, and works by keyboard', async () => {
    const today = new Date();
    const month = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, '0')}`;
    const template = { '.obsidian/daily-notes.json': '{"folder": "journal", "template": "day"}', 'day.md': 'My plan of the day\n' };
    const vault = { ...template, [`journal/${month}-05.md`]: 'the fifth\n' };
    await withBrowser(vault, async ({ page, open, until, vault: files, troubles, forgive }) => {
      await open('/');
      await page.click('[role="tab"][title="Calendar"]');
      await page.waitForSelector(`[data-day="${month}-05"][data-has-note="true"]`);
      expect(await page.locator('[data-has-note="true"]').count()).toBe(1);
      files.write(`journal/${month}-06.md`, 'the sixth\n');
      await page.waitForSelector(`[data-day="${month}-06"][data-has-note="true"]`);
      await page.click(`[data-day="${month}-05"]`);
      await until(`location.pathname === '/note/journal/${month}-05.md'`);
      await page.locator(`[data-day="${month}-05"]`).focus();
      await page.keyboard.press('ArrowRight');
      await until(`document.activeElement.dataset.day === '${month}-06'`);
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/note/journal/${month}-06.md'`);
      // A day without a note: it is made from the template, and opened to be written.
      await page.click(`[data-day="${month}-07"]`);
      await page.click('text=Create the note of this day');
      await page.waitForSelector('.cm-content');
      expect(files.read(`journal/${month}-07.md`)).toBe('My plan of the day\n');
      await page.locator(`[data-day="${month}-06"]`).focus();
      await page.keyboard.press('ArrowUp');
      await until(`document.activeElement.dataset.day < '${month}'`);
      await page.click('[aria-label="Next month"]');
      await page.waitForSelector(`[data-day="${month}-01"]`);
      expect(await seriousFindings(page)).toEqual([]);
      // What the server says of a note that is not there yet.
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });
});
