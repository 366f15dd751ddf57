import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';

const PARTS = Array.from({ length: 20 }, (_, at) => `## Part ${at}\n\n${'Some words. '.repeat(60)}\n`).join('\n');
const NOTES = {
  'a.md': `What [[Bees and flowers]] do for each other.\n\n${PARTS}`,
  'Bees and flowers.md': '[[c]]\n',
  'c.md': '[[d]]\n',
  'd.md': 'far\n',
  'alone.md': 'no links\n',
};
const GRAPH = '.local-graph canvas.graph-map';

describe.skipIf(chromiumPath === null)('U-06 around a note', () => {
  const site = useSite(NOTES);

  it('U-06 the local graph is loaded when it is opened, goes one to three steps, and is remembered', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/api/graph_map')) asked.push(request.postData() ?? '');
      });
      await open('/note/a.md');
      await page.waitForSelector('.local-graph summary');
      expect(asked).toEqual([]);
      await page.click('.local-graph summary');
      await page.waitForSelector(GRAPH);
      await page.click('.local-graph-steps [aria-label="3 steps"]');
      await until(`document.querySelector('[aria-label="3 steps"]').getAttribute('aria-pressed') === 'true'`);
      await expect.poll(() => asked.map((body) => JSON.parse(body).depth)).toEqual([1, 3]);
      expect(await page.getAttribute('.local-graph-foot a', 'href')).toBe('/graph?around=a.md&depth=3');
      expect(await seriousFindings(page)).toEqual([]);
      // By keyboard to the only neighbour one way or the other, and into it: there the graph is open too.
      await page.click('.local-graph-steps [aria-label="1 step"]');
      await until(`document.querySelector('[aria-label="1 step"]').getAttribute('aria-pressed') === 'true'`);
      await page.locator(GRAPH).focus();
      const named = `document.querySelector('.local-graph p[role="status"]').textContent`;
      await until(`(() => {
        const graph = document.querySelector('${GRAPH}');
        for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown'])
          if (${named} !== 'Bees and flowers') graph.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        return ${named} === 'Bees and flowers';
      })()`);
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/note/Bees%20and%20flowers.md'`);
      await page.waitForSelector(GRAPH);
      await open('/note/alone.md');
      await page.waitForSelector('text=This note has no links to other notes');
      expect(troubles).toEqual([]);
    });
  });

  it('U-06 the outline marks the section in view, and is a fold at the top of a phone', async () => {
    await withWindow(
      await site(),
      async ({ page, open, until }) => {
        await open('/note/a.md');
        await page.evaluate(`document.getElementById('note-part-7').scrollIntoView()`);
        await until(`document.querySelector('.note-aside .outline [aria-current]')?.textContent === 'Part 7'`);
        // Longer than the window, the outline scrolls to it.
        await until(`(() => {
          const [box, link] = ['.note-aside .outline', '.note-aside .outline [aria-current]'].map((each) => document.querySelector(each));
          const [all, own] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
          return box.scrollTop > 0 && own.top >= all.top && own.bottom <= all.bottom;
        })()`);
      },
      { viewport: { width: 1280, height: 260 } },
    );
    await withWindow(
      await site(),
      async ({ page, open, until, screenshot, troubles }) => {
        await open('/note/a.md');
        await page.waitForSelector('.note > .outline summary');
        expect(await page.locator('.note-aside .outline').count()).toBe(0);
        await page.click('.outline summary');
        await screenshot('u06-outline-phone');
        expect(await seriousFindings(page)).toEqual([]);
        await page.click('.outline a:has-text("Part 12")');
        await until(`Math.abs(document.getElementById('note-part-12').getBoundingClientRect().top) < 150`);
        await until(`document.querySelector('.outline [aria-current]')?.textContent === 'Part 12'`);
        expect(await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`)).toBe(0);
        expect(troubles).toEqual([]);
      },
      { viewport: { width: 360, height: 740 }, hasTouch: true },
    );
  });
});
