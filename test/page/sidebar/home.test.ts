import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';

const NOTES = {
  '.obsidian/bookmarks.json': '{"items": [{"type": "file", "path": "plans/b.md", "title": "The plan"}]}',
  '.obsidian/daily-notes.json': '{"folder": "journal"}',
  'Home.md': 'Begin here. [[nowhere]]\n',
  'plans/b.md': '#plan\n\n[[nowhere]] ![[missing.png]]\n',
  'list.md': '- [ ] Buy seeds\n- [x] Dig\n- [ ] Water 📅 2020-01-01\n',
  'broken.md': '---\nx: [\n---\n',
};

describe.skipIf(chromiumPath === null)('U-05 home of a vault that no agent has touched', () => {
  const site = useSite(NOTES);

  it('U-05 shows what was edited last, today, pinned notes, and findings that lead to the notes concerned', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles }) => {
      await open('/');
      await page.waitForSelector('.home');
      expect(await page.locator('.note-rows a[data-note]').allInnerTexts()).toContain('b');
      expect(await page.locator('.starts a').allInnerTexts()).toEqual(['Today’s note (not written yet)', 'The plan', 'Home']);
      await page.click('text=2 unresolved links');
      await until(`location.pathname === '/attention'`);
      await page.waitForSelector('.attention-list li');
      expect(await page.locator('.attention-list li').first().innerText()).toMatch(/nowhere\s+Home\s*b/);
      await page.click('.attention-kinds a:has-text("Unreadable")');
      await until(`document.querySelector('.attention-notes a')?.textContent === 'broken'`);
      expect(await page.locator('[aria-current="page"]:has-text("Unreadable notes")').count()).toBe(1);
      await page.click('text=Check all notes');
      await page.waitForSelector('text=Check again');
      expect(await seriousFindings(page)).toEqual([]);
      expect(troubles).toEqual([]);
    });
  });

  it('U-05 shows open checkboxes with their notes, what is due first, and ticks them', async () => {
    await withBrowser(NOTES, async ({ page, open, until, vault, troubles }) => {
      await open('/');
      await page.waitForSelector('#open-checkboxes');
      const texts = `[...document.querySelectorAll('.home .checkbox-text > a')].map((link) => link.textContent).join()`;
      await until(`${texts} === 'Water,Buy seeds'`);
      await page.locator('.home .checkbox-row', { hasText: 'Buy seeds' }).locator('input').click();
      await until(`${texts} === 'Water'`);
      expect(vault.read('list.md')).toContain('- [x] Buy seeds');
      await page.click('text=All checkboxes');
      await until(`location.pathname + location.search === '/tasks?tab=checkboxes'`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-05 tells how to connect an agent, with the very command for this vault to copy', async () => {
    await withWindow(
      await site(),
      async ({ page, open, vault, troubles }) => {
        await open('/');
        await page.click('.connect-clients button:has-text("Claude Code")');
        const command = await page.locator('.connect-way pre').first().innerText();
        expect(command).toMatch(/^claude mcp add --scope user roux -- .* mcp /);
        expect(command).toContain(vault.root);
        await page.click('.connect-way .copy-button');
        await page.waitForSelector('.copy-button:has-text("Copied")');
        expect(await page.evaluate(`navigator.clipboard.readText()`)).toBe(command);
        await page.click('.connect-clients button:has-text("Cursor")');
        expect(await page.locator('.connect-way pre').first().innerText()).toContain('init --client cursor --user');
        expect(troubles).toEqual([]);
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
  });

  for (const [colorScheme, width] of WINDOWS) {
    it(`U-05 fits, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await site(),
        async ({ page, open, screenshot }) => {
          for (const address of ['/', '/attention', '/tag', '/tag/plan']) {
            await open(address);
            await page.waitForSelector('.home, .attention-kinds, .tag-view');
            expect(await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`), address).toBe(0);
            expect(await seriousFindings(page), address).toEqual([]);
            await screenshot(`u05${address.replaceAll('/', '-')}-${colorScheme}-${width}`);
          }
        },
        { viewport: { width, height: 800 }, colorScheme },
      );
    });
  }

  it('U-05 an empty vault says what to do, and fills as soon as there is a note', async () => {
    await withBrowser({}, async ({ page, open, vault, troubles }) => {
      await open('/');
      await page.waitForSelector('text=This vault is empty');
      await page.waitForSelector('.connect-way');
      vault.write('first.md', 'One note\n');
      await page.waitForSelector('.note-rows a[data-note="first.md"]');
      expect(await page.locator('.home-size').innerText()).toContain('1 note,');
      expect(troubles).toEqual([]);
    });
  });
});
