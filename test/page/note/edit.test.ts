import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { MAX_EDIT_CHARACTERS } from '../../../src/ops/notes/page/edit/source-text.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { TOKEN, useSite, withBrowser, withWindow } from '../../support/browser/with-browser.ts';
import { waitFor } from '../../support/wait-for.ts';
import { typeAtEnd } from './type-at-end.ts';

const THREE = 'one\n\ntwo\n\nthree\n';
const NOTE = '---\r\nstatus: open\r\n---\r\n# One\r\n\r\nfirst\r\n\r\n## Two\r\n\r\nsecond\r\n\r\n# Three\r\n\r\nthird';

/** A test changes notes of its own only. */
const NOTES = {
  'a.md': NOTE,
  'b.md': NOTE,
  'c.md': 'one\n',
  'other.md': 'other\n',
  'd.md': THREE,
  ...Object.fromEntries(['e', 'f', 'g', 'h'].map((name) => [`${name}.md`, 'one\n'])),
  'i.md': '---\nstatus: \n---\n\n',
  'sub/Compost heap.md': '---\naliases: [the pile]\nstatus: in use\nup: x\n---\n## Turning it\n#garden/soil\n',
  'x <img src=q onerror=alert(1)>.md': 'hostile\n',
  'j.md': `# Long\n\n${'Some words of a paragraph.\n\n'.repeat(100)}`,
  'long.md': 'x'.repeat(MAX_EDIT_CHARACTERS + 1),
  'bad.md': Buffer.from('---\nkind: old\n---\n# Caf\xe9\n\n- [ ] one\n', 'latin1'),
};

/** The text of the open editor. */
async function shown(page: Page): Promise<string> {
  return (await page.locator('.cm-line').allTextContents()).join('\n');
}

