import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';
import { makePdf } from '../../support/pdf/make-pdf.ts';

/** Half a minute of silence. */
function makeWav(seconds = 30): Buffer {
  const rate = 8_000;
  const wav = Buffer.alloc(44 + rate * seconds, 0x80);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(rate * seconds, 40);
  return wav;
}

const svg = (color: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="${color}"/></svg>`;

const KINDS = 'note abstract info todo tip success question warning failure danger bug example quote'.split(' ');

describe.skipIf(chromiumPath === null)('U-02 media and callouts', () => {
  const site = useSite({
    'media.md': [
      '![[red.svg|120]] ![a green one|100x60](pictures/green.svg) <img src="pictures/green.svg" width="80" alt="by HTML"> [![[red.svg|40]]](https://example.com)',
      '![[talk.wav#t=12]]',
      '<audio controls><source src="talk.wav">Your browser is old.</audio>',
      '<video src="film.webm" width="200"></video>',
      '<video src="https://evil.example/film.mp4"></video> <img src="https://evil.example/p.png">',
      '![[paper.pdf#page=2]]',
      '![[large.wav]]',
    ].join('\n\n'),
    'red.svg': svg('firebrick'),
    'pictures/green.svg': svg('seagreen'),
    'talk.wav': makeWav(),
    'film.webm': makeWav(1),
    'large.wav': makeWav(4_000),
    'paper.pdf': makePdf(['One', 'Two']),
    'callouts.md': `${KINDS.map((kind) => `> [!${kind}] A *${kind}*\n> text`).join('\n\n')}\n\n> [!faq]- Folded **question**\n> hidden\n> > [!tip]+ inside\n> > deeper`,
    'footnotes.md': 'A claim[^größe-1%] and another^[said here].\n\n[^größe-1%]: The *source* of it.\n',
    'facts.md': `---\n${Array.from({ length: 12 }, (_, at) => `key${at}: ${at}`).join('\n')}\n---\n`,
  });

  it('U-02 pictures, sound and film of the vault are shown in their sizes, what is elsewhere is a link', async () => {
    await withWindow(await site(), async ({ page, open, until, screenshot, troubles }) => {
      await open('/note/media.md');
      await until(
        `document.querySelectorAll('.prose img[src]').length === 4 && [...document.querySelectorAll('.prose img')].every((image) => image.naturalWidth > 0)`,
      );
      const widths = await page.locator('.prose img').evaluateAll((images) => images.map(({ clientWidth }) => clientWidth));
      expect(widths).toEqual([120, 100, 80, 40]);
      // 100x60 is the size, whatever the shape of the picture.
      expect(
        await page
          .locator('.prose img')
          .nth(1)
          .evaluate(({ clientHeight }) => clientHeight),
      ).toBe(60);
      await until(`document.querySelectorAll('.prose audio[src]').length === 2`);
      await until(`document.querySelector('.prose audio').currentTime === 12`);
      await until(`document.querySelector('.prose video[src^="blob:"]')`);
      expect(await page.locator('.prose video').count()).toBe(1);
      expect(await page.locator('.prose a.external').allTextContents()).toEqual(
        expect.arrayContaining(['Recording: https://evil.example/film.mp4', 'Picture: https://evil.example/p.png']),
      );
      expect(await page.locator('.embedded-file a').textContent()).toBe('paper.pdf, page 2');
      const more = page.getByRole('button', { name: 'Load large.wav (32 MB)' });
      await more.click();
      await until(`document.querySelectorAll('.prose audio[src]').length === 3`);
      expect(await seriousFindings(page)).toEqual([]);
      await screenshot('note-media');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 pictures enlarge by click and Enter, arrows go on, Escape closes; one in a link does not', async () => {
    await withWindow(await site(), async ({ page, open, until, screenshot, troubles }) => {
      await open('/note/media.md');
      await until(`document.querySelectorAll('.prose img[role=button]').length === 3`);
      await page.locator('.prose img').nth(1).focus();
      await page.keyboard.press('Enter');
      const viewer = page.locator('dialog.picture-viewer');
      await viewer.waitFor();
      expect(await viewer.locator('p').textContent()).toBe('a green one · 2 of 3');
      await until(`document.querySelector('.picture-viewer img').clientWidth > 1000`);
      expect(await seriousFindings(page)).toEqual([]);
      await screenshot('note-picture');
      await page.keyboard.press('ArrowRight');
      await viewer.getByText('by HTML · 3 of 3', { exact: true }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Escape');
      await viewer.waitFor({ state: 'detached' });
      await until(`document.activeElement?.alt === 'red.svg'`);
      await page.locator('.prose img').nth(2).click();
      await viewer.waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await viewer.waitFor({ state: 'detached' });
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 callouts have the icon of their kind, fold and nest', async () => {
    await withWindow(await site(), async ({ page, open, screenshot, troubles }) => {
      await open('/note/callouts.md');
      await page.waitForSelector('.callout');
      const icons = await page
        .locator('.prose > .callout > .callout-title > .icon path')
        .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
      expect(new Set(icons.slice(0, KINDS.length)).size).toBe(KINDS.length);
      expect(icons).not.toContain('');
      expect(await page.getByText('hidden', { exact: true }).isVisible()).toBe(false);
      await page.getByText('Folded question').click();
      expect(await page.getByText('hidden', { exact: true }).isVisible()).toBe(true);
      expect(await page.getByText('deeper').isVisible()).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      await screenshot('note-callouts');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 a note without a text shows all its properties', async () => {
    await withWindow(await site(), async ({ page, open }) => {
      await open('/note/facts.md');
      await page.waitForSelector('.properties');
      expect(await page.getByText('key11', { exact: true }).isVisible()).toBe(true);
    });
  });

  it('U-02 hovering over the number of a footnote shows its text', async () => {
    await withWindow(await site(), async ({ page, open, troubles }) => {
      await open('/note/footnotes.md');
      await page.waitForSelector('.prose');
      const titles = await page.locator('a[data-footnote-ref]').evaluateAll((links) => links.map((link) => link.getAttribute('title')));
      expect(titles).toEqual(['The source of it.', 'said here']);
      expect(troubles).toEqual([]);
    });
  });
});
