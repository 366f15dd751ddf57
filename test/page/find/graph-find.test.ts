import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';

const READY = '.graph-view[data-layout="ready"]';

const NOTES = {
  'hub.md': '[[lichen]] [[Moss]] [[stone]] [[moss garden]] the word itself: moss, once\n',
  'lichen.md': '[[hub]] it grows beside moss. moss, moss and again moss\n',
  'Moss.md': '[[hub]] green\n',
  'moss garden.md': '[[hub]] a garden\n',
  'stone.md': '[[hub]] grey\n',
  'unrelated.md': '[[stone]] nothing of it\n',
};

describe.skipIf(chromiumPath === null)('the graph: finding, windows, layout', () => {
  const site = useSite(NOTES);

  it('U-08 "Find in the graph" finds what has the words, names first; Enter goes to the best, also before the answer is there', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles, screenshot }) => {
      await open('/graph');
      await page.waitForSelector(READY);
      await page.fill('input[data-main]', 'moss');
      await until(`document.querySelectorAll('.graph-found li').length === 4`);
      expect(await page.locator('.graph-found li').allInnerTexts()).toEqual(['Moss', 'moss garden', 'lichen', 'hub']);
      await screenshot('graph-find');
      await page.fill('input[data-main]', 'again');
      await page.keyboard.press('Enter');
      await until(`document.querySelector('.graph-near h2')?.textContent === 'lichen'`);
      // The words of the query, wherever they are in a note: not the query as one text.
      await page.fill('input[data-main]', 'word once itself');
      await page.locator('[aria-label="Clear selection"]').click();
      await until(`document.querySelector('.graph-found li')?.textContent === 'hub'`);
      await page.fill('input[data-main]', 'qqqq');
      await until(`document.querySelector('.graph-count').textContent.endsWith('0 found')`);
      expect(troubles).toEqual([]);
    });
  });

  for (const [width, colorScheme] of [
    [360, 'light'],
    [820, 'dark'],
    [1280, 'light'],
  ] as const)
    it(`U-08 under a notice the graph fills the rest of the window, and its panel takes no room that it has not: ${width} px`, async () => {
      await withWindow(
        await site(),
        async ({ page, open, until, troubles, screenshot }) => {
          await open('/graph?q=moss');
          await page.waitForSelector(READY);
          await page.evaluate(`(() => {
            const line = document.querySelector('.status-line');
            line.textContent = 'The search index is being built. Until it is ready, search may miss notes.';
            line.dataset.shown = 'true';
          })()`);
          await until(`document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth`);
          const view = await page.locator('.graph-view').boundingBox();
          const notice = await page.locator('.status-line').boundingBox();
          expect(Math.round((view?.y ?? 0) + (view?.height ?? 0))).toBe(800);
          expect(view?.y ?? 0).toBeGreaterThanOrEqual((notice?.y ?? 0) + (notice?.height ?? 0) - 1);
          const bar = await page.locator('.graph-bar').boundingBox();
          expect((bar?.y ?? 0) + (bar?.height ?? 999)).toBeLessThanOrEqual(800);
          // Half of a window at least is the graph.
          const stage = await page.locator('.graph-stage').boundingBox();
          expect(stage?.width ?? 0).toBeGreaterThan(width / 2);
          await screenshot(`graph-notice-${width}`);
          if (width < 1120) {
            await page.locator('.graph-toggle').click();
            await page.waitForSelector('.graph-found li', { state: 'visible' });
            await screenshot(`graph-panel-${width}`);
          }
          expect(await seriousFindings(page)).toEqual([]);
          expect(troubles).toEqual([]);
        },
        { viewport: { width, height: 800 }, colorScheme },
      );
    });

  it('U-08 while a vault is laid out for the first time its progress is shown, and then the whole picture at once', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles, screenshot }) => {
      let isReady = false;
      await page.route('**/api/graph_map', async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { result: { layout: unknown } };
        if (!isReady) body.result.layout = { state: 'computing', done: 0.4, is_first: true };
        await route.fulfill({ response, json: body });
      });
      await open('/graph');
      await page.waitForSelector('.graph-progress progress');
      expect(await page.locator('.graph-progress progress').getAttribute('value')).toBe('0.4');
      expect(await page.locator('.graph-count').innerText()).toContain('40 %');
      await screenshot('graph-progress');
      isReady = true;
      await page.waitForSelector(READY);
      await page.waitForSelector('.graph-progress', { state: 'detached' });
      // Nothing travels: the camera shows all of it from the first frame on.
      const camera = `Object.entries(localStorage).find(([key]) => key.startsWith('roux-graph'))?.[1]`;
      await until(camera);
      const first = await page.evaluate(camera);
      await until(`Number(document.querySelector('.graph-stage').dataset.frames) > 2`);
      expect(await page.evaluate(camera)).toBe(first);
      expect(troubles).toEqual([]);
    });
  });
});
