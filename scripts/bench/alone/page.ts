import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { makeVault } from '../../make-vault.ts';
import { layOut } from '../../../src/page/layout/layout.ts';
import { MapNodes } from '../../../src/page/map/map-nodes.ts';
import { openReady } from '../../../test/support/open.ts';
import { openBrowser } from '../../../test/support/browser/chromium.ts';
import { cpuHere } from '../measure/process.ts';
import { machine, median, ms, toTable, type Row } from '../measure/rows.ts';
import { program } from '../measure/server.ts';
import { withFolder } from '../measure/vaults.ts';

/** `npx tsx scripts/bench/alone/page.ts [notes]`: what the web page costs: its files, its first paint, a letter in its search, and its graph with the frames while panning, in a browser that draws in software. Build first. */

const count = Number(process.argv[2] ?? 10_000);
const rows: Row[] = [];
/** How long the graph is pulled to and fro, in milliseconds. */
const PAN_MS = 5_000;
const PAINTS = 9;
/** Typed a letter at a time, each after the hits of the one before were drawn. */
const TYPED = ['kasebo', 'mali tora', 'tag:idea', 'zzqx'];

await withFolder(async (root) => {
  makeVault(root, count);
  await measureLayout(root);
  weighPage();
  await measurePage(root);
});
console.log(`${machine()}, ${count} notes\n\n${toTable(rows)}`);
process.exit(0);

async function measureLayout(root: string): Promise<void> {
  const vault = await openReady(root);
  const nodes = new MapNodes(vault.graph);
  const filling = cpuHere(() => {
    for (const steps = nodes.fill(); steps.next().done !== true;);
  });
  const pairs = [...nodes.nodes()].flatMap(({ id, out }) => out.map((target) => [id, target] as const));
  const links = { count: nodes.end, from: Int32Array.from(pairs, ([from]) => from), to: Int32Array.from(pairs, ([, to]) => to) };
  const before = process.memoryUsage();
  const laying = cpuHere(() => {
    for (const steps = layOut({ links, former: null }); steps.next().done !== true;);
  });
  const taken = process.memoryUsage().arrayBuffers - before.arrayBuffers;
  rows.push({ work: 'notes and links into the map, CPU', measured: ms(filling), beside: `${pairs.length} links` });
  rows.push({ work: 'a layout from nothing, CPU of its thread', measured: ms(laying), beside: `${(taken / 1e6).toFixed(0)} MB` });
  await vault.close();
}

