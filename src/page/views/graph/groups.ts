import type { Chart } from './chart.ts';
import type { ColourBy } from './choices.ts';
import type { MapNode } from './map-answer.ts';

/** Nodes that are drawn in one colour. */
export interface Group {
  /** What they have in common. */
  readonly label: string;
  readonly count: number;
  /** Which of the colours; -1: that of all others. */
  readonly colour: number;
}

/** So many colours are told apart. */
export const GROUP_COLOURS = 10;

/** The largest groups, and the colour of each node; -1: it is in none of them. */
export function groupNodes(chart: Chart, by: ColourBy): { readonly groups: readonly Group[]; readonly colourOf: Int8Array } {
  const { nodes } = chart;
  const keys = nodes.map((node) => keyOf(node, by));
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  const largest = [...counts].sort(([a, of], [b, than]) => than - of || (a < b ? -1 : 1)).slice(0, GROUP_COLOURS);
  // A group of links keeps its colour when another one outgrows it.
  const colours = new Map(
    by === 'community' ? keepNumbers(largest.map(([key]) => Number(key))) : largest.map(([key], at) => [key, at] as const),
  );
  const colourOf = Int8Array.from(keys, (key) => (key === null ? -1 : (colours.get(key) ?? -1)));
  const groups = largest.map(([key, count]): Group => ({
    label: by === 'community' ? hubOf(chart, keys, key) : key,
    count,
    colour: colours.get(key) ?? -1,
  }));
  const others = nodes.length - groups.reduce((sum, { count }) => sum + count, 0);
  return { groups: others > 0 && by !== 'none' ? [...groups, { label: OTHERS[by], count: others, colour: -1 }] : groups, colourOf };
}

const OTHERS: Readonly<Record<Exclude<ColourBy, 'none'>, string>> = {
  community: 'Other groups',
  folder: 'Other folders',
  type: 'Other or no type',
  tag: 'Other or no tags',
};

function keyOf({ kind, folder, type, tags, community }: MapNode, by: ColourBy): string | null {
  if (by === 'none' || (kind !== 'note' && by !== 'community')) return null;
  if (by === 'community') return community < 0 || kind !== 'note' ? null : String(community);
  if (by === 'folder') return folder === '' ? '/' : (folder.split('/')[0] ?? null);
  return by === 'type' ? type : (tags[0] ?? null);
}

/** Numbers of groups that are colours already stay; the others get what is free. */
function keepNumbers(numbers: readonly number[]): readonly (readonly [string, number])[] {
  const free = Array.from({ length: GROUP_COLOURS }, (_, colour) => colour).filter((colour) => !numbers.includes(colour));
  return numbers.map((number) => [String(number), number < GROUP_COLOURS ? number : (free.shift() ?? -1)] as const);
}

/** A group of links is called what most in it link with. */
function hubOf({ nodes, degree }: Chart, keys: readonly (string | null)[], key: string): string {
  let best = -1;
  for (const [place, each] of keys.entries()) if (each === key && (best < 0 || (degree[place] ?? 0) > (degree[best] ?? 0))) best = place;
  return nodes[best]?.title ?? '';
}
