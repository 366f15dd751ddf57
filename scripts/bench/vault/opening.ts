import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { makeVault } from '../make-vault.ts';
import { cpuOf, mainThreadCpuOf, median, ms, pause, residentOf, untilQuiet, watchesOf, type Row } from './measure.ts';
import { benchReads } from './reads.ts';
import { startServer, type BenchServer } from './server.ts';
import { measureYardsticks, notesBelow } from './yardsticks.ts';

const CALLS = 60;

/** Opens a generated vault cold and warm, asks it, edits it, and gives the costs as rows. */
export async function benchVault(count: number): Promise<Row[]> {
  const vault = mkdtempSync(join(tmpdir(), 'roux-bench-'));
  try {
    makeVault(vault, count);
    const notes = notesBelow(vault);
    const words = frequentWords(notes);
    const yard = measureYardsticks(vault);
    const rows: Row[] = [
      {
        question: `read all ${count} notes with readFileSync`,
        value: ms(yard.readAll),
        beside: `remark over the same notes ${ms(yard.remark)}`,
      },
    ];
    const row = (question: string, value: string, beside: string): void => void rows.push({ question, value, beside });

    const cold = await startServer(vault);
    const initialized = cpuOf(cold.pid);
    row('initialize answered', ms(initialized), `bare Node ${ms(yard.node)}; goal 500 ms`);
    await cold.call('get_hubs', {});
    const opened = cpuOf(cold.pid);
    row(
      'cold open to a complete graph',
      ms(opened - initialized),
      `${((opened - initialized) / yard.readAll).toFixed(1)} × reading the files; goal 8 ×`,
    );
    const scans: number[] = [];
    for (const word of words.slice(0, 5)) scans.push(await mainCpu(cold, 'search', { query: word }));
    row('search before the index is complete', ms(median(scans)), `${yard.grep.name}, one word, ${ms(yard.grep.cpu)}; goal 2.5 × that`);
    const longest = await longestWait(cold);
    await untilQuiet(cold.pid);
    row(
      'index built in the background',
      ms(cpuOf(cold.pid) - opened),
      `goal 12 s at 10,000; longest wait of a call meanwhile ${ms(longest)}`,
    );
    row('resident memory', `${residentOf(cold.pid).toFixed(0)} MB`, `goal 160 MB at 10,000; ${watchesOf(cold.pid)} inotify watches`);

    const ids = notes.filter((_, index) => index % Math.ceil(notes.length / CALLS) === 0).map((note) => relative(vault, note));
    row(
      'search with body hits',
      await perCall(
        cold,
        words.map((query) => ['search', { query }]),
      ),
      'goal 2 ms',
    );
    rows.push(...(await benchReads(cold, vault)));

    const quiet = await saveToVisible(cold, vault, ids.slice(0, 30), []);
    row('a save is visible after', ms(median(quiet)), `at most ${ms(Math.max(...quiet))}; goal 200 and 600 ms`);
    const busy = await saveToVisible(cold, vault, ids.slice(0, 15), notes.slice(-300));
    row('the same while 300 others change', ms(median(busy)), `at most ${ms(Math.max(...busy))}`);
    await cold.close();

    const warm = await startServer(vault);
    await warm.call('get_hubs', {});
    const opening = cpuOf(warm.pid) - yard.node;
    row(
      'warm open to the first answer, above bare Node',
      ms(opening),
      `${(opening / yard.readAll).toFixed(1)} × reading the files; goal 3 ×`,
    );
    const answered = cpuOf(warm.pid);
    await untilQuiet(warm.pid);
    row('stored index loaded', ms(cpuOf(warm.pid) - answered), 'goal 1.5 s');
    await warm.close();
    return rows;
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

/** Words of the notes, neither in all of them nor in one only. */
function frequentWords(notes: readonly string[]): string[] {
  const found = new Set<string>();
  for (const note of notes.slice(0, 400)) {
    const [word] = /[a-z]{7,9}/.exec(readFileSync(note, 'utf8').slice(-400)) ?? [];
    if (word !== undefined) found.add(word);
    if (found.size === CALLS) break;
  }
  return [...found];
}

async function mainCpu(server: BenchServer, tool: string, args: Record<string, unknown>): Promise<number> {
  const before = mainThreadCpuOf(server.pid);
  await server.call(tool, args);
  return mainThreadCpuOf(server.pid) - before;
}

async function perCall(server: BenchServer, calls: readonly (readonly [string, Record<string, unknown>])[]): Promise<string> {
  const costs: number[] = [];
  for (const [tool, args] of calls) {
    const before = cpuOf(server.pid);
    await server.call(tool, args);
    costs.push(cpuOf(server.pid) - before);
  }
  return ms(median(costs));
}

/** The longest that a cheap call takes while the index is built, over two seconds. */
async function longestWait(server: BenchServer): Promise<number> {
  let longest = 0;
  for (const end = Date.now() + 2000; Date.now() < end;) {
    const start = performance.now();
    await server.call('find_path', { source: 'no such note', target: 'nor this' });
    longest = Math.max(longest, performance.now() - start);
    await pause(20);
  }
  return longest;
}

/** Wall time from the end of a save to the first answer that shows it, for each note. */
async function saveToVisible(server: BenchServer, vault: string, ids: readonly string[], others: readonly string[]): Promise<number[]> {
  const waits: number[] = [];
  for (const [index, id] of ids.entries()) {
    const tag = `saved-${others.length}-${index}`;
    for (const other of others) appendFileSync(other, '\nmore\n');
    appendFileSync(join(vault, id), `\n#${tag}\n`);
    const start = performance.now();
    // By tag, so that the answer comes from the graph and not from the file.
    while ((await server.call('search_by_tags', { tags: [tag] })) === '[]') await pause(5);
    waits.push(performance.now() - start);
  }
  return waits;
}
