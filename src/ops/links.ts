import type { GraphLink, GraphView, NoteEntry } from '../graph/view.ts';
import { parseRelation } from '../note/body/relation.ts';
import { readBodySection } from '../note/body/section.ts';
import type { NoteChange } from '../note/change.ts';
import { revOf } from '../note/frontmatter/property-value.ts';
import { baseName, fileName, foldKey } from '../note/path.ts';
import { findConfiguredFolders } from '../vault/obsidian/configured-folders.ts';
import type { RenameContext } from '../vault/links/rename.ts';
import type { FileChange } from '../vault/plan/plan.ts';
import { textOf } from '../vault/read-files.ts';
import type { Vault } from '../vault/vault.ts';
import { timeOf } from './operation.ts';
import type { OperationContext } from './operation.ts';
import { firstCharacters } from '../note/text.ts';

/** What planning a rename, a move or a repair of links needs, from the vault that is written. */
export function linkContext(vault: Vault, graph: GraphView): RenameContext {
  let isConfigured: ReturnType<typeof findConfiguredFolders> | null = null;
  return {
    graph,
    readText: (path) => textOf(vault.readAttachment(path)),
    style: vault.linkStyle(),
    at: timeOf({ vault }),
    filenames: vault.config.filenames,
    renameAlias: vault.config.renameAlias,
    isConfiguredFolder: (folder) => (isConfigured ??= findConfiguredFolders(vault.config, (file) => vault.obsidian(file)))(folder),
  };
}

/** A link to a note as it is written: `[[linkpath]]`, or `[[linkpath|shown]]`. */
export interface LinkTo {
  readonly linkpath: string;
  readonly shown: string | null;
}

/**
 * The link from one note to another: the bare file name where that leads to the target and to nothing else, else the path.
 * `title` is shown where it is not what the link says already.
 */
export function linkTo(graph: GraphView, link: { from: string; target: string; title?: string }): LinkTo {
  const name = baseName(link.target);
  const found = graph.resolve({ linkpath: name, from: link.from });
  const isOnly = found.kind === 'note' ? found.path === link.target && found.isAmbiguous !== true : found.kind === 'unresolved';
  const linkpath = isOnly ? name : link.target.replace(/\.md$/i, '');
  const shown = showable(link.title ?? name);
  return { linkpath, shown: shown === linkpath ? null : shown };
}

/** `linkTo` as a wikilink, for a value of the frontmatter. */
export function wikilinkTo(graph: GraphView, link: Parameters<typeof linkTo>[1]): string {
  const { linkpath, shown } = linkTo(graph, link);
  return `[[${linkpath}${shown === null ? '' : `|${shown}`}]]`;
}

/** A title as a link can show it. */
function showable(title: string): string {
  const shown = firstCharacters(title.replace(/[[\]|\\\s]+/gu, ' ').trim(), 200).trim();
  return shown === '' ? 'unnamed' : shown;
}

/** The one note that has this name as its title or alias, though not as its file name: links go by file names, so a link by it leads nowhere. */
export function namedBy(graph: GraphView, linkpath: string): NoteEntry | null {
  if (linkpath.includes('/')) return null;
  const name = linkpath.replace(/\.md$/i, '');
  const found = graph.lookup(name);
  if (found.kind !== 'found') return null;
  const key = foldKey(name);
  const isNamed = [found.entry.title, ...found.entry.aliases].some((each) => foldKey(each) === key);
  return isNamed && foldKey(baseName(found.entry.path)) !== key ? found.entry : null;
}

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
  const touch: readonly NoteChange[] = revOf(entry.properties) !== null ? [{ op: 'touch', at: removed.at }] : [];
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
    const [, key, index] = /^([^.]+)(?:\.(\d+))?$/.exec(link.property ?? '') ?? [];
    if (key === undefined || link.target.kind !== 'note' || !removed.has(link.target.path)) return [];
    const value = entry.properties[key];
    if (index === undefined) return [{ op: 'unset', key: [key] }];
    const element: unknown = Array.isArray(value) ? value[Number(index)] : undefined;
    return typeof element === 'string' ? [{ op: 'take', key: [key], value: element }] : [];
  });
}

function planRelations(
  { vault }: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  entry: NoteEntry,
  removed: ReadonlySet<string>,
): readonly NoteChange[] {
  const text = vault.glance(entry.path)?.note.text;
  const section = text === undefined ? null : readBodySection(text, 'Relations');
  return (section?.entries ?? []).flatMap(({ line }): NoteChange[] => {
    const relation = parseRelation(line);
    if (relation === null) return [];
    const linkpath = relation.target.split('#')[0] ?? '';
    const found = graph.resolve({ linkpath, from: entry.path });
    return found.kind === 'note' && removed.has(found.path)
      ? [{ op: 'drop-line', section: 'Relations', line, ...(relation.blockId === null ? {} : { apart: true }) }]
      : [];
  });
}

/** A link as callers see it: a note, an attachment (id is its path) or a text that leads nowhere yet. */
export interface LinkInfo {
  readonly id: string;
  readonly title: string;
  /** The property that holds the link (`parent`, `depends_on` …). */
  readonly type?: string;
}

/** The distinct targets of a note's links, in the order of the text. */
export function listLinks(graph: GraphView, path: string, of = graph.links(path)): readonly LinkInfo[] {
  const links = new Map<string, LinkInfo>();
  for (const link of of) {
    const info = toLinkInfo(graph, link);
    const before = links.get(info.id);
    if (before === undefined || (before.type === undefined && info.type !== undefined)) links.set(info.id, info);
  }
  return [...links.values()];
}

function toLinkInfo(graph: GraphView, link: GraphLink): LinkInfo {
  const type = link.property === null ? {} : { type: link.property.replace(/\.\d.*$/s, '') };
  switch (link.target.kind) {
    case 'note': {
      const entry = graph.get(link.target.path);
      return { id: entry?.id ?? link.target.path, title: entry?.title ?? link.target.path, ...type };
    }
    case 'attachment':
      return { id: link.target.path, title: fileName(link.target.path), ...type };
    case 'unresolved':
      return { id: link.linkpath, title: link.linkpath, ...type };
  }
}
