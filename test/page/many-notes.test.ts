import { describe, expect, it } from 'vitest';
import { generateNotes } from '../../scripts/make-vault.ts';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withBrowser } from '../support/browser/with-browser.ts';
import { isLong } from '../support/effort.ts';
import { waitFor } from '../support/wait-for.ts';

const NOTES = isLong ? 10_000 : 3_000;
/** They are read while other tests have the machine too. */
const PATIENCE_MS = 120_000;

/** How long it takes is measured by scripts/bench/alone/page.ts; here it is counted what is asked, sent and shown. */
describe.skipIf(chromiumPath === null)('V-14 the page of a vault of many notes', () => {
  it('V-14 what a view asks for and shows does not grow with the vault; the graph is asked for once, however it is moved', async () => {
    await withBrowser(
      Object.fromEntries([...generateNotes(NOTES)].map(({ path, text }) => [path, text])),
      async ({ page, open, troubles }) => {
        const sizes = new Map<string, number[]>();
        page.on('response', (response) => {
          const [, operation] = /\/api\/([a-z_]+)$/.exec(response.url()) ?? [];
          if (operation === undefined || operation === 'events') return;
          void response.body().then(
            (body) => sizes.set(operation, [...(sizes.get(operation) ?? []), body.length]),
            () => undefined,
          );
        });
        const largest = (operation: string): number => Math.max(0, ...(sizes.get(operation) ?? []));

        await open('/');
        await waitFor(async () => (await page.textContent('.home-size'))?.includes(`${NOTES.toLocaleString('en-US')} notes`), {
          what: 'all notes',
          timeoutMs: PATIENCE_MS,
        });
        expect(largest('home_page')).toBeLessThan(50_000);
        expect(await page.evaluate(`document.querySelectorAll('*').length`)).toBeLessThan(2_000);

        await page.click('input[data-main]');
        await page.keyboard.type('tag:idea');
        await page.waitForSelector('.hit', { timeout: PATIENCE_MS });
        expect(largest('suggest')).toBeLessThan(100_000);
        expect(await page.locator('.hit').count()).toBeLessThanOrEqual(40);

        await open('/note');
        await page.waitForSelector('.notes a, .folders a');
        expect(await page.evaluate(`document.querySelectorAll('*').length`)).toBeLessThan(5_000);

        await open('/graph');
        await page.waitForSelector('.graph-view[data-layout="ready"]', { timeout: PATIENCE_MS });
        const frames = async (): Promise<number> => Number(await page.locator('.graph-stage').getAttribute('data-frames'));
        const [drawn, asked] = [await frames(), sizes.get('graph_map')?.length ?? 0];
        await page.mouse.move(500, 400);
        await page.mouse.down();
        for (let step = 0; step < 10; step += 1) await page.mouse.move(500 + step * 15, 400);
        await page.mouse.up();
        await page.mouse.wheel(0, -300);
        await expect.poll(frames, { timeout: PATIENCE_MS }).toBeGreaterThan(drawn);
        expect(sizes.get('graph_map')?.length ?? 0).toBe(asked);
        // Some 120 bytes a note and eight a link, and not its text.
        expect(largest('graph_map')).toBeLessThan(NOTES * 250);
        expect(troubles).toEqual([]);
      },
      {},
    );
  }, 300_000);
});
