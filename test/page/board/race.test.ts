import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser, withWindow } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openShed, planShed, untilColumn, untilSaid } from './plan.ts';

describe.skipIf(chromiumPath === null)('several at one board', () => {
  it('U-09 an agent claims a task a moment before: nothing is overwritten, and the page says who has it; two browsers agree', async () => {
    await withBrowser({}, async (test) => {
      const { page, server, until, forgive, troubles } = test;
      const { id, ada } = await openShed(test);
      await withWindow(test, async (other) => {
        await other.open('/tasks');
        await untilColumn(other, 'ready', ['Dig', 'Lamp', 'Paint']);
        // This page does not hear of the claim before its user starts the task.
        await page.route('**/api/task_board', (route) => route.abort());
        await ada.ask('graph_next', { claim: true });
        await page.locator('.column-ready .card-title', { hasText: 'Dig' }).focus();
        await page.keyboard.press('s');
        await untilSaid(test, /Nothing was changed: ada holds “Dig” while connected/);
        expect((await server.page('task_detail', { task: id('Dig') })).task.holder).toBe('ada');
        await page.unroute('**/api/task_board');
        await untilColumn(other, 'claimed', ['Dig']);
        // Both start one task at once: they are one person, and hold it once.
        await untilColumn(test, 'claimed', ['Dig']);
        await page.locator('.column-ready .card-title', { hasText: 'Paint' }).focus();
        await other.page.locator('.column-ready .card-title', { hasText: 'Paint' }).focus();
        await Promise.all([page.keyboard.press('s'), other.page.keyboard.press('s')]);
        for (const each of [test, other]) await waitFor(async () => (await each.page.locator('.column-claimed .card').count()) === 2);
        // What one has taken over the other sees, without losing its open form, what was typed, or its focus.
        await other.page.locator('.column-ready .card-title', { hasText: 'Lamp' }).focus();
        await other.page.keyboard.press('b');
        await other.page.locator('dialog textarea').fill('half a sen');
        await page.locator('.column-claimed .card-title', { hasText: 'Dig' }).focus();
        await page.keyboard.press('s');
        await page.waitForSelector('dialog[open]');
        expect(await page.textContent('dialog')).toContain('ada is working on this. Take it over?');
        await page.getByRole('button', { name: 'Take it over' }).click();
        await waitFor(async () =>
          (await other.page.locator('.column-claimed .card').allTextContents()).every((text) => text.includes('(you)')),
        );
        expect(await other.page.inputValue('dialog textarea')).toBe('half a sen');
        expect(await other.page.evaluate(`document.activeElement?.tagName`)).toBe('TEXTAREA');
        // An agent takes the very task of the form: it stays open, and its focus returns to the card in its new column.
        await ada.ask('graph_next', { claim: true, scope: id('Inside') });
        await waitFor(async () => (await other.page.locator('.column-claimed .card').count()) === 3);
        expect(await other.page.inputValue('dialog textarea')).toBe('half a sen');
        await other.page.getByRole('button', { name: 'Mark as blocked' }).click();
        await other.page.waitForSelector('dialog .form-problem');
        expect(await other.page.textContent('.form-problem')).toMatch(
          /ada changed this task a moment ago. It is now in progress: ada, while connected/,
        );
        await other.page.keyboard.press('Escape');
        await other.until(`document.activeElement?.textContent === 'Lamp'`);
        expect(await other.page.locator('.column-claimed .card-title:focus').count()).toBe(1);
        other.forgive(/409/);
        expect(other.troubles).toEqual([]);
      });
      await until(`document.querySelectorAll('.column-claimed .card').length === 3`);
      forgive(/409|ERR_FAILED/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-09 a task that an agent resolves while it is marked as blocked stays done, however often the form is sent', async () => {
    await withBrowser({}, async (test) => {
      const { page, forgive, troubles } = test;
      const { id, ada } = await openShed(test);
      await page.locator('.column-ready .card-title', { hasText: 'Paint' }).focus();
      await page.keyboard.press('b');
      await page.locator('dialog textarea').fill('rain');
      await ada.ask('graph_update', { updates: [{ node_id: id('Paint'), resolved: true }] });
      for (let sent = 1; sent <= 2; sent += 1) {
        const answer = page.waitForResponse('**/api/task_detail');
        await page.getByRole('button', { name: 'Mark as blocked' }).click();
        await answer;
        await page.waitForSelector('.form-problem:text-is("Nothing was changed: ada changed this task a moment ago. It is now done.")');
      }
      expect(await page.inputValue('dialog textarea')).toBe('rain');
      forgive(/409/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-09 the claim of a person is renewed while the page is open, and a task that an agent got meanwhile is told of', async () => {
    await withBrowser(
      {},
      async (test) => {
        const { page, open, server, forgive, troubles } = test;
        const id = await planShed(test);
        await open('/tasks');
        await untilColumn(test, 'ready', ['Dig', 'Lamp', 'Paint']);
        // The user leaves before the board lists what they took.
        await page.route('**/api/task_board', (route) => route.abort());
        await page.locator('.column-ready .card-title', { hasText: 'Dig' }).focus();
        await page.keyboard.press('s');
        await untilSaid(test, '“Dig” is in progress.');
        const { task } = await server.page('task_detail', { task: id('Dig') });
        await page.keyboard.press('g');
        await page.keyboard.press('a');
        const renewedAfter = (until: string): Promise<string> =>
          waitFor(
            async () => {
              const renewed = (await server.page('task_detail', { task: id('Dig') })).task.until;
              return Date.parse(renewed) > Date.parse(until) ? renewed : null;
            },
            { what: 'a renewed claim' },
          );
        const renewed = await renewedAfter(task.until);
        await page.unroute('**/api/task_board');
        // A page that finds it on the board goes on.
        await open('/tasks');
        await untilColumn(test, 'claimed', ['Dig']);
        await renewedAfter(renewed);
        await page.keyboard.press('g');
        await page.keyboard.press('a');
        await page.waitForSelector('h1:has-text("Activity")');
        const ada = await server.agent('ada');
        const { holder } = (await server.page('task_detail', { task: id('Dig') })).task;
        // An agent that is told to takes it over.
        await ada.ask('graph_next', { scope: id('Dig'), claim: true, takeover: true });
        expect(holder).toMatch(/ \(page\)$/);
        await untilSaid(test, '“Dig” is no longer yours: ada holds it while connected');
        forgive(/409|ERR_FAILED/);
        expect(troubles).toEqual([]);
      },
      { env: { ROUX_TASKS_CLAIM_TTL_MINUTES: '0.15' } },
    );
  });
});
