import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { useSite, withWindow } from '../../support/browser/with-browser.ts';
import { isLong } from '../../support/effort.ts';

const LONG_WORD = 'averylongwordwithoutanyspace'.repeat(6);

const EVERYTHING = `---
tags: [garden, a-very-long-tag-name-that-goes-on-and-on, reading/${'long/'.repeat(12)}end]
author: "[[Nobody Yet]]"
url: https://example.com/${'a/very/long/path/'.repeat(8)}
${LONG_WORD.slice(0, 60)}: [one, two]
---
# Everything

![[All.base]]

A paragraph with \`${LONG_WORD}\`, a [[Nobody Yet]] and $${Array.from({ length: 40 }, (_, at) => `x_{${at}}`).join(' + ')}$.

## ${LONG_WORD}

\`\`\`ts
const line = '${LONG_WORD}';
\`\`\`

| Name | Age | What it says, which is rather long | Link |
|---|---|---|---|
| Ada | 36 | Wrote the first program, and thought that machines might compose music | [[Tomato]] |

|${' a |'.repeat(20)}
|${'---|'.repeat(20)}
|${' word |'.repeat(20)}

> [!note] ${LONG_WORD}
> - [ ] ${LONG_WORD}
`;

const FILES = {
  'Everything.md': EVERYTHING,
  'All.base':
    'views:\n  - type: table\n    name: All\n    order: [file.name, tags, url, file.mtime, file.path]\n  - type: cards\n    name: Cards\n    order: [file.name, tags]\n',
  'Board.canvas': JSON.stringify({
    nodes: [
      { id: 'a', type: 'text', x: 0, y: 0, width: 260, height: 140, text: `# Hello\n${LONG_WORD}` },
      { id: 'b', type: 'file', x: 4000, y: 0, width: 300, height: 300, file: 'Everything.md' },
    ],
    edges: [{ id: '1', fromNode: 'a', toNode: 'b', label: LONG_WORD }],
  }),
};

interface View {
  readonly name: string;
  readonly address: string;
  readonly shown: string;
  /** What is clicked, or a key that is pressed, before the look. */
  readonly click?: string;
  readonly key?: string;
  /** What is there after that. */
  readonly shownNext?: string;
}

const VIEWS: readonly View[] = [
  { name: 'home', address: '/', shown: '.home .note-rows' },
  { name: 'notes', address: '/note', shown: '.notes a' },
  { name: 'note', address: '/note/Everything.md', shown: '.bases-table' },
  { name: 'properties', address: '/note/Everything.md', shown: '.properties', click: '.properties:not([open]) summary, .properties th' },
  { name: 'edit', address: '/note/Everything.md', shown: '.prose', key: 'e', shownNext: '.cm-content' },
  { name: 'unresolved link', address: '/note/Nobody%20Yet', shown: '.empty' },
  { name: 'unknown address', address: `/${LONG_WORD}`, shown: '.empty' },
  { name: 'base', address: '/file/All.base', shown: '.bases-table' },
  { name: 'canvas', address: '/file/Board.canvas', shown: '.canvas-edges' },
  { name: 'search', address: `/search?q=${LONG_WORD}`, shown: '.hit' },
  { name: 'palette', address: '/note', shown: '.notes a', key: 'Control+k', shownNext: '.palette input' },
  { name: 'graph', address: '/graph', shown: '.graph-view' },
  { name: 'projects', address: '/tasks', shown: '.tasks-view h1, main h1' },
  { name: 'board', address: '/tasks/Greenhouse%20roof', shown: '.card' },
  { name: 'dependencies', address: '/tasks/Greenhouse%20roof?view=dependencies', shown: 'main svg' },
  { name: 'unknown project', address: '/tasks/nowhere', shown: '.empty' },
  { name: 'checkboxes', address: '/tasks?tab=checkboxes', shown: '.checkbox-row' },
  { name: 'memory', address: '/memory', shown: 'main h1' },
  { name: 'knowledge', address: '/knowledge', shown: 'main h1' },
  { name: 'activity', address: '/activity', shown: 'main h1' },
  { name: 'attention', address: '/attention', shown: '.attention-list a' },
  { name: 'tags', address: '/tag', shown: 'main a' },
  { name: 'tag', address: '/tag/garden', shown: '.note-rows' },
  { name: 'file', address: '/file/plants/none.png', shown: '.empty' },
];

/** What does not fit: a page wider than the window, and areas that scroll by a few pixels or, on a phone, controls that a finger misses. */
const MISFITS = `(() => {
  const found = [];
  const wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wider !== 0) found.push('The page is wider than the window by ' + wider);
  const name = (element) => element.tagName.toLowerCase() + '.' + element.className + ' ' + element.textContent.trim().slice(0, 30);
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const { overflowX, overflowY, display, clipPath } = getComputedStyle(element);
    if (clipPath !== 'none') continue;
    const rest = { x: element.scrollWidth - element.clientWidth, y: element.scrollHeight - element.clientHeight };
    if (/auto|scroll/.test(overflowX) && rest.x > 0 && rest.x < 8) found.push('Scrolls sideways by ' + rest.x + ': ' + name(element));
    if (/auto|scroll/.test(overflowY) && rest.y > 0 && rest.y < 8) found.push('Scrolls by ' + rest.y + ': ' + name(element));
    const { width, height } = element.getBoundingClientRect();
    const isControl = element.matches('a[href], button, select, summary') && !element.closest('.canvas-node, .sr-only');
    if (innerWidth < 500 && isControl && display !== 'inline' && width > 1 && height < 22) found.push('Low: ' + height + ' ' + name(element));
  }
  return found;
})()`;

/** What follows the size of the window has done so. */
const TWO_FRAMES = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`;

describe.skipIf(chromiumPath === null)('V-11 every view fits its window', () => {
  const site = useSite('demo', ({ vault }) => {
    for (const [path, text] of Object.entries(FILES)) vault.write(path, text);
    return Promise.resolve();
  });

  /** Widths from that of a phone to that of a desk, the next one first for each turn. */
  const widthsAt = (turn: number): readonly number[] => [0, 1, 2].map((at) => [360, 820, 1280][(turn + at) % 3] ?? 0);

  it('V-11 nothing is wider than a window from 360 px to 1280 px, and nothing scrolls by a few pixels', async () => {
    await withWindow(await site(), async ({ page, open, until, troubles, forgive }) => {
      const misfits: string[] = [];
      for (const [at, { name, address, shown, click, key, shownNext }] of VIEWS.entries()) {
        for (const [turn, width] of widthsAt(at).entries()) {
          await page.setViewportSize({ width, height: 800 });
          // Where the window is made wider or narrower, the view has to fit as well as where it begins; in a long run it does both.
          if (turn === 0 || isLong) {
            await open(address);
            await page.waitForSelector(shown);
            if (click !== undefined) await page.locator(click).first().click();
            if (key !== undefined) await page.keyboard.press(key);
            if (shownNext !== undefined) await page.waitForSelector(shownNext);
            await until(`document.querySelector('.loading') === null`);
          } else await page.evaluate(TWO_FRAMES);
          for (const misfit of (await page.evaluate(MISFITS)) as readonly string[]) misfits.push(`${name}, ${width} px: ${misfit}`);
        }
      }
      expect(misfits).toEqual([]);
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });
});
