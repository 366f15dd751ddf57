import type { GraphView, NoteEntry } from '../../graph/view.ts';
import { baseName, fileName, folderOf, foldersAbove, foldKey } from '../../note/path.ts';
import { NamedNotes } from './named-notes.ts';
import { findSimilar } from './similar-names.ts';
import { isGivenId } from '../../vault/missing-note.ts';
import { isPeriodicReference } from '../../vault/obsidian/periodic-notes.ts';
import type { Vault } from '../../vault/vault.ts';
import { editDistance } from '../../suggest.ts';
import type { OperationContext } from '../operation.ts';
import { shorten, shortenMiddle } from '../shorten.ts';

/** Names that the answer to an unknown one lists. */
export const MAX_NEAREST = 3;
/** Notes that are compared by their folder where only the file name was found. */
const MAX_IN_FOLDERS = 20;
/** Letters by which a folder may differ from the one in a reference. */
const MAX_FOLDER_EDITS = 3;
/** Unknown names of one call that are explained. */
const MAX_EXPLAINED = 5;
const MAX_TITLE_CHARACTERS = 120;
const MAX_NAME_CHARACTERS = 300;
const MAX_WANTED_CHARACTERS = 200;

/** A name that the caller may have meant. */
export interface NearName {
  /** What to pass instead. */
  readonly name: string;
  /** What people call it, if the name does not say it. */
  readonly title?: string;
}

/** Returns what an error adds to its message and to its details about the nearest names: nothing if there are none. */
export function nearestIn(names: readonly NearName[]): {
  readonly text: string;
  readonly details: { readonly nearest?: readonly string[] };
} {
  if (names.length === 0) return { text: '', details: {} };
  const shown = names.map(({ name, title }) => {
    const quoted = JSON.stringify(shortenMiddle(name, MAX_NAME_CHARACTERS));
    return title === undefined ? quoted : `${quoted} (${JSON.stringify(shorten(title, MAX_TITLE_CHARACTERS))})`;
  });
  return { text: ` Nearest: ${shown.join(', ')}.`, details: { nearest: names.map(({ name }) => name) } };
}

/** Quotes a name that the caller gave. */
export function quoteWanted(name: string): string {
  return JSON.stringify(shortenMiddle(name, MAX_WANTED_CHARACTERS));
}

/** An unknown name, what it was to be the name of, such as `note`, and the nearest names. */
export interface UnknownName {
  readonly what: string;
  readonly name: string;
  readonly nearest: readonly NearName[];
}

/** Warns about unknown names where the answer is not an error, if there are any near ones; about the first few of a call. */
export function warnOfUnknown(
  { warn }: Pick<OperationContext, 'warn'>,
  names: Iterable<string>,
  find: (name: string) => UnknownName,
): void {
  let left = MAX_EXPLAINED;
  for (const each of new Set(names)) {
    if (left-- === 0) return;
    const { what, name, nearest } = find(each);
    if (nearest.length > 0) warn(`There is no ${what} ${quoteWanted(name)}.${nearestIn(nearest).text}`);
  }
}

/** Warns about tags that no note has. */
export function warnOfUnknownTags(context: Pick<OperationContext, 'vault' | 'warn'>, tags: readonly string[]): void {
  const { graph } = context.vault;
  const unknown = tags.filter((tag) => graph.listed({ tag }).size === 0);
  warnOfUnknown(context, unknown, (name) => ({ what: 'tag', name, nearest: nearestTags(context.vault, name) }));
}

/** Warns about a type that no note has. */
export function warnOfUnknownType(context: Pick<OperationContext, 'vault' | 'warn'>, type: string): void {
  const { facets } = context.vault.graph;
  if (facets.byType(type).length > 0) return;
  const types = facets.types().map((each) => each.type);
  warnOfUnknown(context, [type], (name) => ({ what: 'type', name, nearest: nearestNames(name, types) }));
}

