import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { withBrowser } from '../../support/browser/with-browser.ts';
import { touchAll } from '../hostile.ts';

const EVIL = '<img src=x onerror=hacked=1><script>hacked=1</script>';
const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const BASE = `formulas:
  link: 'link("javascript:hacked=1/", ${JSON.stringify(EVIL)})'
  html: 'html(${JSON.stringify(EVIL)})'
  image: 'image("https://evil.example/a.png")'
properties:
  file.name: {displayName: ${quoted(EVIL)}}
views:
  - type: table
    name: ${quoted(EVIL)}
    groupBy: evil
    order: [file.name, evil, formula.link, formula.html, formula.image, url, color]
    summaries: {evil: Unique}
  - type: cards
    name: cards
    image: picture
    cardSize: .inf
    imageAspectRatio: -1
    order: [evil, url]
  - type: list
    name: list
    separator: ${quoted(EVIL)}
    order: [file.name, evil, url]
  - type: ${quoted(EVIL)}
    name: other
`;

/** Each would take for ever, or more memory than there is. */
const ENDLESS: readonly string[] = [
  // A regular expression.
  `/^(a+)+$/.matches("${'a'.repeat(60)}b")`,
  // Loops in loops.
  `${'[1,2,3,4,5,6,7,8,9].map('.repeat(12)}value${')'.repeat(12)}.length > 0`,
  // A text that doubles.
  `[${'1,'.repeat(30)}1].reduce(acc + acc, "xx") == "y"`,
  // A long formula.
  `${'1 + '.repeat(3_000)}1 > 0`,
];

const note = (picture: string): string =>
  `---\nevil: ${quoted(EVIL)}\nurl: "javascript:hacked=1"\ncolor: "red;background:url(https://evil.example/b.png)"\npicture: ${quoted(picture)}\n---\n`;

const CANVAS = `{"nodes":[
{"id":"1","type":"text","x":1e999,"y":"NaN","width":-5,"height":null,"text":${JSON.stringify(`${EVIL} ![x](https://evil.example/a.png) [j](javascript:hacked=1) ![[evil.canvas]] ![[evil.base]]`)}},
{"id":"1","type":"text","text":"the same id"},
{"id":"g1","type":"group","x":0,"y":0,"width":100,"height":100,"label":${JSON.stringify(EVIL)},"background":"https://evil.example/b.png"},
{"id":"g2","type":"group","x":0,"y":0,"width":100,"height":100},
{"id":"__proto__","type":"link","x":5e300,"y":-5e300,"width":1e300,"height":1e300,"url":"javascript:hacked=1","color":"red;background:url(https://evil.example/c.png)"},
{"id":"l","type":"link","x":200,"url":"https://evil.example/x\\"onmouseover=hacked=1"},
{"id":"f1","type":"file","file":"evil.canvas"},{"id":"f2","type":"file","file":"../../etc/passwd"},{"id":"f3","type":"file","file":"evil.svg"},
7,null,[],{"type":{}},{"id":"q]\\"'","type":"text","text":"quotes"}],
"edges":[{"fromNode":"1","toNode":"1","label":${JSON.stringify(EVIL)}},{"fromNode":"g1","toNode":"g2"},{"fromNode":"g2","toNode":"g1"},{"fromNode":"none","toNode":"1"},{"fromNode":"f1","toNode":"__proto__","color":"url(x)"}]}`;

const FILES = {
  'evil.base': BASE,
  'evil.canvas': CANVAS,
  'evil.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" onload="top.hacked=1"><script>top.hacked=1</script><image href="https://evil.example/x.png"/><rect width="40" height="40"/></svg>',
  'one.md': note('https://evil.example/c.png'),
  'two.md': note('[[evil.svg]]'),
  'three.md': note('javascript:hacked=1'),
  'blocks.md': [
    '![[evil.base]] ![[evil.canvas]]',
    '```query\n<script>hacked=1</script> OR evil OR /^(a+)+$/\n```',
    `\`\`\`query\n${'('.repeat(3_000)}\n\`\`\``,
    '```base\nfilters: {and: [[[[]]]]}\n```',
    '<div class="live-block" data-block="base" data-path="evil.base" data-context="one.md">forged</div>',
    '<div class="live-block" data-block="query">forged</div>',
  ].join('\n\n'),
  'endless.md': ENDLESS.map((filter) => `\`\`\`base\nfilters: ${quoted(filter)}\n\`\`\``).join('\n\n'),
};

describe.skipIf(chromiumPath === null)('U-02 what hostile bases, canvases and searches do to the page', () => {
  it('U-02 nothing of them runs or is fetched from elsewhere, a note cannot forge one, and what has no end is refused', () =>
    withBrowser(FILES, async ({ page, open, until, troubles }) => {
      const isHarmless = async (name: string): Promise<void> => {
        await touchAll({ page }, 'main a, main .canvas-node');
        expect(await page.evaluate(`typeof hacked`), name).toBe('undefined');
        expect(
          await page.locator('main').locator('script, iframe, object, embed, form, [onerror], [onclick], [onmouseover]').count(),
          name,
        ).toBe(0);
        const links = (await page.evaluate(`[...document.querySelectorAll('main a[href]')].map((link) => link.href)`)) as string[];
        expect(
          links.filter((href) => !/^(?:https?|obsidian|vscode):/.test(href)),
          name,
        ).toEqual([]);
      };
      /** Brings every block near the screen, which is when it is shown. */
      const showAll = async (count: number): Promise<void> => {
        await until(`(() => {
          document.querySelector('.live-block:not(:has(> .block))')?.scrollIntoView();
          return document.querySelectorAll('.live-block > .block').length === ${count};
        })()`);
      };
      for (const view of ['', '#cards', '#list', '#other']) {
        await open(`/note/evil.base${view}`);
        await page.waitForSelector('.bases-table, .bases-card, .bases-list');
        await isHarmless(`base ${view}`);
      }
      await open('/note/evil.canvas');
      await page.waitForSelector('.canvas-node');
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await isHarmless('canvas');
      await open('/note/blocks.md');
      await showAll(5);
      await isHarmless('blocks');
      expect(await page.locator('text=forged').count()).toBe(2);
      await open('/note/endless.md');
      await showAll(ENDLESS.length);
      await until(`document.querySelectorAll('.live-block .failure').length === ${ENDLESS.length}`);
      expect(troubles).toEqual([]);
    }));
});
