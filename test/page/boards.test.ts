import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../support/browser/accessibility.ts';
import { WINDOWS } from '../support/browser/windows.ts';
import { chromiumPath } from '../support/browser/chromium.ts';
import { useSite, withBrowser, withWindow } from '../support/browser/with-browser.ts';
import type { BrowserTest, Site } from '../support/browser/with-browser.ts';

const VIEWS: readonly (readonly [name: string, address: string, shown: string])[] = [
  ['tasks', '/tasks', '.column .card'],
  ['tasks-tree', '/tasks?view=tree', '.task-row'],
  ['tasks-dependencies', '/tasks?view=dependencies', '.box'],
  ['memory', '/memory', '.entities a'],
  ['knowledge', '/knowledge', '.fact'],
  ['knowledge-then', '/knowledge?as_of=2025-06-01&known_at=2026-03-20', '.fact[data-state="unknown"]'],
  ['activity', '/activity', '.entry'],
];

/** What opens beside a view: the link that does it, and what then stands there. */
const DETAILS: readonly (readonly [name: string, address: string, link: string])[] = [
  ['task', '/tasks', '.card-title'],
  ['entity', '/memory', '.entities a'],
  ['fact', '/knowledge', '.fact a'],
];

/** Writes of an agent, so that there is something in each view. */
async function fill({ server }: Site): Promise<void> {
  const ada = await server.agent('ada');
  await ada.ask('create_entities', { entities: [{ name: 'Jan', entityType: 'person', observations: ['one', 'two'] }] });
  await ada.ask('graph_next', { claim: true });
  await ada.ask('update_node', { id: 'Compost', properties: { kind: 'heap' } });
}

async function mustLookWell({ page, screenshot }: BrowserTest, name: string): Promise<void> {
  const overflow = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  expect(overflow, `${name} is wider than the window`).toBe(0);
  expect(await seriousFindings(page), name).toEqual([]);
  await screenshot(name);
}

describe.skipIf(chromiumPath === null)('tasks, memory, knowledge and activity', () => {
  const demo = useSite('demo', fill);
  for (const [colorScheme, width] of WINDOWS) {
    const at = { viewport: { width, height: 800 }, colorScheme };

    it(`V-11 V-16 each opens by its address, fits, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await demo(),
        async (test) => {
          for (const [name, address, shown] of VIEWS) {
            await test.open(address);
            await test.page.waitForSelector(shown);
            await mustLookWell(test, `${name}-${colorScheme}-${width}`);
          }
          expect(test.troubles).toEqual([]);
        },
        at,
      );
    }, 120_000);

    it(`V-11 V-16 what opens in them fits as well: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await demo(),
        async (test) => {
          const { page, open, until, troubles } = test;
          for (const [name, address, link] of DETAILS) {
            await open(address);
            await page.locator(link).first().click();
            await until(`document.activeElement?.matches('.detail h2')`);
            await mustLookWell(test, `${name}-${colorScheme}-${width}`);
          }
          await open('/activity');
          await page.locator('.entry button', { hasText: 'Show changes' }).first().click();
          await page.waitForSelector('.diff');
          await mustLookWell(test, `activity-diff-${colorScheme}-${width}`);
          await page.locator('.entry button', { hasText: 'Undo' }).first().click();
          await page.waitForSelector('dialog[open] .diff');
          await mustLookWell(test, `undo-${colorScheme}-${width}`);
          await page.keyboard.press('Escape');
          expect(troubles).toEqual([]);
        },
        at,
      );
    }, 120_000);
  }

  it('V-11 a fresh vault says in each view what to do', async () => {
    await withBrowser({ 'a.md': 'x\n' }, async ({ page, open, troubles }) => {
      for (const view of ['tasks', 'memory', 'knowledge', 'activity']) {
        await open(`/${view}`);
        await page.waitForSelector('.empty');
        expect((await page.textContent('.empty p'))?.length, view).toBeGreaterThan(40);
        expect(await seriousFindings(page), view).toEqual([]);
      }
      expect(troubles).toEqual([]);
    });
  });

  it('V-16 print shows what is there and no controls; reduced motion is respected', async () => {
    await withWindow(await demo(), async ({ page, open }) => {
      await page.emulateMedia({ media: 'print' });
      for (const [address, shown, hidden] of [
        ['/tasks', '.card', '.switch'],
        ['/knowledge', '.fact', '.sliders'],
        ['/activity', '.entry', '.filters'],
      ] as const) {
        await open(address);
        await page.waitForSelector(shown);
        expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
        expect(await page.locator('.navigation').isVisible()).toBe(false);
      }
      await page.emulateMedia({ media: 'screen', reducedMotion: 'reduce' });
      await open('/activity');
      await page.waitForSelector('.entry');
      await page.evaluate(`document.querySelector('.entry').dataset.new = 'true'`);
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.entry')).animationDuration`)).toBe('0.001s');
    });
  });
});
