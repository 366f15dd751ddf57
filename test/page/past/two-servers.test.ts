import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';

const NOTES = { 'Soup.md': '# Soup\n' };

describe('issue 28.1: two servers on one vault', () => {
  it('the second tells the terminal where the first is; a server that has ended is not told', () =>
    withVault(NOTES, async (vault) => {
      await withServe(vault, [], ({ told, url }) =>
        withServe(vault, [], async (second) => {
          expect(told()).not.toContain('also served');
          expect(second.told()).toContain(`This vault is also served at ${url}.`);
        }),
      );
      await withServe(vault, [], async ({ told }) => expect(told()).not.toContain('also served'));
    }));

  it.skipIf(chromiumPath === null)('the page says so quietly', () =>
    withBrowser(NOTES, async ({ vault, page, open, until }) => {
      await open('/note/Soup.md');
      expect(await page.locator('.status-line').innerText()).not.toContain('also served');
      await withServe(vault, [], async ({ url }) => {
        await open('/note/Soup.md');
        await until(`document.querySelector('.status-line').textContent.includes('This vault is also served at ${url}')`);
      });
    }),
  );
});
