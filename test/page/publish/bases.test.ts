import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { withWindow } from '../../support/browser/with-browser.ts';
import { useHosted, withPublished } from './static-site.ts';

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const BASE = `filters: 'file.hasTag("plant")'
formulas:
  twice: height * 2
  mood: 'if(mood, mood, "none")'
properties:
  note.height:
    displayName: Height
  formula.twice:
    displayName: Twice
views:
  - type: table
    name: All plants
    order: [file.name, height, mood, formula.twice, formula.mood, bed, file.links, file.backlinks]
    groupBy: {property: bed, direction: ASC}
    summaries: {height: Sum, mood: Unique}
  - type: cards
    name: Pictures
    image: note.cover
    order: [file.name, height, url]
  - type: list
    name: By height
    sort: [{property: height, direction: DESC}]
    order: [file.name, height, file.tags]
`;
const NOTES = {
  'Garden/index.md': 'See [[Plants.base]] and [[Plants.base#Pictures|the pictures]].\n\n![[Plants.base]]\n',
  'Garden/Tomato.md':
    '---\ntags: [plant]\nheight: 120\nbed: "[[Sunny bed]]"\nmood: gloomy\ncover: "[[Pictures/tomato.png]]"\nurl: https://ana.example/tomato\n---\n[[Leek]] [[Diary]]\n',
  'Garden/Leek.md': '---\ntags: [plant, winter]\nheight: 40\nbed: "[[Plans/Secret bed|the other bed]]"\ndone: true\n---\nx\n',
  'Garden/Sunny bed.md':
    '---\nplants: x\n---\n```base\nfilters: bed == this\nviews:\n  - type: table\n    name: Here\n    order: [file.name]\n```\n',
  'Garden/Broken.md': '![[Broken.base]]\n\n![[Other.base]]\n\nStill here.\n',
  'Garden/Plants.base': BASE,
  'Garden/Broken.base': 'filters: "nonsense(("\nviews: [{type: table, name: Broken one}]\n',
  'Other.base': 'views: [{type: table, name: Not chosen}]\n',
  'Plans/Secret bed.md': 'x [[Leek]]\n',
  'Diary.md': '---\ntags: [plant]\nheight: 1000\n---\n[[Tomato]]\n',
  'Pictures/tomato.png': PIXEL,
};
const ARGS = ['Garden', '--properties', 'height,bed,cover,url,done'];

const hosted = useHosted(NOTES, ARGS);

/** The rows of the first table of a page as texts. */
const rowsOf = (html: string): readonly (readonly string[])[] =>
  [...(/<table class="bases-table">[\s\S]*?<\/table>/.exec(html)?.[0] ?? '').matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '').trim()),
  );

it('U-11 a base says what its page leaves out: views about the note that embeds it, and views beyond a number', () => {
  const views = Array.from({ length: 22 }, (_, at) => `  - {type: table, name: View ${at}, order: [file.name]}`);
  const notes = { ...NOTES, 'Garden/Around.base': `filters: bed == this\nviews:\n${views.join('\n')}\n` };
  return withPublished(notes, ARGS, async (site) => {
    const page = site.read('Garden/Around.base.html');
    expect(page).toContain('This view is about the note that embeds it.');
    expect(page).toContain('The first 20 of 22 views are shown.');
    expect(site.read('Garden/Plants.base.html')).not.toMatch(/about the note|views are shown/);
  });
});

