import { expect, it } from 'vitest';
import { openBrowser } from '../../../support/browser/chromium.ts';
import { seriousFindings } from '../../../support/browser/accessibility.ts';
import { freePort, PASSWORD, pkce, redeem, register, withOauth } from '../../../support/program/oauth-server.ts';
import { createServer } from 'node:http';

/** Runs with a program on this machine that waits for an answer in the browser, and what it got. */
async function withProgram<T>(run: (program: { readonly redirect: string; readonly got: () => URL | null }) => Promise<T>): Promise<T> {
  const port = await freePort();
  let got: URL | null = null;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/callback') === true) got = new URL(request.url, `http://127.0.0.1:${port}`);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Back</title><p id="back">Back in the program.');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  try {
    return await run({ redirect: `http://127.0.0.1:${port}/callback`, got: () => got });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('O-01 a person reads the consent page in both themes and all widths, corrects a password, narrows, allows, and is back in the program', () =>
  withProgram(({ redirect, got }) =>
    withOauth({ 'open/b.md': 'PEARS\n' }, async (server) => {
      const { client_id: clientId } = (await register(server, { redirect_uris: [redirect], client_name: 'Claude' })).body;
      const { verifier, challenge } = pkce();
      const asked = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirect,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        scope: 'read write',
        state: 'x',
      };
      const address = `${server.url}/authorize?${new URLSearchParams(asked).toString()}`;
      const browser = await openBrowser();
      // The page has to work without a script.
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
        const page = await context.newPage();
        const troubles: string[] = [];
        page.on('console', (message) => void (message.type() === 'error' && troubles.push(message.text())));
        await page.goto(address);
        await page.waitForSelector('h1');
        expect(await seriousFindings(page)).toEqual([]);
        for (const width of [360, 820, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
          const folder = process.env['ROUX_SCREENSHOTS'];
          if (folder !== undefined) await page.screenshot({ path: `${folder}/consent-${colorScheme}-${width}.png`, fullPage: true });
        }
        const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        expect(background).toBe(colorScheme === 'light' ? 'rgb(252, 251, 248)' : 'rgb(26, 25, 24)');
        expect(troubles).toEqual([]);
        await context.close();
      }
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(address);
      await page.fill('#password', 'not the password');
      await page.press('#password', 'Enter');
      await page.waitForSelector('[role=alert]');
      expect(await page.textContent('[role=alert]')).toBe('This is not your password.');
      await page.check('input[value=read]');
      await page.fill('#folders', 'open');
      await page.fill('#password', PASSWORD);
      await page.click('button[value=allow]');
      await page.waitForSelector('#back');
      expect(Object.fromEntries(got()?.searchParams ?? [])).toEqual({ code: expect.any(String), state: 'x', iss: server.url });
      const tokens = await redeem(server, { code: got()?.searchParams.get('code') ?? '', clientId, verifier }, { redirect_uri: redirect });
      expect(tokens).toMatchObject({ status: 200, body: { scope: 'read' } });

      await page.goto(address);
      await page.click('button[value=deny]');
      await page.waitForSelector('#back');
      expect(got()?.searchParams.get('error')).toBe('access_denied');
      await context.close();
    }),
  ));

it('O-01 no page can hold the consent page in a frame', () =>
  withOauth({ 'a.md': '' }, async (server) => {
    const { client_id: clientId } = (await register(server)).body;
    const asked = { response_type: 'code', client_id: clientId, code_challenge: pkce().challenge, code_challenge_method: 'S256' };
    const browser = await openBrowser();
    const context = await browser.newContext();
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.setContent(
      `<iframe src="${server.url}/authorize?${new URLSearchParams(asked).toString().replaceAll('&', '&amp;')}"></iframe>`,
    );
    await expect.poll(() => refused.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/);
    await context.close();
  }));
