import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import type { BrowserTest } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';
import { untilSaid } from './plan.ts';

const FILES = {
  'Home.md': `# Garden\n${'\nSome words.\n'.repeat(60)}\n- [ ] Water the [[Plants|flowers]] 📅 2026-01-10 🔁 every week\n- [x] Mow\n- [ ] Buy seeds #shop [due:: 2100-01-12]\n`,
  'Work/Plan.md': '- [ ] Call Ann ⏫ 📅 2026-01-10\n- [-] Dropped\n- [ ] <img src=x onerror=alert(1)> **bold**\n',
  'Twins.md': '- [ ] milk\n- [ ] milk\n',
};

async function untilShown({ page }: Pick<BrowserTest, 'page'>, texts: readonly string[]): Promise<void> {
  await waitFor(async () => JSON.stringify(await page.locator('.checkbox-text a').allTextContents()) === JSON.stringify(texts), {
    what: texts.join(', '),
  });
}

const OPEN = ['Water the flowers', 'Buy seeds #shop', 'milk', 'milk', 'Call Ann', '<img src=x onerror=alert(1)> bold'];

describe.skipIf(chromiumPath === null)('all checkboxes of the vault', () => {
  it('T-09 are ticked by keyboard, filtered, grouped, undone, and lead to their line', async () => {
    await withBrowser(FILES, async (test) => {
      const { page, open, until, vault, troubles } = test;
      await open('/tasks');
      await page.getByRole('link', { name: 'Checkboxes' }).click();
      await untilShown(test, OPEN);
      expect(await page.locator('.checkbox-groups h2').allTextContents()).toEqual(['Home 2', 'Twins 2', 'Plan 2']);
      expect(await page.textContent('.checkbox-row')).toContain('repeats every week');
      await page.locator('.checkbox-row input').first().focus();
      await page.keyboard.press('Space');
      await untilShown(test, OPEN.slice(1));
      expect(vault.read('Home.md')).toContain('- [x] Water the [[Plants|flowers]] 📅 2026-01-10 🔁 every week\n');
      await untilSaid(test, 'It repeats (every week), but the next one was not created');
      // The focus goes on to the next box.
      await until(`document.activeElement?.getAttribute('aria-label') === 'Buy seeds #shop'`);
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await untilShown(test, OPEN);
      expect(vault.read('Home.md')).toBe(FILES['Home.md']);
      // Two lines of one text, one right after the other: each is the one that was ticked.
      await page.locator('.checkbox-row input').nth(3).click();
      await page.locator('.checkbox-row input').nth(2).click();
      await untilShown(
        test,
        OPEN.filter((text) => text !== 'milk'),
      );
      expect(vault.read('Twins.md')).toBe('- [x] milk\n- [x] milk\n');
      await page.getByRole('combobox', { name: 'Grouped', exact: true }).selectOption('due');
      await untilShown(test, ['Call Ann', 'Water the flowers', 'Buy seeds #shop', '<img src=x onerror=alert(1)> bold']);
      expect((await page.locator('.checkbox-groups h2').allTextContents())[0]).toBe('Overdue 2');
      await page.getByRole('combobox', { name: 'Due', exact: true }).selectOption('overdue');
      await untilShown(test, ['Call Ann', 'Water the flowers']);
      await page.getByRole('searchbox', { name: 'Words in the task' }).fill('flowers');
      await untilShown(test, ['Water the flowers']);
      // The address has it all.
      await page.reload();
      await untilShown(test, ['Water the flowers']);
      await page.getByRole('searchbox', { name: 'Words in the task' }).fill('no such thing');
      await page.getByRole('link', { name: 'Clear the filters' }).click();
      await untilShown(
        test,
        OPEN.filter((text) => text !== 'milk'),
      );
      await page.getByRole('combobox', { name: 'State', exact: true }).selectOption('done');
      await untilShown(test, ['Mow', 'milk', 'milk', 'Dropped']);
      // A state of people's own would be lost by a tick.
      expect(await page.locator('.checkbox-row input:disabled').count()).toBe(1);
      await page.getByRole('link', { name: 'Mow' }).click();
      await page.waitForSelector('[data-line="123"]');
      await until(`scrollY > 500`);
      expect(new URL(page.url()).hash).toBe('#line-124');
      await page.goBack();
      await untilShown(test, ['Mow', 'milk', 'milk', 'Dropped']);
      // What an editor writes shows by itself.
      vault.write('New.md', '- [x] Written elsewhere\n');
      await untilShown(test, ['Mow', 'Written elsewhere', 'milk', 'milk', 'Dropped']);
      expect(troubles).toEqual([]);
    });
  });

  it('T-09 a line that changed since it was shown is not ticked, and a server that only reads ticks nothing', async () => {
    await withBrowser(FILES, async ({ page, open, vault, forgive, troubles }) => {
      await open('/tasks?tab=checkboxes');
      await page.waitForSelector('.checkbox-row');
      // The list must not follow before the tick.
      await page.route('**/api/list_checkboxes', (route) => route.abort());
      vault.write('Work/Plan.md', '- [ ] Call Bob\n');
      await page.getByRole('checkbox', { name: 'Call Ann' }).click();
      await page.waitForSelector('.toast.bad');
      expect(await page.getByRole('checkbox', { name: 'Call Ann' }).isChecked()).toBe(false);
      expect(vault.read('Work/Plan.md')).toBe('- [ ] Call Bob\n');
      forgive(/409|ERR_FAILED/);
      expect(troubles).toEqual([]);
    });
    await withBrowser(
      FILES,
      async ({ page, open }) => {
        await open('/tasks?tab=checkboxes');
        await page.waitForSelector('.checkbox-row');
        expect(await page.locator('.checkbox-row input:not(:disabled)').count()).toBe(0);
      },
      { flags: ['--read-only'] },
    );
  });

  it.each([
    ['light', 360],
    ['dark', 820],
    ['light', 1280],
    ['dark', 360],
  ] as const)('U-09 T-09 board, forms and checkboxes fit, and axe finds nothing serious: %s, %d px', async (colorScheme, width) => {
    await withBrowser(
      'demo',
      async ({ page, open, vault, screenshot, troubles }) => {
        for (const [path, text] of Object.entries(FILES)) vault.write(path, text);
        const look = async (name: string): Promise<void> => {
          await screenshot(`board-${name}-${colorScheme}-${width}`);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
          expect(await seriousFindings(page)).toEqual([]);
        };
        await open('/tasks?tab=checkboxes&order=due&state=all');
        await page.waitForSelector('.checkbox-row');
        await look('checkboxes');
        await open('/tasks');
        await page.waitForSelector('.column-ready .card');
        await page.locator('.column-ready .card-title').first().focus();
        await page.keyboard.press('s');
        await page.waitForSelector('.toast');
        await look('started');
        await page.keyboard.press('n');
        await page.waitForSelector('dialog[open] textarea');
        await page.getByRole('combobox', { name: 'Waits for' }).fill('e');
        await page.waitForSelector('[role="option"]');
        await look('new');
        // The first closes the list, the second the form.
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        await page.waitForSelector('dialog', { state: 'detached' });
        await page.keyboard.press('d');
        await page.waitForSelector('dialog[open] textarea');
        await look('resolve');
        expect(troubles).toEqual([]);
      },
      { context: { colorScheme, viewport: { width, height: 900 } } },
    );
  });
});
