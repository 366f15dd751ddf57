import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { applyAnswer } from '../../src/page/browser/views/graph/map-answer.ts';
import type { MapAnswer } from '../../src/page/browser/views/graph/map-answer.ts';
import { seriousFindings } from '../support/browser/accessibility.ts';
import { WINDOWS } from '../support/browser/windows.ts';
import { chromiumPath } from '../support/browser/chromium.ts';
import { useSite, withBrowser, withWindow } from '../support/browser/with-browser.ts';
import type { BrowserTest } from '../support/browser/with-browser.ts';
import { waitFor } from '../support/wait-for.ts';
import { ATTACKS } from './hostile.ts';

const READY = '.graph-view[data-layout="ready"]';

/** Names that a file can have. */
const HOSTILE = Object.fromEntries(
  ATTACKS.map((text, at) => [
    `${at} ${text.replaceAll(/[^\w .,()='-]/g, '_').slice(0, 80)}.md`,
    `---\ntitle: ${JSON.stringify(text)}\ntags: [${JSON.stringify(text)}]\ntype: ${JSON.stringify(text)}\n---\n[[0]] [[${text.replaceAll(/[[\]\n]/g, '')}]]\n`,
  ]),
);

/** Where on the screen a note is drawn: the camera is remembered by the page, places come from the server. */
async function pointOf({ page, server }: Pick<BrowserTest, 'page' | 'server'>, path: string): Promise<{ x: number; y: number }> {
  await waitFor(async () => (await cameraOf(page)) !== null, { what: 'the camera' });
  const camera = await cameraOf(page);
  const nodes = applyAnswer(new Map(), (await server.page('graph_map')) as MapAnswer);
  const node = [...nodes.values()].find((each) => each.path === path);
  const box = await page.locator('.graph-stage').boundingBox();
  if (camera === null || node === undefined || box === null) throw new Error(`${path} is not drawn`);
  return {
    x: box.x + box.width / 2 + (node.x - camera.x) * camera.scale,
    y: box.y + box.height / 2 + (node.y - camera.y) * camera.scale,
  };
}

/** Moves the mouse to where a note is drawn, again for as long as the drawing still moves; where that is, once the note is under it. */
async function pointAt(test: BrowserTest, path: string): Promise<{ x: number; y: number }> {
  let point = { x: 0, y: 0 };
  await waitFor(
    async () => {
      point = await pointOf(test, path);
      await test.page.mouse.move(point.x + 2, point.y + 2);
      await test.page.mouse.move(point.x, point.y);
      return (await test.page.locator('.graph-at-node').count()) > 0;
    },
    { what: `${path} under the mouse` },
  );
  return point;
}

async function cameraOf(page: Page): Promise<{ x: number; y: number; scale: number } | null> {
  return page.evaluate(`JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('roux-graph'))?.[1] ?? 'null')`);
}

