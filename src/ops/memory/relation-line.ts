import type { GraphView } from '../../graph/view.ts';
import { baseName } from '../../note/path.ts';
import { formatRelation } from '../../note/sections.ts';

/** Where a relation leads: a note that is there, or that the same plan makes. */
export interface RelationTarget {
  readonly name: string;
  readonly path: string;
  readonly isThere: boolean;
}

/** The list entry of a relation, its link the shortest that leads to the target and to nothing else. */
export function relationLine(graph: GraphView, from: string, relationType: string, target: RelationTarget): string {
  const stem = baseName(target.path);
  const full = target.path.replace(/\.md$/i, '');
  const found = graph.resolve({ linkpath: stem, from });
  const isShort = target.isThere
    ? found.kind === 'note' && found.path === target.path && found.isAmbiguous !== true
    : found.kind === 'unresolved';
  const linkpath = isShort ? stem : full;
  const shown = shownName(target.name);
  return formatRelation({
    type: relationType,
    target: linkpath,
    shown: shown === linkpath ? null : shown,
    text: null,
    fields: [],
    blockId: null,
  });
}

/** A name as a link can show it; the target's title is what says the name. */
function shownName(name: string): string {
  const shown = name
    .replace(/[[\]|\\\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
  return shown === '' ? 'unnamed' : shown;
}