function weighPage(): void {
  const assets = fileURLToPath(new URL('../../../dist/page/assets/', import.meta.url));
  const sizes = readdirSync(assets)
    .filter((name) => name.endsWith('.br'))
    .map((name): [string, number] => [name, readFileSync(`${assets}/${name}`).length]);
  const sum = (named: (name: string) => boolean): number => sizes.filter(([name]) => named(name)).reduce((all, [, size]) => all + size, 0);
  const graph = sum((name) => name.startsWith('graph-'));
  // Loaded when they are needed, and held against no goal.
  const all = sum((name) => !/^(?:code-editor|diagram-frame)-/.test(name) && !name.includes('.woff2'));
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`;
  rows.push({ work: 'the graph, compressed', measured: kilobytes(graph), goal: '150 KB', isMet: graph <= 150_000 });
  rows.push({ work: 'all else of the page, compressed', measured: kilobytes(all - graph), goal: '220 KB', isMet: all - graph <= 220_000 });
}

async function measurePage(root: string): Promise<void> {
  const server = spawn(process.execPath, [program, 'serve', root, '--port', '0', '--json', '--auth', 'none'], {
    env: { ...process.env, ROUX_EMBEDDINGS: 'none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  server.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  server.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  try {
    while (!out.includes('\n') || !err.includes('ready')) await new Promise((resolve) => setTimeout(resolve, 100));
    const { url } = JSON.parse(out) as { url: string };
    const asked = await ask(url);
    rows.push({
      work: 'first answer of graph_map',
      measured: ms(asked.took),
      beside: `${(asked.bytes / 1e6).toFixed(1)} MB, ${(asked.zipped / 1e6).toFixed(1)} MB with gzip`,
    });
    const browser = await openBrowser();
    await measurePaints(browser, url);
    await measureLetters(browser, url);
    await measureTitles(url);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const begin = performance.now();
    await page.goto(`${url}/graph`);
    await page.waitForSelector('.graph-legend li', { state: 'attached', timeout: 600_000 });
    rows.push({ work: 'from the address to the first drawing', measured: ms(performance.now() - begin) });
    await page.waitForSelector('.graph-view[data-layout="ready"]', { timeout: 600_000 });
    rows.push({ work: 'until all is laid out', measured: ms(performance.now() - begin) });
    await page.waitForTimeout(3_000);
    const frames = async (): Promise<number> => Number(await page.locator('.graph-stage').getAttribute('data-frames'));
    for (const [work, step] of [
      ['frames a second while panning', () => page.mouse.move(500 + Math.sin(performance.now() / 300) * 200, 400)],
      ['frames a second while zooming', () => page.mouse.wheel(0, Math.sin(performance.now() / 500) * 40)],
    ] as const) {
      await page.mouse.move(500, 400);
      if (work.includes('panning')) await page.mouse.down();
      const [started, first] = [performance.now(), await frames()];
      while (performance.now() - started < PAN_MS) await step();
      const rate = ((await frames()) - first) / ((performance.now() - started) / 1000);
      await page.mouse.up();
      rows.push({ work, measured: rate.toFixed(0), goal: '20 in software', isMet: rate >= 20 });
    }
    await browser.close();
  } finally {
    server.kill('SIGTERM');
  }
}

/** From the address to what the browser calls its first paint with content, and until the overview of the vault is there; a fresh browser each. */
async function measurePaints(browser: Browser, url: string): Promise<void> {
  const [paints, complete]: [number[], number[]] = [[], []];
  for (let time = 0; time < PAINTS; time += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const begin = performance.now();
    await page.goto(url);
    await page.waitForSelector('.home');
    complete.push(performance.now() - begin);
    paints.push(
      await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list) => {
        const paint = list.getEntriesByName('first-contentful-paint')[0];
        if (paint !== undefined) resolve(paint.startTime);
      }).observe({ type: 'paint', buffered: true }))`),
    );
    await context.close();
  }
  rows.push({ work: 'first paint of the home view', measured: spread(paints), goal: '1 s', isMet: median(paints) <= 1000 });
  rows.push({ work: 'home with what happened and what is ready', measured: spread(complete) });
}

/** From a letter to the hits that belong to it, drawn. */
async function measureLetters(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}/search`);
  await page.waitForSelector('input[data-main]');
  const times: number[] = [];
  for (const [round, words] of [...TYPED, ...TYPED].entries()) {
    await page.fill('input[data-main]', '');
    for (const letter of words) {
      const took = await page.evaluate<number>(`(async () => {
        const field = document.querySelector('input[data-main]');
        const found = document.querySelector('.search');
        const seen = new Promise((resolve) => {
          const watch = new MutationObserver(() => {
            const status = found.querySelector('[role="status"]');
            if (status === null || status.textContent === '') return;
            watch.disconnect();
            requestAnimationFrame(() => setTimeout(resolve));
          });
          watch.observe(found, { subtree: true, childList: true, characterData: true });
        });
        const begin = performance.now();
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
        set.call(field, field.value + ${JSON.stringify(letter)});
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await Promise.race([seen, new Promise((resolve) => setTimeout(resolve, 5000))]);
        return performance.now() - begin;
      })()`);
      // The first round has V8 compile the code.
      if (round >= TYPED.length) times.push(took);
    }
  }
  await page.close();
  rows.push({ work: 'a letter in the search, to its hits drawn', measured: spread(times), goal: '50 ms', isMet: median(times) <= 50 });
}

/** From a letter in the palette to the answer of the server. */
async function measureTitles(url: string): Promise<void> {
  const times: number[] = [];
  for (const words of [...TYPED, ...TYPED]) {
    for (let length = 1; length <= words.length; length += 1) {
      const begin = performance.now();
      const body = JSON.stringify({ query: words.slice(0, length) });
      await (await fetch(`${url}/api/find_titles`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text();
      times.push(performance.now() - begin);
    }
  }
  rows.push({ work: 'a letter in the palette, to its answer', measured: spread(times), goal: '50 ms', isMet: median(times) <= 50 });
}

function spread(times: readonly number[]): string {
  return `${ms(median(times))}, at most ${ms(Math.max(...times))}`;
}

async function ask(url: string): Promise<{ took: number; bytes: number; zipped: number }> {
  const begin = performance.now();
  const response = await fetch(`${url}/api/graph_map`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { took: performance.now() - begin, bytes: bytes.length, zipped: gzipSync(bytes).length };
}
