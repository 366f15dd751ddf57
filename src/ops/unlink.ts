import type { GraphView, NoteEntry } from '../graph/view.ts';
import { readBodySection } from '../note/body-section.ts';
import type { NoteChange } from '../note/change.ts';
import { parseRelation } from '../note/sections.ts';
import type { FileChange } from '../vault/plan.ts';
import type { OperationContext } from './operation.ts';

/**
 * What goes with a note that is removed: the edges to it of notes that roux made, and relation lines.
 * What people wrote, prose and their own properties, stays as it is.
 */
export function planUnlink(
  context: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  removed: { readonly path: string; readonly at: string },
): readonly FileChange[] {
  const sources = new Set<string>(graph.backlinks(removed.path).map((link) => link.from));
  sources.delete(removed.path);
  return [...sources].sort().flatMap((source): FileChange[] => {
    const entry = graph.get(source);
    if (entry === null) return [];
    const changes = [...planEdges(graph, entry, removed.path), ...planRelations(context, graph, entry, removed.path)];
    if (changes.length === 0) return [];
    // Notes that count their revisions count this one; others stay as people keep them.
    const touch: readonly NoteChange[] = typeof entry.properties['rev'] === 'number' ? [{ op: 'touch', at: removed.at }] : [];
    return [{ kind: 'change', path: entry.path, changes: [...changes, ...touch] }];
  });
}

/** Typed edges are properties of notes with an id; those of other notes are people's. */
function planEdges(graph: GraphView, entry: NoteEntry, target: string): readonly NoteChange[] {
  if (typeof entry.properties['id'] !== 'string') return [];
  return graph.links(entry.path).flatMap((link): NoteChange[] => {
    const place = /^([^.]+)(?:\.(\d+))?$/.exec(link.property ?? '');
    const key = place?.[1];
    if (key === undefined || link.target.kind !== 'note' || link.target.path !== target) return [];
    const value = entry.properties[key];
    if (place?.[2] === undefined) return [{ op: 'unset', key: [key] }];
    const element: unknown = Array.isArray(value) ? value[Number(place[2])] : undefined;
    return typeof element === 'string' ? [{ op: 'take', key: [key], value: element }] : [];
  });
}

function planRelations(
  { vault }: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  entry: NoteEntry,
  target: string,
): readonly NoteChange[] {
  const text = vault.read(entry.path)?.note.text;
  const section = text === undefined ? null : readBodySection(text, 'Relations');
  return (section?.entries ?? []).flatMap(({ line }): NoteChange[] => {
    const relation = parseRelation(line);
    if (relation === null) return [];
    const linkpath = relation.target.split('#')[0] ?? '';
    const found = graph.resolve({ linkpath, from: entry.path });
    return found.kind === 'note' && found.path === target ? [{ op: 'drop-line', section: 'Relations', line }] : [];
  });
}
