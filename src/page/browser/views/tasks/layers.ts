import type { BoardTask } from './board.ts';

/** A task with its column (`layer`) and its row in that column. */
export interface PlacedTask {
  readonly task: BoardTask;
  readonly layer: number;
  readonly row: number;
}

export interface Drawing {
  readonly placed: readonly PlacedTask[];
  readonly edges: readonly { readonly from: PlacedTask; readonly to: PlacedTask }[];
  readonly layers: number;
  readonly rows: number;
}

/** Number of passes that reorder rows to reduce crossings. */
const SWEEPS = 4;

/**
 * Assigns tasks to columns so that each is to the right of its dependencies, and to rows so that few edges cross. Leaves out tasks
 * without dependencies. In a cycle, one edge points back.
 */
export function layOut(tasks: readonly BoardTask[]): Drawing {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const before = new Map<string, readonly string[]>();
  const after = new Map<string, string[]>();
  for (const task of tasks) {
    const own = (task.depends_on ?? []).filter((id) => byId.has(id) && id !== task.id);
    if (own.length > 0) before.set(task.id, own);
    for (const id of own) after.set(id, [...(after.get(id) ?? []), task.id]);
  }
  const drawn = tasks.filter(({ id }) => before.has(id) || after.has(id));
  const layerOf = assignLayers(drawn, before);
  const layers: BoardTask[][] = [];
  for (const task of drawn) (layers[layerOf.get(task.id) ?? 0] ??= []).push(task);
  const rows = new Map<string, number>();
  const number = (): void => layers.forEach((layer) => layer.forEach(({ id }, row) => rows.set(id, row - layer.length / 2)));
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const beside = sweep % 2 === 0 ? before : after;
    const middle = new Map(
      drawn.map(({ id }) => [id, meanOf((beside.get(id) ?? []).map((each) => rows.get(each) ?? 0)) ?? rows.get(id) ?? 0]),
    );
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed())
      layer.sort((a, b) => (middle.get(a.id) ?? 0) - (middle.get(b.id) ?? 0));
    number();
  }
  const placed = layers.flatMap((layer, at) => layer.map((task, row): PlacedTask => ({ task, layer: at, row })));
  const places = new Map(placed.map((each) => [each.task.id, each]));
  const edges = placed.flatMap((to) =>
    (before.get(to.task.id) ?? []).flatMap((id) => {
      const from = places.get(id);
      return from === undefined ? [] : [{ from, to }];
    }),
  );
  return { placed, edges, layers: layers.length, rows: Math.max(0, ...layers.map(({ length }) => length)) };
}

/** Returns the length of the longest path to each task, ignoring edges that close a cycle. Iterative, because chains may be long. */
function assignLayers(tasks: readonly BoardTask[], before: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const layers = new Map<string, number>();
  const open = new Set<string>();
  for (const { id: start } of tasks) {
    const pending = [start];
    for (let id = pending.at(-1); id !== undefined; id = pending.at(-1)) {
      const own = before.get(id) ?? [];
      const first = layers.has(id) ? undefined : own.find((each) => !layers.has(each) && !open.has(each));
      if (first !== undefined) {
        open.add(id);
        pending.push(first);
        continue;
      }
      pending.pop();
      open.delete(id);
      if (!layers.has(id)) layers.set(id, Math.max(-1, ...own.map((each) => layers.get(each) ?? -1)) + 1);
    }
  }
  return layers;
}

function meanOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
