import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';

const VIEWS: readonly (readonly [name: string, address: string, shown: string])[] = [
  ['home', '/', '.home'],
  ['search', '/search?q=compost', '.hit'],
  ['search-empty', '/search', '.examples'],
  ['notes', '/note', '.notes a'],
  ['note', '/note/notes/Watering%20rota.md', '.prose'],
  ['note-wanted', '/note/Lettuce', '.empty'],
  ['note-missing', '/note/nowhere.md', '.empty'],
];

const parts = (name: string): string => Array.from({ length: 60 }, (_, at) => `## Part ${at}\n\nPart ${at} of ${name}.\n`).join('\n');
const LONG = Array.from({ length: 120 }, (_, index) => `## Part ${index}\n\nSome words of part ${index}.\n`).join('\n');
const DEEP = Array.from({ length: 30 }, (_, level) => `${'  '.repeat(level)}- zebra of level ${level}`).join('\n');

/** Notes that hardly fit a narrow window. */
const WIDE = {
  [`${'zebra'.repeat(40)}.md`]: `zebra ${'x'.repeat(300)}\n`,
  'a/folder/whose/names/go/on/and/on/without/an/end/deep.md': `${DEEP}\n`,
  'right.md': '1. واحد zebra\n2. اثنان\n\n- واحد\n',
};

