import { isIgnoredName, isNotePath, isVaultPath, joinPath, splitPath } from '../../note/path.ts';
import type { ReadText } from '../../note/parse.ts';
import { isSameState } from '../../store/folder/file-system.ts';
import type { FileReader, FileState } from '../../store/folder/file-system.ts';
import type { Inventory, SeenFolder, SeenNote } from './inventory.ts';
import { followLink, identityOf, listFolder } from './list-folder.ts';
import type { FolderListing } from './list-folder.ts';

/** The differences between the folders and the inventory. */
export interface Differences {
  /** New and changed notes, with the targets of links. */
  readonly fresh: Map<string, { readonly linkedTo?: string; readonly state?: FileState }>;
  /** Missing notes, as last seen. */
  readonly gone: Map<string, SeenNote>;
  readonly newAttachments: Set<string>;
  readonly goneAttachments: Set<string>;
  /** Folders to watch. A folder replaced by another of its name is both gone and new. */
  readonly newFolders: Set<string>;
  readonly goneFolders: Set<string>;
  /** No save is under way, so an empty or shorter note is intended. */
  readonly isCertain?: boolean;
  /** Bytes that roux itself wrote, by path, which need not be read again. */
  readonly own?: ReadonlyMap<string, OwnBytes>;
}

/** Returns differences to add to. */
const noDifferences = (): Differences => ({
  fresh: new Map(),
  gone: new Map(),
  newAttachments: new Set(),
  goneAttachments: new Set(),
  newFolders: new Set(),
  goneFolders: new Set(),
});

/** Bytes that roux wrote, and the state of the file after the write. */
export interface OwnBytes {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly state: Pick<FileState, 'ino' | 'mtimeNs' | 'birthNs'>;
  /** The text of these bytes, and what its body was read as. */
  readonly read?: ReadText;
}

/** Where to look, and what to compare with. */
export interface Compared {
  readonly files: FileReader;
  readonly inventory: Inventory;
  /** Notes read so soon after they were written that a second write could have the same time. */
  readonly racy: Set<string>;
  /** Called before a folder is listed that was not known, or is another one than was. */
  readonly onListing?: (folder: string) => void;
}

/** Notes compared in one step, which takes less than a millisecond. */
const NOTES_PER_STEP = 20;
/** Up to this number of names a folder is compared name by name; beyond it, listing is as cheap. */
const MAX_NAMES_WITHOUT_LISTING = 100;

/**
 * Compares folders with the inventory. Enters new folders always, and known ones below only if `isDeep`. Names from events limit the
 * comparison of a folder to these and to what was added or removed; if nothing was, the folder is not listed.
 */
