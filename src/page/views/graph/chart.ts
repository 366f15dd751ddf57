import type { MapNode } from './map-answer.ts';

/** A map as it is drawn: nodes under places in lists, links between them as pairs of those. */
export interface Chart {
  readonly nodes: readonly MapNode[];
  /** The place of a node by its number. */
  readonly at: ReadonlyMap<number, number>;
  /** Pairs of places, from and to; each link once. */
  readonly links: Uint32Array;
  /** How many links a node has, in and out. */
  readonly degree: Uint32Array;
  /** By node: where its links begin in `linkOf`, which holds places of links. */
  readonly firstLink: Uint32Array;
  readonly linkOf: Uint32Array;
}

export const EMPTY_CHART: Chart = toChart([]);

/** Nodes with the links among them. */
export function toChart(nodes: readonly MapNode[]): Chart {
  const at = new Map(nodes.map(({ id }, place) => [id, place]));
  const pairs: number[] = [];
  const degree = new Uint32Array(nodes.length);
  for (const [from, { out }] of nodes.entries()) {
    for (const id of out) {
      const to = at.get(id);
      if (to === undefined || to === from) continue;
      pairs.push(from, to);
      degree[from] = (degree[from] ?? 0) + 1;
      degree[to] = (degree[to] ?? 0) + 1;
    }
  }
  const links = Uint32Array.from(pairs);
  const firstLink = new Uint32Array(nodes.length + 1);
  for (let place = 0; place < nodes.length; place += 1) firstLink[place + 1] = (firstLink[place] ?? 0) + (degree[place] ?? 0);
  const next = firstLink.slice();
  const linkOf = new Uint32Array(links.length);
  for (let end = 0; end < links.length; end += 1) {
    const place = links[end] ?? 0;
    const slot = next[place] ?? 0;
    linkOf[slot] = end >> 1;
    next[place] = slot + 1;
  }
  return { nodes, at, links, degree, firstLink, linkOf };
}

/** The links of a node. */
export function linksOf({ firstLink, linkOf }: Chart, place: number): Uint32Array {
  return linkOf.subarray(firstLink[place] ?? 0, firstLink[place + 1] ?? 0);
}

/** What a node links to and what links to it, each once, the most linked first. */
export function neighboursOf(chart: Chart, place: number): { readonly out: readonly number[]; readonly into: readonly number[] } {
  const [out, into] = [new Set<number>(), new Set<number>()];
  for (const link of linksOf(chart, place)) {
    const [from, to] = [chart.links[link * 2] ?? 0, chart.links[link * 2 + 1] ?? 0];
    if (from === place) out.add(to);
    else into.add(from);
  }
  const byLinks = (a: number, b: number): number => (chart.degree[b] ?? 0) - (chart.degree[a] ?? 0) || a - b;
  return { out: [...out].sort(byLinks), into: [...into].sort(byLinks) };
}

/** How large a node is drawn, in units of the map: as the server keeps them apart. */
export function radiusOf(degree: number): number {
  return Math.min(26, 3.2 + 1.7 * Math.sqrt(degree));
}
