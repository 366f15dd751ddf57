import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';

const book = (author: string, price: number, more = ''): string =>
  `---\nauthor: "[[${author}]]"\nprice: ${price}\ntags: [book]\n${more}---\n`;
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const BASE = `filters:
  and:
    - file.hasTag("book")
formulas:
  double: price * 2
properties:
  file.name:
    displayName: Title
  formula.double:
    displayName: Twice
views:
  - type: table
    name: All
    order: [file.name, author, price, formula.double, read, out, site]
    sort:
      - property: price
        direction: DESC
    summaries:
      price: Sum
    columnSize:
      file.name: 240
  - type: table
    name: By author
    groupBy:
      property: author
      direction: ASC
    order: [file.name, price]
    summaries:
      price: Average
  - type: cards
    name: Covers
    order: [file.name, price]
    image: note.cover
    imageAspectRatio: 1.5
  - type: list
    name: Short
    markers: number
    limit: 2
    separator: " - "
    order: [file.name, tags]
  - type: table
    name: Of this author
    filters: 'list(author).contains(this)'
    order: [file.name]
  - type: map
    name: On a map
`;

const NOTES = {
  'Books.base': BASE,
  'books/Dune.md': book('Frank Herbert', 12, 'read: true\nout: 1965-08-01\ncover: "[[dune.png]]"\n'),
  'books/Emma.md': book('Jane Austen', 8, 'site: https://example.org/emma\ncover: "#aa3355"\n'),
  'books/Persuasion.md': book('Jane Austen', 10, 'cover: https://example.org/cover.png\n'),
  'Jane Austen.md': '# Jane Austen\n\n![[Books.base#Of this author]]\n\n> [!tip] In a callout\n> ![[Books.base#short]]\n',
  'All.md': 'See [[Books.base#Covers|the covers]].\n\n![[Books.base]]\n',
  'Block.md': "```base\nfilters: file.hasTag('book')\nviews:\n  - type: list\n    name: Mine\n    order: [file.name]\n```\n",
  'Nowhere.md': '![[Books.base#Nowhere]]\n',
  'broken/one.base': 'views:\n  - name: a\n    order:\n      - file.name\n    filters:\n      and:\n        - "nosuch(1)"\n',
  'broken/two.base': 'views:\n  - name: a\n    order: [file.name\n',
  'broken/three.base': 'views:\n  - name: a\n\n    order: 5\n',
  'many/Many.base': 'filters: file.inFolder("many")\nviews:\n  - type: table\n    name: Many\n',
  ...Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`many/${String(at).padStart(3, '0')}.md`, 'x\n'])),
};

