import { joinRelative } from '../../graph/links/resolve.ts';
import type { NoteEntry } from '../../graph/view.ts';
import { editProperties } from '../../note/frontmatter/property-edit.ts';
import type { PropertyChange } from '../../note/frontmatter/property-edit.ts';
import { STALE_AFTER } from '../../note/freshness.ts';
import type { Note } from '../../note/note.ts';
import { composeGenerated } from '../../note/okf/generated.ts';
import { composeIndex } from '../../note/okf/index-text.ts';
import { hasReservedName, INDEX } from '../../note/okf/reserved.ts';
import { toMarkdownLinks } from '../../note/okf/to-markdown.ts';
import type { LinkPlace, Loss } from '../../note/okf/to-markdown.ts';
import { decodeNote, parseNote } from '../../note/parse.ts';
import { fileName, foldKey, isVaultPath, joinPath, numberedPath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';
import { listedConcept, listFolders, VERSION_HEAD } from './plan-indexes.ts';
import { readBundle } from './read-bundle.ts';
import type { BundleFile, LeftOut } from './read-bundle.ts';

/** What was not said as in the vault, how often, and in which notes first. */
export interface LossCount {
  readonly kind: Loss | 'type' | 'frontmatter';
  readonly count: number;
  readonly notes: readonly string[];
}

/** A bundle made of notes, with a report of what it cannot say. */
export interface ExportedBundle {
  readonly files: readonly BundleFile[];
  readonly concepts: number;
  readonly losses: readonly LossCount[];
  readonly left: readonly LeftOut[];
  /** Notes whose names the format reserves. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

type Exported = Pick<Vault, 'graph' | 'notes' | 'settings'>;

/** Notes that a loss names. */
const MAX_NAMED = 5;

/** Counts losses by kind. */
class Losses {
  readonly #counts = new Map<LossCount['kind'], { count: number; notes: string[] }>();

  add(kind: LossCount['kind'], path: string, count = 1): void {
    const known = this.#counts.get(kind) ?? { count: 0, notes: [] };
    this.#counts.set(kind, known);
    known.count += count;
    if (known.notes.length < MAX_NAMED) known.notes.push(path);
  }

  get list(): readonly LossCount[] {
    return [...this.#counts].map(([kind, loss]) => ({ kind, ...loss }));
  }
}

/** Exports a bundle of the vault as it is; only wikilinks become links of the format. */
export function exportBundle(vault: Exported, top: string): ExportedBundle {
  const { files, left } = readBundle(vault, top);
  const losses = new Losses();
  const place = placesIn(vault, new Map(files.map(({ path }) => [joinPath(top, path), path])));
  let concepts = 0;
  const written = files.map((file): BundleFile => {
    const entry = vault.graph.get(joinPath(top, file.path));
    if (entry === null || hasReservedName(file.path)) return file;
    concepts += 1;
    const { note, isExact } = parse(entry.path, file.bytes);
    if (!isExact || !note.links.some(({ form, property }) => form === 'wikilink' && property === undefined)) return file;
    const converted = toMarkdownLinks(note, { placeOf: (linkpath) => place(linkpath, entry.path), keeps: () => true });
    for (const [loss, count] of converted.losses) losses.add(loss, entry.path, count);
    return { path: file.path, bytes: Buffer.from(converted.text) };
  });
  return { files: written, concepts, losses: losses.list, left, renamed: [] };
}

/** Makes a bundle of notes that are none: of a folder, or of the whole vault. `type`: of notes that have none. */
export function exportNotes(vault: Exported, { folder, type }: { readonly folder: string; readonly type: string }): ExportedBundle {
  const { graph, notes, settings } = vault;
  const entries = [...graph.entries({ under: folder })];
  const hidden = [...graph.entries({ under: folder, includeHidden: true })].filter(({ isHidden }) => isHidden);
  const left: LeftOut[] = hidden.map(({ path }) => {
    return { path, reason: graph.bundles.isReserved(path) ? 'it is an index.md or log.md of a bundle inside' : 'the settings hide it' };
  });
  const { places, renamed } = placeFiles(vault, entries, folder);
  const placeOf = placesIn(vault, places);
  const losses = new Losses();
  const files: BundleFile[] = [];
  const read = (path: string): Uint8Array | null => {
    const bytes = notes.readBytes(path);
    if (bytes === null) left.push({ path, reason: 'it is a link or cannot be read' });
    return bytes;
  };
  const written: NoteEntry[] = [];
  for (const entry of entries) {
    const bytes = read(entry.path);
    const to = places.get(entry.path);
    if (bytes === null || to === undefined) continue;
    written.push(entry);
    files.push({
      path: to,
      bytes: toConcept(entry.path, bytes, { to, type, losses, placeOf: (linkpath) => placeOf(linkpath, entry.path) }),
    });
  }
  for (const [path, to] of places) {
    const bytes = graph.get(path) !== null || settings.isHidden(path) ? null : read(path);
    if (bytes !== null) files.push({ path: to, bytes });
  }
  const folders = listFolders({
    top: '',
    concepts: written.map((entry) => ({ ...listedConcept(entry), path: places.get(entry.path) ?? entry.path, type: entry.type ?? type })),
    files: files.map(({ path }) => path).filter((path) => !/\.md$/i.test(path)),
    hasIndex: () => true,
  });
  const indexes = [...folders].map(([path, content]): BundleFile => {
    const text = (path === '' ? VERSION_HEAD : '') + composeGenerated('index', composeIndex(content));
    return { path: joinPath(path, INDEX), bytes: Buffer.from(text) };
  });
  return { files: [...files, ...indexes], concepts: written.length, losses: losses.list, left, renamed };
}

/** Chooses where each file is in the bundle. Attachments elsewhere that notes of the folder link to come along. */
function placeFiles({ graph }: Exported, entries: readonly NoteEntry[], folder: string) {
  const places = new Map<string, string>();
  const renamed: { from: string; to: string }[] = [];
  const taken = new Set<string>();
  const place = (path: string, wanted: string): void => {
    let to = wanted;
    for (let number = 2; taken.has(foldKey(to)); number += 1) to = numberedPath(wanted, number, 'slug');
    taken.add(foldKey(to));
    places.set(path, to);
  };
  const own = (path: string): string => path.slice(folder === '' ? 0 : folder.length + 1);
  const isReserved = ({ path }: Pick<NoteEntry, 'path'>): boolean => hasReservedName(path.toLowerCase());
  for (const entry of entries) if (!isReserved(entry)) place(entry.path, own(entry.path));
  for (const entry of entries.filter(isReserved)) {
    place(entry.path, own(entry.path).replace(/\.md$/i, '-note.md'));
    renamed.push({ from: entry.path, to: places.get(entry.path) ?? '' });
  }
  for (const path of graph.attachments()) if (folder === '' || path.startsWith(`${folder}/`)) place(path, own(path));
  for (const { path } of entries)
    for (const { target } of graph.links(path))
      if (target.kind === 'attachment' && !places.has(target.path)) place(target.path, `attachments/${fileName(target.path)}`);
  return { places, renamed };
}

/** Returns what tells where a link of a note leads in the bundle. */
function placesIn({ graph }: Exported, places: ReadonlyMap<string, string>): (linkpath: string, from: NotePath) => LinkPlace {
  return (linkpath, from) => {
    const target = graph.resolve({ linkpath, from });
    if (target.kind !== 'unresolved') {
      const path = places.get(target.path);
      return path === undefined ? null : { path, exists: true };
    }
    const wanted =
      (/^\.\.?\//.test(linkpath) ? joinRelative({ linkpath, from: places.get(from) ?? from }) : linkpath.replace(/^\/+/, '')) ?? '';
    const path = /\.[A-Za-z0-9]{1,8}$/.test(wanted) ? wanted : `${wanted}.md`;
    return { path: isVaultPath(path) ? path : fileName(path), exists: false };
  };
}

function parse(path: NotePath, bytes: Uint8Array): { readonly note: Note; readonly isExact: boolean } {
  const { text } = decodeNote(bytes);
  return { note: parseNote(path, text), isExact: Buffer.from(text).equals(bytes) };
}

/** Returns the bytes of a note as a concept. A text that is not UTF-8, or has frontmatter that cannot be read, stays as it is. */
function toConcept(
  path: NotePath,
  bytes: Uint8Array,
  how: { readonly to: string; readonly type: string; readonly losses: Losses; readonly placeOf: (linkpath: string) => LinkPlace },
): Uint8Array {
  const { to, type, losses, placeOf } = how;
  const { note, isExact } = parse(path, bytes);
  if (!isExact || !note.frontmatter.isReadable) {
    losses.add('frontmatter', path);
    return bytes;
  }
  const keeps = (linkpath: string, place: string): boolean =>
    (linkpath.startsWith('/') ? linkpath.slice(1) : joinRelative({ linkpath: `./${linkpath}`, from: to })) === place;
  const converted = toMarkdownLinks(note, { placeOf, keeps });
  for (const [loss, count] of converted.losses) losses.add(loss, path, count);
  const { data } = note.frontmatter;
  const changes: PropertyChange[] = [];
  if (data['type'] === undefined || data['type'] === null || data['type'] === '') changes.push({ op: 'set', key: ['type'], value: type });
  else if (typeof data['type'] !== 'string') losses.add('type', path);
  const staleAfter = data[STALE_AFTER];
  if (typeof staleAfter === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(staleAfter))
    changes.push({ op: 'set', key: [STALE_AFTER], value: `${staleAfter}T00:00:00Z` });
  return Buffer.from(changes.length === 0 ? converted.text : editProperties(path, converted.text, changes));
}