const NOTES = {
  'Alder.md': 'a tree\n',
  'Almond.md': 'a nut\n',
  ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.md`, `[[b]] [[c#Part 40]]\n\n${parts(name)}`])),
  'long.md': `${LONG}\n[[short]]\n`,
  'short.md': '# short\n\nfew words\n',
  ...WIDE,
};

describe.skipIf(chromiumPath === null)('V-11 views of the page', () => {
  const demo = useSite('demo');
  const notes = useSite(NOTES);

  for (const [colorScheme, width] of WINDOWS) {
    it(`V-11 V-16 each opens by its address, fits, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () => {
      await withWindow(
        await demo(),
        async ({ page, open, troubles, screenshot }) => {
          for (const [name, address, shown] of VIEWS) {
            await open(address);
            await page.waitForSelector(shown);
            expect(await page.title(), name).not.toBe('');
            const overflow = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
            expect(overflow, `${name} is wider than the window`).toBe(0);
            expect(await seriousFindings(page), name).toEqual([]);
            await screenshot(`${name}-${colorScheme}-${width}`);
          }
          expect(troubles.filter((trouble) => !trouble.includes('404'))).toEqual([]);
        },
        { viewport: { width, height: 800 }, colorScheme },
      );
    });
  }

  it('V-11 all of it works by keyboard: g and a letter, /, Ctrl-K, arrows and Enter, ?, Escape', async () => {
    await withWindow(await demo(), async ({ page, open, until, troubles }) => {
      await open('/note/notes/Compost.md');
      await page.waitForSelector('.prose');
      await page.keyboard.press('?');
      await page.waitForSelector('dialog[open]');
      // Focus stays within the dialog.
      for (let times = 0; times < 4; times += 1) await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.closest('dialog') !== null || document.activeElement === document.body`)).toBe(
        true,
      );
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await page.waitForSelector('.home');
      await until(`document.activeElement?.matches('input[data-main]')`);
      await page.keyboard.type('courgette');
      await page.waitForSelector('.hit');
      await until(`document.querySelector('.hit-title')?.textContent === 'Courgette'`);
      await page.keyboard.press('ArrowDown');
      await page.waitForSelector('.hit[aria-selected="true"]');
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/note/plants/Courgette.md'`);
      await page.waitForSelector('.prose');
      await page.keyboard.press('Control+k');
      await until(`document.activeElement?.matches('.palette input')`);
      await page.keyboard.press('Escape');
      await page.waitForSelector('.palette', { state: 'detached' });
      await page.evaluate(`document.activeElement.blur()`);
      await page.keyboard.press('g');
      await page.keyboard.press('n');
      await page.waitForSelector('.notes a');
      await page.keyboard.press('/');
      await until(`location.pathname === '/search'`);
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 Enter that is pressed before the answer is there opens what was asked for, not what was found before', async () => {
    await withWindow(await notes(), async ({ page, open, until, troubles }) => {
      await open('/search?q=tree');
      await until(`document.querySelector('.hit-title')?.textContent === 'Alder'`);
      await page.route('**/api/suggest', async (route) => {
        await setTimeout(500);
        await route.continue().catch(() => undefined);
      });
      await page.locator('input[data-main]').press('Control+a');
      await page.keyboard.type('nut');
      await page.keyboard.press('Enter');
      await until(`location.pathname === '/note/Almond.md'`);
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 letters that are typed faster than the page draws are all there', async () => {
    await withWindow(await demo(), async ({ page, open, until }) => {
      for (const [address, field] of [
        ['/', 'input[data-main]'],
        ['/search', 'input[data-main]'],
      ] as const) {
        await open(address);
        await page.waitForSelector(field);
        // Each letter follows what the field then holds, after the page was rendered and before it was drawn.
        await page.evaluate(`(async () => {
          const field = document.querySelector(${JSON.stringify(field)});
          const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
          for (const letter of 'courgette'.repeat(4)) {
            set.call(field, field.value + letter);
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));
            for (let turns = 0; turns < 20; turns += 1) await null;
          }
        })()`);
        await until(`document.querySelector(${JSON.stringify(field)}).value === 'courgette'.repeat(4)`);
        await until(`decodeURIComponent(location.search).includes('courgette'.repeat(4))`);
        expect(await page.inputValue(field)).toBe('courgette'.repeat(4));
      }
    });
  });

  it('V-11 back and forward between long notes, and links to a heading that both have, lead to the right place', async () => {
    await withWindow(await notes(), async ({ page, open, until, troubles }) => {
      const isAt = (name: string, top: number): string =>
        `document.querySelector('.note').dataset.path === '${name}.md' && !document.querySelector('.loading') && Math.abs(scrollY - ${top}) < 3`;
      const follow = (at: number): Promise<unknown> => page.evaluate(`document.querySelectorAll('.prose a')[${at}].click()`);
      await open('/note/a.md');
      await page.waitForSelector('.prose');
      await page.evaluate(`scrollTo(0, 900)`);
      await until(`history.state?.scroll === 900`);
      await follow(0);
      await until(isAt('b', 0));
      await page.evaluate(`scrollTo(0, 1300)`);
      await until(`history.state?.scroll === 1300`);
      await follow(1);
      await until(
        `document.querySelector('.note').dataset.path === 'c.md' && Math.abs(document.getElementById('note-part-40').getBoundingClientRect().top) < 120`,
      );
      await page.goBack();
      await until(isAt('b', 1300));
      await page.goBack();
      await until(isAt('a', 900));
      await page.goForward();
      await until(isAt('b', 1300));
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 an address holds all: reload shows the same, back goes to where one was', async () => {
    await withWindow(await notes(), async ({ page, open, until, troubles }) => {
      await open('/note/long.md#Part%2060');
      await until(`Math.abs(document.getElementById('note-part-60')?.getBoundingClientRect().top ?? 999) < 120`);
      await until(`document.querySelector('.outline [aria-current]')?.textContent === 'Part 60'`);
      await page.evaluate(`scrollTo(0, 4000)`);
      await until(`history.state?.scroll === 4000`);
      await page.evaluate(`document.querySelector('.prose a').click()`);
      await until(`document.querySelector('.note h1')?.textContent === 'short' && scrollY === 0`);
      await page.goBack();
      await until(`document.querySelector('.note h1')?.textContent === 'long' && Math.abs(scrollY - 4000) < 3`);
      await page.reload();
      await until(`document.querySelector('.note h1')?.textContent === 'long' && Math.abs(scrollY - 4000) < 3`);
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 an address with a heading leads there, however long the note takes to come', async () => {
    await withWindow(await notes(), async ({ page, open, until, troubles }) => {
      await page.route(/read_page/, async (route) => {
        await setTimeout(3500);
        await route.continue();
      });
      await open('/note/long.md#Part%2060');
      await until(`Math.abs(document.getElementById('note-part-60')?.getBoundingClientRect().top ?? 999) < 120`);
      expect(troubles).toEqual([]);
    });
  });

  it('V-11 V-16 long words, deep lists and lists from the right stay within a narrow window', async () => {
    await withWindow(
      await notes(),
      async ({ page, open, troubles }) => {
        const addresses = Object.keys(WIDE).map((path) => `/note/${path.split('/').map(encodeURIComponent).join('/')}`);
        for (const address of ['/search?q=zebra', '/note', '/', ...addresses]) {
          await open(address);
          await page.waitForSelector('.hit, .notes a, .prose, .home');
          const overflow = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
          expect(overflow, address).toBe(0);
        }
        // A number stands within the page.
        const list = await page.locator('.prose ol').boundingBox();
        expect((list?.x ?? 0) + (list?.width ?? 999)).toBeLessThanOrEqual(360);
        expect(troubles).toEqual([]);
      },
      { viewport: { width: 360, height: 740 } },
    );
  });

  it('V-11 hovering a link shows the note behind it, Escape closes that', async () => {
    await withWindow(await demo(), async ({ page, open, troubles }) => {
      await open('/note/notes/Compost.md');
      await page.locator('.prose a', { hasText: 'Tomas Berg' }).hover();
      await page.waitForSelector('.preview');
      expect(await page.locator('.preview').innerText()).toContain('greenhouse');
      await page.keyboard.press('Escape');
      await page.waitForSelector('.preview', { state: 'detached' });
      expect(troubles).toEqual([]);
    });
  });

  it('V-16 reduced motion: nothing moves for longer than a moment; print shows the note alone', async () => {
    await withWindow(
      await demo(),
      async ({ page, open, troubles }) => {
        await open('/note/notes/Compost.md');
        await page.waitForSelector('.prose');
        await page.emulateMedia({ media: 'print' });
        expect(await page.locator('.navigation').isVisible()).toBe(false);
        expect(await page.locator('.prose').isVisible()).toBe(true);
        expect(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()`)).toBe('#24221f');
        const long = await page.evaluate(`document.getAnimations().filter((one) => one.effect.getTiming().duration > 10).length`);
        expect(long).toBe(0);
        expect(troubles).toEqual([]);
      },
      { reducedMotion: 'reduce', colorScheme: 'dark' },
    );
  });
});
