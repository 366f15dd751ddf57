import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { planShed, untilColumn, untilSaid } from './plan.ts';

const focused = `document.activeElement?.textContent`;

describe.skipIf(chromiumPath === null)('the board acts by keys', () => {
  it('U-09 starts, releases, blocks, resolves with evidence, opens again and undoes, and the focus goes with the card', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, until, server, troubles } = test;
      const id = await planShed(test);
      await open('/tasks');
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      expect(await page.locator('.column h3').allTextContents()).toEqual(['○ Ready 3', '◐ In progress 0', '■ Blocked 2', '● Done 0']);
      await page.locator('.column-ready .card-title', { hasText: 'Dig' }).focus();
      await page.keyboard.press('s');
      await untilColumn(test, 'claimed', ['Dig']);
      await until(`${focused} === 'Dig'`);
      expect(await page.textContent('.column-claimed .card')).toMatch(/\(page\).*\(you\) until .* left/);
      await untilSaid(test, '“Dig” is in progress. It is yours until');
      await page.keyboard.press('u');
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      await until(`${focused} === 'Dig'`);
      // The undo can be undone.
      await page.waitForSelector('.toast button:has-text("Redo")');
      await page.keyboard.press('u');
      await untilColumn(test, 'claimed', ['Dig']);
      await page.keyboard.press('r');
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      await page.keyboard.press('b');
      await page.waitForSelector('dialog[open] textarea');
      expect(await page.evaluate(`document.activeElement?.tagName`)).toBe('TEXTAREA');
      await page.keyboard.type('the ground is frozen');
      await page.keyboard.press('Control+Enter');
      await page.waitForSelector('dialog', { state: 'detached' });
      await untilColumn(test, 'blocked', ['Dig', 'Pour', 'Fence']);
      expect(await page.textContent('.column-blocked .card')).toContain('the ground is frozen');
      await page.keyboard.press('s');
      await untilSaid(test, '“Dig” is marked as blocked. Move it to Ready first.');
      await page.keyboard.press('b');
      await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
      // Shift and an arrow are the drag of the keyboard.
      await page.keyboard.press('Shift+ArrowRight');
      await untilColumn(test, 'claimed', ['Dig']);
      await page.keyboard.press('d');
      await page.waitForSelector('dialog[open] textarea');
      await page.keyboard.type('https://example.org/pit\nThe pit is two metres deep');
      await page.keyboard.press('Control+Enter');
      await untilColumn(test, 'done', ['Dig']);
      await until(`${focused} === 'Dig'`);
      await untilSaid(test, '“Dig” is resolved. 2 tasks became ready.');
      const { evidence } = await server.page('task_detail', { task: id('Dig') });
      expect(evidence).toMatchObject([
        { type: 'link', ref: 'https://example.org/pit' },
        { type: 'note', ref: 'The pit is two metres deep' },
      ]);
      await page.keyboard.press('o');
      await untilColumn(test, 'blocked', ['Pour', 'Fence']);
      expect(troubles).toEqual([]);
    });
  });
});
