import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withBrowser } from '../support/browser/with-browser.ts';
import type { BrowserTest } from '../support/browser/with-browser.ts';
import { vaultsNamed } from '../support/vaults.ts';

// The first is in the repository, so that one is walked through everywhere.
const VAULTS = vaultsNamed('library', 'kepano', 'obsidian-developer-docs', 'obsidian-help-en', 'obsidian-help-zh');
const VIEWS = ['/search', '/note', '/graph', '/tasks', '/tasks?tab=checkboxes', '/memory', '/knowledge', '/activity'];
const MAX_LINKS = 25;
const MAX_NOTES = 12;

/** Words that no person should read: names of tools and of properties that are roux's own, identifiers and hashes. */
const FOREIGN_WORDS =
  /\b(?:update_node|create_node|graph_\w+|kg_\w+|list_nodes|read_page|if_match|expected_rev|updated_at)\b|\b[\da-f]{40,}\b/;

describe.skipIf(chromiumPath === null)('U-14 a newcomer walks through vaults', () => {
  for (const { name, root, isThere } of VAULTS) {
    it.skipIf(!isThere)(`U-14 ${name}: every link of home and every view leads to something, and nothing goes wrong on the way`, () =>
      withBrowser(root, async (test) => {
        const { page, open, troubles, forgive } = test;
        await open('/');
        await page.waitForSelector('.home');
        const home = await linksOf(test, 'main');
        expect(home.length, 'home is empty').toBeGreaterThan(5);
        for (const address of home.slice(0, MAX_LINKS)) await expectPage(test, address);
        for (const address of VIEWS) await expectPage(test, address);
        await open('/note');
        await page.waitForSelector('.notes a');
        const notes = (await linksOf(test, '.notes')).filter((address) => address.startsWith('/note/'));
        for (const address of notes.slice(0, MAX_NOTES)) await expectPage(test, address);
        // Today's note may not be there yet: its page offers to make it.
        forgive(/404 \(Not Found\)/);
        expect(troubles).toEqual([]);
      }),
    );
  }
});

/** The addresses of this site that a part of the page links to, each once. */
async function linksOf({ page }: BrowserTest, part: string): Promise<readonly string[]> {
  const links = await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(`${part} a[href]`)})].map((link) => link.href).filter((href) => href.startsWith(location.origin))`,
  );
  const addresses = (links as readonly string[]).map((href) => href.slice(new URL(href).origin.length));
  return [...new Set(addresses)].filter((address) => !address.startsWith('/#'));
}

/** Opens an address: it is a page with a heading and words for people, as wide as the window, that is no error. */
async function expectPage({ page, open, until }: BrowserTest, address: string): Promise<void> {
  await open(address);
  await until(`document.querySelector('main .loading') === null`);
  const text = await page.locator('main').innerText();
  expect(text.trim(), address).not.toBe('');
  expect(text, address).not.toMatch(/Nothing has this address|could not be loaded|went wrong/);
  expect(await page.locator('main .failure').count(), address).toBe(0);
  // The text of notes may say anything; what is around it may not.
  const own = await page.evaluate(`[...document.querySelectorAll('main *')]
    .filter((element) => element.closest('.prose, pre, code, .properties, .snippet') === null)
    .flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data))
    .join('\\n')`);
  expect(own, address).not.toMatch(FOREIGN_WORDS);
}
