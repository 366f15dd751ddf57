import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { planShed, untilColumn, untilSaid } from './plan.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

async function centerOf(page: Page, selector: string): Promise<Point> {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const card = (summary: string): string => `.card:has(> .card-title:text-is("${summary}"))`;

/** Drags with the mouse, and stops over the target before it lets go. */
async function drag(page: Page, from: string, to: Point, whileOver?: () => Promise<void>): Promise<void> {
  const start = await centerOf(page, from);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 10, start.y + 4);
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await whileOver?.();
  await page.mouse.up();
}

describe.skipIf(chromiumPath === null)('the board acts by drag', () => {
  it('U-09 a card is dragged between columns and to a priority; a refused move says why, and Done opens the form for evidence', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, server, troubles } = test;
      const id = await planShed(test);
      await open('/tasks');
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      const column = (name: string): Promise<Point> => centerOf(page, `.column-${name}`);
      await drag(page, card('Paint'), await column('claimed'), async () => {
        await page.waitForSelector('.column-claimed .drop-hint[data-over="true"]');
        expect(await page.textContent('.column-claimed .drop-hint')).toBe('Drop to start it');
        await page.waitForSelector('.card-ghost');
      });
      await untilColumn(test, 'claimed', ['Paint']);
      expect(await page.locator('.card-ghost').count()).toBe(0);
      // The click after a drag opens nothing.
      expect(new URL(page.url()).searchParams.get('task')).toBeNull();
      await drag(page, card('Paint'), await column('ready'));
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      await drag(page, card('Pour'), await column('ready'), async () => {
        await page.waitForSelector('.column-ready .drop-hint[data-over="true"][data-refused="true"]');
      });
      await untilSaid(test, '“Pour” waits for “Dig”. When that is done, it is ready by itself.');
      await untilColumn(test, 'blocked', ['Pour', 'Fence']);
      // Above the first of its column: it is taken first.
      const top = await page.locator(card('Dig')).boundingBox();
      await drag(page, card('Paint'), { x: (top?.x ?? 0) + 40, y: (top?.y ?? 0) + 4 });
      await untilColumn(test, 'ready', ['Paint', 'Dig', 'Lamp']);
      await untilSaid(test, '“Paint” has priority 3 now.');
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      // Escape ends a drag without a move.
      await drag(page, card('Dig'), await column('claimed'), async () => page.keyboard.press('Escape'));
      expect(await page.locator('.card-ghost').count()).toBe(0);
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      await drag(page, card('Dig'), await column('done'));
      await page.waitForSelector('dialog[open] li');
      expect(await page.textContent('dialog')).toContain('These 2 tasks become ready:PourFence');
      await page.locator('dialog textarea').fill('The pit is there');
      await page.getByRole('button', { name: 'Resolve the task' }).click();
      await untilColumn(test, 'done', ['Dig']);
      await drag(page, card('Dig'), await column('claimed'));
      await untilSaid(test, '“Dig” is done. Move it to Ready to open it again.');
      await drag(page, card('Dig'), await column('ready'));
      await untilColumn(test, 'done', []);
      const { history } = await server.page('task_detail', { task: id('Dig') });
      expect(history.events.map(({ action }: { action: string }) => action).slice(0, 2)).toEqual(['reopened', 'resolved']);
      expect(troubles).toEqual([]);
    });
  });

  it('U-09 a finger drags by the grip on a phone, and scrolls anywhere else', async () => {
    await withBrowser(
      {},
      async (test) => {
        const { page, open, troubles } = test;
        await planShed(test);
        await open('/tasks');
        await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
        await page.locator('.column-ready').scrollIntoViewIfNeeded();
        const client = await page.context().newCDPSession(page);
        const touch = async (type: string, point: Point | null): Promise<void> => {
          await client.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints: point === null ? [] : [point] });
        };
        const grip = await centerOf(page, `${card('Lamp')} .card-grip`);
        const target = await centerOf(page, '.column-claimed');
        await touch('touchStart', grip);
        await touch('touchMove', { x: grip.x, y: grip.y + 12 });
        await touch('touchMove', { x: target.x, y: target.y - 8 });
        await page.waitForSelector('.card-ghost');
        await touch('touchMove', target);
        await page.waitForSelector('.column-claimed .drop-hint[data-over="true"]');
        await touch('touchEnd', null);
        await untilColumn(test, 'claimed', ['Lamp']);
        const other = await centerOf(page, card('Dig'));
        await touch('touchStart', { x: other.x - 60, y: other.y });
        await touch('touchMove', { x: other.x - 60, y: other.y - 80 });
        await touch('touchMove', { x: other.x - 60, y: other.y - 160 });
        expect(await page.locator('.card-ghost').count()).toBe(0);
        await touch('touchEnd', null);
        expect(troubles).toEqual([]);
      },
      { context: { viewport: { width: 360, height: 1100 }, hasTouch: true } },
    );
  });
});
