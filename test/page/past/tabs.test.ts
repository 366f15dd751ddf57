import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { TOKEN, useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';
import { withServe } from '../../support/program/http-server.ts';

describe.skipIf(chromiumPath === null)('the token in tabs', () => {
  const demo = useSite('demo');

  it('U-01 Ctrl-click, middle click and a bookmark open a note without asking for the token', async () => {
    await withWindow(await demo(), async ({ page, server, forgive, troubles }) => {
      await signIn(page, `${server.url}/note?folder=notes`);
      forgive(/401/);
      const link = page.locator('.notes a', { hasText: 'Compost' }).first();
      for (const click of [{ modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
        const opened = page.context().waitForEvent('page');
        await link.click(click);
        const tab = await opened;
        await tab.waitForSelector('.prose');
        expect(tab.url()).toBe(`${server.url}/note/notes/Compost.md`);
        await tab.close();
      }
      const bookmark = await page.context().newPage();
      await bookmark.goto(`${server.url}/tasks`);
      await bookmark.waitForSelector('main h1');
      expect(troubles).toEqual([]);
    });
  });

  it('U-01 a tab with no other tab asks, and all tabs that ask go on when one signs in', async () => {
    await withWindow(await demo(), async ({ page, server }) => {
      const other = await page.context().newPage();
      await other.goto(`${server.url}/activity`);
      await other.waitForSelector('.sign-in');
      await signIn(page, `${server.url}/`);
      await other.waitForSelector('h1:has-text("Activity")');
      expect(await isRemembered(page)).toBe(false);
    });
  });

  it('U-01 "Sign out" in one tab forgets the token in all of them, in both storages, and receives nothing more', async () => {
    await withWindow(await demo(), async ({ page, server, screenshot }) => {
      await signIn(page, `${server.url}/`, { remember: true });
      const other = await page.context().newPage();
      await other.goto(`${server.url}/activity`);
      await other.waitForSelector('h1:has-text("Activity")');
      await page.getByLabel('Remember on this device').waitFor();
      await screenshot('past/signed-in');
      await page.getByRole('button', { name: 'Sign out' }).click();
      for (const tab of [page, other]) {
        await tab.waitForSelector('.sign-in');
        expect(await tokensIn(tab)).toEqual([]);
      }
      await screenshot('past/sign-in');
      await other.reload();
      await other.waitForSelector('.sign-in');
      // A tab that was closed at that time comes back with its storage.
      const reopened = await page.context().newPage();
      await reopened.addInitScript(`sessionStorage.setItem('roux-token', ${JSON.stringify(TOKEN)})`);
      await reopened.goto(`${server.url}/`);
      await reopened.waitForSelector('.sign-in');
    });
  });

  it('U-01 "Remember on this device" keeps the token over a restart of the browser, on request alone, and can be taken back', async () => {
    const site = await demo();
    const folder = mkdtempSync(join(tmpdir(), 'roux-browser-'));
    try {
      await restarted(folder, async (page) => signIn(page, `${site.server.url}/`));
      await restarted(folder, async (page) => {
        await page.goto(`${site.server.url}/`);
        await page.waitForSelector('.sign-in');
        await page.getByLabel('Token').fill(TOKEN);
        await page.getByLabel('Remember on this device').check();
        await page.keyboard.press('Enter');
        await page.waitForSelector('main h1');
      });
      await restarted(folder, async (page) => {
        await page.goto(`${site.server.url}/note/notes/Compost.md`);
        await page.waitForSelector('.prose');
        const box = page.getByLabel('Remember on this device');
        expect(await box.isChecked()).toBe(true);
        await box.uncheck();
        await page.reload();
        await page.waitForSelector('.prose');
        expect(await isRemembered(page)).toBe(false);
      });
      await restarted(folder, async (page) => {
        await page.goto(`${site.server.url}/`);
        await page.waitForSelector('.sign-in');
      });
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });

  it('U-01 after a restart of the server with another token each tab says so once, and goes on when one has the new one', async () => {
    await withBrowser({ 'a.md': '# A note\n' }, async ({ page, vault, server }) => {
      await signIn(page, `${server.url}/note/a.md`, { remember: true });
      const other = await page.context().newPage();
      await other.goto(`${server.url}/note/a.md`);
      await other.waitForSelector('.prose');
      // As the other tab does when it is the first to be refused.
      await other.evaluate("localStorage.removeItem('roux-token')");
      await server.stop();
      await withServe(vault, ['--port', String(server.port), '--token', 'another-token-of-the-server'], async () => {
        const asked: string[] = [];
        for (const tab of [page, other]) tab.on('request', (request) => void asked.push(request.url()));
        for (const tab of [page, other]) await tab.waitForSelector('.sign-in [role="alert"]');
        // Every refused token is forgotten: no tab tries it again, nor hands it over.
        const before = asked.length;
        await other.reload();
        await other.waitForSelector('.sign-in');
        // The files of the page, and one call for each part of home and the sidebar.
        expect(asked.length - before).toBeLessThan(40);
        expect(await tokensIn(page)).toEqual([]);
        await page.getByLabel('Token').fill('another-token-of-the-server');
        await page.keyboard.press('Enter');
        for (const tab of [page, other]) await tab.waitForSelector('.prose');
      });
    });
  });

  it('U-01 no address and no entry of the history has the token', async () => {
    await withWindow(await demo(), async ({ page, server }) => {
      await page.goto(`${server.url}/note/notes/Compost.md#token=${TOKEN}`);
      await page.waitForSelector('.prose');
      const tab = await page.context().newPage();
      const requests: string[] = [];
      tab.on('request', (request) => void requests.push(request.url()));
      await tab.goto(`${server.url}/note/notes/Compost.md`);
      await tab.waitForSelector('.prose');
      expect([page.url(), tab.url(), ...requests].filter((url) => url.includes(TOKEN))).toEqual([]);
      expect(await page.evaluate('JSON.stringify(history.state) ?? ""')).not.toContain(TOKEN);
      await page.goBack();
      expect(page.url()).not.toContain(TOKEN);
    });
  });
});

/** Opens an address and enters the token by hand. */
async function signIn(page: Page, url: string, { remember = false } = {}): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Token').fill(TOKEN);
  if (remember) await page.getByLabel('Remember on this device').check();
  await page.keyboard.press('Enter');
  await page.waitForSelector('main h1, main .prose');
}

/** The storages of a tab that hold the token. */
async function tokensIn(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`[['session', sessionStorage], ['local', localStorage]]
    .filter(([, storage]) => Object.values({ ...storage }).some((value) => value.includes('token')))
    .map(([name]) => name)`)) as readonly string[];
}

async function isRemembered(page: Page): Promise<boolean> {
  return (await tokensIn(page)).includes('local');
}

/** Runs with a browser whose profile is in a folder, as after its restart. */
async function restarted(folder: string, run: (page: Page) => Promise<void>): Promise<void> {
  const context: BrowserContext = await chromium.launchPersistentContext(folder, {
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox'],
  });
  try {
    await run(await context.newPage());
  } finally {
    await context.close();
  }
}
