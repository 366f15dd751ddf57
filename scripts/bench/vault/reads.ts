import { relative } from 'node:path';

import { median, ms, spread, type Row } from '../measure/rows.ts';
import { costOf, costsOf, type Ask } from '../measure/server.ts';
import { spreadOver, type BenchVault } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';

const CALLS = 100;
/** Calls before the measured ones, so that V8 has compiled what they run. */
const FIRST_CALLS = 60;
const LARGE = 100_000;

/** A reading call that does not have to walk over all notes. */
export interface Read {
  readonly name: string;
  readonly before?: string;
  /** Milliseconds; with `isSmall` only below 100,000 notes. */
  readonly goal: number;
  readonly isSmall?: true;
  readonly ask: (index: number) => Ask;
}

/** The reading tools whose cost should not grow with the vault; `ids`: some of its notes. */
export function readsOf(ids: readonly string[]): readonly Read[] {
  const at = (index: number): string => ids[((index % ids.length) + ids.length) % ids.length] ?? '';
  return [
    { name: '`get_node`', before: 'under 1 ms', goal: 1, ask: (index) => ['get_node', { id: at(index) }] },
    { name: '`get_neighbors`', before: '1.4–2.6 ms', goal: 0.8, ask: (index) => ['get_neighbors', { id: at(index) }] },
    { name: '`get_hubs`', before: '10 ms at 100,000', goal: 2, ask: () => ['get_hubs', {}] },
    { name: '`random_node`', before: '63 ms at 100,000', goal: 2, ask: () => ['random_node', {}] },
    {
      name: 'a page of `list_nodes`',
      before: '66 ms at 100,000',
      goal: 2,
      ask: (index) => ['list_nodes', { limit: 20, offset: Math.max(0, index) * 5 }],
    },
    { name: '`search_by_tags`', before: '17 ms at 100,000', goal: 2, ask: () => ['search_by_tags', { tags: ['project/alpha'] }] },
    {
      name: '`find_path`',
      goal: 10,
      isSmall: true,
      ask: (index) => ['find_path', { source: at(index), target: at(-1 - index) }],
    },
  ];
}

/** What each of them costs a server that has its vault open. */
export async function benchReads(vault: BenchVault): Promise<Row[]> {
  const server = await vault.open();
  const ids = spreadOver(notesBelow(vault.root), CALLS).map((note) => relative(vault.root, note));
  const rows: Row[] = [];
  for (const { name, before, goal, isSmall, ask } of readsOf(ids)) {
    const first = await costOf(server, ask(0));
    const costs = await costsOf(server, ask, { calls: CALLS, first: FIRST_CALLS });
    rows.push({
      work: `${name}, median / 97th`,
      ...(before === undefined ? {} : { before }),
      measured: spread(costs),
      beside: `the first ${ms(first)}`,
      ...(isSmall === true && vault.count >= LARGE ? {} : { goal: `${goal} ms`, isMet: median(costs) <= goal }),
    });
  }
  await server.close();
  return rows;
}