/** Returns the nearest tags. */
export function nearestTags({ graph }: Pick<Vault, 'graph'>, wanted: string): readonly NearName[] {
  return nearestNames(
    wanted.replace(/^#/, ''),
    graph.facets.tags().map(({ tag }) => tag),
  );
}

/** Returns the folders with the nearest paths or names; none for a folder with files in it. */
export function nearestFolders({ graph }: Pick<Vault, 'graph'>, wanted: string): readonly NearName[] {
  const hasNotes = !graph.entries({ under: wanted, includeHidden: true }).next().done;
  if (hasNotes || [...graph.attachments()].some((path) => path.startsWith(`${wanted}/`))) return [];
  const folders = foldersOf(graph);
  const near = nearestItems(wanted, folders, { names: (folder) => [folder], show: (name) => ({ name }) });
  if (near.length > 0) return near;
  return nearestItems(fileName(wanted), folders, { names: (folder) => [fileName(folder)], show: (name) => ({ name }) });
}

/** Returns all folders with visible notes in them, also deeper ones. */
function foldersOf(graph: GraphView): ReadonlySet<string> {
  const folders = new Set<string>();
  let last = '';
  for (const { path } of graph.entries()) {
    const folder = folderOf(path);
    if (folder === last) continue;
    last = folder;
    for (const each of foldersAbove(path)) folders.add(each);
  }
  return folders;
}

/** Warns about references to no note, with the notes that have the nearest names. */
export function warnOfMissingNotes(context: Pick<OperationContext, 'vault' | 'warn'>, references: readonly string[]): void {
  warnOfUnknown(context, references, (name) => ({ what: 'note', name, nearest: nearestNotes(context.vault, name) }));
}

/** Returns the nearest of some names. */
export function nearestNames(wanted: string, names: Iterable<string>): readonly NearName[] {
  return findSimilar(wanted, names, { names: (name) => [name], limit: MAX_NEAREST }).map((name) => ({ name }));
}

/** Returns the nearest of some items by all of their names. */
export function nearestItems<Item>(
  wanted: string,
  items: Iterable<Item>,
  { names, show }: { readonly names: (item: Item) => Iterable<string>; readonly show: (item: Item) => NearName },
): readonly NearName[] {
  return findSimilar(wanted, items, { names, limit: MAX_NEAREST }).map(show);
}

/** Returns the visible notes whose title, alias or file name is nearest to a reference; those in its folder first, then those of its name in a similar folder. */
export function nearestNotes(vault: Vault, reference: string): readonly NearName[] {
  const wanted = nameIn(reference);
  if (isGivenId(wanted) || isPeriodicReference(wanted)) return [];
  const [folder, name] = [foldKey(folderOf(wanted)), baseName(wanted)];
  const found = vault.derived(createNoteNames).search(name, folder === '' ? MAX_NEAREST : MAX_IN_FOLDERS);
  if (folder === '') return found.map(toNearName);
  const inFolder = found.filter(({ path }) => foldKey(folderOf(path)) === folder);
  return [...new Set([...inFolder, ...inSimilarFolders(vault.graph, folder, name), ...found])].slice(0, MAX_NEAREST).map(toNearName);
}

/** Returns the visible notes with a name whose folder ends like another one but for a few letters, the most similar first. */
function inSimilarFolders(graph: GraphView, folder: string, name: string): readonly NoteEntry[] {
  const found = graph.lookup(name);
  if (found.kind !== 'ambiguous') return [];
  const depth = folder.split('/').length;
  return found.candidates
    .filter(({ isHidden }) => !isHidden)
    .map((entry) => ({
      entry,
      edits: editDistance(foldKey(folderOf(entry.path)).split('/').slice(-depth).join('/'), folder, MAX_FOLDER_EDITS),
    }))
    .filter(({ edits }) => edits <= MAX_FOLDER_EDITS)
    .sort((a, b) => a.edits - b.edits)
    .map(({ entry }) => entry);
}

/** Returns the name in a reference that may be a link: `[[A#B|C]]`. */
function nameIn(reference: string): string {
  const text = reference.replaceAll('\\', '/');
  return text.startsWith('[[') && text.endsWith(']]') ? (text.slice(2, -2).split(/[#|]/, 1)[0] ?? '') : text;
}

function toNearName({ path, title }: NoteEntry): NearName {
  return title === baseName(path) ? { name: path } : { name: path, title };
}

function createNoteNames(vault: Vault): NamedNotes {
  return new NamedNotes({
    vault,
    all: () => vault.graph.entries(),
    names({ path, title, aliases }) {
      const name = baseName(path);
      return name === title ? [title, ...aliases] : [title, name, ...aliases];
    },
  });
}
