import type { GraphView } from '../../../graph/view.ts';
import { suggest } from '../../../suggest.ts';
import type { QueryNames } from '../../../query/formulas.ts';
import { expressionError, quoted } from '../../../query/query-error.ts';

/** Maximum number of known names that an unknown one is compared with. */
const MAX_NAMES = 3_000;

/**
 * Checks the properties of a query that no note has (E-21). Throws for a name close to a known one, with its column: it is probably a typo.
 * Returns the others for a warning, since notes may get them later. `note.x` is never checked.
 */
export function checkPropertyNames(graph: GraphView, names: QueryNames): readonly string[] {
  const unknown = [...names.properties].filter(([name]) => !isKnown(graph, name));
  if (unknown.length === 0) return [];
  const known = [...listPropertyNames(graph), 'file', 'note', 'formula'];
  for (const [name, { from, at }] of unknown) {
    const near = suggest(name, known);
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
  for (const entry of graph.entries()) if (graph.facets.propertyOf(entry, name) !== undefined) return true;
  return false;
}

/** Returns the frontmatter keys of all notes, matched in the YAML source, which is cheaper than parsing every value. */
export function listPropertyNames(graph: GraphView): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { yaml = '' } of graph.entries()) {
    for (const [, name = ''] of yaml.matchAll(/^(?: {0,4})["']?([\p{L}_][\p{L}\p{N}_ .-]{0,60})["']?:(?=\s|$)/gmu)) names.add(name);
    if (names.size > MAX_NAMES) break;
  }
  return names;
}
