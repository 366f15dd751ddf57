// Takes the pictures of the page that the README shows, in docs/images/, and the icon of the bundle: `npm run screenshots`. They are of
// the real page, on what `roux demo` leaves. Where there is no Chromium it says so and takes none.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, closeBrowser, openBrowser } from '../test/support/browser/chromium.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { repositoryRoot } from './package/publisher.ts';

/** What is shown, and what is on the page when it may be taken. */
const PICTURES = [
  { name: 'home', address: '/', shows: 'main h1' },
  { name: 'note', address: '/note/notes/Watering%20rota', shows: 'main table' },
  { name: 'graph', address: '/graph', shows: 'main canvas' },
  { name: 'tasks', address: '/tasks/Garden%20day', shows: 'main h1' },
] as const;

const SIZE = { width: 1280, height: 800 };
/** No more of the README than that, a picture, in bytes. */
const MOST = 200_000;

if (chromiumPath === null) console.error('No Chromium was found (ROUX_CHROMIUM names one); no pictures were taken.');
else await takeAll();

async function takeAll(): Promise<void> {
  const demo = await startDemo();
  const browser = await openBrowser();
  try {
    for (const theme of ['light', 'dark'] as const) await takeTheme(browser, { address: demo.page, theme });
    await takeIcon(browser);
  } finally {
    await closeBrowser();
    await demo.stop();
  }
}

/** The demo, after both agents have done their work. */
async function startDemo(): Promise<{ readonly page: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(repositoryRoot, 'dist/bin.js'), 'demo', '--fast', '--json'], {
    env: { ...process.env, ROUX_EMBEDDINGS: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await waitFor(() => out.includes('{"done":true}'), { what: 'the end of the demo', timeoutMs: 60_000 });
  const { page } = JSON.parse(out.split('\n')[0] ?? '') as { page: string };
  return { page, stop: () => (child.kill('SIGINT'), exit) };
}

async function takeTheme(browser: Browser, { address, theme }: { address: string; theme: 'light' | 'dark' }): Promise<void> {
  const context = await browser.newContext({ viewport: SIZE, colorScheme: theme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForSelector('main h1', { state: 'attached' });
  const { origin } = new URL(address);
  for (const { name, address: path, shows } of PICTURES) {
    await page.goto(origin + path);
    await page.waitForSelector(shows, { state: 'attached' });
    await settle(page);
    await take(page, join(repositoryRoot, 'docs/images', `${name}-${theme}.png`));
  }
  await context.close();
}

/** Waits until nothing is on its way, and two looks show the same. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  let before: Buffer | null = null;
  await waitFor(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      const now = await page.screenshot();
      const isSame = before?.equals(now) === true;
      before = now;
      return isSame;
    },
    { what: 'a page that stands still', timeoutMs: 30_000 },
  );
}

async function take(page: Page, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  console.log(`${file.slice(repositoryRoot.length)}  ${Math.ceil(size / 1000)} KB`);
  if (size > MOST) throw new Error(`${file} is larger than ${MOST / 1000} KB.`);
}

/** The icon of the page on a ground of its own, as desktop programs show it. */
async function takeIcon(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 512, height: 512 } });
  const icon = readFileSync(join(repositoryRoot, 'src/page/browser/icon.svg'), 'utf8');
  await page.setContent(`<style>body { margin: 0 } div { display: grid; place-items: center; height: 100vh; background: #fbf7f0; border-radius: 96px }
    svg { width: 384px }</style><div>${icon}</div>`);
  await page.screenshot({ path: join(repositoryRoot, 'scripts/package/icon.png'), omitBackground: true });
}
