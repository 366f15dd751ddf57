import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { withBuiltPage } from '../page-server.ts';
import type { BuiltPageServer } from '../page-server.ts';
import { useOnce } from '../program/use-once.ts';
import { withVault } from '../vault.ts';
import type { TestVault, VaultSource } from '../vault.ts';
import { waitFor } from '../wait-for.ts';
import { openBrowser } from './chromium.ts';

/** The page of a running server in a browser. */
export interface BrowserTest {
  readonly page: Page;
  readonly vault: TestVault;
  readonly server: BuiltPageServer;
  /** Goes to an address of the page, signed in, and waits until it shows something. */
  readonly open: (address: string) => Promise<void>;
  /** What should never be: errors in the console, violations of the page's policy, requests to other hosts, dialogs. */
  readonly troubles: readonly string[];
  /** Waits until an expression holds in the page: asked by the debugger, as the page's policy lets nothing be evaluated. */
  readonly until: (expression: string) => Promise<void>;
  /** Forgets troubles that a test brings about on purpose, as the refusal of a token. */
  readonly forgive: (expected: RegExp) => void;
  /** A picture for people to look at, below `ROUX_SCREENSHOTS`; nothing where that is not set. */
  readonly screenshot: (name: string) => Promise<void>;
}

export interface BrowserOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly context?: BrowserContextOptions;
}

/** The token of servers in these tests. */
export const TOKEN = 'a-token-for-tests-of-the-page';

/** A vault and the built program that serves it with a token. */
export interface Site {
  readonly vault: TestVault;
  readonly server: BuiltPageServer;
}

/** Runs with a copy of a vault, the built program that serves it with a token, and a fresh browser window on its page. */
export function withBrowser<T>(source: VaultSource, run: (test: BrowserTest) => Promise<T>, options: BrowserOptions = {}): Promise<T> {
  return withSite(source, (site) => withWindow(site, run, options.context), options);
}

/** A copy of a vault and its server for those tests of a file that change nothing in it. `fill`: what is written there before. */
export function useSite(source: VaultSource, fill?: (site: Site) => Promise<void>): () => Promise<Site> {
  return useOnce((use) =>
    withSite(source, async (site) => {
      await fill?.(site);
      await use(site);
    }),
  );
}

function withSite<T>(source: VaultSource, run: (site: Site) => Promise<T>, { flags = [], env = {} }: BrowserOptions = {}): Promise<T> {
  return withVault(source, (vault) =>
    withBuiltPage(vault, (server) => run({ vault, server }), {
      flags: ['--token', TOKEN, ...flags],
      env: { ROUX_HTTP_AUTH: 'token', ...env },
      token: TOKEN,
    }),
  );
}

/** Runs with a fresh browser window on the page of a site. */
export async function withWindow<T>(
  { vault, server }: Site,
  run: (test: BrowserTest) => Promise<T>,
  options: BrowserContextOptions = {},
): Promise<T> {
  const browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  // What hangs is found all the same: a test has twice as long.
  context.setDefaultTimeout(120_000);
  let isSignedIn = false;
  try {
    const page = await context.newPage();
    const troubles = await watch(page, server.url);
    return await run({
      page,
      vault,
      server,
      troubles,
      async open(address) {
        // Frames with an origin of their own have no storage.
        if (!isSignedIn) await page.addInitScript(`if (origin !== 'null') sessionStorage.setItem('roux-token', ${JSON.stringify(TOKEN)})`);
        isSignedIn = true;
        await page.goto(server.url + address);
        await page.waitForSelector('main h1', { state: 'attached' });
      },
      async until(expression) {
        await waitFor(() => page.evaluate(`Boolean(${expression})`), { what: expression }).catch(async (error: unknown) => {
          const shown = await page.innerText('body').catch(() => 'nothing');
          throw new Error(`${expression} is not so. Troubles: ${troubles.join('\n') || 'none'}. The page shows:\n${shown}`, {
            cause: error,
          });
        });
      },
      forgive(expected) {
        const left = troubles.filter((trouble) => !expected.test(trouble));
        troubles.splice(0, troubles.length, ...left);
      },
      async screenshot(name) {
        const folder = process.env['ROUX_SCREENSHOTS'];
        if (folder === undefined) return;
        const path = `${folder}/${name}.png`;
        mkdirSync(dirname(path), { recursive: true });
        await page.screenshot({ path });
      },
    });
  } finally {
    await context.close();
  }
}

/** Collects what a page must not do, from the browser's own reports. */
async function watch(page: Page, origin: string): Promise<string[]> {
  const troubles: string[] = [];
  page.on('console', (message) => {
    // What the software renderer says of its own speed when a test takes a picture.
    if (/GL Driver Message \(OpenGL, Performance/.test(message.text())) return;
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:') && !url.startsWith('data:')) troubles.push(`request: ${url}`);
  });
  await page.exposeFunction('rouxTestTrouble', (trouble: string) => void troubles.push(trouble));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    rouxTestTrouble('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
  })`);
  return troubles;
}
