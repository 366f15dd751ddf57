import type { GraphView } from '../../graph/view.ts';
import { formatRelation } from '../../note/sections.ts';
import { linkTo } from '../link-to.ts';

/** The list entry of a bare relation to an entity's note. */
export function relationLine(
  graph: GraphView,
  from: string,
  relationType: string,
  to: { readonly name: string; readonly path: string },
): string {
  const { linkpath, shown } = linkTo(graph, { from, target: to.path, title: to.name });
  return formatRelation({ type: relationType, target: linkpath, shown, text: null, fields: [], blockId: null });
}
