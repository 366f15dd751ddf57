import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withBrowser } from '../support/browser/with-browser.ts';
import type { BrowserTest } from '../support/browser/with-browser.ts';
import { waitFor } from '../support/wait-for.ts';

/** A project of five tasks of which `a` holds up `b` and `c`, and `part` hangs below `group`. */
async function plan({ server }: Pick<BrowserTest, 'server'>): Promise<(ref: string) => string> {
  const ada = await server.agent('ada');
  await ada.ask('graph_open', { project: 'shed' });
  const { created } = await ada.ask('graph_plan', {
    nodes: [
      { ref: 'a', summary: 'Dig' },
      { ref: 'b', summary: 'Pour', depends_on: ['a'] },
      { ref: 'c', summary: 'Fence', depends_on: ['a'] },
      { ref: 'group', summary: 'Inside' },
      { ref: 'part', summary: 'Lamp', parent_ref: 'group' },
    ],
  });
  return (ref) => (created as { ref: string; id: string }[]).find((each) => each.ref === ref)?.id ?? '';
}

const focused = `document.activeElement?.textContent`;

describe.skipIf(chromiumPath === null)('the view of tasks', () => {
  it('V-11 is read in one look, and worked by keyboard alone', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, until, troubles } = test;
      await plan(test);
      await open('/tasks');
      await page.waitForSelector('.card');
      expect(await page.textContent('.stuck h2')).toBe('2 tasks are blocked');
      expect(await page.textContent('.stuck-holding')).toContain('Dig blocks 2 tasks ready, unassigned');
      // Up and down in a column, left and right between columns.
      await page.locator('.column-blocked .card-title').first().focus();
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate(focused)).toBe('Fence');
      await page.keyboard.press('ArrowLeft');
      expect(await page.evaluate(focused)).toBe('Lamp');
      await page.keyboard.press('ArrowUp');
      expect(await page.evaluate(focused)).toBe('Dig');
      await page.keyboard.press('Enter');
      await until(`document.activeElement?.matches('.detail h2')`);
      expect(await page.evaluate(focused)).toBe('Dig');
      expect(new URL(page.url()).searchParams.get('task')).not.toBeNull();
      await page.keyboard.press('Escape');
      await page.waitForSelector('.detail', { state: 'detached' });
      expect(await page.evaluate(focused)).toBe('Dig');
      // The way to look is kept in the address.
      await page.getByRole('link', { name: 'Tree' }).press('Enter');
      await page.waitForSelector('.task-row');
      await page.reload();
      await page.waitForSelector('.task-row');
      await page.locator('.task-title', { hasText: 'Inside' }).focus();
      await page.keyboard.press('ArrowLeft');
      await until(`![...document.querySelectorAll('.task-title')].some((title) => title.textContent === 'Lamp')`);
      await page.keyboard.press('ArrowRight');
      await until(`[...document.querySelectorAll('.task-title')].some((title) => title.textContent === 'Lamp')`);
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate(focused)).toBe('Lamp');
      expect(troubles).toEqual([]);
    });
  });

  it('V-12 what agents and editors change shows by itself; focus, scroll and what is folded stay', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, until, server, vault, troubles } = test;
      const id = await plan(test);
      // Long enough that it still fills the window when less is stuck.
      await (
        await server.agent('ada')
      ).ask('graph_plan', { nodes: Array.from({ length: 30 }, (_, at) => ({ ref: `n${at}`, summary: `Nail ${at}` })) });
      await page.setViewportSize({ width: 1000, height: 400 });
      await open('/tasks?view=tree');
      await page.waitForSelector('.task-row');
      await page.locator('.task-fold[aria-expanded]').first().click();
      await page.locator('.task-title', { hasText: 'Fence' }).focus();
      await page.evaluate(`scrollTo(0, 300)`);
      const top = `Math.round(document.activeElement.getBoundingClientRect().top)`;
      const before = Number(await page.evaluate(top));
      const bob = await server.agent('bob');
      await bob.ask('graph_next', { claim: true, scope: id('group') });
      await waitFor(async () => (await page.textContent('.stuck'))?.includes('Nothing') === false);
      await bob.ask('graph_update', { updates: [{ node_id: id('a'), resolved: true }] });
      await until(`document.querySelector('.stuck h2')?.textContent === 'Nothing is stuck'`);
      const file = vault.files().find((each) => each.endsWith('/Pour.md') || each.endsWith('/pour.md')) ?? '';
      vault.write(file, vault.read(file).replace('resolved: false', 'resolved: true'));
      await until(
        `[...document.querySelectorAll('.task-row')].some((row) => row.textContent.includes('Pour') && row.textContent.includes('Done'))`,
      );
      expect(await page.evaluate(focused)).toBe('Fence');
      // But for a line of a row above it that is not needed any more.
      expect(Math.abs(Number(await page.evaluate(top)) - before)).toBeLessThan(30);
      expect(await page.locator('.task-title', { hasText: 'Lamp' }).count()).toBe(0);
      await open('/tasks');
      await page.waitForSelector('.column-claimed .card');
      expect(await page.textContent('.column-claimed .card')).toMatch(/bob.*while connected/);
      expect(troubles).toEqual([]);
    });
  });

  it('T-02 the board says who is connected and what they hold, also of agents that only come and go', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, until, server, troubles } = test;
      const id = await plan(test);
      await open('/tasks');
      await page.waitForSelector('.column-ready .card');
      const bob = await server.agent('bob');
      await bob.ask('graph_query', {});
      // Nothing in a file has changed.
      await until(`document.querySelector('.board-connected')?.textContent === 'Connected:adabob'`);
      await bob.ask('graph_next', { claim: true, scope: id('group') });
      await until(`document.querySelector('.board-connected')?.textContent === 'Connected:adabob with 1 task'`);
      await (bob.client.transport as StreamableHTTPClientTransport).terminateSession();
      await until(`document.querySelector('.board-connected')?.textContent === 'Connected:ada'`);
      await until(`document.querySelectorAll('.column-claimed .card').length === 0`);
      expect(troubles).toEqual([]);
    });
  });

  it('V-15 resolving says before what becomes ready, and stands in the history with the name of the person', async () => {
    await withBrowser({}, async (test) => {
      const { page, open, until, server, vault, troubles } = test;
      const id = await plan(test);
      await open(`/tasks?task=${id('a')}`);
      await page.getByRole('button', { name: 'Resolve…' }).click();
      await page.waitForSelector('dialog[open] li');
      expect(await page.textContent('dialog')).toContain('These 2 tasks become ready:PourFence');
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      expect((await server.page('task_detail', { task: id('a') })).task.state).toBe('ready');
      await page.getByRole('button', { name: 'Resolve…' }).press('Enter');
      await page.locator('dialog textarea').fill('the pit is there');
      await page.getByRole('button', { name: 'Resolve the task' }).click();
      await page.waitForSelector('.toast');
      expect(await page.textContent('.toast')).toContain('“Dig” is resolved. 2 tasks became ready.');
      await until(`document.querySelector('.detail-state')?.textContent.includes('Done')`);
      expect(await page.getByRole('button', { name: 'Resolve…' }).count()).toBe(0);
      const { task, history, evidence } = await server.page('task_detail', { task: id('a') });
      expect(task.state).toBe('done');
      expect(history.events[0].agent).toMatch(/ \(page\)$/);
      expect(evidence).toMatchObject([{ ref: 'the pit is there' }]);
      expect(vault.read(task.path)).toContain('resolved: true');
      expect(troubles).toEqual([]);
    });
  });

  for (const hears of [true, false])
    it(`V-15 a task that somebody else resolved while one was asked is left as it is, and that is said, ${hears ? 'after' : 'before'} the page hears of it`, async () => {
      await withBrowser({}, async (test) => {
        const { page, open, server, forgive, troubles } = test;
        const id = await plan(test);
        await open(`/tasks?task=${id('a')}`);
        const first = page.waitForResponse('**/api/resolve_preview');
        await page.getByRole('button', { name: 'Resolve…' }).click();
        await first;
        const bob = await server.agent('bob');
        if (!hears) await page.route('**/api/resolve_preview', (route) => route.abort());
        const asked = hears ? page.waitForResponse('**/api/resolve_preview') : page.waitForRequest('**/api/resolve_preview');
        await bob.ask('graph_update', { updates: [{ node_id: id('a'), resolved: true }] });
        await asked;
        await page.getByRole('button', { name: 'Resolve the task' }).click();
        await page.waitForSelector('dialog .form-problem');
        expect(await page.textContent('dialog .form-problem')).toContain('Nothing was changed: bob changed this task a moment ago.');
        const { history } = await server.page('task_detail', { task: id('a') });
        expect(history.events.filter(({ action }: { action: string }) => action === 'resolved')).toHaveLength(1);
        forgive(/409|ERR_FAILED/);
        expect(troubles).toEqual([]);
      });
    });

  it('V-15 a server that only reads offers neither to resolve nor to undo', async () => {
    await withBrowser(
      'demo',
      async ({ page, open }) => {
        await open('/tasks');
        await page.locator('.column-ready .card-title').first().click();
        await page.waitForSelector('.detail h2');
        expect(await page.getByRole('button', { name: 'Resolve…' }).count()).toBe(0);
      },
      { flags: ['--read-only'] },
    );
  });
});
