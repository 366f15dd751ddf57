import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { pause } from '../measure/process.ts';
import { median, ms, type Row } from '../measure/rows.ts';
import type { BenchServer } from '../measure/server.ts';
import { spreadOver, type BenchVault } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';

/** How soon an answer shows what an editor saved. Wall time. */
export async function benchSaves(vault: BenchVault): Promise<Row[]> {
  const server = await vault.open();
  const notes = notesBelow(vault.root);
  const ids = spreadOver(notes.slice(0, -300), 30).map((note) => relative(vault.root, note));
  const quiet = await saveToVisible(server, vault.root, ids, []);
  const busy = await saveToVisible(server, vault.root, ids.slice(0, 15), notes.slice(-300));
  await server.close();
  return [rowOf('a save is visible after, wall time', quiet), rowOf('the same while 300 others change, wall time', busy)];
}

function rowOf(work: string, waits: readonly number[]): Row {
  const most = Math.max(...waits);
  return { work, measured: `${ms(median(waits))}, at most ${ms(most)}`, goal: '200, 600 ms', isMet: median(waits) <= 200 && most <= 600 };
}

/** From the end of a save to the first answer that shows it, for each note. */
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
