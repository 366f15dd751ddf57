import type { MapNode } from './map-answer.ts';

/** The graph in the form that is drawn: nodes in an array, and links between them as pairs of indices. */
export interface GraphData {
  readonly nodes: readonly MapNode[];
  /** Index of a node by its id. */
  readonly indexById: ReadonlyMap<number, number>;
  /** Pairs of node indices, source and target. Each link occurs once. */
  readonly links: Uint32Array;
  /** Number of links of each node, in both directions. */
  readonly degree: Uint32Array;
  /** For each node the offset of its first link in `linkOf`, which holds indices of links. */
  readonly firstLink: Uint32Array;
  readonly linkOf: Uint32Array;
}

export const EMPTY_GRAPH: GraphData = buildGraph([]);

/** Builds the graph of these nodes. Links to nodes that are not among them are dropped. */
export function buildGraph(nodes: readonly MapNode[]): GraphData {
  const indexById = new Map(nodes.map(({ id }, index) => [id, index]));
  const pairs: number[] = [];
  const degree = new Uint32Array(nodes.length);
  for (const [from, { out }] of nodes.entries()) {
    for (const id of out) {
      const to = indexById.get(id);
      if (to === undefined || to === from) continue;
      pairs.push(from, to);
      degree[from] = (degree[from] ?? 0) + 1;
      degree[to] = (degree[to] ?? 0) + 1;
    }
  }
  const links = Uint32Array.from(pairs);
  const firstLink = new Uint32Array(nodes.length + 1);
  for (let index = 0; index < nodes.length; index += 1) firstLink[index + 1] = (firstLink[index] ?? 0) + (degree[index] ?? 0);
  const next = firstLink.slice();
  const linkOf = new Uint32Array(links.length);
  for (let end = 0; end < links.length; end += 1) {
    const index = links[end] ?? 0;
    const slot = next[index] ?? 0;
    linkOf[slot] = end >> 1;
    next[index] = slot + 1;
  }
  return { nodes, indexById, links, degree, firstLink, linkOf };
}

/** Returns the indices of a node's links. */
export function getLinks({ firstLink, linkOf }: GraphData, index: number): Uint32Array {
  return linkOf.subarray(firstLink[index] ?? 0, firstLink[index + 1] ?? 0);
}

/** Returns the targets and the sources of a node's links without duplicates, those with the most links first. */
export function getNeighbors(graph: GraphData, index: number): { readonly out: readonly number[]; readonly into: readonly number[] } {
  const [out, into] = [new Set<number>(), new Set<number>()];
  for (const link of getLinks(graph, index)) {
    const [from, to] = [graph.links[link * 2] ?? 0, graph.links[link * 2 + 1] ?? 0];
    if (from === index) out.add(to);
    else into.add(from);
  }
  const byLinks = (a: number, b: number): number => (graph.degree[b] ?? 0) - (graph.degree[a] ?? 0) || a - b;
  return { out: [...out].sort(byLinks), into: [...into].sort(byLinks) };
}
