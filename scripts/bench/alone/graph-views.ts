import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { closeBrowser, openBrowser } from '../../../test/support/browser/chromium.ts';
import { numbersFrom } from '../../../test/support/random.ts';
import { repositoryRoot } from '../../../test/support/vault.ts';
import { machine, median, ms, toMarkdown } from '../measure/rows.ts';

/**
 * `npx tsx scripts/bench/alone/graph-views.ts FOLDER [notes …]`: the graph of the page beside libraries that draw graphs, with the same nodes
 * in the same places, in a browser that draws in software. FOLDER has the libraries:
 * `npm install --prefix FOLDER sigma@4.0.4 graphology@0.26.0 force-graph@1.52.0`.
 */

const [folder = '', ...counts] = process.argv.slice(2);
const PAN_MS = 4_000;
const ROUNDS = 3;

/** Each defines `show`, which draws a graph of columns in a box. */
const VIEWS = {
  roux: `
    import { Scene } from ${JSON.stringify(join(repositoryRoot, 'src/page/browser/views/graph/canvas/scene.ts'))};
    import { buildGraph } from ${JSON.stringify(join(repositoryRoot, 'src/page/browser/views/graph/graph-model.ts'))};
    const grey = [0.5, 0.5, 0.5];
    const palette = { paper: [1, 1, 1], line: grey, ink: [0, 0, 0], plain: grey, ghost: grey,
      groups: Array.from({ length: 10 }, (_, at) => [at / 10, 0.4, 1 - at / 10]),
      labels: { ink: '#000', soft: '#555', paper: '#fff', font: 'sans-serif' } };
    globalThis.show = (box, { x, y, group, out }) => {
      const [map, labels] = [0, 1].map(() => box.appendChild(document.createElement('canvas')));
      labels.style.pointerEvents = 'none';
      const scene = Scene.open(box, { map, labels }, { onPick() {}, onCamera() {} });
      const graph = buildGraph(out.map((targets, id) => ({ id, kind: 'note', title: 'Note ' + id, path: '', folder: '', type: null,
        tags: [], community: group[id], x: x[id], y: y[id], out: targets })));
      const shown = new Uint8Array(x.length).fill(1);
      scene.setGraph(graph, { shown, matches: null, colorOf: Int8Array.from(group, (each) => each % 10), palette, hasArrows: false }, true);
      scene.fit(true);
    };`,
  'sigma + graphology': `
    import Graph from 'graphology';
    import Sigma from 'sigma';
    globalThis.show = (box, { x, y, group, out }) => {
      const graph = new Graph({ multi: true });
      for (let id = 0; id < x.length; id += 1)
        graph.addNode(id, { x: x[id], y: y[id], size: 3, label: 'Note ' + id, color: '#' + (0x1f77b4 + (group[id] % 10) * 0x0a1234).toString(16) });
      out.forEach((targets, id) => targets.forEach((target) => graph.addEdge(id, target, { size: 1, color: '#aaaaaa' })));
      new Sigma(graph, box, { labelRenderedSizeThreshold: 0 });
    };`,
  'force-graph': `
    import ForceGraph from 'force-graph';
    globalThis.show = (box, { x, y, group, out }) => {
      const nodes = Array.from(x, (_, id) => ({ id, name: 'Note ' + id, x: x[id], y: y[id], fx: x[id], fy: y[id], group: group[id] % 10 }));
      const links = out.flatMap((targets, source) => targets.map((target) => ({ source, target })));
      new ForceGraph(box).cooldownTicks(0).nodeAutoColorBy('group').graphData({ nodes, links }).zoom(700 / (2 * Math.max(...x))).centerAt(0, 0);
    };`,
} as const;

/** What a round measured. */
interface Round {
  readonly picture: number;
  readonly pictureCpu: number;
  readonly cpu: number;
  readonly frames: number;
  readonly longest: number;
}

