import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeVault } from '../make-vault.ts';
import { mainThreadCpuOf, median, ms, untilQuiet, type Row } from './measure.ts';
import { startServer } from './server.ts';

const CALLS = 60;

/** What is asked of every note; the first is the one that has a goal. */
const QUERIES: readonly (readonly [question: string, args: Record<string, unknown>])[] = [
  ['`where` by two properties', { where: 'rating > 6 && done == false' }],
  [
    'the same, sorted, with fields',
    { where: 'rating > 6 && done == false', sort: '-created', fields: ['rating', 'created', 'file.mtime'] },
  ],
  ['`where` by a tag and a date', { where: 'file.hasTag("project") && created > "2020-01-01"' }],
  ['`where` by a link in a property', { where: 'list(up).contains(link("Home"))' }],
  ['all notes in groups', { group_by: 'rating', limit: 20 }],
];

/** Questions to the properties of all notes of a generated vault: the median of what each takes of the main thread, and of the wait for its answer. */
export async function benchQueries(count: number): Promise<Row[]> {
  const vault = mkdtempSync(join(tmpdir(), 'roux-bench-queries-'));
  try {
    makeVault(vault, count);
    const server = await startServer(vault);
    await server.call('get_hubs', {});
    await untilQuiet(server.pid);
    const rows: Row[] = [];
    for (const [index, [question, args]] of QUERIES.entries()) {
      const before = mainThreadCpuOf(server.pid);
      await server.call('list_nodes', args);
      const first = mainThreadCpuOf(server.pid) - before;
      const [costs, waits]: [number[], number[]] = [[], []];
      for (let call = 0; call < CALLS; call += 1) {
        const [cpu, clock] = [mainThreadCpuOf(server.pid), performance.now()];
        await server.call('list_nodes', args);
        costs.push(mainThreadCpuOf(server.pid) - cpu);
        waits.push(performance.now() - clock);
      }
      const goal = index === 0 ? 'goal 20 ms; ' : '';
      rows.push({
        question,
        value: ms(median(costs)),
        beside: `${goal}wait ${ms(median(waits))}; the first, which reads the values, ${ms(first)}`,
      });
    }
    await server.close();
    return rows;
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}
