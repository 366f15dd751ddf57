import { compareText } from '../note/text.ts';
import { keyOf, orderValues } from './compare.ts';
import type { Direction } from './expression.ts';
import type { Compiled, Run } from './run.ts';
import { isTruthy } from './values.ts';
import type { FileValue, Value } from './values.ts';

/** Which files to return, and in which order. */
export interface Selection {
  /** Conditions that must all be true. */
  readonly where: readonly Compiled[];
  readonly sort: readonly { readonly by: Compiled; readonly direction: Direction }[];
  readonly groupBy: { readonly by: Compiled; readonly direction: Direction } | null;
  /** The maximum number of rows; null for all. */
  readonly limit: number | null;
}

/** A selected file, with the value by which it is grouped. */
export interface Row {
  readonly file: FileValue;
  readonly group: Value;
}

/** Returns the selected files, ordered by group, then by the sort keys, then by path. */
export function selectRows(run: Run, files: Iterable<FileValue>, { where, sort, groupBy, limit }: Selection): readonly Row[] {
  const found: Found[] = [];
  for (const file of files) {
    run.turnTo(file);
    if (where.every((each) => isTruthy(each(run))))
      found.push({ file, group: groupBy?.by(run) ?? null, values: sort.map(({ by }) => by(run)) });
  }
  run.turnTo(null);
  const inGroups = groupBy === null ? (): number => 0 : orderGroups(run, found, groupBy.direction);
  if (groupBy !== null || sort.length > 0)
    found.sort((a, b) => {
      const byGroup = inGroups(a, b);
      if (byGroup !== 0) return byGroup;
      for (const [at, { direction }] of sort.entries()) {
        const order = orderValues(run, a.values[at] ?? null, b.values[at] ?? null, direction);
        if (order !== 0) return order;
      }
      return compareText(a.file.path, b.file.path);
    });
  // A limit applies to the sorted rows.
  const shown = limit === null ? found : found.slice(0, limit);
  return shown.map(({ file, group }) => ({ file, group }));
}

interface Found extends Row {
  readonly values: readonly Value[];
}

/** Returns an order that keeps groups together, although equal values may be written differently and different ones may be unordered. */
function orderGroups(run: Run, rows: readonly Found[], direction: Direction): (a: Found, b: Found) => number {
  const keys = new Map(rows.map((row) => [row, keyOf(run, row.group)] as const));
  const firsts = new Map<string, Value>();
  for (const [{ group }, key] of keys) if (!firsts.has(key)) firsts.set(key, group);
  const groups = [...firsts].sort(([a, x], [b, y]) => orderValues(run, x, y, direction) || compareText(a, b));
  const places = new Map(groups.map(([key], place) => [key, place] as const));
  const placeOf = (row: Found): number => places.get(keys.get(row) ?? '') ?? 0;
  return (a, b) => placeOf(a) - placeOf(b);
}

/** Returns the groups of sorted rows, each with its number of rows. */
export function groupsOf(run: Run, rows: readonly Row[]): readonly { readonly value: Value; readonly count: number }[] {
  run.turnTo(null);
  const groups = new Map<string, { value: Value; count: number }>();
  for (const { group } of rows) {
    const key = keyOf(run, group);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { value: group, count: 1 });
    else known.count += 1;
  }
  return [...groups.values()];
}