describe.skipIf(chromiumPath === null)('the graph', () => {
  const demo = useSite('demo');

  for (const [colorScheme, width] of WINDOWS)
    it(`V-11 V-16 opens by its address, fits, is drawn, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await demo(),
        async ({ page, open, troubles, screenshot }) => {
          for (const [name, address] of [
            ['graph', '/graph'],
            ['graph-around', '/graph?around=notes%2FCompost.md&depth=2&arrows=1'],
            ['graph-found', '/graph?q=garden&colour=folder'],
          ] as const) {
            await open(address);
            await page.waitForSelector(READY);
            await page.waitForSelector('.graph-legend li', { state: 'attached' });
            expect(await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`), name).toBe(0);
            if (width === 360) await page.locator('.graph-toggle').click();
            expect(await seriousFindings(page), name).toEqual([]);
            if (width === 360) await page.locator('.graph-toggle').click();
            await screenshot(`${name}-${colorScheme}-${width}`);
          }
          expect(troubles).toEqual([]);
        },
        { viewport: { width, height: 800 }, colorScheme },
      );
    });

  it('V-11 hovering marks a note, a click opens it, with a modifier its surroundings, and the lists beside say the same', async () => {
    await withWindow(await demo(), async (test) => {
      const { page, open, until, troubles } = test;
      await open('/graph');
      await page.waitForSelector(READY);
      const before = await pointAt(test, 'notes/Compost.md');
      await page.mouse.click(before.x, before.y);
      await until(`location.pathname === '/note/notes/Compost.md'`);
      await page.goBack();
      await page.waitForSelector(READY);
      const { x, y } = await pointAt(test, 'notes/Compost.md');
      await page.keyboard.down('Shift');
      await page.mouse.click(x, y);
      await page.keyboard.up('Shift');
      await until(`new URLSearchParams(location.search).get('around') === 'notes/Compost.md'`);
      await page.waitForSelector('.graph-around');
      await page.getByRole('button', { name: '2 steps' }).click();
      await until(`new URLSearchParams(location.search).get('depth') === '2'`);
      await page.getByRole('link', { name: 'The whole vault' }).click();
      await until(`location.search === ''`);
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 by keys alone: to a note, along its links, to the note itself and its surroundings; a list has what is drawn', async () => {
    await withBrowser(
      { 'hub.md': '[[left]] [[right]]', 'left.md': '[[end]]', 'right.md': '', 'end.md': '' },
      async ({ page, open, until, troubles }) => {
        await open('/graph');
        await page.waitForSelector(READY);
        await page.locator('.graph-map').focus();
        await page.keyboard.press('ArrowRight');
        await page.waitForSelector('.graph-near h2');
        const seen = new Set<string>();
        for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
          const before = await page.locator('.graph-near h2').innerText();
          const near = await page.locator('.graph-node').allInnerTexts();
          await page.keyboard.press(key);
          await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
          const after = await page.locator('.graph-near h2').innerText();
          seen.add(before).add(after);
          // Only along links.
          expect([before, ...near]).toContain(after);
        }
        expect(seen.size).toBeGreaterThan(1);
        for (const key of ['+', '-', '0', 'Shift+ArrowLeft']) await page.keyboard.press(key);
        const name = await page.locator('.graph-near h2').innerText();
        expect(await page.locator('.graph-view > [role="status"]').innerText()).toContain(name);
        await page.keyboard.press('l');
        await until(`new URLSearchParams(location.search).get('around') === '${name}.md'`);
        await page.goBack();
        await until(`location.search === ''`);
        await page.waitForSelector(READY);
        // The list beside leads along the links too.
        await page.locator('.graph-map').focus();
        await page.keyboard.press('ArrowRight');
        await page.locator('.graph-node').first().focus();
        await page.keyboard.press('Enter');
        await page.waitForSelector('.graph-near h2 a');
        await page.locator('.graph-near h2 a').focus();
        await page.keyboard.press('Enter');
        await until(`location.pathname.startsWith('/note/')`);
        expect(troubles).toEqual([]);
      },
    );
  });

  it('V-11 search, filters and colours are in the address, and a reload shows the same', async () => {
    await withWindow(await demo(), async ({ page, open, until, troubles }) => {
      await open('/graph');
      await page.waitForSelector(READY);
      await page.keyboard.press('/');
      await page.keyboard.type('compost');
      await page.waitForSelector('.graph-found .graph-node');
      await until(`document.querySelector('.graph-count').textContent.includes('found')`);
      await page.keyboard.press('Enter');
      await until(`document.querySelector('.graph-near h2')?.textContent === 'Compost'`);
      await page.getByLabel('Folder', { exact: true }).selectOption('plants');
      await page.getByLabel('Arrows').check();
      await page.getByLabel('Color by').selectOption('type');
      await until(
        `location.search.includes('folder=plants') && location.search.includes('colour=type') && location.search.includes('arrows=1')`,
      );
      await until(`/^\\d+ of \\d+ notes/.test(document.querySelector('.graph-count').textContent)`);
      const count = await page.locator('.graph-count').innerText();
      await page.reload();
      await page.waitForSelector(READY);
      await until(`document.querySelector('.graph-count').textContent === ${JSON.stringify(count)}`);
      expect(await page.getByLabel('Find in the graph').inputValue()).toBe('compost');
      expect(troubles).toEqual([]);
    });
  });

  it('V-12 what changes on disk is there without a reload; what is looked at, and what part of the map, stay', async () => {
    await withWindow(await demo(), async (test) => {
      const { page, open, until, vault, troubles } = test;
      await open('/graph');
      await page.waitForSelector(READY);
      await page.mouse.move(500, 400);
      await page.mouse.wheel(0, -300);
      await waitFor(async () => (await cameraOf(page)) !== null, { what: 'the camera' });
      await page.getByLabel('Find in the graph').fill('compost');
      await page.keyboard.press('Enter');
      await until(`document.querySelector('.graph-near h2')?.textContent === 'Compost'`);
      const before = await page.locator('.graph-node').count();
      // The drawing has come to rest.
      await waitFor(
        async () =>
          JSON.stringify(await cameraOf(page)) ===
          (await page.evaluate(
            `new Promise((resolve) => setTimeout(() => resolve(Object.entries(localStorage).find(([key]) => key.startsWith('roux-graph'))?.[1]), 1500))`,
          )),
        { what: 'rest' },
      );
      const camera = await cameraOf(page);
      vault.write('notes/brand new.md', '[[Compost]]\n');
      await until(`[...document.querySelectorAll('.graph-node')].some((node) => node.textContent === 'brand new')`);
      expect(await page.locator('.graph-node').count()).toBe(before + 1);
      expect(await cameraOf(page)).toEqual(camera);
      vault.remove('notes/brand new.md');
      await until(`![...document.querySelectorAll('.graph-node')].some((node) => node.textContent === 'brand new')`);
      expect(await page.evaluate(`document.activeElement.matches('input[type=search]')`)).toBe(true);
      expect(troubles).toEqual([]);
    });
  });

  it('V-13 hostile titles, tags, types and links are drawn as text: nothing runs, nothing is asked for', async () => {
    await withBrowser(HOSTILE, async ({ page, open, until, troubles }) => {
      for (const colour of ['community', 'folder', 'type', 'tag']) {
        await open(`/graph?colour=${colour}&unresolved=1&arrows=1`);
        await page.waitForSelector(READY);
        await until(`document.querySelectorAll('.graph-legend li').length > 0`);
      }
      await page.getByLabel('Find in the graph').fill('<img src=x onerror=hacked=1>');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.graph-near');
      await page.locator('.graph-near button', { hasText: 'surroundings' }).click();
      await page.waitForSelector('.graph-around');
      await open(
        `/graph?around=${encodeURIComponent('"><script>hacked=1</script>')}&folder=%3Cimg%20src%3Dx%3E&tag=__proto__&type=constructor&depth=x&colour=__proto__`,
      );
      await page.waitForSelector('[role="alert"], .empty');
      expect(await page.evaluate(`typeof hacked`)).toBe('undefined');
      expect(await page.locator('main img, main iframe, main script').count()).toBe(0);
      expect(troubles.filter((trouble) => !trouble.includes('404'))).toEqual([]);
    });
  });

  it('V-11 without WebGL it says so, and the notes are a list', async () => {
    await withWindow(await demo(), async ({ page, open, troubles }) => {
      await page.addInitScript(`HTMLCanvasElement.prototype.getContext = () => null`);
      await open('/graph');
      await page.waitForSelector('.graph-instead');
      expect(await page.locator('.graph-instead').innerText()).toContain('WebGL');
      await page.locator('.graph-instead .graph-node', { hasText: 'Compost' }).click();
      await page.waitForSelector('.graph-near h2 a');
      expect(await seriousFindings(page)).toEqual([]);
      expect(troubles).toEqual([]);
    });
  });

  it('V-16 with reduced motion nothing travels; a vault without notes says what to do; on paper the drawing stands alone', async () => {
    await withWindow(
      await demo(),
      async ({ page, open, until, troubles }) => {
        await open('/graph');
        await page.waitForSelector(READY);
        await until(`Number(document.querySelector('.graph-stage').dataset.frames) > 0`);
        await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 300))`);
        const frames = Number(await page.locator('.graph-stage').getAttribute('data-frames'));
        await page.getByRole('button', { name: 'Zoom in' }).click();
        await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 600))`);
        // One for the zoom, and as many as a picture takes that is drawn bit by bit; travelling takes some twenty.
        expect(Number(await page.locator('.graph-stage').getAttribute('data-frames')) - frames).toBeLessThanOrEqual(6);
        await page.emulateMedia({ media: 'print' });
        expect(await page.locator('.graph-side').isVisible()).toBe(false);
        expect(troubles).toEqual([]);
      },
      { reducedMotion: 'reduce' },
    );
    await withBrowser({ 'picture.png': 'x' }, async ({ page, server, troubles }) => {
      await page.addInitScript(`sessionStorage.setItem('roux-token', 'a-token-for-tests-of-the-page')`);
      await page.goto(`${server.url}/graph`);
      await page.getByText('There are no notes yet').waitFor();
      expect(troubles).toEqual([]);
    });
  });
});
