import { foldKey } from '../../../../note/path.ts';
import { compareNames } from '../../../../note/text.ts';
import type { GraphView } from '../../../../graph/view.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { cacheByVersion } from '../cache-by-version.ts';

/** A tag and those nested in it. A parent need not be the tag of any note itself. */
export interface TagNode {
  /** As it is written first, without `#`. */
  readonly tag: string;
  /** Number of notes that have it, without those of nested tags. */
  count: number;
  readonly children: Map<string, TagNode>;
}

/** Returns the node of a tag in any case, with or without `#`; null if no note has it or one nested in it. */
export function findTag(root: TagNode, tag: string): TagNode | null {
  let node: TagNode | undefined = root;
  for (const part of partsOf(tag)) node = node?.children.get(foldKey(part));
  return node ?? null;
}

/** Returns the nested tags of a node by name. */
export function sortedChildren({ children }: TagNode): readonly TagNode[] {
  return [...children.values()].sort((a, b) => compareNames(a.tag, b.tag));
}

/** Returns the number of notes with a tag or one nested in it. */
export function countNotes(graph: GraphView, { tag, count, children }: TagNode): number {
  return children.size === 0 ? count : graph.facets.byTag(tag).length;
}

/** Caches the tree of tags until the graph changes. */
export function openTagTree({ graph }: Vault): () => TagNode {
  return cacheByVersion(graph, () => buildTagTree(graph));
}

function buildTagTree(graph: GraphView): TagNode {
  const root: TagNode = { tag: '', count: 0, children: new Map() };
  const tags = graph.facets.tags().map(({ tag, count }) => ({ parts: partsOf(tag), count }));
  // Outer tags first: their own spelling wins over that in nested ones.
  for (const { parts, count } of tags.sort((a, b) => a.parts.length - b.parts.length)) {
    let node = root;
    for (const part of parts) {
      const key = foldKey(part);
      const name = node.tag === '' ? part : `${node.tag}/${part}`;
      let child = node.children.get(key);
      if (child === undefined) node.children.set(key, (child = { tag: name, count: 0, children: new Map() }));
      node = child;
    }
    node.count += count;
  }
  return root;
}

function partsOf(tag: string): readonly string[] {
  return tag
    .replace(/^#/, '')
    .split('/')
    .filter((part) => part !== '');
}