const scratch = mkdtempSync(join(tmpdir(), 'roux-graph-views-'));
const weights = new Map(Object.entries(VIEWS).map(([name, contents]) => [name, bundle(name, contents)]));
const rows: string[][] = [];
for (const count of counts.length === 0 ? [1_000, 10_000, 100_000] : counts.map(Number)) {
  writeFileSync(join(scratch, 'graph.js'), `globalThis.graph = ${JSON.stringify(makeGraph(count))}`);
  const rounds = new Map([...weights.keys()].map((name): [string, Round[]] => [name, []]));
  // In turns, so that what else the machine does falls on all of them.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, own] of rounds) {
      const measured = own.length < round ? null : await measure(name, count);
      if (measured !== null) own.push(measured);
    }
  for (const [name, own] of rounds) {
    const middle = (key: keyof Round): number => median(own.map((each) => each[key]));
    const times = [...(['picture', 'pictureCpu', 'cpu', 'longest'] as const).map((key) => ms(middle(key))), middle('frames').toFixed(0)];
    rows.push([
      count.toLocaleString('en'),
      name,
      ...(own.length === 0 ? times.map(() => 'none in 2 min') : times),
      weights.get(name) ?? '',
    ]);
    console.error(rows.at(-1)?.join(' | '));
  }
}
await closeBrowser();
const heads = [
  'notes',
  '',
  'first picture',
  'its CPU',
  'CPU of a frame while panning',
  'longest frame',
  'frames a second',
  'code, compressed',
];
console.log(`${machine()}\n\n${toMarkdown(heads, rows)}\n\nPictures of them: ${scratch}`);

/** Returns the weight. */
function bundle(name: string, contents: string): string {
  const stdin = { contents, resolveDir: folder, loader: 'js' } as const;
  const [script] = buildSync({ stdin, bundle: true, minify: true, write: false, format: 'iife', logLevel: 'error' }).outputFiles;
  writeFileSync(join(scratch, `${name}.js`), script?.contents ?? '');
  return `${(brotliCompressSync(script?.contents ?? '').length / 1000).toFixed(1)} KB`;
}

/** Null if it shows nothing in two minutes. */
async function measure(name: string, count: number): Promise<Round | null> {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const system = await browser.newBrowserCDPSession();
  const cpuSeconds = async (): Promise<number> =>
    (await system.send('SystemInfo.getProcessInfo')).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  page.setDefaultTimeout(120_000);
  try {
    const style = '#box { position: absolute; inset: 0; } canvas { position: absolute; inset: 0; width: 100%; height: 100%; }';
    await page.setContent(`<style>${style}</style><div id="box"></div>`);
    for (const script of [`${name}.js`, 'graph.js']) await page.addScriptTag({ path: join(scratch, script) });
    const beforePicture = await cpuSeconds();
    const picture = await page.evaluate<number>(`new Promise((resolve) => {
      const begin = performance.now();
      show(document.getElementById('box'), graph);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - begin)));
    })`);
    const pictureCpu = ((await cpuSeconds()) - beforePicture) * 1000;
    await page.waitForTimeout(3_000);
    await page.screenshot({ path: join(scratch, `${name} ${count}.png`) });
    await page.mouse.move(640, 400);
    await page.mouse.down();
    await page.evaluate(`(() => {
      globalThis.times = [];
      const frame = (now) => { times.push(now); requestAnimationFrame(frame); };
      requestAnimationFrame(frame);
    })()`);
    const [begin, before] = [performance.now(), await cpuSeconds()];
    while (performance.now() - begin < PAN_MS) await page.mouse.move(640 + Math.sin(performance.now() / 300) * 200, 400);
    const times = await page.evaluate<number[]>('times');
    const cpu = ((await cpuSeconds()) - before) * 1000;
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    const took = gaps.reduce((sum, gap) => sum + gap, 0);
    return { picture, pictureCpu, cpu: cpu / gaps.length, frames: (gaps.length * 1000) / took, longest: Math.max(...gaps) };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return null;
    throw error;
  } finally {
    await page.close();
  }
}

/** Groups on a spiral, each a spiral of its own, with six links a note of which most stay in the group and lead to its first notes. */
function makeGraph(count: number) {
  const next = numbersFrom(7);
  const size = Math.max(20, Math.round(Math.sqrt(count)));
  const group = Array.from({ length: count }, (_, id) => Math.floor(id / size));
  const spiral = (at: number, step: number) => [Math.cos(at * 2.4), Math.sin(at * 2.4)].map((side) => side * Math.sqrt(at) * step);
  const placeOf = (id: number, side: 0 | 1): number =>
    (spiral(group[id] ?? 0, Math.sqrt(size) * 24)[side] ?? 0) + (spiral(id % size, 11)[side] ?? 0);
  const targetOf = (id: number, link: number): number => {
    const first = id - (id % size);
    return link < 5 ? first + Math.floor(next() ** 2 * Math.min(size, count - first)) : Math.floor(next() * count);
  };
  const out = group.map((_, id) => Array.from({ length: 6 }, (_link, link) => targetOf(id, link)).filter((target) => target !== id));
  return { x: group.map((_, id) => placeOf(id, 0)), y: group.map((_, id) => placeOf(id, 1)), group, out };
}
