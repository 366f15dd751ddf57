import { isRecord } from '../../../../is-record.ts';
import { baseName, fileName, folderOf, foldKey } from '../../../../note/path.ts';
import type { GraphView } from '../../../../graph/view.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { textSetting } from '../../../../vault/obsidian/settings-file.ts';

/** Something that a person pinned, or a note to begin with. */
export interface Pinned {
  readonly kind: 'note' | 'file' | 'folder' | 'search';
  readonly title: string;
  /** Path of a file or folder; the query of a search. */
  readonly target: string;
  /** Heading or block in a note, without `#`. */
  readonly heading?: string;
}

const MAX_PINNED = 30;
/** Groups in groups. */
const MAX_DEPTH = 8;
/** Items of Obsidian's file that are looked at. */
const MAX_ITEMS = 2_000;
/** Names of notes to begin with, in the root of a vault. */
const START_NAMES: readonly string[] = ['home', 'readme', 'index', 'start here', 'start', 'welcome'];

/** Returns Obsidian's bookmarks, of whatever is there and not hidden, then the notes to begin with. */
export function listPinned({ graph, settings }: Vault): readonly Pinned[] {
  const found = new Map<string, Pinned>();
  for (const item of flatten(settings.obsidian('bookmarks.json')['items'])) {
    const pinned = toPinned(graph, item);
    if (pinned !== null) found.set(`${pinned.kind} ${pinned.target} ${pinned.heading ?? ''}`, pinned);
  }
  for (const path of startNotes(graph)) {
    const key = `note ${path} `;
    if (!found.has(key)) found.set(key, { kind: 'note', title: graph.get(path)?.title ?? path, target: path });
  }
  return [...found.values()].slice(0, MAX_PINNED);
}

/** Returns the bookmarks in all groups, in order. */
function flatten(items: unknown): readonly Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  let left = MAX_ITEMS;
  const visit = (list: unknown, depth: number): void => {
    if (!Array.isArray(list) || depth > MAX_DEPTH) return;
    for (const item of list as readonly unknown[]) {
      if (left <= 0) return;
      left -= 1;
      if (!isRecord(item)) continue;
      if (item['type'] === 'group') visit(item['items'], depth + 1);
      else found.push(item);
    }
  };
  visit(items, 0);
  return found;
}

function toPinned(graph: GraphView, item: Readonly<Record<string, unknown>>): Pinned | null {
  const title = textSetting(item, 'title');
  if (item['type'] === 'search') {
    const query = textSetting(item, 'query');
    return query === undefined ? null : { kind: 'search', title: title ?? query, target: query };
  }
  const path = textSetting(item, 'path');
  if (path === undefined) return null;
  if (item['type'] === 'folder')
    return graph.listed({ under: path }).size === 0 ? null : { kind: 'folder', title: title ?? fileName(path), target: path };
  if (item['type'] !== 'file') return null;
  const entry = graph.get(path);
  if (entry === null) return graph.isAttachment(path) ? { kind: 'file', title: title ?? fileName(path), target: path } : null;
  if (entry.isHidden) return null;
  const heading = (textSetting(item, 'subpath') ?? '').split('#').at(-1) ?? '';
  return { kind: 'note', title: title ?? entry.title, target: path, ...(heading === '' ? {} : { heading }) };
}

function startNotes(graph: GraphView): readonly string[] {
  return START_NAMES.flatMap((name) => graph.byKey(name))
    .filter((path) => folderOf(path) === '' && graph.get(path)?.isHidden === false)
    .filter((path) => START_NAMES.includes(foldKey(baseName(path))));
}
