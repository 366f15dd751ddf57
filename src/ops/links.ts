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
import { currentTime } from './operation.ts';
import type { OperationContext } from './operation.ts';
import { firstCharacters } from '../note/text.ts';

/** Returns what planning a rename, a move or a repair of links needs. */
export function createRenameContext(vault: Vault, graph: GraphView): RenameContext {
  let isConfigured: ReturnType<typeof findConfiguredFolders> | null = null;
  return {
    graph,
    readText: (path) => textOf(vault.notes.readAttachment(path)),
    // Obsidian's settings are looked at for it, and most writes need no link.
    get style() {
      return vault.settings.linkStyle();
    },
    at: currentTime({ vault }),
    filenames: vault.settings.config.filenames,
    renameAlias: vault.settings.config.renameAlias,
    isConfiguredFolder: (folder) =>
      (isConfigured ??= findConfiguredFolders(vault.settings.config, (file) => vault.settings.obsidian(file)))(folder),
  };
}

/** A link to a note as it is written: `[[linkpath]]`, or `[[linkpath|displayText]]`. */
export interface LinkText {
  readonly linkpath: string;
  readonly displayText: string | null;
}

/**
 * Builds the link from one note to another: the bare file name where it resolves to the target alone, else the path.
 * `title` becomes the display text unless it equals the linkpath.
 */
export function buildLink(graph: GraphView, link: { from: string; target: string; title?: string }): LinkText {
  const name = baseName(link.target);
  const found = graph.resolve({ linkpath: name, from: link.from });
  const isOnly = found.kind === 'note' ? found.path === link.target && found.isAmbiguous !== true : found.kind === 'unresolved';
  const linkpath = isOnly ? name : link.target.replace(/\.md$/i, '');
  const shown = toDisplayText(link.title ?? name);
  return { linkpath, displayText: shown === linkpath ? null : shown };
}

/** Builds the same link as a wikilink, for a value of the frontmatter. */
export function buildWikilink(graph: GraphView, link: Parameters<typeof buildLink>[1]): string {
  const { linkpath, displayText: shown } = buildLink(graph, link);
  return `[[${linkpath}${shown === null ? '' : `|${shown}`}]]`;
}

/** Removes from a title what the display text of a link cannot contain. */
function toDisplayText(title: string): string {
  const shown = firstCharacters(title.replace(/[[\]|\\\s]+/gu, ' ').trim(), 200).trim();
  return shown === '' ? 'unnamed' : shown;
}

/** Finds the one note that has this name as title or alias but not as file name. Links resolve by file name, so a link by it is broken. Null when there is none. */
export function findByTitle(graph: GraphView, linkpath: string): NoteEntry | null {
  for (const name of new Set([linkpath, linkpath.replace(/\.md$/i, '')])) {
    const found = graph.lookup(name);
    if (found.kind !== 'found') continue;
    const key = foldKey(name);
    const isNamed = [found.entry.title, ...found.entry.aliases].some((each) => foldKey(each) === key);
    if (isNamed && foldKey(baseName(found.entry.path)) !== key) return found.entry;
  }
  return null;
}

/**
 * Plans what is removed together with a note: typed edges to it in notes that roux created, and relation lines.
 * Prose and people's own properties are not changed.
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

/** Plans the same for one of the linking notes and several removed ones. Returns null when the note does not change. */
export function planUnlinkFrom(
  context: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  entry: NoteEntry,
  removed: { readonly paths: ReadonlySet<string>; readonly at: string },
): FileChange | null {
  const changes = unlinkChanges(context, graph, entry, removed.paths);
  if (changes.length === 0) return null;
  // Only notes with a `rev` count revisions.
  const touch: readonly NoteChange[] = revOf(entry.properties) !== null ? [{ op: 'touch', at: removed.at }] : [];
  return { kind: 'change', path: entry.path, changes: [...changes, ...touch] };
}

/** Returns the changes that remove edges and relation lines to removed notes from one note. */
export function unlinkChanges(
  context: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  entry: NoteEntry,
  removed: ReadonlySet<string>,
): readonly NoteChange[] {
  return [...unlinkProperties(graph, entry, removed), ...unlinkRelations(context, graph, entry, removed)];
}

/** Typed edges are properties of notes with an id; properties of other notes belong to people. */
function unlinkProperties(graph: GraphView, entry: NoteEntry, removed: ReadonlySet<string>): readonly NoteChange[] {
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

function unlinkRelations(
  { vault }: Pick<OperationContext, 'vault'>,
  graph: GraphView,
  entry: NoteEntry,
  removed: ReadonlySet<string>,
): readonly NoteChange[] {
  const text = vault.notes.readUnstable(entry.path)?.note.text;
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

/** A link as callers see it: a note, an attachment (its id is its path) or an unresolved target. */
export interface LinkInfo {
  readonly id: string;
  readonly title: string;
  /** The property that holds the link (`parent`, `depends_on` …). */
  readonly type?: string;
}

/** Lists the distinct targets of a note's links, in document order. */
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
