import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';

const MANY = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`many/n${at}.md`, 'x\n']));
const NOTES = {
  ...MANY,
  'a/deep/one.md': 'one #t/in\n',
  'a/two.md': 'two\n',
  'sun.png': 'x',
  'z.md': '[[one]] #T\n',
};
const labels = `[...document.querySelectorAll('.tree-row .tree-label')].map((label) => label.textContent)`;
/** The line that the keys are on. */
const active = `document.getElementById(document.querySelector('[role="tree"]').getAttribute('aria-activedescendant'))?.querySelector('.tree-label').textContent`;

describe.skipIf(chromiumPath === null)('U-06 the sidebar', () => {
  const site = useSite(NOTES);

  it('U-06 the tree works by keyboard alone, opens what one goes to, and remembers open folders', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/note/z.md');
      await until(`${labels}.join() === 'a,many,sun,z'`);
      await page.keyboard.press('g');
      await page.keyboard.press('f');
      await until(`document.activeElement.id === 'file-filter'`);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await until(`${labels}.join() === 'a,deep,two,many,sun,z'`);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await until(`${labels}.includes('one')`);
      await page.keyboard.press('ArrowDown');
      await until(`${active} === 'one'`);
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/note/a/deep/one.md'`);
      await until(`document.querySelector('.tree-row[aria-current="page"]')?.textContent === 'one'`);
      await page.locator('[role="tree"]').focus();
      await page.keyboard.press('ArrowLeft');
      await until(`${active} === 'deep'`);
      await page.keyboard.press('ArrowLeft');
      await until(`!${labels}.includes('one')`);
      await page.keyboard.press('End');
      await until(`${active} === 'z'`);
      await open('/');
      await until(`${labels}.includes('two')`);
      expect(await seriousFindings(page)).toEqual([]);
      expect(troubles).toEqual([]);
    });
  });

  it('U-06 a folder of many files has only the visible lines in the document, and shows the note that one is at', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/note/many/n1100.md');
      await until(`document.querySelector('.tree-row[aria-current="page"]')?.textContent === 'n1100'`);
      expect(Number(await page.evaluate(`document.querySelectorAll('.tree-row').length`))).toBeLessThan(80);
      expect(await page.getAttribute('.tree-row[aria-current="page"]', 'aria-posinset')).toBe('1101');
      expect(await page.getAttribute('.tree-row[aria-current="page"]', 'aria-setsize')).toBe('1200');
      // Pages that were never in view are loaded when they come into view.
      await page.evaluate(`document.querySelector('.tree-scroller').scrollTop = 20000`);
      await until(`${labels}.some((label) => /^n7\\d\\d$/.test(label)) && !document.querySelector('.tree-loading')`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-06 a file that another program makes appears, and scroll, focus and open folders stay', async () => {
    await withBrowser(NOTES, async ({ page, open, until, vault, troubles }) => {
      await open('/note/many/n600.md');
      await until(`document.querySelector('.tree-row[aria-current="page"]')?.textContent === 'n600'`);
      await page.locator('[role="tree"]').focus();
      await page.keyboard.press('ArrowDown');
      await until(`${active} === 'n601'`);
      const place = `document.querySelector('.tree-row[aria-current="page"]').getBoundingClientRect().top`;
      const before = await page.evaluate(place);
      vault.write('many/a new one.md', 'x\n');
      vault.write('another/folder/x.md', 'x\n');
      await until(`document.querySelector('.tree-row[aria-current="page"]')?.getAttribute('aria-posinset') === '602'`);
      await until(`Math.abs(${place} - ${String(before)}) < 2 && ${active} === 'n601'`);
      expect(await page.evaluate(`document.activeElement.getAttribute('role')`)).toBe('tree');
      await page.keyboard.press('Home');
      await until(`${labels}.includes('another')`);
      vault.remove('another/folder/x.md');
      await until(`!${labels}.includes('another')`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-06 the filter finds files in all folders, and leads to notes and to files', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/');
      await page.fill('#file-filter', 'deep');
      await until(`document.querySelector('.found-files a')?.innerText.startsWith('one')`);
      await page.fill('#file-filter', 'sun');
      await until(`document.querySelector('.found-files a')?.innerText === 'sun.png'`);
      await page.press('#file-filter', 'ArrowDown');
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/file/sun.png'`);
      await page.waitForSelector('text=No note uses this file');
      await page.press('#file-filter', 'Escape');
      await until(`document.querySelector('.tree-row[aria-current="page"]')?.textContent.startsWith('sun')`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-06 tags are a tree, each with a page, and tags in notes lead there', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/note/a/deep/one.md');
      await page.click('.prose a.tag');
      await until(`location.pathname === '/tag/t/in'`);
      await until(`document.querySelector('h1').textContent === '#T/in'`);
      await page.click('[role="tab"][title="Tags"]');
      await until(`document.querySelector('.tree-row[aria-current="page"]')?.textContent === 'in1'`);
      await page.click('.tree-row:has-text("T")');
      await until(`location.pathname === '/tag/T' && document.querySelector('.subtags a')?.textContent === '#in'`);
      expect(await page.locator('.note-rows a[data-note]').allInnerTexts()).toEqual(expect.arrayContaining(['one', 'z']));
      expect(await seriousFindings(page)).toEqual([]);
      expect(troubles).toEqual([]);
    });
  });

  it('U-06 on a phone it is a drawer behind the menu button, which Escape closes', async () => {
    await withWindow(
      await site(),
      async ({ page, open, until, troubles, screenshot }) => {
        await open('/');
        expect(await page.locator('.sidebar').count()).toBe(0);
        await page.click('[aria-label="Menu"]');
        await until(`${labels}.includes('many')`);
        expect(await page.evaluate(`document.getElementById('main').inert`)).toBe(true);
        expect(await seriousFindings(page)).toEqual([]);
        await screenshot('u06-drawer');
        await page.keyboard.press('Escape');
        await until(`document.activeElement.getAttribute('aria-label') === 'Menu' && !document.getElementById('main').inert`);
        await page.click('[aria-label="Menu"]');
        await page.click('.tree-row:has-text("z")');
        await until(`location.pathname === '/note/z.md' && document.querySelector('.sidebar') === null`);
        expect(troubles).toEqual([]);
      },
      { viewport: { width: 360, height: 740 }, hasTouch: true },
    );
  });
});
