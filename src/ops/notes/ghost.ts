import type { GraphView } from '../../graph/view.ts';
import { foldKey } from '../../note/path.ts';
import { cleanReference } from '../reference.ts';

/** A link target that no note stands for yet, with the notes that link to it. */
export type Ghost = ReturnType<GraphView['unresolved']>[number];

/** The ghost that a reference names, in whatever case, or null. */
export function findGhost(graph: GraphView, reference: string): Ghost | null {
  const key = ghostKey(cleanReference(reference));
  return graph.unresolved().find((ghost) => ghostKey(ghost.linkpath) === key) ?? null;
}

function ghostKey(linkpath: string): string {
  return foldKey(linkpath).replace(/\.md$/, '');
}
