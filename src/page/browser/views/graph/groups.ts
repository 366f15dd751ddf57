import type { GraphData } from './graph-model.ts';
import type { ColorBy } from './options.ts';
import type { MapNode } from './map-answer.ts';

/** Nodes that are drawn in the same color. */
export interface Group {
  /** The property they share. */
  readonly label: string;
  readonly count: number;
  /** Number of the color, or -1 for the color of nodes in no group. */
  readonly color: number;
}

/** As many colors as can be distinguished. */
export const GROUP_COLORS = 10;

const OTHERS: Readonly<Record<Exclude<ColorBy, 'none'>, string>> = {
  community: 'Other groups',
  folder: 'Other folders',
  type: 'Other or no type',
  tag: 'Other or no tags',
};

/** Finds the largest groups, and the color of each node: -1 if it is in none of them. */
export function groupNodes(graph: GraphData, by: ColorBy): { readonly groups: readonly Group[]; readonly colorOf: Int8Array } {
  const { nodes } = graph;
  const keys = nodes.map((node) => keyOf(node, by));
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  const largest = [...counts].sort(([a, of], [b, than]) => than - of || (a < b ? -1 : 1)).slice(0, GROUP_COLORS);
  // A community keeps its color when another one outgrows it.
  const colors = new Map(
    by === 'community' ? assignColors(largest.map(([key]) => Number(key))) : largest.map(([key], at) => [key, at] as const),
  );
  const colorOf = Int8Array.from(keys, (key) => (key === null ? -1 : (colors.get(key) ?? -1)));
  const groups = largest.map(([key, count]): Group => ({
    label: by === 'community' ? hubOf(graph, keys, key) : key,
    count,
    color: colors.get(key) ?? -1,
  }));
  const others = nodes.length - groups.reduce((sum, { count }) => sum + count, 0);
  return { groups: others > 0 && by !== 'none' ? [...groups, { label: OTHERS[by], count: others, color: -1 }] : groups, colorOf };
}

function keyOf({ kind, folder, type, tags, community }: MapNode, by: ColorBy): string | null {
  if (by === 'none' || (kind !== 'note' && by !== 'community')) return null;
  if (by === 'community') return community < 0 || kind !== 'note' ? null : String(community);
  if (by === 'folder') return folder === '' ? '/' : (folder.split('/')[0] ?? null);
  return by === 'type' ? type : (tags[0] ?? null);
}

/** Gives each community the color of its own number where there is one, else a free color. */
function assignColors(numbers: readonly number[]): readonly (readonly [string, number])[] {
  const free = Array.from({ length: GROUP_COLORS }, (_, color) => color).filter((color) => !numbers.includes(color));
  return numbers.map((number) => [String(number), number < GROUP_COLORS ? number : (free.shift() ?? -1)] as const);
}

/** A community is named after its most linked note. */
function hubOf({ nodes, degree }: GraphData, keys: readonly (string | null)[], key: string): string {
  let best = -1;
  for (const [index, each] of keys.entries()) if (each === key && (best < 0 || (degree[index] ?? 0) > (degree[best] ?? 0))) best = index;
  return nodes[best]?.title ?? '';
}
