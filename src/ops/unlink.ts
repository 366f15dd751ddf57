import type { GraphView, NoteEntry } from '../graph/view.ts';
import { parseRelation } from '../note/body/relation.ts';
import { readBodySection } from '../note/body/section.ts';
import type { NoteChange } from '../note/change.ts';
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
    const change = entry === null ? null : planUnlinkFrom(context, graph, entry, { paths: new Set([removed.path]), at: removed.at });
    return change === null ? [] : [change];
  });
}

/** `planUnlink` for one of the notes that link, and for several that are removed at once; null when it stays as it is. */
export function planUnlinkFrom(
  context: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  entry: NoteEntry,
  removed: { readonly paths: ReadonlySet<string>; readonly at: string },
): FileChange | null {
  const changes = unlinkChanges(context, graph, entry, removed.paths);
  if (changes.length === 0) return null;
  // Notes that count their revisions count this one; others stay as people keep them.
  const touch: readonly NoteChange[] = typeof entry.properties['rev'] === 'number' ? [{ op: 'touch', at: removed.at }] : [];
  return { kind: 'change', path: entry.path, changes: [...changes, ...touch] };
}

/** What takes the edges and relation lines to removed notes out of one that has them. */
export function unlinkChanges(
  context: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  entry: NoteEntry,
  removed: ReadonlySet<string>,
): readonly NoteChange[] {
  return [...planEdges(graph, entry, removed), ...planRelations(context, graph, entry, removed)];
}

/** Typed edges are properties of notes with an id; those of other notes are people's. */
function planEdges(graph: GraphView, entry: NoteEntry, removed: ReadonlySet<string>): readonly NoteChange[] {
  if (typeof entry.properties['id'] !== 'string') return [];
  return graph.links(entry.path).flatMap((link): NoteChange[] => {
    const place = /^([^.]+)(?:\.(\d+))?$/.exec(link.property ?? '');
    const key = place?.[1];
    if (key === undefined || link.target.kind !== 'note' || !removed.has(link.target.path)) return [];
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
  removed: ReadonlySet<string>,
): readonly NoteChange[] {
  const text = vault.read(entry.path)?.note.text;
  const section = text === undefined ? null : readBodySection(text, 'Relations');
  return (section?.entries ?? []).flatMap(({ line }): NoteChange[] => {
    const relation = parseRelation(line);
    if (relation === null) return [];
    const linkpath = relation.target.split('#')[0] ?? '';
    const found = graph.resolve({ linkpath, from: entry.path });
    return found.kind === 'note' && removed.has(found.path) ? [{ op: 'drop-line', section: 'Relations', line }] : [];
  });
}
