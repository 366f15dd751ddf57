import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';

const text = (id: string, x: number, y: number, words: string, more: object = {}) => ({
  id,
  type: 'text',
  x,
  y,
  width: 260,
  height: 140,
  text: words,
  ...more,
});

const PLAN = {
  nodes: [
    { id: 'group', type: 'group', x: -40, y: -40, width: 720, height: 460, label: 'Garden', color: '4' },
    text('compost', 0, 0, '# Compost\n\nTurn it, see [[Soil]].', { color: '#aa3355' }),
    { id: 'soil', type: 'file', x: 340, y: 0, width: 300, height: 200, file: 'Soil.md', subpath: '#Clay' },
    { id: 'base', type: 'file', x: 340, y: 230, width: 320, height: 160, file: 'All.base' },
    { id: 'gone', type: 'file', x: 0, y: 200, width: 260, height: 60, file: 'gone.md' },
    { id: 'web', type: 'link', x: 0, y: 300, width: 260, height: 60, url: 'https://example.org/garden' },
  ],
  edges: [{ id: 'e', fromNode: 'compost', fromSide: 'right', toNode: 'soil', toSide: 'left', label: 'needs' }],
};

const FILES = {
  'Plan.canvas': JSON.stringify(PLAN),
  'Soil.md': '# Soil\n\nLoam.\n\n## Clay\n\nHeavy and wet.\n',
  'All.base': 'views: [{type: table, name: t, order: [file.name]}]\n',
  'Notes.md': 'Before ![[Plan.canvas]] after, and [[Plan.canvas|the plan]].\n',
  'Broken.canvas': '{"nodes": [',
  'Many.canvas': JSON.stringify({
    nodes: Array.from({ length: 10_000 }, (_, at) => text(`${at}`, (at % 100) * 300, Math.floor(at / 100) * 200, `Node ${at}`)),
    edges: [],
  }),
};

const zoomOf = `Number(getComputedStyle(document.querySelector('.canvas-plane')).getPropertyValue('--zoom'))`;
const placeOf = `document.querySelector('.canvas-plane').style.transform`;