describe.skipIf(chromiumPath === null)('U-03 the editor', () => {
  const site = useSite(NOTES);
  it('U-03 e edits the note, Ctrl-Enter saves it and shows it; every other byte of the file stays', async () => {
    await withWindow(await site(), async ({ page, vault, open, until, troubles }) => {
      await open('/note/a.md');
      await page.waitForSelector('.prose');
      await page.keyboard.press('e');
      await page.waitForSelector('.cm-content');
      await until(`document.activeElement?.classList.contains('edit-text')`);
      await typeAtEnd(page, ', and more\nlast');
      await page.keyboard.press('Control+s');
      await waitFor(() => vault.read('a.md') === `${NOTE}, and more\r\nlast`, { what: 'the saved text' });
      await page.waitForSelector('.edit-state:text-is("Saved")');
      await page.keyboard.type('!');
      await page.keyboard.press('Control+Enter');
      await until(`document.querySelector('.prose')?.textContent.includes('last!')`);
      expect(vault.read('a.md')).toBe(`${NOTE}, and more\r\nlast!`);
      expect(page.url()).toMatch(/\/note\/a\.md$/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a section is edited alone, from its heading and where the address names it', async () => {
    await withWindow(await site(), async ({ page, vault, open, until, troubles }) => {
      await open('/note/b.md#two');
      await page.waitForSelector('#note-two');
      await page.keyboard.press('e');
      await page.waitForSelector('.cm-content');
      expect(await shown(page)).toBe('## Two\n\nsecond\n');
      await typeAtEnd(page, 'more\n');
      await page.keyboard.press('Control+Enter');
      await waitFor(() => vault.read('b.md') === NOTE.replace('second\r\n', 'second\r\nmore\r\n'), { what: 'the section' });
      await until(`document.querySelector('.prose')?.textContent.includes('more')`);
      await page.locator('#note-three').hover();
      await page.locator('#note-three .edit-section').click();
      await page.waitForSelector('.cm-content');
      expect(await shown(page)).toBe('# Three\n\nthird');
      await page.keyboard.press('Escape');
      await page.waitForSelector('.prose');
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 Escape asks where something was typed; what is not saved survives a reload, and is offered when the note is opened again', async () => {
    await withWindow(await site(), async ({ page, vault, open, until, troubles }) => {
      // The browser asks before the page is left; the text is there afterwards all the same.
      page.removeAllListeners('dialog');
      page.on('dialog', (dialog) => void dialog.accept());
      await open('/note/c.md?edit=');
      await page.waitForSelector('.cm-content');
      await typeAtEnd(page, 'typed');
      await page.keyboard.press('Escape');
      // Enter discards nothing.
      await until(`document.activeElement?.textContent === 'Keep editing'`);
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.keyboard.type(' on');
      await page.reload();
      await page.waitForSelector('.edit-notice:has-text("did not save")');
      expect(await shown(page)).toBe('one\ntyped on');
      // Elsewhere and back.
      await open('/note/other.md');
      await open('/note/c.md');
      await page.getByRole('button', { name: 'Go on editing' }).click();
      await page.waitForSelector('.cm-content');
      expect(await shown(page)).toBe('one\ntyped on');
      expect(vault.read('c.md')).toBe('one\n');
      await page.getByRole('button', { name: 'Save' }).click();
      await until(`document.querySelector('.prose')?.textContent.includes('typed on')`);
      expect(vault.read('c.md')).toBe('one\ntyped on');
      expect(await page.locator('.edit-notice').count()).toBe(0);
      await open('/note/c.md?edit=');
      await page.waitForSelector('.cm-content');
      await typeAtEnd(page, 'nonsense');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.waitForSelector('.prose');
      expect(await page.locator('.edit-notice').count()).toBe(0);
      expect(vault.read('c.md')).toBe('one\ntyped on');
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a note that changes on disk meanwhile: merged where both sides do not touch, else both are shown', async () => {
    await withWindow(await site(), async ({ page, vault, open, until, troubles }) => {
      let saves = 0;
      page.on('request', (request) => void (request.url().endsWith('/save_edit') && saves++));
      await open('/note/d.md?edit=');
      await page.waitForSelector('.cm-content');
      // Nothing was typed: the editor follows, and the cursor stays.
      await page.keyboard.press('Control+End');
      vault.write('d.md', `zero\n${THREE}`);
      await until(`document.querySelector('.edit-text').shadowRoot.querySelector('.cm-content').textContent.startsWith('zero')`);
      await page.keyboard.type('four\n');
      vault.write('d.md', `zero\n${THREE.replace('one', 'one, changed')}`);
      await page.getByRole('button', { name: 'Merge both' }).click();
      await until(`document.querySelector('.edit-text').shadowRoot.querySelector('.cm-content').textContent.includes('one, changed')`);
      await page.keyboard.press('Control+s');
      await waitFor(() => vault.read('d.md') === 'zero\none, changed\n\ntwo\n\nthree\nfour\n', { what: 'both changes' });
      await typeAtEnd(page, 'five');
      vault.write('d.md', 'zero\none, changed\n\ntwo\n\nthree\nfour\nfifth\n');
      await page.getByRole('button', { name: 'Compare both' }).click();
      await page.waitForSelector('.compare-sides pre');
      expect(await page.locator('.compare-sides pre').allInnerTexts()).toEqual(['five', 'fifth\n']);
      // Ctrl-S overwrites nothing.
      await page.keyboard.press('Control+s');
      await page.getByLabel('Keep both').check();
      await page.getByRole('button', { name: 'Put this into the editor' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForSelector('.prose');
      expect(vault.read('d.md')).toBe('zero\none, changed\n\ntwo\n\nthree\nfour\nfive\nfifth\n');
      // The merge, and the text of both.
      expect(saves).toBe(2);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 two tabs edit one paragraph: the second to save is told, and loses nothing', async () => {
    await withWindow(await site(), async ({ page, vault, open, until, forgive, troubles }) => {
      await open('/note/e.md?edit=');
      await page.waitForSelector('.cm-content');
      const other = await page.context().newPage();
      await other.addInitScript(`sessionStorage.setItem('roux-token', ${JSON.stringify(TOKEN)})`);
      await other.goto(page.url());
      await other.waitForSelector('.cm-content');
      await typeAtEnd(page, 'mine');
      await typeAtEnd(other, 'theirs');
      // This tab does not see the other's save before its own.
      await page.route('**/api/merge_edit', (route) => route.abort());
      const looked = page.waitForRequest('**/api/merge_edit');
      await other.keyboard.press('Control+Enter');
      await other.waitForSelector('.prose');
      await other.close();
      await looked;
      await page.unroute('**/api/merge_edit');
      const refused = page.waitForResponse((response) => response.url().endsWith('/api/save_edit') && response.status() === 409);
      await page.keyboard.press('Control+s');
      await refused;
      expect(vault.read('e.md')).toBe('one\ntheirs');
      await page.getByRole('button', { name: 'Compare both' }).click();
      await page.getByLabel('Keep yours').check();
      await page.getByRole('button', { name: 'Put this into the editor' }).click();
      await page.keyboard.press('Control+s');
      await waitFor(() => vault.read('e.md') === 'one\nmine', { what: 'mine' });
      await until(`document.querySelector('.edit-state').textContent === 'Saved'`);
      forgive(/409|ERR_FAILED/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 the server goes while one types: it is said, nothing is lost, and it saves when it is back', async () => {
    await withWindow(await site(), async ({ page, vault, open, until, forgive, troubles }) => {
      await open('/note/f.md?edit=');
      await page.waitForSelector('.cm-content');
      await page.route('**/api/**', (route) => route.abort());
      await typeAtEnd(page, 'two');
      await page.keyboard.press('Control+s');
      await page.waitForSelector('.edit-state.bad:has-text("Your text is kept in this tab")');
      expect(vault.read('f.md')).toBe('one\n');
      await page.unroute('**/api/**');
      await page.keyboard.press('Control+s');
      await until(`document.querySelector('.edit-state').textContent === 'Saved'`);
      expect(vault.read('f.md')).toBe('one\ntwo');
      // The answer to a save is lost: the next one finds that it was made.
      await page.route('**/api/save_edit', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await page.keyboard.type(' three');
      await page.keyboard.press('Control+s');
      await waitFor(() => vault.read('f.md') === 'one\ntwo three', { what: 'the save' });
      // The page may hear of the change before the answer is given up.
      await until(
        `(({ classList, textContent }) => classList.contains('bad') || textContent === 'Saved')(document.querySelector('.edit-state'))`,
      );
      await page.unroute('**/api/save_edit');
      await page.keyboard.press('Control+s');
      await until(`document.querySelector('.edit-state').textContent === 'Saved'`);
      expect(await page.locator('.edit-notice').count()).toBe(0);
      forgive(/Failed to load|409/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a save whose answer was lost is told as saved once the page sees it in the note', async () => {
    await withWindow(await site(), async ({ page, vault, open, forgive, troubles }) => {
      await open('/note/g.md?edit=');
      await page.waitForSelector('.cm-content');
      await page.route('**/api/save_edit', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await typeAtEnd(page, 'two');
      await page.keyboard.press('Control+s');
      await page.waitForSelector('.edit-state.bad, .edit-state:text-is("Saved")');
      expect(vault.read('g.md')).toBe('one\ntwo');
      // The page looks at the note again whenever the list of notes changes.
      vault.write('more.md', '');
      await page.waitForSelector('.edit-state:text-is("Saved")');
      forgive(/Failed to load/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a save that is asked for while another is under way is made after it, and none is called saved that is not', async () => {
    await withWindow(await site(), async ({ page, vault, open, until, troubles }) => {
      await open('/note/h.md?edit=');
      await page.waitForSelector('.cm-content');
      /** Saves, and holds the save up until what is returned is called. */
      const saveSlowly = async (): Promise<() => void> => {
        let release = (): void => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        await page.route('**/api/save_edit', (route) => held.then(() => route.continue()), { times: 1 });
        await page.keyboard.press('Control+s');
        await until(`document.querySelector('.edit-state').textContent === 'Saving…'`);
        return release;
      };
      await typeAtEnd(page, 'two');
      const first = await saveSlowly();
      await page.keyboard.type(' three');
      await page.keyboard.press('Control+s');
      first();
      await until(`document.querySelector('.edit-state').textContent === 'Saved'`);
      expect(vault.read('h.md')).toBe('one\ntwo three');
      await page.keyboard.type(' four');
      const second = await saveSlowly();
      await page.keyboard.type(' five');
      second();
      await until(`document.querySelector('.edit-state').textContent === 'Not saved yet'`);
      expect(vault.read('h.md')).toBe('one\ntwo three four');
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 completion: links by title, alias and heading, tags, properties and values; names of a vault are text', async () => {
    await withWindow(await site(), async ({ page, vault, open, troubles }) => {
      await open('/note/i.md?edit=');
      await page.waitForSelector('.cm-content');
      const complete = async (typed: string, shown: string): Promise<void> => {
        await typeAtEnd(page, typed);
        await page.locator(`.cm-tooltip-autocomplete li[aria-selected]:has-text("${shown}")`).click();
        await page.waitForSelector('.cm-tooltip-autocomplete', { state: 'detached' });
      };
      await complete('[[comp', 'Compost heap');
      await complete(' [[pile', 'the pile');
      await complete(' [[Compost heap#tur', 'Turning it');
      await complete(' #gard', 'garden/soil');
      await complete(' [[<img', 'onerror');
      await page.keyboard.press('Control+s');
      await page.waitForSelector('.edit-state:text-is("Saved")');
      const link = '[[Compost heap]] [[Compost heap|the pile]] [[Compost heap#Turning it]] #garden/soil';
      expect(vault.read('i.md')).toBe(`---\nstatus: \n---\n\n${link} [[x <img src=q onerror=alert(1)>]]`);
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      await page.keyboard.type('in');
      await page.waitForSelector('.cm-tooltip-autocomplete li[aria-selected]:has-text("in use")');
      await page.keyboard.press('Escape');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.type('u');
      await page.waitForSelector('.cm-tooltip-autocomplete li:has-text("up")');
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a note that is too long for the editor, and one that is no text, are refused with a word', async () => {
    await withWindow(await site(), async ({ page, open, forgive, troubles }) => {
      await open('/note/long.md?edit=');
      await page.waitForSelector('[role="alert"]:has-text("too long to be edited in the browser")');
      await open('/note/bad.md?edit=');
      await page.waitForSelector('[role="alert"]:has-text("not valid UTF-8")');
      // Nothing is offered that would be refused.
      await open('/note/bad.md');
      await page.waitForSelector('.notice:has-text("not valid UTF-8")');
      await page.waitForSelector('.prose input');
      expect(await page.locator('.note-actions button').allTextContents()).toEqual(['Rename', 'Move', 'Delete']);
      expect(await page.locator('.edit-section, .property-edit, .prose input:enabled').count()).toBe(0);
      forgive(/4\d\d/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-03 a read-only server offers no editing', async () => {
    await withBrowser(
      { 'a.md': '# One\n\ntext\n' },
      async ({ page, open, troubles }) => {
        await open('/note/a.md?edit=');
        await page.waitForSelector('.prose');
        await page.keyboard.press('e');
        expect(await page.locator('.edit-view, .note-actions, .edit-section').count()).toBe(0);
        expect(troubles).toEqual([]);
      },
      { flags: ['--read-only'] },
    );
  });

  for (const [colorScheme, width] of WINDOWS) {
    it(`U-03 the editor fits, its list is in sight at the end of a long note, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await site(),
        async ({ page, open, until, screenshot, troubles }) => {
          await open('/note/j.md?edit=');
          await page.waitForSelector('.cm-content');
          await typeAtEnd(page, '[[a');
          const list = page.locator('.cm-tooltip-autocomplete');
          await waitFor(async () => ((await list.boundingBox())?.y ?? -1) > 0, { what: 'the list in the window' });
          await screenshot(`edit-${colorScheme}-${width}`);
          expect(await seriousFindings(page)).toEqual([]);
          await page.keyboard.press('Escape');
          await page.keyboard.press('Control+f');
          await page.keyboard.type('words');
          await page.keyboard.press('Enter');
          await until(`document.documentElement.scrollWidth <= innerWidth`);
          expect(await seriousFindings(page)).toEqual([]);
          expect(troubles).toEqual([]);
        },
        { colorScheme, viewport: { width, height: 740 } },
      );
    });
  }
});
