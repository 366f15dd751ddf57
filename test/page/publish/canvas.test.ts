import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withWindow } from '../../support/browser/with-browser.ts';
import type { Site } from '../../support/browser/with-browser.ts';
import { withHost, withPublished } from './static-site.ts';

const CANVAS = {
  nodes: [
    { id: 'group', type: 'group', label: 'The year', x: -40, y: -60, width: 1500, height: 700, color: '4' },
    {
      id: 'text',
      type: 'text',
      text: '## Plan\n\nSow **early**, see [[Leek]] and [[Diary|my diary]].',
      x: 0,
      y: 0,
      width: 360,
      height: 220,
      color: '1',
    },
    { id: 'note', type: 'file', file: 'Garden/Leek.md', x: 520, y: 0, width: 360, height: 220 },
    { id: 'picture', type: 'file', file: 'Pictures/leek.png', x: 1040, y: 0, width: 360, height: 220 },
    { id: 'diary', type: 'file', file: 'Diary.md', x: 0, y: 340, width: 360, height: 220 },
    { id: 'web', type: 'link', url: 'https://ana.example/leeks', x: 520, y: 340, width: 360, height: 220, color: '#ff0000' },
    { id: 'bad', type: 'link', url: 'javascript:hacked=1', x: 1040, y: 340, width: 360, height: 220 },
  ],
  edges: [
    { id: 'a', fromNode: 'text', toNode: 'note', label: 'grows' },
    { id: 'b', fromNode: 'note', toNode: 'diary', label: 'is told' },
  ],
};
const NOTES = {
  'Garden/index.md': 'The plan:\n\n![[Year.canvas]]\n\n[[Year.canvas|the whole year]]\n',
  'Garden/Leek.md': 'Leeks like it cold. <script>hacked=1</script>\n',
  'Garden/Year.canvas': JSON.stringify(CANVAS),
  'Garden/Broken.canvas': '{',
  'Diary.md': 'x\n',
  'Pictures/leek.png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
};

it('U-11 a canvas shows the cards that are published, on a page of its own and in notes', () =>
  withPublished(NOTES, ['Garden'], async (site) => {
    const page = site.read('Garden/Year.canvas.html');
    for (const html of [page, site.read('index.html')]) {
      expect(html).toContain('<summary>6 items as a list</summary>');
      for (const text of ['The year', '<strong>early</strong>', 'my diary', 'Leeks like it cold.', 'https://ana.example/leeks', 'grows'])
        expect(html).toContain(text);
      expect(html).not.toMatch(/Diary|is told|style=|="javascript:|<script>/);
      expect(html.match(/<path class="canvas-line"/g)).toHaveLength(1);
    }
    expect(page).toContain('data-note="Garden/Leek.md"');
    expect(page).toContain('src="../files/leek.png"');
    expect(site.read('index.html')).toMatch(/<a href="Garden\/Year\.canvas\.html"[^>]*>the whole year<\/a>/);
    expect(site.read('Garden/Broken.canvas.html')).toContain('This canvas cannot be shown.');
    const { stdout } = await site.publish('Garden', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      pages: ['Garden/Broken.canvas', 'Garden/Year.canvas'],
      attachments: ['Pictures/leek.png'],
      links_left: [{ from: 'Garden/Year.canvas', to: 'Diary.md' }],
      embeds_left: [{ from: 'Garden/Year.canvas', to: 'Diary.md' }],
      problems: [{ path: 'Garden/Broken.canvas' }],
    });
  }));

describe.skipIf(chromiumPath === null)('U-11 canvases of a published site', () => {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 820],
    ['dark', 360],
  ] as const)
    it(`U-11 canvases fit, lead to notes, and axe finds nothing serious: ${colorScheme}, ${width} px`, () =>
      withPublished(NOTES, ['Garden'], (site) =>
        withHost(site.out, '/notes', (url) =>
          withWindow(
            { vault: site.vault, server: { url } as Site['server'] },
            async ({ page, troubles, screenshot }) => {
              await page.goto(`${url}/index.html`);
              await screenshot(`publish/canvas-in-note-${colorScheme}-${width}`);
              expect(await seriousFindings(page)).toEqual([]);
              await page.goto(`${url}/Garden/Year.canvas.html`);
              await page.waitForSelector('.canvas-node >> text=Leeks like it cold');
              const card = await page.locator('.canvas-text').boundingBox();
              expect([Math.round(card?.width ?? 0), Math.round(card?.height ?? 0)]).toEqual([360, 220]);
              expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
              expect(await seriousFindings(page)).toEqual([]);
              await screenshot(`publish/canvas-${colorScheme}-${width}`);
              await page.click('.canvas-list summary');
              await page.click('.canvas-list a >> text=Leek');
              await page.waitForSelector('h1 >> text=Leek');
              expect(await page.evaluate('typeof hacked')).toBe('undefined');
              expect(troubles).toEqual([]);
            },
            { viewport: { width, height: 800 }, colorScheme },
          ),
        ),
      ));
});