it('U-11 a base shows the published notes and properties alone, in notes and as a page of its own', async () => {
  const site = await hosted();
  const page = site.read('Garden/Plants.base.html');
  expect(rowsOf(page)).toEqual([
    ['File name', 'Height', 'Twice', 'mood', 'bed', 'File links', 'File backlinks'],
    ['bed Sunny bed 1'],
    ['', 'Sum 120', '', '', '', '', ''],
    ['Tomato', '120', '240', 'none', 'Sunny bed', 'Sunny bedtomato.pngLeek', ''],
    ['bed the other bed 1'],
    ['', 'Sum 40', '', '', '', '', ''],
    ['Leek', '40', '80', 'none', 'the other bed', '', 'Tomato'],
    ['', 'Sum 160', '', '', '', '', ''],
  ]);
  expect(page).toContain('<title>Plants – Notes</title>');
  expect(page).toContain('<span class="quiet">2 results</span>');
  expect(page).toContain('<a class="internal" href="Tomato.html" data-note="Garden/Tomato.md" dir="auto">Tomato</a>');
  expect(page).toContain('<img alt="Tomato" src="../files/tomato.png" loading="lazy">');
  expect(page).toContain('href="https://ana.example/tomato"');
  expect(page).toContain('<a class="tag" href="../tags/winter.html" dir="auto">#winter</a>');
  for (const name of ['Pictures', 'By height']) expect(page).toContain(`<summary><span dir="auto">${name}</span>`);
  const home = site.read('index.html');
  expect(rowsOf(home)).toEqual(rowsOf(page));
  expect(home).toMatch(/See <a href="Garden\/Plants\.base\.html"[^>]*>Plants\.base<\/a>/);
  expect(home).toMatch(/<a href="Garden\/Plants\.base\.html"[^>]*>the pictures<\/a>/);
  // Its rows are no links of the note, and no words of it.
  expect(site.read('Garden/Leek.html')).not.toContain('backlink-title" href="../index.html"');
  expect(rowsOf(site.read('Garden/Sunny-bed.html'))).toEqual([['File name'], ['Tomato']]);
  const broken = site.read('Garden/Broken.html');
  expect(broken).toContain('This base has a mistake, so it is not shown.');
  expect(broken).toContain('Still here.');
  for (const word of ['nonsense', 'Broken one', 'Not chosen']) expect(broken).not.toContain(word);
  expect(site.read('notes.html')).toContain('>Plants</a>');
  const { notes } = JSON.parse(site.read('data/notes.json')) as { notes: string[][] };
  expect(notes.map(([path]) => path)).toContain('Garden/Plants.base');
  const { stdout } = await site.publish(...ARGS, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    pages: ['Garden/Broken.base', 'Garden/Plants.base'],
    attachments: ['Pictures/tomato.png'],
    attachments_left: [{ from: 'Garden/Broken.md', path: 'Other.base', reason: 'its folder is not chosen' }],
    problems: [{ path: 'Garden/Broken.base', message: expect.stringContaining('unclosed') }],
  });
  // The name in the text of Tomato, which is also where Leek is linked.
  const found = site.files().filter((file) => /Secret|Diary|gloomy/.test(`${file} ${site.read(file)}`) && !file.startsWith('assets/'));
  expect(found).toEqual(['Garden/Leek.html', 'Garden/Tomato.html']);
  expect(site.read('Garden/Tomato.html')).toContain('<span>Diary</span>');
});

describe.skipIf(chromiumPath === null)('U-11 bases of a published site', () => {
  it('U-11 bases can be read without JavaScript', async () => {
    const site = await hosted();
    await withWindow(
      site,
      async ({ page }) => {
        await page.goto(`file://${site.out}/Garden/Plants.base.html`);
        expect(await page.locator('.bases-table >> text=Tomato').first().isVisible()).toBe(true);
        await page.click('.bases-other summary >> text=By height');
        expect(await page.locator('.bases-list >> text=Leek').isVisible()).toBe(true);
      },
      { javaScriptEnabled: false },
    );
  });

  for (const [colorScheme, width] of WINDOWS)
    it(`U-11 bases fit, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () =>
      withWindow(
        await hosted(),
        async ({ page, server, troubles, screenshot }) => {
          await page.goto(`${server.url}/Garden/Plants.base.html`);
          expect(await page.locator('.bases-table >> text=Tomato').first().isVisible()).toBe(true);
          for (const summary of await page.locator('.bases-other summary').all()) await summary.click();
          expect(await page.locator('.bases-cards img').first().isVisible()).toBe(true);
          expect(await page.locator('.bases-list >> text=Leek').isVisible()).toBe(true);
          for (const each of [820, width]) {
            await page.setViewportSize({ width: each, height: 900 });
            expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${each} px`).toBe(true);
          }
          await screenshot(`publish/base-${colorScheme}-${width}`);
          await page.goto(`${server.url}/index.html`);
          await screenshot(`publish/base-in-note-${colorScheme}-${width}`);
          expect(await seriousFindings(page)).toEqual([]);
          expect(troubles).toEqual([]);
        },
        { viewport: { width, height: 900 }, colorScheme },
      ));
});
