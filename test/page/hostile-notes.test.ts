import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { withBrowser } from '../support/browser/with-browser.ts';
import { ATTACKS, touchAll } from './hostile.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="top.hacked=1"><script>top.hacked=1</script><image href="https://evil.example/x.png"/><rect width="40" height="40"/></svg>';
const NAME = `a' onerror='hacked=1' <img src=x onerror=hacked=1> & "q" %3Cscript%3E`;

describe.skipIf(chromiumPath === null)('V-13 what hostile notes do to the page', () => {
  it('V-13 nothing of a note runs, is fetched from elsewhere, or takes the place of a part of the page', async () => {
    // Each is rendered by itself in test/render; here they stand together, as some swallow what follows.
    const groups = [0, 1, 2, 3].map((group) => ATTACKS.filter((_, index) => index % 4 === group));
    const files = Object.fromEntries(
      [ATTACKS, ...groups].map((attacks, index) => [`attack ${index}.md`, `before\n\n${attacks.join('\n\n')}\n`]),
    );
    await withBrowser(files, async ({ page, open, troubles }) => {
      for (const name of Object.keys(files)) {
        await open(`/note/${encodeURIComponent(name)}`);
        await page.waitForSelector('.prose');
        // What waits for a pointer, a click or a fold gets it.
        await touchAll({ page }, '.prose a, .prose summary, .prose p');
        expect(await page.evaluate(`typeof hacked`), name).toBe('undefined');
        expect(
          await page
            .locator('.prose')
            .locator(
              'script, style, iframe, object, embed, form, link, meta, base, svg:not(.icon), video, audio, [style], [name], [onclick], [onerror]',
            )
            .count(),
          name,
        ).toBe(0);
        expect(await page.locator('#main').count(), name).toBe(1);
        expect(await page.locator('#page').count(), name).toBe(1);
        const links = (await page.evaluate(`[...document.querySelectorAll('.prose a[href]')].map((link) => link.href)`)) as string[];
        expect(
          links.filter((href) => !/^(https?|mailto):/.test(href)),
          name,
        ).toEqual([]);
      }
      expect(troubles).toEqual([]);
    });
  });

  it('V-13 titles, aliases, tags, properties, names of files and folders, and pictures are texts and pictures', async () => {
    const evil = '<img src=x onerror=hacked=1>';
    const files = {
      [`${NAME.replaceAll('/', '')}.md`]: `---\ntitle: '${evil}'\naliases: ['${evil}']\ntags: ['${evil}', 'x"onload="y']\n'${evil}': '${evil}'\nurl: 'javascript:hacked=1'\nlink: '[[${evil}]]'\n__proto__: {x: 1}\nconstructor: '${evil}'\n---\n![[evil.svg]] [[evil.html]] ![[evil.html]]\n`,
      [`<b onclick=hacked=1>/${evil}.md`.replace('x onerror', 'x onerror')]: `# ${evil}\n\nlinks [[plain]] ${evil}\n`,
      'plain.md': `# plain\n\n[[${NAME}|${evil}]] names plain\n`,
      'evil.svg': SVG,
      'evil.html': '<script>top.hacked=1</script>',
      'evil.canvas': JSON.stringify({ nodes: [{ id: '1', type: 'text', text: evil }], edges: [] }),
    };
    await withBrowser(files, async ({ page, open, troubles }) => {
      await open('/');
      await page.waitForSelector('.home');
      await open('/note');
      await page.waitForSelector('.notes a');
      const addresses = (await page.evaluate(
        `[...document.querySelectorAll('.notes a, .folders a')].map((link) => link.pathname + link.search)`,
      )) as string[];
      expect(addresses).toHaveLength(3);
      for (const address of addresses) {
        await open(address);
        await page.waitForSelector('.prose, .notes');
        await page.evaluate(`for (const summary of document.querySelectorAll('summary')) summary.click()`);
        await page.waitForTimeout(100);
        expect(await page.evaluate(`typeof hacked`), address).toBe('undefined');
      }
      await page.goto(page.url());
      await open(`/search?q=${encodeURIComponent('onerror')}`);
      await page.waitForSelector('.hit');
      await page.locator('main input[role="combobox"]').fill('[<img');
      await page.locator('main input[role="combobox"]').fill('tag:');
      await page.waitForSelector('.completion');
      expect(await page.evaluate(`typeof hacked`)).toBe('undefined');
      expect(await page.locator('main img[src="x"]').count()).toBe(0);
      expect(troubles).toEqual([]);
    });
  });

  it('V-13 an SVG of the vault is a picture in which nothing runs and from which nothing is fetched', async () => {
    await withBrowser({ 'a.md': '![[evil.svg]] ![[evil.svg|50]]', 'evil.svg': SVG }, async ({ page, open, until, troubles }) => {
      await open('/note/a.md');
      await until(`[...document.querySelectorAll('.prose img')].every((image) => image.complete && image.naturalWidth > 0)`);
      expect(await page.locator('.prose img').count()).toBe(2);
      expect(await page.evaluate(`typeof hacked`)).toBe('undefined');
      expect(troubles).toEqual([]);
    });
  });
});