describe.skipIf(chromiumPath === null)('U-02 canvases in the page', () => {
  const site = useSite(FILES);

  it('U-02 a canvas shows its texts, notes, bases, links, groups and labelled lines, and leads to the notes', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles, screenshot }) => {
      await open('/note/Plan.canvas');
      await page.waitForSelector('.canvas-node');
      expect(await page.locator('.canvas-node').count()).toBe(6);
      expect(await page.locator('.canvas-text h1').textContent()).toBe('Compost');
      await until(`document.querySelector('.canvas-file .prose')?.textContent.includes('Heavy and wet')`);
      await until(`document.querySelectorAll('.canvas .bases-table tbody tr').length === 6`);
      expect(await page.locator('.canvas-label').textContent()).toBe('Garden');
      expect(await page.locator('.canvas-edge-label').textContent()).toBe('needs');
      expect(await page.locator('.canvas-arrow').count()).toBe(1);
      expect(await page.locator('[data-node=gone]').textContent()).toContain('gone.md is not in the vault.');
      expect(await page.locator('[data-node=web] a').getAttribute('rel')).toBe('noopener noreferrer');
      expect(await page.evaluate(`getComputedStyle(document.querySelector('[data-node=compost]')).borderTopColor`)).toBe(
        'rgb(170, 51, 85)',
      );
      await screenshot('canvas');
      await page.locator('[data-node=soil] .canvas-file-title a').click();
      await page.waitForSelector('.note[data-path="Soil.md"]');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 notes and bases are loaded also where the browser tells late that they came near', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await page.addInitScript(`
        const Observer = IntersectionObserver;
        // As on a busy machine: with what was before.
        globalThis.IntersectionObserver = class extends Observer {
          constructor(onChange, options) {
            super((entries, observer) => onChange([{ ...entries[0], target: entries[0].target, isIntersecting: false }, ...entries], observer), options);
          }
        };
      `);
      await open('/note/Plan.canvas');
      await until(`document.querySelector('.canvas-file .prose')?.textContent.includes('Heavy and wet')`);
      await until(`document.querySelectorAll('.canvas .bases-table tbody tr').length === 6`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 it moves and zooms by keys, buttons, wheel and dragging, and a list of its items does without', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/note/Plan.canvas');
      await page.waitForSelector('.canvas-node');
      const fitted = await page.evaluate(placeOf);
      const changes = async (act: () => Promise<unknown>): Promise<void> => {
        const before = await page.evaluate(placeOf);
        await act();
        await until(`${placeOf} !== ${JSON.stringify(before)}`);
      };
      await page.locator('.canvas').focus();
      for (const key of ['ArrowLeft', 'ArrowDown', '+', '-', '-']) await changes(() => page.keyboard.press(key));
      await page.keyboard.press('0');
      await until(`${placeOf} === ${JSON.stringify(fitted)}`);
      const zoom = Number(await page.evaluate(zoomOf));
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await until(`${zoomOf} > ${zoom}`);
      const box = await page.locator('.canvas').boundingBox();
      const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20];
      await page.mouse.move(x, y);
      await changes(() => page.mouse.wheel(0, 120));
      await changes(async () => {
        await page.mouse.down();
        await page.mouse.move(x + 60, y + 30, { steps: 4 });
        await page.mouse.up();
      });
      // A drag that ends on a link does not follow it.
      const link = await page.locator('[data-node=soil] .canvas-file-title a').boundingBox();
      await page.mouse.move((link?.x ?? 0) - 30, (link?.y ?? 0) + 5);
      await page.mouse.down();
      await page.mouse.move((link?.x ?? 0) + 10, (link?.y ?? 0) + 5, { steps: 4 });
      await page.mouse.up();
      expect(new URL(page.url()).pathname).toBe('/note/Plan.canvas');
      await page.locator('.canvas-list summary').click();
      expect(await page.locator('.canvas-list li').count()).toBe(6);
      expect(await page.locator('.canvas-list').textContent()).toContain('needs → Soil');
      await page.getByRole('button', { name: 'Show Soil on the canvas' }).click();
      await until(`document.activeElement?.dataset.node === 'soil'`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 inside a note it is a picture of its own, and the wheel scrolls the note', async () => {
    await withWindow(
      await site(),
      async ({ page, open, until, troubles, screenshot }) => {
        await open('/note/Notes.md');
        await page.waitForSelector('.live-block .canvas-node');
        const before = await page.evaluate(placeOf);
        const box = await page.locator('.canvas').boundingBox();
        await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
        await page.mouse.wheel(0, 100);
        await until(`scrollY > 0`);
        expect(await page.evaluate(placeOf)).toBe(before);
        await screenshot('canvas-embed');
        await page.getByRole('link', { name: 'the plan' }).click();
        await page.waitForSelector('.file-page .canvas-node');
        expect(troubles).toEqual([]);
      },
      { viewport: { width: 1280, height: 500 } },
    );
  });

  it('U-02 what is too large or broken is said', async () => {
    await withWindow(await site(), async ({ page, open, troubles }) => {
      await open('/note/Many.canvas');
      await page.waitForSelector('text=This canvas has 10,000 items. The first 2,000 are shown.');
      expect(await page.locator('.canvas-node').count()).toBe(2_000);
      await open('/note/Broken.canvas');
      await page.waitForSelector('text=This file is not a canvas: its JSON cannot be read.');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 it follows the vault, and stays where the reader moved it', () =>
    withBrowser(
      { 'a.canvas': JSON.stringify({ nodes: [text('1', 0, 0, 'one')], edges: [] }) },
      async ({ page, open, vault, until, troubles }) => {
        await open('/note/a.canvas');
        await page.waitForSelector('.canvas-node');
        await page.locator('.canvas').focus();
        const first = await page.evaluate(placeOf);
        await page.keyboard.press('ArrowLeft');
        await until(`${placeOf} !== ${JSON.stringify(first)}`);
        const moved = await page.evaluate(placeOf);
        // As an editor that writes in place leaves it for a moment.
        vault.write('a.canvas', '');
        await page.waitForSelector('.canvas-node', { state: 'detached' });
        vault.write('a.canvas', JSON.stringify({ nodes: [text('1', 0, 0, 'one'), text('2', 300, 0, 'two')], edges: [] }));
        await until(`document.querySelectorAll('.canvas-node').length === 2`);
        expect(await page.evaluate(placeOf)).toBe(moved);
        expect(troubles).toEqual([]);
      },
    ));

  for (const [colorScheme, width] of WINDOWS) {
    it(`U-02 canvases fit, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await site(),
        async ({ page, open, screenshot }) => {
          for (const [name, address] of [
            ['page', '/note/Plan.canvas'],
            ['embed', '/note/Notes.md'],
          ] as const) {
            await open(address);
            // Where all of it is very small there are only names.
            await page.waitForSelector('.canvas .bases-table, .canvas[data-far="true"]');
            await page.locator('.canvas-list summary').click();
            const overflow = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
            expect(overflow, `${name} is wider than the window`).toBe(0);
            expect(await seriousFindings(page), name).toEqual([]);
            await screenshot(`canvas-${name}-${colorScheme}-${width}`);
          }
        },
        { viewport: { width, height: 800 }, colorScheme },
      );
    });
  }
});
