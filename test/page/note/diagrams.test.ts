import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';
import { DIAGRAM_ATTACKS } from '../hostile.ts';

const fence = (source: string): string => `\`\`\`mermaid\n${source}\n\`\`\`\n`;
const FLOW = 'flowchart LR\n  accTitle: From seed to table\n  A[Seed] -->|grows| B(Bean) --> C{Ripe?}\n  C -->|yes| D[Table]';

describe.skipIf(chromiumPath === null)('U-02 mermaid diagrams', () => {
  const site = useSite({
    'plain.md': 'No diagram, `mermaid` only by name.\n',
    'diagrams.md': `Two that are drawn:\n\n${fence(FLOW)}\n${fence('sequenceDiagram\n  Ada->>Max: Is the bed ready?\n  Max-->>Ada: Yes')}\nand one that is not:\n\n${fence('flowchart TD\n  A -->\n  ]]')}`,
    'one.md': fence(FLOW),
    'long.md': `${fence(`flowchart TD\n%% ${'x'.repeat(30_000)}`)}\n${fence(`mindmap\n  root\n${'    n\n'.repeat(200)}`)}`,
    'many.md': Array.from({ length: 52 }, (_, at) => fence(`pie\n  "a" : ${at + 1}`)).join('\n'),
    'endless.md': [
      'gantt\ndateFormat YYYY-MM-DD\nexcludes 2020-01-02\nA :a, 0001-01-01, 3000000d',
      'block-beta\n  space:99999999 b',
      'gantt\ndateFormat YYYY-MM-DD\nexcludes 2020-01-01\nA :a, 0001-01-01, 3000000d',
      'pie\n  "a" : 1',
    ]
      .map(fence)
      .join('\n'),
    'evil.md': DIAGRAM_ATTACKS.map(fence).join('\n'),
  });

  it('U-02 diagrams are drawn in the colors of the theme, with their source for screen readers; one with a mistake shows it', async () => {
    await withWindow(await site(), async ({ page, open, until, screenshot, troubles }) => {
      const fetched: string[] = [];
      page.on('request', (request) => void fetched.push(new URL(request.url()).pathname));
      await open('/note/plain.md');
      await page.waitForSelector('.prose');
      expect(fetched.filter((path) => path.includes('diagram'))).toEqual([]);
      await open('/note/diagrams.md');
      await until(
        `document.querySelectorAll('.diagram img').length === 2 && [...document.querySelectorAll('.diagram img')].every((image) => image.naturalWidth > 50)`,
      );
      const pictures = page.locator('.diagram img');
      expect(await pictures.first().getAttribute('alt')).toBe('Diagram: From seed to table');
      expect(await pictures.nth(1).getAttribute('alt')).toBe('Diagram: sequence');
      expect(await page.locator('.diagram pre').first().textContent()).toContain('accTitle: From seed to table');
      await page.waitForSelector('.diagram .notice');
      expect(await page.locator('.diagram .notice').textContent()).toMatch(/^This diagram cannot be drawn\. .*line 3/);
      expect(await page.locator('.diagram').nth(2).locator('pre').isVisible()).toBe(true);
      expect(await seriousFindings(page)).toEqual([]);
      await screenshot('note-diagrams-light');
      const before = await pictures.first().getAttribute('src');
      await page.emulateMedia({ colorScheme: 'dark' });
      await until(`document.querySelector('.diagram img')?.getAttribute('src') !== ${JSON.stringify(before)}`);
      await page.setViewportSize({ width: 360, height: 800 });
      await until(`[...document.querySelectorAll('.diagram img')].every((image) => image.complete)`);
      expect((await pictures.first().boundingBox())?.width).toBeLessThanOrEqual(330);
      await screenshot('note-diagrams-dark');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 hostile diagrams run nothing, and fetch nothing', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      const refused: (string | undefined)[] = [];
      page.on('requestfailed', (request) => void (request.url().includes('evil.example') && refused.push(request.failure()?.errorText)));
      await open('/note/evil.md');
      await until(`document.querySelectorAll('.diagram:has(img, .notice)').length === ${DIAGRAM_ATTACKS.length}`);
      await until(`[...document.querySelectorAll('.diagram img')].every((image) => image.complete)`);
      expect(await page.locator('.diagram img').count()).toBeGreaterThan(DIAGRAM_ATTACKS.length / 2);
      for (const frame of page.frames()) expect(await frame.evaluate('typeof hacked')).toBe('undefined');
      const frame = page.frames().find((each) => each.url().endsWith('/frames/diagram'));
      expect(await frame?.evaluate('origin')).toBe('null');
      // What mermaid lets through, the frame's policy stops before it is sent.
      expect(refused.every((reason) => reason === 'csp')).toBe(true);
      expect(troubles.filter((trouble) => /^(?:request|dialog|error)/.test(trouble))).toHaveLength(refused.length);
    });
  });

  it('U-02 a short diagram with huge numbers holds the page up for seconds only, and after three the others stay text', async () => {
    await withWindow(await site(), async ({ page, open, until }) => {
      await open('/note/endless.md');
      await until(`document.querySelectorAll('.diagram .notice').length === 4`);
      expect(await page.locator('.diagram .notice').allTextContents()).toEqual(
        [...Array<string>(3).fill('Drawing it takes too long.'), 'Others of this note take too long.'].map(
          (reason) => `This diagram cannot be drawn. ${reason}`,
        ),
      );
    });
  });

  it('U-02 diagrams that are too long, too many or never finished say so, and the page goes on', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/note/long.md');
      await until(`document.querySelectorAll('.diagram .notice').length === 2`);
      expect(await page.locator('.diagram .notice').allTextContents()).toEqual([
        'This diagram cannot be drawn. It is longer than 500 lines or 20,000 characters.',
        'This diagram cannot be drawn. It is longer than 150 lines or 20,000 characters.',
      ]);
      await open('/note/many.md');
      await until(`document.querySelectorAll('.diagram img').length === 50`);
      expect(await page.locator('.diagram .notice').allTextContents()).toEqual(
        Array(2).fill('Only the first 50 diagrams of a note are drawn.'),
      );
      // A program in the frame that takes a diagram and never answers.
      await page.route('**/assets/diagram-frame-*', (route) =>
        route.fulfill({
          contentType: 'text/javascript',
          body: `addEventListener('message', () => console.log('asked')); parent.postMessage({ kind: 'ready' }, '*');`,
        }),
      );
      await page.clock.install();
      const asked = page.waitForEvent('console', (message) => message.text() === 'asked');
      await open('/note/one.md');
      await asked;
      await page.clock.runFor(10_000);
      await page.waitForSelector('.diagram .notice');
      expect(await page.locator('.diagram .notice').textContent()).toBe('This diagram cannot be drawn. Drawing it takes too long.');
      expect(await page.locator('iframe').count()).toBe(0);
      expect(troubles).toEqual([]);
    });
  });
});
