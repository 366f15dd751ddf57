import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openShed, planShed, untilColumn, untilSaid } from './plan.ts';

describe.skipIf(chromiumPath === null)('the forms of the board', () => {
  it('U-09 a fresh vault gets its first project and task at the page, then a task with parent, dependencies and priority, by keyboard', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, server, until, forgive, troubles } = test;
      await open('/tasks');
      await page.getByRole('button', { name: 'New project…' }).click();
      await page.locator('dialog').getByLabel('Name').fill('Garden shed');
      await page.locator('dialog').getByLabel('First task (optional)').fill('The ground is level');
      await page.keyboard.press('Enter');
      await untilColumn(test, 'ready', ['The ground is level']);
      expect(await page.textContent('h1')).toBe('Garden shed');
      await untilSaid(test, 'The project “Garden shed” was created.');
      await page.keyboard.press('n');
      await page.waitForSelector('dialog[open] textarea');
      await page.keyboard.type('The walls stand');
      await page.keyboard.press('Tab');
      await page.keyboard.type('3');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('level');
      await until(`document.querySelector('[role="option"][aria-selected="true"]')?.textContent.startsWith('The ground is level')`);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.picker-chosen');
      // What was typed is still there after the form was closed by mistake.
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.keyboard.press('n');
      await page.waitForSelector('dialog[open] textarea');
      expect(await page.inputValue('dialog textarea')).toBe('The walls stand');
      await page.getByRole('combobox', { name: 'Waits for' }).fill('level');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+Enter');
      await untilColumn(test, 'blocked', ['The walls stand']);
      await page.waitForSelector('.detail h2');
      expect(await page.textContent('.detail')).toContain('waits for The ground is level');
      const { board } = await server.page('task_board');
      expect(board.tasks.find(({ summary }: { summary: string }) => summary === 'The walls stand')).toMatchObject({
        priority: 3,
        depth: 1,
      });
      await page.keyboard.press('u');
      await untilColumn(test, 'blocked', []);
      await page.getByText('This task is gone').waitFor();
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-09 an edit that meets the edit of another keeps both: theirs is told, ours stays in the form', async () => {
    await withBrowser({}, async (test) => {
      const { page, server, forgive, troubles } = test;
      const { id, ada } = await openShed(test);
      await page.locator('.column-ready .card-title', { hasText: 'Dig' }).focus();
      await page.keyboard.press('e');
      await page.locator('dialog').getByLabel('Summary').fill('Dig two metres');
      // Something else of the task is no conflict.
      await ada.ask('graph_next', { claim: true });
      await ada.ask('graph_update', { updates: [{ node_id: id('Dig'), summary: 'Dig one metre' }] });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForSelector('.form-problem');
      expect(await page.textContent('.form-problem')).toContain(
        'ada changed the summary to “Dig one metre” meanwhile. Yours is still here.',
      );
      expect(await page.inputValue('dialog textarea')).toBe('Dig two metres');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForSelector('dialog', { state: 'detached' });
      await waitFor(async () => (await server.page('task_detail', { task: id('Dig') })).summary === 'Dig two metres');
      expect((await server.page('task_detail', { task: id('Dig') })).task.holder).toBe('ada');
      await untilColumn(test, 'claimed', ['Dig two metres']);
      // The server goes while one types: nothing is lost.
      await page.locator('.column-ready .card-title', { hasText: 'Paint' }).focus();
      await page.keyboard.press('e');
      await page.locator('dialog').getByLabel('Progress').fill('first coat');
      await page.route('**/api/graph_update', (route) => route.abort());
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForSelector('.form-problem');
      expect(await page.inputValue('dialog input:not([type])')).toBe('first coat');
      await page.unroute('**/api/graph_update');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForSelector('dialog', { state: 'detached' });
      await waitFor(async () => ((await page.textContent('.column-ready')) ?? '').includes('first coat'));
      forgive(/409|ERR_FAILED/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-09 where evidence is required the form asks for it, and a server that only reads has no controls', async () => {
    await withBrowser(
      {},
      async (test) => {
        const { page, open, server, troubles } = test;
        const id = await planShed(test);
        await open(`/tasks?task=${id('Dig')}`);
        await page.getByRole('button', { name: 'Resolve…' }).click();
        await page.getByText('Evidence that it is done (required)').waitFor();
        await page.getByRole('button', { name: 'Resolve the task' }).click();
        expect(await page.locator('dialog textarea:invalid').count()).toBe(1);
        expect((await server.page('task_detail', { task: id('Dig') })).task.state).toBe('ready');
        await page.locator('dialog textarea').fill('[[Pit]]');
        await page.getByRole('button', { name: 'Resolve the task' }).click();
        await untilColumn(test, 'done', ['Dig']);
        expect(troubles).toEqual([]);
      },
      { env: { ROUX_TASKS_REQUIRE_EVIDENCE: 'true' } },
    );
    await withBrowser(
      'demo',
      async ({ page, open }) => {
        await open('/tasks');
        await page.locator('.column-ready .card-title').first().click();
        await page.waitForSelector('.detail h2');
        await page.keyboard.press('s');
        await page.keyboard.press('n');
        expect(await page.locator('.detail-actions button, .board-head button, .card-grip, dialog').count()).toBe(0);
      },
      { flags: ['--read-only'] },
    );
  });
});
