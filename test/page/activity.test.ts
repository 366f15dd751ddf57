import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withBrowser } from '../support/browser/with-browser.ts';

describe.skipIf(chromiumPath === null)('the view of the activity', () => {
  it('V-12 what comes in is told and moves nothing; one key shows it', async () => {
    await withBrowser({ 'a.md': 'one\n' }, async ({ page, open, until, server, vault, troubles }) => {
      const ada = await server.agent('ada');
      for (let at = 0; at < 20; at += 1) await ada.ask('create_node', { title: `n${at}`, content: 'x' });
      await open('/activity');
      await page.waitForSelector('.entry');
      await page.locator('.entry button', { hasText: 'Show changes' }).nth(3).click();
      await page.waitForSelector('.diff');
      await page.evaluate(`scrollTo(0, 400)`);
      const place = `document.querySelector('.diff').getBoundingClientRect().top`;
      const before = await page.evaluate(place);
      await ada.ask('update_node', { id: 'a', content: 'two\n' });
      vault.write('hand.md', 'by hand\n');
      await until(`document.querySelector('.fresh button')?.textContent === '2 new'`);
      expect(await page.evaluate(place)).toBe(before);
      expect(await page.locator('.entry').count()).toBe(20);
      await page.getByRole('button', { name: '2 new' }).press('Enter');
      await until(`document.querySelectorAll('.entry').length === 22`);
      expect(await page.locator('.entry[data-new="true"]').count()).toBe(2);
      expect(await page.textContent('.entry')).toContain('By hand');
      // What was open stays open.
      expect(await page.locator('.diff').count()).toBe(1);
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 the changes of a write are read line by line, and the filters are in the address', async () => {
    await withBrowser({ 'a.md': 'The quick fox\n', 'b.md': '我们今天去\n' }, async ({ page, open, until, server, troubles }) => {
      const [ada, bob] = [await server.agent('ada'), await server.agent('bob')];
      await ada.ask('update_node', { id: 'a', content: 'The slow fox\n' });
      await bob.ask('update_node', { id: 'b', content: '我们明天去\n' });
      await open('/activity');
      await page.waitForSelector('.entry');
      await page.locator('.kinds a', { hasText: 'ada' }).press('Enter');
      await until(`document.querySelectorAll('.entry').length === 1`);
      await page.getByRole('button', { name: 'Show changes' }).press('Enter');
      await page.waitForSelector('.diff');
      expect(await page.locator('.diff del').allTextContents()).toEqual(['quick']);
      expect(await page.locator('.diff ins').allTextContents()).toContain('slow');
      await open('/activity?path=b.md');
      await until(`document.querySelectorAll('.entry').length === 1`);
      expect(await page.textContent('.entry')).toContain('bob');
      await page.getByLabel('Path contains').fill('nothing-like-it');
      await until(`document.querySelectorAll('.entry').length === 0`);
      expect(await page.textContent('main')).toContain('No matching changes.');
      expect(troubles).toEqual([]);
    });
  });

  it('V-15 an undo shows before what it will do, tells what came of it, and stands there with the name of the person', async () => {
    await withBrowser({ 'a.md': 'first\n' }, async ({ page, open, until, server, vault, troubles, forgive }) => {
      const ada = await server.agent('ada');
      await ada.ask('update_node', { id: 'a', content: 'second\n' });
      await open('/activity');
      await page.getByRole('button', { name: 'Undo…' }).press('Enter');
      await page.waitForSelector('dialog[open] .diff');
      expect(await page.textContent('dialog')).toContain('a.md changes');
      expect(await page.locator('dialog .diff-line[data-sign="+"]').allTextContents()).toContainEqual(expect.stringContaining('first'));
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      expect(vault.read('a.md')).toContain('second');
      await page.getByRole('button', { name: 'Undo…' }).click();
      await page.getByRole('button', { name: 'Undo the change' }).click();
      await page.waitForSelector('.outcome');
      expect(await page.textContent('.outcome')).toContain('Undone in one file.');
      expect(vault.read('a.md')).toContain('first');
      await until(`document.querySelectorAll('.entry').length === 2`);
      expect(await page.textContent('.entry')).toMatch(/\(page\) undid a change to a/);
      // What stands in the way is said, and nothing is changed.
      vault.write('a.md', 'all by hand\n');
      await page.waitForSelector('.fresh button');
      await page.locator('.entry button', { hasText: 'Undo…' }).last().click();
      await page.waitForSelector('.outcome-bad');
      expect(await page.textContent('.outcome-bad')).toContain('Nothing was changed. “a” was changed later');
      expect(vault.read('a.md')).toBe('all by hand\n');
      forgive(/409/);
      expect(troubles).toEqual([]);
    });
  });

  it('V-15 an undo whose answer is lost is not told as one that did not happen', async () => {
    await withBrowser({ 'a.md': 'first\n' }, async ({ page, open, server, vault, forgive, troubles }) => {
      await (await server.agent('ada')).ask('update_node', { id: 'a', content: 'second\n' });
      await open('/activity');
      await page.route('**/api/undo', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await page.getByRole('button', { name: 'Undo…' }).click();
      await page.getByRole('button', { name: 'Undo the change' }).click();
      await page.waitForSelector('.outcome-bad');
      expect(await page.textContent('.outcome-bad')).toContain('it is not known whether this was done');
      expect(vault.read('a.md')).toContain('first');
      forgive(/ERR_FAILED/);
      expect(troubles).toEqual([]);
    });
  });

  it('V-15 an undo that leaves links behind says so in one place', async () => {
    await withBrowser({}, async ({ page, open, server, troubles }) => {
      const ada = await server.agent('ada');
      await ada.ask('create_node', { title: 'Hub', content: 'x' });
      for (const title of ['One', 'Two']) await ada.ask('create_node', { title, content: 'to [[Hub]]' });
      await open('/activity');
      await page.locator('.entry button', { hasText: 'Undo…' }).last().click();
      await page.waitForSelector('dialog[open] .warning');
      expect(await page.locator('dialog .warning').count()).toBe(1);
      expect(await page.textContent('dialog .warning')).toMatch(/^Afterwards:.*leads nowhere.*leads nowhere/);
      expect(troubles).toEqual([]);
    });
  });

  it('V-15 a server that only reads shows changes and offers no undo', async () => {
    await withBrowser({ 'a.md': 'x\n' }, async ({ server, vault }) => {
      await (await server.agent('ada')).ask('update_node', { id: 'a', content: 'y\n' });
      const files = Object.fromEntries(['a.md', '.roux/history'].map((path) => [path, vault.exists(path)]));
      expect(files['.roux/history']).toBe(true);
      await server.stop();
      await withBrowser(
        vault.root,
        async ({ page, open }) => {
          await open('/activity');
          await page.waitForSelector('.entry');
          expect(await page.getByRole('button', { name: 'Undo…' }).count()).toBe(0);
        },
        { flags: ['--read-only'] },
      );
    });
  });
});
