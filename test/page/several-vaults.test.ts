import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../support/browser/accessibility.ts';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withWindow } from '../support/browser/with-browser.ts';
import type { BrowserTest } from '../support/browser/with-browser.ts';
import { withServe } from '../support/program/http-server.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';

const FILES = {
  'notes/Soup.md': '# Soup\n\nA note about [[Bread]] and [[Salt]]. #food\n',
  'notes/Bread.md': '# Bread\n',
  'My Work/Plan.md': '# Plan\n\nSee [[Sub/Next steps]].\n',
  'My Work/Sub/Next steps.md': '# Next steps\n',
};

type Run = (test: BrowserTest & { readonly place: TestVault; readonly address: string }) => Promise<void>;

/** Runs with a window of a server of both vaults. `address`: the one that the terminal shows. */
function withBoth(run: Run, context = {}): Promise<void> {
  return withVault(FILES, (place) =>
    withServe(
      { ...place, root: place.path('notes') },
      [place.path('My Work')],
      (server) =>
        withWindow(
          { vault: place, server: server as never },
          (test) => run({ ...test, place, address: /Page +(\S+)/.exec(server.told())?.[1] ?? '' }),
          context,
        ),
      { ROUX_HTTP_AUTH: 'token' },
    ),
  );
}

describe.skipIf(chromiumPath === null)('O-02 the page of several vaults', () => {
  it('O-02 one address signs in at all, and one control switches between them; each page shows its own vault, in a new tab too', () =>
    withBoth(async ({ page, address, until, troubles, server, forgive }) => {
      await page.goto(address);
      await page.waitForSelector('main h1');
      await until(`document.querySelector('.vault-name').textContent === 'notes'`);
      expect(new URL(page.url()).hash).toBe('');
      // Links of the page and of a note stay below the vault, as they are and where they lead.
      await page.click('nav a:has-text("Search")');
      await until(`location.pathname === '/notes/search'`);
      await page.goto(`${server.url}/notes/note/Soup.md`);
      await page.waitForSelector('.prose a');
      const links = (await page.evaluate(
        `[...document.querySelectorAll('a[href]')].filter(({ origin }) => origin === location.origin).map(({ pathname }) => pathname)`,
      )) as readonly string[];
      expect(links.filter((path) => !path.startsWith('/notes/'))).toEqual([]);
      await page.click('.prose a:has-text("Bread")');
      await until(`location.pathname === '/notes/note/Bread.md' && document.querySelector('main h1').textContent === 'Bread'`);
      await page.goBack();
      await until(`location.pathname === '/notes/note/Soup.md'`);
      // With the keyboard alone.
      await page.focus('button[aria-label^="Switch the vault"]');
      await page.keyboard.press('Enter');
      await until(`document.activeElement.textContent === 'notes'`);
      await page.keyboard.press('Escape');
      await until(`document.activeElement.getAttribute('aria-expanded') === 'false'`);
      await page.keyboard.press('Enter');
      await until(`document.activeElement.textContent === 'notes'`);
      await page.keyboard.press('ArrowDown');
      await until(`document.activeElement.textContent === 'My Work'`);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${server.url}/My%20Work/`);
      await until(`document.querySelector('.vault-name')?.textContent === 'My Work'`);
      await page.goto(`${server.url}/My%20Work/note/Plan.md`);
      await page.click('.prose a');
      await until(
        `location.pathname === '/My%20Work/note/Sub/Next%20steps.md' && document.querySelector('main h1').textContent === 'Next steps'`,
      );
      // Another tab has no token of its own yet.
      const tab = await page.context().newPage();
      await tab.goto(`${server.url}/notes/note/Soup.md`);
      await tab.waitForSelector('.prose');
      expect(await tab.locator('main h1').first().innerText()).toBe('Soup');
      // Signing out is of one vault.
      await tab.click('button[title^="Sign out"]');
      await tab.waitForSelector('#token');
      expect(await page.locator('#token').count()).toBe(0);
      await page.reload();
      await until(`document.querySelector('main h1')?.textContent === 'Next steps'`);
      await page.goto(`${server.url}/notes/`);
      await page.waitForSelector('#token');
      forgive(/401/);
      expect(troubles).toEqual([]);
    }));

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 820],
    ['light', 360],
  ] as const) {
    it(`O-02 the switch at ${width} px, ${colorScheme}`, () =>
      withBoth(
        async ({ page, address, screenshot }) => {
          await page.goto(address);
          await page.waitForSelector('main h1');
          await page.click('button[aria-label^="Switch the vault"]');
          await page.waitForSelector('.vault-list');
          await screenshot(`vault-switch-${colorScheme}-${width}`);
          expect(await seriousFindings(page)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        },
        { viewport: { width, height: 800 }, colorScheme },
      ));
  }
});
