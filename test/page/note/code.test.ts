import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';
import { hasGit, openGitVault } from '../../support/git.ts';

const NOTES = {
  'docs/Login.md': '---\napplies_to:\n  - src/auth/**\n  - src/old-name.ts\n  - src/gone.ts\n  - /etc/passwd\n---\nHow people log in.\n',
  'docs/Auth.md': '---\napplies_to: src/auth\n---\nAll of it.\n',
  'plain.md': 'Nothing about code.\n',
  'src/auth/login.ts': 'export const login = 1;\n',
  'src/auth/a-very-long-name-of-a-file-that-somebody-generated-from-a-schema.generated.ts': 'export {};\n',
  'src/old-name.ts': 'export const name = 1;\n'.repeat(9),
};

describe.skipIf(chromiumPath === null || !hasGit)('G-01 the code that a note is about', () => {
  const site = useSite(NOTES, async ({ vault }) => {
    const repository = openGitVault(vault, ['--all', '--', ':!.roux']);
    vault.write('src/auth/login.ts', 'export const login = 2;\n');
    repository.git('mv', 'src/old-name.ts', 'src/new-name.ts');
    repository.commit('changed and renamed');
  });

  for (const [width, scheme] of [
    [360, 'dark'],
    [820, 'light'],
    [1280, 'dark'],
    [1280, 'light'],
  ] as const)
    it(`G-01 a note shows it, with what is gone, renamed and changed, and leads to all notes about a path (${width}px, ${scheme})`, async () => {
      await withWindow(
        await site(),
        async ({ page, open, until, screenshot, troubles }) => {
          await open('/note/docs/Login.md');
          await page.waitForSelector('.note-code');
          const shown = await page.innerText('.note-code');
          for (const part of [
            'src/old-name.ts was renamed to src/new-name.ts',
            'src/gone.ts matches nothing',
            '/etc/passwd is no path of the repository',
            'changed since',
          ])
            expect(shown).toContain(part);
          expect(await page.locator('.note-code .notice li').allInnerTexts()).toEqual(['src/auth/login.ts changed']);
          expect(await seriousFindings(page)).toEqual([]);
          await screenshot(`g01-note-${width}-${scheme}`);
          await page.click('.note-code a:has-text("src/auth/**")');
          await until(`location.pathname === '/code/src/auth'`);
          await page.waitForSelector('.code-view .backlinks li');
          expect(await page.locator('.code-view .backlink-title').allInnerTexts()).toEqual(['Auth', 'Login']);
          expect(await seriousFindings(page)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
          await screenshot(`g01-code-${width}-${scheme}`);
          await page.click('.code-view a:has-text("All code")');
          await until(`location.pathname === '/code'`);
          await open('/note/plain.md');
          await page.waitForSelector('.note-foot');
          expect(await page.locator('.note-code').count()).toBe(0);
          expect(troubles).toEqual([]);
        },
        { viewport: { width, height: 900 }, colorScheme: scheme },
      );
    });

  it('G-01 paths are offered while applies_to is edited, in its property and in the text', async () => {
    const { vault } = await site();
    await withWindow(await site(), async ({ page, open, until, screenshot, troubles }) => {
      await open('/note/docs/Auth.md');
      await page.click('[aria-label="Edit applies_to"]');
      await page.fill('.edit-property input', 'src/au');
      await page.click('.code-suggestions button:has-text("src/auth/")');
      await page.waitForSelector('.code-suggestions button:has-text("login.ts")');
      await screenshot('g01-suggestions');
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('.code-suggestions button:has-text("login.ts")');
      await page.click('.edit-property button:has-text("Save")');
      await expect.poll(() => vault.read('docs/Auth.md')).toContain('applies_to: src/auth/login.ts');
      await until(`document.querySelector('.note-code a')?.textContent === 'src/auth/login.ts'`);
      expect(troubles).toEqual([]);
    });
  });
});
