import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';

const TASKS = [
  '- [ ] buy soil\n- [x] sow beans\n  - [ ] in rows\n  - a plain item\n- plain\n  - [-] dropped\n\n1. [ ] first\n2. second\n',
  '> [!todo] Garden\n> - [ ] in a callout\n>   - [/] half done\n\n- [x] loose\n\n  with a second paragraph\n\n- [ ] other\n',
].join('\n');

const FORMULAS = [
  'A root $\\sqrt{x}$, a line $\\overline{AB}$, a box $\\boxed{z}$.',
  '$$\n\\left( \\frac{\\frac{a}{b}}{\\frac{c}{d}} \\right) \\sum_{i=1}^n \\begin{array}{c|c} x & y \\\\ \\hline z & w \\end{array}\n$$',
].join('\n\n');

describe.skipIf(chromiumPath === null)('U-02 what a note shows', () => {
  const site = useSite({ 'tasks.md': `---\nstatus: open\n---\n${TASKS}`, 'formula.md': FORMULAS });

  it('U-02 no bullet stands beside a checkbox, and every other item has its own', async () => {
    await withWindow(await site(), async ({ page, open, screenshot, troubles }) => {
      await open('/note/tasks.md');
      await page.waitForSelector('.prose input');
      const styles = (selector: string): Promise<string[]> =>
        page.locator(selector).evaluateAll((items) => items.map((item) => getComputedStyle(item).listStyleType));
      expect(new Set(await styles('.prose li:has(> input, > p > input)'))).toEqual(new Set(['none']));
      expect(await styles('.prose li:not(:has(> input, > p > input))')).toEqual(['circle', 'disc', 'decimal']);
      // The frontmatter counts.
      expect(await page.locator('.prose input').first().getAttribute('data-line')).toBe('3');
      await screenshot('note-tasks');
      expect(troubles).toEqual([]);
    });
  });

  it('U-02 formulas have their root signs, lines, big operators and stretched brackets, from a font that only they load', async () => {
    await withWindow(await site(), async ({ page, open, until, screenshot, troubles }) => {
      const fonts: string[] = [];
      page.on('request', (request) => void (request.resourceType() === 'font' && fonts.push(new URL(request.url()).pathname)));
      await open('/note/tasks.md');
      await page.waitForSelector('.prose input');
      await page.evaluate('document.fonts.ready');
      expect(fonts).toEqual([]);
      await open('/note/formula.md');
      await until(`document.fonts.check('16px "STIX Two Math"', '√')`);
      expect(fonts).toEqual([expect.stringMatching(/^\/assets\/stix-two-math-.*\.woff2$/)]);
      const box = (selector: string) => page.locator(selector).first().boundingBox();
      const [root, inRoot] = [await box('.prose msqrt'), await box('.prose msqrt > *')];
      if (root === null || inRoot === null) throw new Error('There is no root.');
      const sign = { x: root.x, y: root.y, width: inRoot.x - root.x - 1, height: root.height };
      expect(sign.width).toBeGreaterThan(8);
      // The sign is drawn, not only left room for.
      const line = await box('.prose p');
      if (line === null) throw new Error('There is no paragraph.');
      // Where the paragraph has no text.
      const blank = await page.screenshot({ clip: { ...sign, x: line.x + line.width - sign.width } });
      expect((await page.screenshot({ clip: sign })).equals(blank)).toBe(false);
      const [bracket, fraction] = [await box('.prose mo[stretchy]'), await box('.prose mfrac')];
      expect(bracket?.height).toBeGreaterThan((fraction?.height ?? 0) * 0.9);
      const [sum, letter] = [await box('.prose munderover > mo'), await box('.prose msqrt mi')];
      expect(sum?.height).toBeGreaterThan((letter?.height ?? 0) * 1.5);
      const border = (selector: string, side: string): Promise<string> =>
        page
          .locator(selector)
          .first()
          .evaluate((node, name) => getComputedStyle(node).getPropertyValue(`border-${name}-style`), side);
      expect(await border('.prose .tml-overline', 'top')).toBe('solid');
      expect(await border('.prose .math-boxed', 'left')).toBe('solid');
      expect(await border('.prose mtd', 'right')).toBe('solid');
      expect(await border('.prose mtd', 'bottom')).toBe('solid');
      await screenshot('note-formulas');
      expect(troubles).toEqual([]);
    });
  });

  const strictSite = useSite({ '.obsidian/app.json': '{"strictLineBreaks": true}', 'lines.md': 'one\ntwo' });

  it('U-02 a line end is a space where Obsidian is set to strict line breaks', async () => {
    await withWindow(await strictSite(), async ({ page, open }) => {
      await open('/note/lines.md');
      expect(await page.locator('.prose p').innerText()).toBe('one two');
    });
  });
});
