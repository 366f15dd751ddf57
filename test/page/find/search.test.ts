import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';
import { openEmbeddingServer } from '../../support/meaning/embedding-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ATTACKS } from '../hostile.ts';

const FIRST = `document.querySelector('.hit-title')?.textContent`;
const TITLES = `[...document.querySelectorAll('.hit-title')].map((each) => each.textContent).join('|')`;

const NOTES = {
  'garden/Beans.md': '---\ntags: [plants]\ntype: crop\nupdated: 2020-01-01\n---\nbeans climb\n',
  'garden/Maize.md': '---\ntags: [plants/tall]\nupdated: 2021-01-01\n---\nbeans climb on it\n',
  'kitchen/Stew.md': '---\nupdated: 2022-01-01\n---\nbeans, and nothing climbs\n',
  'memory/person/Bea.md': '---\ntype: person\n---\n# Bea\n\n## Observations\n- likes beans\n',
  'projects/shed/Plant beans.md': 'beans to plant\n',
};

describe.skipIf(chromiumPath === null)('U-08 search in the page', () => {
  const site = useSite(NOTES);

  it('U-08 notes come before tasks and memories; kinds, filters and the order are in the address, and a reload shows the same', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/search');
      await page.fill('input[data-main]', 'beans');
      await until(`document.querySelectorAll('.hit').length === 5`);
      const groups = await page.locator('.hits-kind').allInnerTexts();
      expect(groups[0]).toBe('Notes');
      expect(groups).toHaveLength(3);
      await page.getByRole('button', { name: /^Memory/ }).click();
      await until(`${TITLES} === 'Bea'`);
      await until(`location.search.includes('kind=memory')`);
      await page.reload();
      await until(`${TITLES} === 'Bea'`);
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await until(`document.querySelectorAll('.hit').length === 5`);

      await page.getByLabel('Sort', { exact: true }).selectOption('changed');
      await until(`${TITLES}.startsWith('Stew|Maize|Beans')`);
      await page.getByLabel('Sort', { exact: true }).selectOption('title');
      await until(`${TITLES}.startsWith('Beans|Maize|Stew')`);
      await page.getByLabel('Folder', { exact: true }).selectOption({ label: 'garden (2)' });
      await until(`${TITLES} === 'Beans|Maize'`);
      await page.getByLabel('Tag', { exact: true }).selectOption('plants/tall');
      await until(`${TITLES} === 'Maize'`);
      await page.reload();
      await until(`${TITLES} === 'Maize'`);
      expect(await page.getByLabel('Folder', { exact: true }).inputValue()).toBe('garden');
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await page.getByLabel('Changed', { exact: true }).selectOption('7');
      await until(`${TITLES} === 'Plant beans|Bea' || ${TITLES} === 'Bea|Plant beans'`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-08 keys go through the hits in the order in which they are shown', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/search?q=beans');
      await until(`document.querySelectorAll('.hit').length === 5`);
      const shown: readonly string[] = await page.locator('.hit-title').allInnerTexts();
      for (const title of shown) {
        await page.keyboard.press('ArrowDown');
        await until(`document.querySelector('.hit[aria-selected="true"] .hit-title')?.textContent === ${JSON.stringify(title)}`);
      }
      await page.keyboard.press('Enter');
      await page.waitForSelector('.prose');
      expect(troubles).toEqual([]);
    });
  });

  it('U-08 without embeddings it says what is off, in plain words, and finds by words', () =>
    withBrowser(
      NOTES,
      async ({ page, open, until, troubles }) => {
        await open('/search?q=beans&mode=meaning');
        await until(`document.querySelector('.search .notice')?.textContent.includes('Search by meaning is off')`);
        await until(`document.querySelectorAll('.hit').length === 5`);
        await page.getByRole('button', { name: 'Words', exact: true }).click();
        await until(`document.querySelector('.search .notice') === null`);
        expect(troubles).toEqual([]);
      },
      { env: { ROUX_EMBEDDINGS: 'none' } },
    ));

  it('U-08 with embeddings, notes of similar meaning follow those with the words, and "Meaning" orders by it', async () => {
    const embedder = await openEmbeddingServer();
    try {
      await withBrowser(
        {
          ...NOTES,
          'cold/Snow.md': 'white winter snow falls\n',
          'cold/Frost.md': 'white winter snow in the morning\n',
        },
        async ({ page, open, until, troubles, server }) => {
          await open('/search');
          await waitFor(async () => (await server.page('suggest', { query: 'white winter', mode: 'meaning' })).meaning.is_used, {
            what: 'search by meaning',
          });
          await page.fill('input[data-main]', 'white winter');
          await page.getByRole('button', { name: 'Meaning', exact: true }).click();
          await until(`${TITLES}.includes('Snow') && ${TITLES}.includes('Frost')`);
          await until(`location.search.includes('mode=meaning')`);
          expect(troubles).toEqual([]);
        },
        { env: { ROUX_EMBEDDINGS: 'remote', ROUX_EMBED_URL: embedder.url, ROUX_EMBED_MODEL: 'hashes', ROUX_EMBED_KEY: 'key-a' } },
      );
    } finally {
      embedder.close();
    }
  });

  it('U-08 more of similar meaning comes after a pause below the hits; "nothing fits" says so; a wait says for what', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      let answer: Readonly<Record<string, unknown>> = { is_used: true, state: 'ready', embedded: 5, all: 5 };
      await page.route('**/api/suggest', async (route) => {
        const asked = route.request().postDataJSON() as { mode?: string };
        const response = await route.fetch();
        const body = (await response.json()) as { result: { hits: unknown[]; meaning: unknown; is_unsure: boolean } };
        if (asked.mode !== 'words') {
          body.result.meaning = answer;
          const hit = { ...(body.result.hits[0] as object), path: 'garden/Maize.md', title: 'Maize', kind: 'note' };
          if (asked.mode === 'auto') body.result.hits = [hit];
          body.result.is_unsure = true;
        }
        await route.fulfill({ response, json: body });
      });
      await open('/search');
      await page.fill('input[data-main]', 'stew');
      await until(`${TITLES} === 'Stew|Maize'`);
      expect(await page.locator('.hits-kind').allInnerTexts()).toEqual(['Notes', 'Close in meaning']);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/note/garden/Maize.md'`);
      await open('/search?q=stew&mode=meaning');
      await until(`document.body.textContent.includes('Nothing fits well. These come nearest.')`);
      answer = { is_used: false, state: 'ready', embedded: 1_200, all: 3_000 };
      await open('/search?q=beans&mode=meaning');
      await until(`document.querySelector('.notice')?.textContent.includes('1,200 of 3,000')`);
      answer = { is_used: false, state: 'ready', embedded: 5, all: 5, language: 'en' };
      await until(`document.querySelector('.notice')?.textContent.includes('English only')`);
      expect(troubles).toEqual([]);
    });
  });

  for (const [width, colorScheme] of [
    [360, 'dark'],
    [820, 'dark'],
    [1280, 'light'],
  ] as const)
    it(`U-08 fits, and axe finds nothing serious: ${width} px, ${colorScheme}`, async () => {
      await withWindow(
        await site(),
        async ({ page, open, until, troubles, screenshot }) => {
          await open('/search?q=beans&folder=garden&sort=title');
          await until(`${TITLES} === 'Beans|Maize'`);
          await screenshot(`search-filtered-${width}`);
          await open('/search?q=beans');
          await until(`document.querySelectorAll('.hit').length === 5`);
          if (width === 360) await page.getByRole('button', { name: 'Filter and sort' }).click();
          expect(await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`)).toBe(0);
          expect(await seriousFindings(page)).toEqual([]);
          await screenshot(`search-kinds-${width}`);
          expect(troubles).toEqual([]);
        },
        { viewport: { width, height: 800 }, colorScheme },
      );
    });

  it('U-08 hostile folders, tags and types are choices like others', () =>
    withBrowser(
      Object.fromEntries(
        ATTACKS.map((text, at) => [
          `${text.replaceAll(/[^\w .,()='-]/g, '_').slice(0, 40)}/${at}.md`,
          `---\ntags: [${JSON.stringify(text)}]\ntype: ${JSON.stringify(text)}\n---\nzebra\n`,
        ]),
      ),
      async ({ page, open, until, troubles }) => {
        await open('/search?q=zebra');
        await until(`document.querySelectorAll('.hit').length > 5`);
        const values: readonly string[] = await page.evaluate(
          `[...document.querySelectorAll('[aria-label="Type"] option')].map((each) => each.value)`,
        );
        for (const value of values.slice(1, 8)) {
          await page.getByLabel('Type', { exact: true }).selectOption(value);
          await until(`document.querySelectorAll('.hit').length === 1 && ${FIRST} !== undefined`);
        }
        for (const query of [
          '?q=zebra&folder=..%2F..&since=x&sort=%00&kind=constructor&from=-1',
          '?q=zebra&tag=%22%29%20OR%20%28',
          '?q=%22%28%5B',
        ]) {
          await open(`/search${query}`);
          await until(`document.querySelector('.search-filters') !== null`);
        }
        expect(troubles).toEqual([]);
      },
    ));
});
