import { describe, expect, it } from 'vitest';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { WINDOWS } from '../../support/browser/windows.ts';
import { withWindow } from '../../support/browser/with-browser.ts';
import type { BrowserTest, Site } from '../../support/browser/with-browser.ts';
import { ATTACKS } from '../hostile.ts';
import { useHosted, withHost, withPublished } from './static-site.ts';

const LONG_NAME = 'zebra'.repeat(30);
const NOTES = {
  'Garden/README.md': '# The garden\n\nBegin with [[Tomato Plant]], [[Compost heap#Turning it|the heap]] or #soil.\n',
  'Garden/Tomato Plant.md':
    '---\ntags: [plants/red]\n---\nNeeds sun, and a rich bed. ![[pixel.png|20]]\n\n## Watering\n\nIn the morning, see [[Compost heap]].\n\n## Harvest\n\n- [x] sow\n- [ ] pick\n\n$a^2 + b^2$\n',
  'Garden/Kitchen/Compost heap.md':
    '## Turning it\n\nEvery second week, so that it breathes. #soil\n\n![[Tomato Plant#Harvest]]\n\n> [!tip] A tip\n> Keep it moist.\n',
  'Garden/pixel.png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  [`Garden/${LONG_NAME}.md`]: `${'x'.repeat(300)}\n`,
};

/** What a hostile note has brought about on a page, once the mouse was over its links. */
const FOUND = `(() => {
  for (const link of document.querySelectorAll('.prose a, .prose summary')) link.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
  const active =
    'script, style, iframe, object, embed, form, link, meta, base, svg:not(.icon, .canvas-static > svg), [style], [name], [onclick], [onerror], [onload]';
  return {
    hacked: typeof hacked,
    active: [...document.querySelectorAll('main')].flatMap((main) => [...main.querySelectorAll(active)].map(({ outerHTML }) => outerHTML)),
    ours: document.querySelectorAll('#main, #page').length,
    links: [...document.querySelectorAll('a[href]')].map(({ href }) => href).filter((href) => !/^(https?|mailto):/.test(href)),
  };
})()`;

