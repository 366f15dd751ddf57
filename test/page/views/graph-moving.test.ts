import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';

/** So many links that no frame has time for all of them where they are drawn in software. */
const NOTES = 1_500;
const LINKS = 30;

const notes = Object.fromEntries(
  Array.from({ length: NOTES }, (_, at) => {
    const links = Array.from({ length: LINKS }, (_link, link) => `[[n${(at * 7 + link * 31) % NOTES}]]`);
    return [`n${at}.md`, links.join(' ')];
  }),
);

interface Drawn {
  /** Links in each frame. */
  readonly frames: readonly number[];
}

/** Moves the graph with each frame, `reach` pixels to each side, and returns the links that each frame drew. */
const move = (reach: number): string => `new Promise((resolve) => {
  const stage = document.querySelector('.graph-stage');
  const canvas = stage.querySelector('.graph-map');
  canvas.setPointerCapture = () => undefined;
  const send = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: x, clientY: 400, pointerId: 1, pointerType: 'mouse', isPrimary: true }));
  const frames = [];
  let before = Number(stage.dataset.links);
  let count = 0;
  send('pointerdown', 600);
  const step = () => {
    if (count > 1) frames.push(Number(stage.dataset.links) - before);
    before = Number(stage.dataset.links);
    count += 1;
    if (count > 30) {
      send('pointerup', 600);
      return resolve({ frames });
    }
    send('pointermove', 600 + Math.sin(count / 5) * ${reach});
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

/** Resolves with the number of links drawn so far once nothing is drawn any more. */
const rest = `new Promise((resolve) => {
  const stage = document.querySelector('.graph-stage');
  let [frames, same] = ['', 0];
  const look = () => {
    same = stage.dataset.frames === frames ? same + 1 : 0;
    frames = stage.dataset.frames;
    if (same > 20) resolve(Number(stage.dataset.links));
    else setTimeout(look, 25);
  };
  look();
})`;

describe.skipIf(chromiumPath === null)('V-14 a graph that is moved', () => {
  it('V-14 no link is drawn with the frames of a movement within what is drawn beyond the edges, few beyond that, and all at rest', async () => {
    await withBrowser(notes, async ({ page, open, troubles }) => {
      await open('/graph');
      await page.waitForSelector('.graph-view[data-layout="ready"]');
      const drawn = await page.evaluate<number>(rest);
      expect(drawn).toBeGreaterThan(NOTES * LINKS * 0.9);
      const near = await page.evaluate<Drawn>(move(100));
      expect(Math.max(...near.frames)).toBe(0);
      // At rest, all of them where the camera is now.
      const settled = await page.evaluate<number>(rest);
      expect(settled - drawn).toBeGreaterThanOrEqual(NOTES * LINKS * 0.9);
      const far = await page.evaluate<Drawn>(move(700));
      expect(Math.max(...far.frames)).toBeLessThanOrEqual(4_000);
      expect(troubles).toEqual([]);
    });
  });
});
