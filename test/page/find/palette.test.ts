import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';
import type { BrowserTest } from '../../support/browser/with-browser.ts';
import { ATTACKS } from '../hostile.ts';

const NOTES = {
  'plans/Quarterly report.md': '---\naliases: [Q3 numbers]\n---\n# Quarterly report\n\nsome text\n',
  'Compost.md': 'what rots\n',
  'Company.md': 'people\n',
  'Zażółć gęślą.md': 'letters\n',
  '堆肥.md': 'the same in Chinese\n',
  'memory/person/Compost expert.md': '---\ntype: person\n---\nknows it\n',
};

const HOSTILE = Object.fromEntries(
  ATTACKS.map((text, at) => [`n${at}.md`, `---\ntitle: ${JSON.stringify(text)}\naliases: [${JSON.stringify(text)}]\n---\nx\n`]),
);

const FIRST = `document.querySelector('.palette-option[aria-selected="true"] .palette-label')?.textContent`;

async function openPalette({ page, until }: BrowserTest): Promise<void> {
  await page.keyboard.press('Control+k');
  await until(`document.activeElement?.matches('.palette input')`);
}

describe.skipIf(chromiumPath === null)('U-07 one palette over every view', () => {
  const site = useSite(NOTES);

  it('U-07 opens over any view, finds titles and aliases by their characters, and by keys alone opens what is found', async () => {
    await withWindow(await site(), async (test) => {
      const { page, open, until, troubles } = test;
      await open('/');
      for (const [address, shown] of [
        ['/', '.home .note-rows'],
        ['/search?q=rots', '.hit'],
        ['/note/Compost.md', '.prose'],
        ['/graph', '.graph-view'],
        ['/tasks', 'h1:has-text("Tasks")'],
        ['/memory', 'h1:has-text("Memory")'],
        ['/knowledge', 'h1:has-text("Knowledge")'],
        ['/activity', 'h1:has-text("Activity")'],
      ] as const) {
        // As back and forward lead there.
        await page.evaluate(`history.pushState(null, '', '${address}'); dispatchEvent(new PopStateEvent('popstate'))`);
        await page.waitForSelector(`main ${shown}`);
        await openPalette(test);
        await page.keyboard.type('qrep');
        await until(`${FIRST} === 'Quarterly report'`);
        await page.keyboard.press('Escape');
        await page.waitForSelector('.palette', { state: 'detached' });
      }
      for (const [typed, first] of [
        ['compo', 'Compost'],
        ['q3', 'Q3 numbers'],
        ['report quart', 'Quarterly report'],
        ['zazolc', 'Zażółć gęślą'],
        ['堆', '堆肥'],
        ['compost e', 'Compost expert'],
      ] as const) {
        await openPalette(test);
        await page.keyboard.type(typed);
        await until(`${FIRST} === ${JSON.stringify(first)}`);
        await page.keyboard.press('Escape');
        await page.waitForSelector('.palette', { state: 'detached' });
      }
      await openPalette(test);
      await page.keyboard.type('q3');
      await until(`${FIRST} === 'Q3 numbers'`);
      expect(await page.locator('.palette-option[aria-selected="true"] .palette-aside').textContent()).toContain('Quarterly report');
      await page.keyboard.press('Enter');
      await until(`decodeURIComponent(location.pathname) === '/note/plans/Quarterly report.md'`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-07 Enter right after typing opens what was typed, not what was found before', async () => {
    await withWindow(await site(), async (test) => {
      const { page, open, until, troubles } = test;
      await open('/');
      await openPalette(test);
      await page.keyboard.type('compo');
      await until(`${FIRST} === 'Compost'`);
      await page.route('**/api/find_titles', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        await route.continue().catch(() => undefined);
      });
      await page.keyboard.press('Control+a');
      await page.keyboard.type('company');
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/note/Company.md'`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-07 lists the notes that were open last, runs commands, searches for the rest, and gives the focus back', async () => {
    await withWindow(await site(), async (test) => {
      const { page, open, until, troubles } = test;
      await open('/note/Compost.md');
      await page.waitForSelector('.prose');
      await open('/note/Company.md');
      await page.waitForSelector('.prose');
      await page.locator('.vault-name').focus();
      await openPalette(test);
      // The note that is shown is not offered; the others follow by when they were changed.
      await until(`${FIRST} === 'Compost'`);
      await page.keyboard.press('Escape');
      await until(`document.activeElement?.matches('.vault-name')`);

      await openPalette(test);
      await page.keyboard.type('dark th');
      await until(`${FIRST} === 'Use the dark theme'`);
      await page.keyboard.press('Enter');
      await until(`document.documentElement.dataset.theme === 'dark'`);

      await openPalette(test);
      await page.keyboard.type('>go to gra');
      await until(`${FIRST} === 'Go to Graph'`);
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/graph'`);

      await openPalette(test);
      await page.keyboard.type('what rots');
      await until(`${FIRST} === 'Search all for “what rots”'`);
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/search' && document.querySelector('.hit-title')?.textContent === 'Compost'`);
      expect(troubles).toEqual([]);
    });
  });

  it('U-07 what no note has the name of is made, and one with that name is not offered to be made', async () =>
    withWindow(await site(), async (test) => {
      const { page, open, until, vault, troubles } = test;
      await open('/');
      await openPalette(test);
      await page.keyboard.type('Compost');
      await until(`${FIRST} === 'Compost'`);
      expect(await page.locator('.palette').innerText()).not.toContain('Create the note');
      await page.keyboard.press('Control+a');
      await page.keyboard.type('Leaf mould');
      await page.getByRole('option', { name: 'Create the note “Leaf mould”' }).click();
      await until(`/^\\/note\\/.*mould\\.md$/.test(location.pathname)`);
      expect(vault.files().some((path) => /leaf.mould\.md$/i.test(path))).toBe(true);
      expect(troubles).toEqual([]);
    }));

  it('U-07 the last change is undone after a look at it, and signing out forgets what was open', async () =>
    withWindow(await site(), async (test) => {
      const { page, open, until, server, vault, troubles, forgive } = test;
      await server.page('update_node', { id: 'Compost.md', append: 'more of it\n' });
      await open('/note/Compost.md');
      await page.waitForSelector('.prose');
      await openPalette(test);
      await page.keyboard.type('undo last');
      await until(`${FIRST} === 'Undo the last change'`);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Undo the change' }).click();
      await until(`document.querySelector('.toast')?.textContent.includes('Undone')`);
      expect(vault.read('Compost.md')).not.toContain('more of it');
      expect(await page.evaluate(`Object.keys(localStorage).some((key) => key.startsWith('roux-recent'))`)).toBe(true);
      await openPalette(test);
      await page.keyboard.type('sign out');
      await until(`${FIRST} === 'Sign out'`);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.sign-in');
      expect(await page.evaluate(`Object.keys(localStorage).some((key) => key.startsWith('roux-recent'))`)).toBe(false);
      forgive(/401/);
      expect(troubles).toEqual([]);
    }));

  it('U-07 all keys are listed under ?, each works, and none while one types', async () => {
    await withWindow(await site(), async (test) => {
      const { page, open, until, troubles } = test;
      await open('/note/Compost.md');
      await page.waitForSelector('.prose');
      await page.keyboard.press('?');
      await page.waitForSelector('dialog[open] .keys');
      const rows = await page.locator('.keys tr').allInnerTexts();
      for (const wanted of ['Ctrl', 'Go to Home', 'Go to Activity', 'Search', 'Show keyboard shortcuts', 'Move in a list'])
        expect(rows.some((row) => row.includes(wanted))).toBe(true);
      await page.keyboard.press('Escape');
      for (const [key, path] of [
        ['s', '/search'],
        ['n', '/note'],
        ['g', '/graph'],
        ['t', '/tasks'],
        ['m', '/memory'],
        ['k', '/knowledge'],
        ['a', '/activity'],
        ['h', '/'],
      ]) {
        await page.evaluate(`document.activeElement.blur()`);
        await page.keyboard.press('g');
        await page.keyboard.press(key ?? '');
        await until(`location.pathname === '${path}'`);
        // Its field takes the focus, and with it the next keys, as soon as the view is there.
        if (path === '/search') await until(`document.activeElement?.matches('input[data-main]')`);
      }
      await until(`document.activeElement?.matches('input[data-main]')`);
      await page.keyboard.type('g?');
      expect(await page.inputValue('input[data-main]')).toBe('g?');
      expect(troubles).toEqual([]);
    });
  });

  for (const [colorScheme, width] of WINDOWS)
    it(`U-07 fits, is read out, and axe finds nothing serious: ${width} px, ${colorScheme}`, async () => {
      await withWindow(
        await site(),
        async (test) => {
          const { page, open, until, screenshot, troubles } = test;
          await open('/note/Compost.md');
          await page.waitForSelector('.prose');
          // A phone has no Ctrl.
          if (width === 360) await page.getByRole('button', { name: 'Find a note or a command' }).click();
          else await openPalette(test);
          await until(`document.querySelectorAll('.palette-option').length > 5`);
          await screenshot(`palette-empty-${width}`);
          await page.keyboard.type('compo');
          await until(`${FIRST} === 'Compost'`);
          const input = page.getByRole('combobox', { name: 'Find a note or a command' });
          const active = await input.getAttribute('aria-activedescendant');
          expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
          expect(await seriousFindings(page)).toEqual([]);
          await screenshot(`palette-${width}`);
          for (const each of [width, 820]) {
            await page.setViewportSize({ width: each, height: 740 });
            expect(await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`)).toBe(0);
          }
          expect(troubles).toEqual([]);
        },
        { viewport: { width, height: 740 }, colorScheme },
      );
    });

  it('U-07 hostile titles and aliases are shown as text: nothing runs, nothing is asked for', () =>
    withBrowser(HOSTILE, async (test) => {
      const { page, open, until, troubles } = test;
      await open('/');
      await openPalette(test);
      await until(`document.querySelectorAll('.palette-option').length > 5`);
      for (const text of ATTACKS.slice(0, 12)) {
        const answered = page.waitForResponse('**/api/find_titles');
        await page.fill('.palette input', text.slice(0, 40));
        await answered;
        await until(`document.querySelector('.palette-option') !== null`);
        expect(await page.locator('.palette img, .palette script, .palette iframe, .palette svg:not(.icon)').count()).toBe(0);
      }
      expect(troubles).toEqual([]);
    }));
});