describe.skipIf(chromiumPath === null)('U-11 a published site in a browser', () => {
  const site = useHosted(NOTES, ['Garden']);

  it('U-11 reads, searches, previews and draws the graph below the path of any host', async () =>
    withWindow(await site(), async ({ page, open, until, troubles, screenshot, server }) => {
      await open('/index.html');
      expect(await page.title()).toBe('The garden');
      await page.hover('.prose a >> text=the heap');
      await page.waitForSelector('.preview >> text=Every second week');
      await screenshot('publish/preview');
      await page.keyboard.press('Escape');
      await page.click('.prose a >> text=the heap');
      await page.waitForSelector('h1 >> text=Compost heap');
      await page.waitForSelector('.callout-tip .callout-title > .icon');
      expect(new URL(page.url()).hash).toBe('#note-turning-it');
      // The note, its embed and its backlinks, with the lines of the links.
      await page.waitForSelector('.embed >> text=pick');
      await page.waitForSelector('.backlink-line >> text=In the morning');
      await until(`document.querySelector('.site-tree [aria-current]')?.textContent === 'Compost heap'`);
      await screenshot('publish/note');

      await page.keyboard.press('/');
      await page.keyboard.type('breath');
      await page.waitForSelector('.hit >> text=so that it breathes');
      await page.keyboard.press('Control+a');
      await page.keyboard.type('rich sun');
      await page.waitForSelector('.hit >> text=Tomato Plant');
      await screenshot('publish/search');
      await page.keyboard.press('Enter');
      await page.waitForSelector('h1 >> text=Tomato Plant');
      await until(`document.querySelector('.prose img').naturalWidth === 1`);
      await page.click('.note-facts a.tag');
      await page.waitForSelector('h1 >> text=#plants/red');
      await page.click('main a >> text=Tomato Plant');
      await open('/index.html');
      await page.click('.prose a.tag');
      await page.waitForSelector('h1 >> text=#soil');
      await open('/Garden/Tomato-Plant.html');

      await page.click('text=Show in the graph');
      await page.waitForSelector('.graph-view[data-layout="ready"]');
      await until(`document.querySelector('.graph-count').textContent.includes('3 notes')`);
      await page.click('.graph-side a >> text=Tomato Plant');
      await page.waitForSelector('.prose');
      expect(page.url()).toBe(`${server.url}/Garden/Tomato-Plant.html`);
      await open('/graph.html');
      await page.waitForSelector('.graph-view canvas');
      await page.fill('input[data-main]', 'moist');
      await until(`document.querySelector('.graph-count').textContent.includes('1 found')`);
      await screenshot('publish/graph');
      await page.goto(`${server.url}/nowhere/at/all.html`);
      expect(await page.textContent('h1')).toBe('Page not found');
      expect(troubles.filter((trouble) => !/404/.test(trouble))).toEqual([]);
    }));

  it('U-11 Enter before the answer is there opens the first hit of the words that were typed', async () =>
    withWindow(await site(), async ({ page, open }) => {
      await open('/index.html');
      await page.keyboard.press('/');
      await page.keyboard.type('breath');
      await page.waitForSelector('.hit >> text=Compost heap');
      let answer = (): void => undefined;
      const isPressed = new Promise<void>((resolve) => (answer = resolve));
      await page.route('**/data/words/*.json', async (route) => {
        await isPressed;
        await route.continue();
      });
      await page.keyboard.press('Control+a');
      await page.keyboard.type('sun');
      await page.keyboard.press('Enter');
      answer();
      await page.waitForSelector('h1 >> text=Tomato Plant');
      expect(new URL(page.url()).pathname).toBe('/notes/Garden/Tomato-Plant.html');
    }));

  it('U-11 a page is whole without JavaScript, also as a file', async () => {
    const published = await site();
    await withWindow(
      published,
      async ({ page, server }) => {
        for (const root of [server.url, `file://${published.out}`]) {
          await page.goto(`${root}/index.html`);
          await page.click('.prose a >> text=Tomato Plant');
          await page.waitForSelector('h1 >> text=Tomato Plant');
          for (const shown of [
            '.prose >> text=rich bed',
            '.outline >> text=Watering',
            '.backlinks >> text=The garden',
            '.navigation >> text=All notes',
          ]) {
            await page.waitForSelector(shown);
          }
          await page.click('.prose a >> text=Compost heap');
          await page.waitForSelector('h1 >> text=Compost heap');
          expect(page.url()).toBe(`${root}/Garden/Kitchen/Compost-heap.html`);
        }
      },
      { javaScriptEnabled: false },
    );
  });

  for (const [colorScheme, width] of WINDOWS) {
    it(`U-11 every page fits, and axe finds nothing serious: ${colorScheme}, ${width} px`, async () =>
      withWindow(
        await site(),
        async ({ page, open, screenshot }) => {
          for (const file of [
            'index.html',
            'Garden/Tomato-Plant.html',
            'notes.html',
            'tags.html',
            'graph.html',
            '404.html',
            `Garden/${LONG_NAME}.html`,
          ]) {
            await open(`/${file}`);
            await page.waitForSelector('.site-tree a, .site-tree summary', { state: 'attached' });
            for (const each of [820, width]) {
              await page.setViewportSize({ width: each, height: 800 });
              expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${file}, ${each} px`).toBe(true);
            }
            expect(await seriousFindings(page), file).toEqual([]);
            await screenshot(`publish/${file.slice(0, 30).replaceAll('/', '-')}-${colorScheme}-${width}`);
          }
          await page.keyboard.press('/');
          await page.keyboard.type('plant');
          await page.waitForSelector('.hit');
          expect(await seriousFindings(page)).toEqual([]);
        },
        { viewport: { width, height: 800 }, colorScheme },
      ));
  }

  it('U-11 nothing of a hostile note runs, or is fetched from elsewhere', () => {
    const evil = '<img src=x onerror=hacked=1>';
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="top.hacked=1"><rect width="9" height="9"/></svg>';
    const files = {
      ...Object.fromEntries(ATTACKS.map((attack, index) => [`attack ${index}.md`, `before [[index]] ${index}\n\n${attack}\n`])),
      'all.md': `${ATTACKS.join('\n\n')}\n`,
      'index.md': `---\ntitle: '${evil}'\naliases: ['${evil}']\ntags: ['${evil}', 'x"onload="y']\nurl: 'javascript:hacked=1'\nhtml: '${evil}'\n'${evil}': '[[all|${evil}]]'\n__proto__: {x: 1}\n---\n![[evil.svg]] [[evil.html]] ![[fine.svg]] ${Array.from(ATTACKS, (_, index) => `[[attack ${index}]]`).join(' ')}\n`,
      [`<b onclick=hacked=1>/${evil}.md`]: `# ${evil}\n\n[[index]] ${evil}\n`,
      'evil.svg': svg,
      'evil.canvas': JSON.stringify({
        nodes: [...ATTACKS, evil].flatMap((text, index) => {
          const box = { x: 0, y: index * 100, width: 200, height: 90 };
          return [
            { ...box, id: `text ${index}`, type: 'text', text },
            { ...box, id: `link ${index}`, type: 'link', url: `javascript:hacked=${index}`, color: '1" onload="hacked=1' },
            { ...box, id: `group ${index}`, type: 'group', label: text },
            { ...box, id: `file ${index}`, type: 'file', file: 'all.md', subpath: text },
          ];
        }),
        edges: ATTACKS.map((label, index) => ({ id: label, fromNode: `text ${index}`, toNode: `text ${index + 1}`, label })),
      }),
      'evil.base': JSON.stringify({
        formulas: Object.fromEntries(ATTACKS.map((attack, index) => [`${index} ${evil}`, JSON.stringify(attack)])),
        views: ['table', 'cards', 'list', evil].map((type) => ({
          type,
          name: `${type} ${evil}`,
          image: 'url',
          order: ['file.name', 'url', 'html', evil, ...ATTACKS.map((_, index) => `formula.${index} ${evil}`)],
          groupBy: 'html',
        })),
      }),
      'fine.svg': '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>',
      'evil.html': '<script>top.hacked=1</script>',
    };
    const args = ['--all', '--properties', `url,html,${evil}`, '--title', evil];
    return withHosted(files, args, async ({ page, open, troubles }) => {
      for (const file of [
        'index.html',
        'all.html',
        'evil.canvas.html',
        'evil.base.html',
        'notes.html',
        'tags.html',
        ...ATTACKS.map((_, index) => `attack-${index}.html`),
      ]) {
        await open(`/${file}`);
        await page.waitForSelector('.site-tree a', { state: 'attached' });
        expect(await page.evaluate(FOUND), file).toEqual({ hacked: 'undefined', active: [], ours: 2, links: [] });
      }
      await page.keyboard.press('/');
      await page.keyboard.type('img src onerror');
      await page.waitForSelector('.hit');
      await open('/graph.html');
      await page.waitForSelector('.graph-view[data-layout="ready"]');
      expect(await page.evaluate(`typeof hacked`)).toBe('undefined');
      expect(troubles).toEqual([]);
    });
  });
});

/** Runs in a browser window on a site of its own. */
function withHosted(
  source: Parameters<typeof withPublished>[0],
  args: readonly string[],
  run: (test: BrowserTest) => Promise<void>,
): Promise<void> {
  return withPublished(source, args, (site) =>
    withHost(site.out, '/notes', (url) => withWindow({ vault: site.vault, server: { url } as Site['server'] }, run)),
  );
}
