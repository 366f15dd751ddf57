import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser/chromium.ts';
import { useSite, withWindow } from '../support/browser/with-browser.ts';

describe.skipIf(chromiumPath === null)('addresses that nothing has', () => {
  const site = useSite({});

  it('U-10 an unknown address is a page with a way on, also when it is loaded', async () => {
    await withWindow(await site(), async ({ page, open, forgive, troubles }) => {
      await open('/wherever/this');
      expect(await page.textContent('main h1')).toBe('Page not found');
      await page.click('main a:has-text("Go to Home")');
      await page.waitForSelector('h2:has-text("This vault is empty")');
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });

  it('U-10 programs are told in JSON that there is nothing, or that a token is needed', async () => {
    const { server } = await site();
    const ask = async (path: string, accept: string): Promise<readonly [number, string | null]> => {
      const { status, headers } = await fetch(server.url + path, { headers: { Accept: accept } });
      return [status, (headers.get('Content-Type') ?? '').replace(/;.*/, '')];
    };
    expect(await ask('/wherever', 'text/html,*/*')).toEqual([404, 'text/html']);
    for (const [path, accept] of [
      ['/wherever', '*/*'],
      ['/api/wherever', 'text/html'],
      ['/api/session', 'text/html'],
      ['/metrics', 'text/html'],
      ['/mcp', 'text/html'],
    ] as const)
      expect(await ask(path, accept), path).toEqual([401, 'application/json']);
  });

  it('U-10 an address of no note offers to create it, and an empty vault, its notes and its graph to begin', async () => {
    await withWindow(await site(), async ({ page, open, forgive, troubles }) => {
      for (const address of ['/', '/note', '/graph']) {
        await open(address);
        await page.click('main button:has-text("New note…")');
        await page.waitForSelector('dialog[open] h2:has-text("New note")');
      }
      await open('/note/ideas/never.md');
      await page.click('button:has-text("Create the note “never”")');
      await page.waitForURL('**/note/ideas/never.md?edit=*');
      forgive(/404/);
      expect(troubles).toEqual([]);
    });
  });
});
