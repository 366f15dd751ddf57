import { relative } from 'node:path';

import { median } from '../measure/rows.ts';
import { costsOf, type Ask } from '../measure/server.ts';
import { BenchVault, spreadOver } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';
import { readsOf } from '../vault/reads.ts';
import { readWords } from '../vault/words.ts';

const CALLS = { calls: 100, first: 60 };

/** What one kind of call cost at each size: milliseconds of CPU. */
export interface Line {
  readonly name: string;
  readonly costs: readonly number[];
}

/** Asks a server with a vault of each size for what should cost the same in all of them. */
export async function measureGrowth(sizes: readonly number[]): Promise<readonly Line[]> {
  const costs = new Map<string, number[]>();
  for (const size of sizes) {
    console.error(`${size} notes …`);
    const vault = new BenchVault(size);
    try {
      // The second start: what building the index left behind is not of the calls.
      await (await vault.open()).close();
      const server = await vault.open();
      for (const [name, ask] of callsIn(vault.root)) {
        costs.set(name, [...(costs.get(name) ?? []), median(await costsOf(server, ask, CALLS))]);
      }
      await server.close();
    } finally {
      vault.remove();
    }
  }
  return [...costs].map(([name, each]) => ({ name, costs: each }));
}

function callsIn(vault: string): readonly (readonly [name: string, ask: (index: number) => Ask])[] {
  const notes = notesBelow(vault);
  const ids = spreadOver(notes, CALLS.calls).map((note) => relative(vault, note));
  const { some } = readWords(notes);
  const at = (list: readonly string[], index: number): string => list[(index + list.length) % list.length] ?? '';
  return [
    ['update_node', (index) => ['update_node', { id: at(ids, index), properties: { status: `round ${index}` } }]],
    ['search, one word', (index) => ['search', { query: at(some, index) }]],
    ...readsOf(ids)
      .filter(({ isSmall }) => isSmall !== true)
      .map(({ name, ask }) => [name.replaceAll('`', ''), ask] as const),
  ];
}
