import type { GraphView } from '../../graph/view.ts';
import { foldKey } from '../../note/path.ts';
import { cleanReference } from '../reference.ts';

/** A link target that no note stands for yet, and the notes that link to it. */
export interface Ghost {
  readonly linkpath: string;
  readonly sources: readonly string[];
}

/** All ghosts: link texts that differ only by case are one. Sorted by link text. */
export function listGhosts(graph: GraphView): readonly Ghost[] {
  const ghosts = new Map<string, { linkpath: string; sources: Set<string> }>();
  for (const { linkpath, sources } of graph.unresolved()) {
    const key = foldKey(linkpath.replace(/\.md$/i, ''));
    const ghost = ghosts.get(key) ?? { linkpath, sources: new Set() };
    for (const source of sources) ghost.sources.add(source);
    ghosts.set(key, ghost);
  }
  return [...ghosts.values()]
    .map(({ linkpath, sources }) => ({ linkpath, sources: [...sources].sort() }))
    .sort((a, b) => (a.linkpath < b.linkpath ? -1 : 1));
}

/** The ghost that a reference names, or null. */
export function findGhost(graph: GraphView, reference: string): Ghost | null {
  const key = foldKey(cleanReference(reference).replace(/\.md$/i, ''));
  return listGhosts(graph).find((ghost) => foldKey(ghost.linkpath.replace(/\.md$/i, '')) === key) ?? null;
}
