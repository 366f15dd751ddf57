import { relative } from 'node:path';

import { cpuOf, median, ms, type Row } from './measure.ts';
import type { BenchServer } from './server.ts';
import { notesBelow } from './yardsticks.ts';

const CALLS = 60;

/** A reading call that does not have to walk over all notes. */
interface Read {
  readonly name: string;
  readonly goal: string;
  readonly tool: string;
  readonly args: (index: number) => Record<string, unknown>;
}

/** The reading tools whose cost should not grow with the vault; `ids`: some of its notes. */
function readsOf(ids: readonly string[]): readonly Read[] {
  const at = (index: number): string => ids[index % ids.length] ?? '';
  return [
    { name: '`get_node`', goal: '1 ms', tool: 'get_node', args: (index) => ({ id: at(index) }) },
    { name: '`get_neighbors`', goal: '0.8 ms', tool: 'get_neighbors', args: (index) => ({ id: at(index) }) },
    { name: '`get_hubs`', goal: '2 ms', tool: 'get_hubs', args: () => ({}) },
    { name: '`random_node`', goal: '2 ms', tool: 'random_node', args: () => ({}) },
    { name: 'a page of `list_nodes`', goal: '2 ms', tool: 'list_nodes', args: (index) => ({ limit: 20, offset: index * 20 }) },
    { name: '`search_by_tags`', goal: '2 ms', tool: 'search_by_tags', args: () => ({ tags: ['project/alpha'] }) },
    {
      name: '`find_path`',
      goal: '10 ms',
      tool: 'find_path',
      args: (index) => ({ source: at(index), target: at(-1 - index + ids.length * 2) }),
    },
  ];
}

/** What each of them costs a server that has its vault open: the median of many calls, and the first one. */
export async function benchReads(server: BenchServer, vault: string): Promise<Row[]> {
  const notes = notesBelow(vault);
  const ids = notes.filter((_, index) => index % Math.ceil(notes.length / CALLS) === 0).map((note) => relative(vault, note));
  const rows: Row[] = [];
  for (const { name, goal, tool, args } of readsOf(ids)) {
    const costs: number[] = [];
    for (let index = 0; index < CALLS; index += 1) {
      const before = cpuOf(server.pid);
      await server.call(tool, args(index));
      costs.push(cpuOf(server.pid) - before);
    }
    rows.push({ question: name, value: ms(median(costs)), beside: `goal ${goal}; the first ${ms(costs[0] ?? 0)}` });
  }
  return rows;
}
