import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withWindow } from '../../support/browser/with-browser.ts';
import type { Site } from '../../support/browser/with-browser.ts';
import { DIAGRAM_ATTACKS } from '../hostile.ts';
import { withHost, withPublished } from './static-site.ts';

const fence = (source: string): string => `\`\`\`mermaid\n${source}\n\`\`\`\n`;
const NOTES = {
  'index.md': 'Words alone, and [[Bed|the bed]]. `mermaid`\n',
  'Plans/Bed.md': `The year:\n\n${fence('flowchart LR\n  accTitle: From seed to table\n  A[Seed] -->|grows| B(Bean) --> C{Ripe?}\n  C -->|yes| D[Table]')}\nand a mistake:\n\n${fence('flowchart TD\n  A -->\n  ]]')}`,
  'evil.md': DIAGRAM_ATTACKS.map(fence).join('\n'),
};

it('U-11 what draws diagrams is in a site, and allowed on a page, only where there are diagrams', () =>
  withPublished(NOTES, ['index.md'], async (site) => {
    const drawing = (): readonly string[] => site.files().filter((file) => /\/diagram/.test(file));
    expect(drawing()).toEqual([]);
    expect((await site.publish('--all')).status).toBe(0);
    expect(drawing()).toEqual([
      expect.stringMatching(/^assets\/diagram-frame-\w+\.html$/),
      expect.stringMatching(/^assets\/diagrams-\w+\.js$/),
    ]);
    const home = site.read('index.html');
    expect(home).not.toContain('diagram');
    expect(home).not.toContain('frame-src');
    expect(home).not.toContain('blob:');
    expect(site.read('Plans/Bed.html')).toContain('frame-src');
    const frame = site.read(drawing()[0] ?? '').slice(0, 400);
    expect(frame).toContain("default-src 'none'; script-src 'sha256-");
    expect(frame).not.toMatch(/connect-src|unsafe-eval|script-src[^;]*unsafe/);
    expect((await site.publish('index.md')).status).toBe(0);
    expect(drawing()).toEqual([]);
  }));

describe.skipIf(chromiumPath === null)('U-11 diagrams of a published site', () => {
  it('U-11 are drawn below the path of any host and from a folder, in the colors of the theme; without JavaScript the source is there', () =>
    withPublished(NOTES, ['--all'], (site) =>
      withHost(site.out, '/notes', async (url) => {
        const window = { vault: site.vault, server: { url } as Site['server'] };
        await withWindow(window, async ({ page, open, until, screenshot, troubles }) => {
          await open('/index.html');
          await page.hover('.prose a >> text=the bed');
          await page.waitForSelector('.preview >> text=flowchart LR');
          expect(await page.locator('iframe').count()).toBe(0);
          await page.click('.prose a >> text=the bed');
          await until(`document.querySelector('.diagram img')?.naturalWidth > 50`);
          await page.waitForSelector('.diagram .notice');
          const picture = page.locator('.diagram img');
          expect(await picture.getAttribute('alt')).toBe('Diagram: From seed to table');
          const frame = page.frames().find((each) => each.url().includes('diagram-frame'));
          expect(await frame?.evaluate('origin')).toBe('null');
          expect(await seriousFindings(page)).toEqual([]);
          await screenshot('publish/diagrams-light');
          const before = await picture.getAttribute('src');
          await page.emulateMedia({ colorScheme: 'dark' });
          await until(`document.querySelector('.diagram img')?.getAttribute('src') !== ${JSON.stringify(before)}`);
          await page.setViewportSize({ width: 360, height: 800 });
          await until(`document.querySelector('.diagram img').complete`);
          expect((await picture.boundingBox())?.width).toBeLessThanOrEqual(330);
          await screenshot('publish/diagrams-dark');
          expect(troubles).toEqual([]);
        });
        await withWindow(
          window,
          async ({ page, until }) => {
            await page.goto(`file://${site.out}/Plans/Bed.html`);
            await until(`document.querySelector('.diagram img')?.naturalWidth > 50`);
          },
          { colorScheme: 'dark' },
        );
        await withWindow(
          window,
          async ({ page }) => {
            await page.goto(`${url}/Plans/Bed.html`);
            expect(await page.locator('.diagram pre >> text=Ripe?').isVisible()).toBe(true);
            expect(await page.locator('.diagram img, .diagram .notice').count()).toBe(0);
          },
          { javaScriptEnabled: false },
        );
      }),
    ));

  it('U-11 hostile diagrams of a site run nothing, and fetch nothing, also where the frame is opened by itself', () =>
    withPublished(NOTES, ['--all'], (site) =>
      withHost(site.out, '/notes', (url) =>
        withWindow({ vault: site.vault, server: { url } as Site['server'] }, async ({ page, open, until, troubles }) => {
          const refused: (string | undefined)[] = [];
          page.on(
            'requestfailed',
            (request) => void (request.url().includes('evil.example') && refused.push(request.failure()?.errorText)),
          );
          await open('/evil.html');
          await until(`document.querySelectorAll('.diagram:has(img, .notice)').length === ${DIAGRAM_ATTACKS.length}`);
          await until(`[...document.querySelectorAll('.diagram img')].every((image) => image.complete)`);
          expect(await page.locator('.diagram img').count()).toBeGreaterThan(DIAGRAM_ATTACKS.length / 2);
          for (const frame of page.frames()) expect(await frame.evaluate('typeof hacked')).toBe('undefined');
          expect(refused.every((reason) => reason === 'csp')).toBe(true);
          expect(troubles.filter((trouble) => /^(?:request|dialog|error)/.test(trouble))).toHaveLength(refused.length);

          const frame = site.files().find((file) => file.includes('diagram-frame')) ?? '';
          await page.goto(`${url}/${frame}`);
          // A window that opened it could send it diagrams, in the origin of the site.
          await page.evaluate(`postMessage({ id: 1, source: 'pie\\n "a" : 1', style: { isDark: false, font: 'serif', colors: {} } }, '*')`);
          await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
          expect(await page.evaluate('document.body.children.length')).toBe(1);
        }),
      ),
    ));
});
