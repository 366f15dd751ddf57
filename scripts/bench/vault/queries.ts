import { mainThreadCpuOf } from '../measure/process.ts';
import { median, ms, type Row } from '../measure/rows.ts';
import { costOf, costsOf, type Ask } from '../measure/server.ts';
import type { BenchVault } from '../measure/vaults.ts';

const CALLS = 20;

/** What is asked of every note; the first is the one that has a goal, at 10,000 notes. */
const QUERIES: readonly (readonly [work: string, args: Readonly<Record<string, unknown>>])[] = [
  ['`list_nodes`, `where` by two properties', { where: 'rating > 6 && done == false' }],
  [
    'the same, sorted, with three fields',
    { where: 'rating > 6 && done == false', sort: '-created', fields: ['rating', 'created', 'file.mtime'] },
  ],
  ['`where` by a tag and a date', { where: 'file.hasTag("project") && created > "2020-01-01"' }],
  ['`where` by a link in a property', { where: 'list(up).contains(link("Home"))' }],
  ['all notes in groups', { group_by: 'rating', limit: 20 }],
];

/** Questions to the properties of all notes: what each takes of the main thread. */
export async function benchQueries(vault: BenchVault): Promise<Row[]> {
  const server = await vault.open();
  const rows: Row[] = [];
  for (const [index, [work, args]] of QUERIES.entries()) {
    const ask: Ask = ['list_nodes', args];
    const first = await costOf(server, ask, mainThreadCpuOf);
    const cost = median(await costsOf(server, () => ask, { calls: CALLS }));
    const isGoal = index === 0 && vault.count <= 10_000;
    rows.push({ work, measured: ms(cost), beside: `the first ${ms(first)}`, ...(isGoal ? { goal: '20 ms', isMet: cost <= 20 } : {}) });
  }
  await server.close();
  return rows;
}