describe.skipIf(chromiumPath === null)('U-02 bases in the page', () => {
  const site = useSite(NOTES, async ({ vault }) => vault.write('dune.png', PIXEL));

  it('U-02 a base is a table with its columns, names, order, links, numbers, dates, checkboxes and summaries', async () => {
    await withWindow(await site(), async ({ page, open, troubles, screenshot }) => {
      await open('/note/Books.base');
      await page.waitForSelector('.bases-table');
      expect(await page.locator('h1').textContent()).toBe('Books');
      expect(await page.locator('thead th').allTextContents()).toEqual(['Title', 'author', 'price', 'Twice', 'read', 'out', 'site']);
      expect(await page.locator('tbody tr td:first-child').allTextContents()).toEqual(['Dune', 'Persuasion', 'Emma']);
      expect(await page.locator('tbody tr').first().locator('td').allTextContents()).toEqual([
        'Dune',
        'Frank Herbert',
        '12',
        '24',
        '',
        '1965-08-01',
        '',
      ]);
      expect(await page.locator('tbody tr').first().locator('input[type=checkbox]:checked:disabled').count()).toBe(1);
      expect(await page.locator('tfoot td').nth(2).textContent()).toContain('30');
      expect(await page.locator('tbody a', { hasText: 'example.org' }).getAttribute('target')).toBe('_blank');
      await screenshot('bases-table');
      await page.locator('tbody a', { hasText: 'Emma' }).first().click();
      await page.waitForSelector('.note[data-path="books/Emma.md"]');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 its views are a choice in the address: groups with their summaries, cards with pictures, lists, and a word about the others', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles, screenshot }) => {
      await open('/note/Books.base');
      const choose = async (view: string, shown: string): Promise<void> => {
        await page.locator('select.bases-views').selectOption(view);
        await page.waitForSelector(shown);
      };
      await page.waitForSelector('.bases-table');
      await choose('By author', '.bases-group');
      expect(await page.locator('tr.bases-group').allTextContents()).toEqual(['author Frank Herbert 1', 'author Jane Austen 2']);
      expect(await page.locator('tbody .bases-summary').allTextContents()).toEqual(['Average 12', 'Average 9']);
      expect(new URL(page.url()).hash).toBe('#By%20author');
      await choose('Covers', '.bases-card');
      expect(await page.locator('.bases-card').count()).toBe(3);
      await until(`document.querySelector('.bases-picture img')?.naturalWidth === 1`);
      expect(await page.locator('.bases-picture a').getAttribute('href')).toBe('https://example.org/cover.png');
      await screenshot('bases-cards');
      await choose('Short', 'ol.bases-list');
      expect(await page.locator('.bases-list > li').allTextContents()).toEqual(['Dune - #book', 'Emma - #book']);
      await choose('On a map', 'text=does not draw views of the type “map”');
      expect(await page.locator('.bases-table tbody tr').count()).toBe(3);
      await page.goBack();
      await page.waitForSelector('ol.bases-list');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 in a note it is the view that the embed names, `this` is the note, and a link leads to the base', async () => {
    await withWindow(await site(), async ({ page, open, troubles, screenshot }) => {
      await open('/note/Jane%20Austen.md');
      await page.waitForSelector('.bases-table');
      expect(await page.locator('.bases-table tbody td').allTextContents()).toEqual(['Emma', 'Persuasion']);
      // Each base is read by itself.
      await page.waitForSelector('.callout .bases-list');
      expect(await page.locator('.callout .bases-list > li').count()).toBe(2);
      await screenshot('bases-embed');
      await open('/note/All.md');
      await page.waitForSelector('.bases-table');
      await page.getByRole('link', { name: 'the covers' }).click();
      await page.waitForSelector('.bases-card');
      await open('/note/Block.md');
      await page.waitForSelector('.bases-list');
      expect(await page.locator('.bases-list > li').allTextContents()).toEqual(['Dune', 'Emma', 'Persuasion']);
      await open('/note/Nowhere.md');
      await page.waitForSelector('text=This base has no view “Nowhere”');
      await page.waitForSelector('.bases-table');
      await open('/note/Books.base#Of this author');
      await page.waitForSelector('text=This view is about the note that embeds it');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 a mistake in a base is said with its line', async () => {
    await withWindow(await site(), async ({ page, open }) => {
      for (const [name, ...texts] of [
        ['one', 'there is no function "nosuch"', 'Line 7: - "nosuch(1)"'],
        ['two', 'its YAML cannot be read', 'Line 3'],
        ['three', 'order is not a list', 'Line 4: order: 5'],
      ] as const) {
        await open(`/note/broken/${name}.base`);
        await page.waitForSelector('.failure');
        for (const text of texts) expect(await page.locator('.failure').textContent()).toContain(text);
      }
    });
  });

  it('U-02 a long base is shown in parts', async () => {
    await withWindow(await site(), async ({ page, open, until }) => {
      await open('/note/many/Many.base');
      await page.waitForSelector('.bases-table');
      expect(await page.locator('tbody tr').count()).toBe(50);
      await page.getByRole('button', { name: 'Show more' }).click();
      await until(`document.querySelectorAll('tbody tr').length === 121`);
      expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    });
  });

  it('U-02 it follows the vault', () =>
    withBrowser(
      { 'a.md': '---\nn: 1\n---\n', 'b.base': 'filters: n > 0\nviews: [{type: table, name: t, order: [file.name, n]}]\n' },
      async (test) => {
        const { page, open, vault, until } = test;
        await open('/note/b.base');
        await page.waitForSelector('.bases-table');
        vault.write('c.md', '---\nn: 5\n---\n');
        await until(`document.querySelectorAll('tbody tr').length === 2`);
        vault.write('b.base', 'filters: n > 3\nviews: [{type: list, name: t, order: [n]}]\n');
        await until(`document.querySelector('.bases-list')?.textContent === '5'`);
        expect(test.troubles).toEqual([]);
      },
    ));

  for (const [colorScheme, width] of WINDOWS) {
    it(`U-02 bases fit, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await site(),
        async ({ page, open, screenshot }) => {
          for (const [name, address, shown] of [
            ['table', '/note/Books.base', '.bases-table'],
            ['groups', '/note/Books.base#By author', '.bases-group'],
            ['cards', '/note/Books.base#Covers', '.bases-card'],
            ['list', '/note/Books.base#Short', '.bases-list'],
            ['embed', '/note/Jane%20Austen.md', '.bases-table'],
            ['broken', '/note/broken/one.base', '.failure'],
          ] as const) {
            await open(address);
            await page.waitForSelector(shown);
            const overflow = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
            expect(overflow, `${name} is wider than the window`).toBe(0);
            expect(await seriousFindings(page), name).toEqual([]);
            await screenshot(`bases-${name}-${colorScheme}-${width}`);
          }
        },
        { viewport: { width, height: 800 }, colorScheme },
      );
    });
  }
});