export function* compareFolders(
  compared: Compared,
  folders: ReadonlyMap<string, ReadonlySet<string> | null>,
  isDeep: boolean,
): Generator<void, Differences> {
  const differences = noDifferences();
  const visited = new Set<string>();
  const waiting = [...folders.keys()].map((folder) => ({ folder, isDeep }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (visited.has(next.folder) && !next.isDeep) continue;
    visited.add(next.folder);
    const below = yield* compareFolder(compared, differences, next.folder, next.isDeep, folders.get(next.folder) ?? null);
    for (const folder of below) waiting.push(folder);
  }
  return differences;
}

type FolderToCompare = { readonly folder: string; readonly isDeep: boolean };

function* compareFolder(
  compared: Compared,
  differences: Differences,
  folder: string,
  isDeep: boolean,
  named: ReadonlySet<string> | null,
): Generator<void, readonly FolderToCompare[]> {
  const { files, inventory } = compared;
  const known = inventory.folders.get(folder);
  if (!isDeep && named !== null && named.size <= MAX_NAMES_WITHOUT_LISTING && known !== undefined) {
    const changed = savedAmong(compared, { folder, seen: known, named });
    yield;
    for (const path of changed ?? []) differences.fresh.set(path, {});
    if (changed !== null) return [];
  }
  if ((known?.identity ?? '') === '') compared.onListing?.(folder);
  const look = listFolder(files, folder);
  yield;
  if (look.kind !== 'folder') {
    // A missing root is a lost mount or a moved folder, not ten thousand deletions.
    if (look.kind === 'gone' && folder !== '') dropFolder(compared, differences, folder);
    else inventory.folder(folder).unreadable = look.kind === 'gone' ? 'it is not there' : look.reason;
    return [];
  }
  const seen = inventory.folder(folder);
  const isAnother = seen.identity !== look.identity;
  if (isAnother) {
    if (seen.identity !== '') differences.goneFolders.add(folder);
    differences.newFolders.add(folder);
    seen.identity = look.identity;
  }
  seen.changedNs = look.changedNs;
  seen.unreadable = null;
  seen.skipped = new Map(look.skipped.map(({ name, reason }) => [name, reason]));

  const below: FolderToCompare[] = [];
  const names = new Set(look.folders);
  for (const name of seen.folders) if (!names.has(name)) dropFolder(compared, differences, joinPath(folder, name));
  for (const name of names) {
    const path = joinPath(folder, name);
    const isNew = (inventory.folders.get(path)?.identity ?? '') === '';
    if (isNew || isDeep || isAnother) below.push({ folder: path, isDeep: isDeep || isAnother });
    else if (named?.has(name) === true) below.push({ folder: path, isDeep: false });
  }
  yield* compareFiles(compared, differences, folder, { seen, look, named });
  return below;
}

/** Returns the notes among these names that were saved; null if anything else happened, which needs a listing. */
function savedAmong(
  { files, racy }: Compared,
  { folder, seen, named }: { folder: string; seen: SeenFolder; named: ReadonlySet<string> },
): readonly string[] | null {
  const changed: string[] = [];
  try {
    const stat = files.stat(folder);
    if (stat === null || identityOf(stat) !== seen.identity || seen.unreadable !== null) return null;
    for (const name of named) {
      const path = joinPath(folder, name);
      const state = files.stat(path);
      const note = seen.notes.get(name);
      const isOther = seen.attachments.has(name);
      // An unknown name that is gone again, such as a temporary file.
      if (state === null && note === undefined && !isOther && !seen.folders.has(name) && !seen.skipped.has(name)) continue;
      if (state?.kind !== 'file' || (note === undefined && !isOther) || note?.linkedTo !== undefined) return null;
      if (note !== undefined && (racy.has(path) || !isSameState(note.stamp, state))) changed.push(path);
    }
  } catch {
    // The listing finds out why it cannot be read.
    return null;
  }
  // A link may lead to a saved note.
  return changed.length > 0 && seen.links.size > 0 ? null : changed;
}

function* compareFiles(
  { files, inventory, racy }: Compared,
  differences: Differences,
  folder: string,
  { seen, look, named }: { seen: SeenFolder; look: FolderListing; named: ReadonlySet<string> | null },
): Generator<void> {
  const notes = new Set(look.notes);
  const attachments = new Set(look.attachments);
  const skipped = new Map(seen.skipped);
  /** The targets of the notes that are symbolic links. */
  const links = new Map<string, string>();
  for (const name of look.links) {
    const linked = followLink(files, joinPath(folder, name));
    if (linked.kind === 'file') {
      if (isNotePath(name)) {
        notes.add(name);
        links.set(name, linked.path);
      } else attachments.add(name);
    } else skipped.set(name, linked.reason);
  }
  seen.skipped = skipped;

  for (const name of attachments) if (!seen.attachments.has(name)) differences.newAttachments.add(joinPath(folder, name));
  for (const name of seen.attachments) {
    if (attachments.has(name)) continue;
    seen.attachments.delete(name);
    // The cache has an online-only note that was never read as an attachment.
    if (!notes.has(name)) differences.goneAttachments.add(joinPath(folder, name));
  }
  for (const name of attachments) seen.attachments.add(name);
  yield;

  let looked = 0;
  for (const name of notes) {
    const path = joinPath(folder, name);
    const linkedTo = links.get(name);
    const known = seen.notes.get(name);
    // A link leads to a file that may have been named.
    if (known !== undefined && named !== null && linkedTo === undefined && !named.has(name) && !racy.has(path)) continue;
    const stat = known === undefined ? null : stateOf(files, linkedTo ?? path);
    if (known === undefined || stat === null || racy.has(path) || !isSameState(known.stamp, stat) || known.linkedTo !== linkedTo) {
      differences.fresh.set(path, linkedTo === undefined ? {} : { linkedTo });
    } else noteNames(inventory, path, stat);
    if (++looked % NOTES_PER_STEP === 0) yield;
  }
  for (const [name, note] of seen.notes) if (!notes.has(name)) differences.gone.set(joinPath(folder, name), note);
}

/**
 * Whether a path leads to a file that is known by another path, as on a disk that ignores case: roux wrote `Note.md`, and the disk lists
 * `note.md`. The names of a file with several hard links are all listed, so they are no aliases.
 */
export function isAlias({ files, inventory }: Pick<Compared, 'files' | 'inventory'>, path: string, state: FileState): boolean {
  const isSame = (other: FileState | null): boolean => other !== null && other.dev === state.dev && isSameState(other, state);
  return state.links === 1 && inventory.ofInode(state.ino).some(([other]) => other !== path && isSame(files.stat(other)));
}

/** Records whether the file of a note has other names. */
export function noteNames({ hardLinked }: Inventory, path: string, { links }: FileState): void {
  if (links > 1) hardLinked.add(path);
  else hardLinked.delete(path);
}

/** Returns the state of a file; null also where it cannot be had. */
export function stateOf(files: FileReader, path: string): FileState | null {
  try {
    return files.hint(path);
  } catch {
    // Reading it reports the reason.
    return null;
  }
}

/** Returns the folders whose names may have changed since they were listed. */
export function changedFolders({ files, inventory }: Pick<Compared, 'files' | 'inventory'>): readonly string[] {
  return [...inventory.folders].flatMap(([folder, { changedNs }]) =>
    changedNs === 0n || stateOf(files, folder)?.ctimeNs !== changedNs ? [folder] : [],
  );
}

/** Removes a folder and all below it. */
function dropFolder({ inventory }: Compared, differences: Differences, folder: string): void {
  for (const [path, seen] of inventory.folders) {
    if (path !== folder && !path.startsWith(`${folder}/`)) continue;
    for (const [name, note] of seen.notes) differences.gone.set(joinPath(path, name), note);
    for (const name of seen.attachments) differences.goneAttachments.add(joinPath(path, name));
    differences.goneFolders.add(path);
    inventory.folders.delete(path);
  }
  const [parent, name] = splitPath(folder);
  inventory.folders.get(parent)?.folders.delete(name);
}

/** Returns the differences of single paths. */
export function differencesOf(
  { files, inventory }: Compared,
  paths: readonly string[],
  { isCertain, own }: { isCertain: boolean; own: ReadonlyMap<string, OwnBytes> | undefined },
): Differences {
  const differences: Differences = { ...noDifferences(), isCertain, ...(own === undefined ? {} : { own }) };
  for (const path of paths) {
    if (!isVaultPath(path) || isIgnoredName(splitPath(path)[1])) continue;
    const state = files.stat(path);
    const link = state?.kind === 'link' ? followLink(files, path) : null;
    const isThere = state?.kind === 'file' || link?.kind === 'file';
    const known = inventory.note(path);
    if (!isNotePath(path)) {
      (isThere ? differences.newAttachments : differences.goneAttachments).add(path);
      if (isThere) inventory.setAttachment(path);
      else inventory.remove(path);
    } else if (isThere) {
      differences.fresh.set(path, {
        ...(state === null ? {} : { state }),
        ...(link?.kind === 'file' ? { linkedTo: link.path } : {}),
      });
      // A lookup of the new name right after a rename must not hide the rename.
      const former = known === null && !isCertain && state !== null ? inventory.ofInode(state.ino) : [];
      for (const [other, note] of former) if (files.stat(other) === null) differences.gone.set(other, note);
      if (former.length > 0 && state !== null && isAlias({ files, inventory }, path, state)) differences.fresh.delete(path);
    } else if (known !== null) differences.gone.set(path, known);
  }
  return differences;
}
