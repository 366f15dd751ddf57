import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

/** Names under which systems have Chromium, the one without windows first: it takes a third less of the processor. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

/** The system's Chromium, or the one that `ROUX_CHROMIUM` names; null where there is none. */
export const chromiumPath: string | null = findChromium();

function findChromium(): string | null {
  const named = process.env['ROUX_CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  const places = [...(named === undefined ? [] : [named]), ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), mac];
  return places.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

let running: Promise<Browser> | null = null;

/**
 * The browser of this process, started when it is first needed: the next test file that this process runs has it too, with windows of its
 * own. It ends with the process, or with `closeBrowser`.
 */
export function openBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error('There is no Chromium here; set ROUX_CHROMIUM.');
  // Root has no sandbox; software rendering is the same everywhere, and what is no graph is drawn for less without WebGL.
  running ??= chromium
    .launch({
      executablePath: chromiumPath,
      args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing'],
    })
    .then((browser) => {
      // One that has crashed fails the test that it was in, and no later one.
      browser.once('disconnected', () => (running = null));
      return browser;
    });
  return running;
}

export async function closeBrowser(): Promise<void> {
  const browser = running;
  running = null;
  await (await browser)?.close();
}
