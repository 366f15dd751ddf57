import type { GraphView } from '../../../graph/view.ts';
import { nearest } from '../../../nearest.ts';
import type { KnownNames } from '../../../query/formulas.ts';
import { expressionError, quoted } from '../../../query/query-error.ts';

/** How many names are compared with one that nobody knows. */
const MAX_NAMES = 3_000;

/**
 * Looks after properties that no note has (E-21): one that is nearly the name of another is taken for a slip, and refused with the
 * column; others may be written tomorrow, and are given back for a warning. `note.x` is never in question.
 */
export function checkProperties(graph: GraphView, names: KnownNames): readonly string[] {
  const unknown = [...names.properties].filter(([name]) => !isKnown(graph, name));
  if (unknown.length === 0) return [];
  const known = [...listPropertyNames(graph), 'file', 'note', 'formula'];
  for (const [name, { from, at }] of unknown) {
    const near = nearest(name, known);
    if (near !== null)
      throw expressionError(
        from,
        at,
        `no note has a property ${quoted(name)}; did you mean "${near}"? A property that no note has yet is written note.${name}.`,
      );
  }
  return unknown.map(([name]) => name);
}

function isKnown(graph: GraphView, name: string): boolean {
  for (const entry of graph.entries()) if (graph.propertyOf(entry, name) !== undefined) return true;
  return false;
}

/** The keys of the frontmatter of all notes, as their lines show them, without reading every value. */
export function listPropertyNames(graph: GraphView): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { yaml = '' } of graph.entries()) {
    for (const [, name = ''] of yaml.matchAll(/^(?: {0,4})["']?([\p{L}_][\p{L}\p{N}_ .-]{0,60})["']?:(?=\s|$)/gmu)) names.add(name);
    if (names.size > MAX_NAMES) break;
  }
  return names;
}
