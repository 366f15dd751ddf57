import { median, percentile, spread, type Row } from '../measure/rows.ts';
import { costsOf } from '../measure/server.ts';
import type { BenchVault } from '../measure/vaults.ts';
import { notesBelow } from '../measure/yardsticks.ts';
import { searchKinds, type SearchKind } from './search-kinds.ts';
import { readWords } from './words.ts';

const CALLS = { calls: 100, first: 40 };
const LARGE = 100_000;

/** Each kind of search, asked of a server that has its index. */
export async function benchSearch(vault: BenchVault): Promise<Row[]> {
  const server = await vault.open();
  const rows: Row[] = [];
  for (const kind of searchKinds(readWords(notesBelow(vault.root)))) {
    rows.push(rowOf(kind, await costsOf(server, kind.ask, CALLS), vault.count));
  }
  await server.close();
  return rows;
}

function rowOf({ name, before, goal }: SearchKind, costs: readonly number[], count: number): Row {
  const row = { work: `${name}, median / 97th`, measured: spread(costs), ...(before === undefined || count >= LARGE ? {} : { before }) };
  if (goal === undefined) return row;
  const isPlain = count < LARGE || goal.isAnySize === true;
  const most = isPlain ? goal.median : goal.median100000;
  if (most === undefined) return row;
  const tail = isPlain ? goal.tail : undefined;
  return {
    ...row,
    goal: tail === undefined ? `${most} ms` : `${most} / ${tail} ms`,
    isMet: median(costs) <= most && (tail === undefined || percentile(costs, 0.97) <= tail),
  };
}
