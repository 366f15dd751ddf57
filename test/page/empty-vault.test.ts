import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { useSite, withWindow } from '../support/browser/with-browser.ts';

describe.skipIf(chromiumPath === null)('a vault without notes', () => {
  const site = useSite({});

  it('U-10 home, the list of notes and the graph have a button for the first note, an address of none makes it, and a missing file has a field to search', async () => {
    await withWindow(await site(), async ({ page, open, forgive, troubles }) => {
      for (const address of ['/', '/note', '/graph']) {
        await open(address);
        await page.click('main button:has-text("New note…")');
        await page.waitForSelector('dialog[open] h2:has-text("New note")');
      }
      await open('/note/ideas/never.md');
      await page.click('button:has-text("Create this note")');
      await page.waitForURL('**/note/ideas/never.md?edit=*');
      await open('/file/none.png');
      await page.waitForSelector('h1:has-text("File not found")');
      expect(await page.inputValue('input[name="q"]')).toBe('none.png');
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-10 programs are told in JSON that a token is needed, whatever they accept', async () => {
    const { server } = await site();
    for (const path of ['/api/wherever', '/api/session', '/metrics', '/mcp']) {
      const { status, headers } = await fetch(server.url + path, { headers: { Accept: 'text/html' } });
      expect([status, headers.get('Content-Type')], path).toEqual([401, 'application/json; charset=utf-8']);
    }
  });
});
