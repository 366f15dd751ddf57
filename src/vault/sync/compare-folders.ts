import { isIgnoredName, isNotePath, isVaultPath, joinPath, splitPath } from '../../note/path.ts';
import { isSameState } from '../../store/folder/file-system.ts';
import type { FileReader, FileState } from '../../store/folder/file-system.ts';
import type { Inventory, SeenFolder, SeenNote } from './inventory.ts';
import { followLink, identityOf, listFolder } from './list-folder.ts';
import type { FolderListing } from './list-folder.ts';

/** How the folders differ from the inventory. */
export interface Differences {
  /** Notes that are new or whose state differs, with what a link leads to. */
  readonly fresh: Map<string, { readonly linkedTo?: string; readonly state?: FileState }>;
  /** Notes that are no longer there, as they were. */
  readonly gone: Map<string, SeenNote>;
  readonly newAttachments: Set<string>;
  readonly goneAttachments: Set<string>;
  /** Folders to watch from now on; one under the name of another counts as both gone and new. */
  readonly newFolders: Set<string>;
  readonly goneFolders: Set<string>;
  /** The caller knows that no save is under way, so an emptied or shortened note is meant. */
  readonly isCertain?: boolean;
  /** What roux itself wrote, by path, which need not be read again. */
  readonly own?: ReadonlyMap<string, OwnBytes>;
}

/** Bytes that roux wrote, and the state of the file that it wrote them to. */
export interface OwnBytes {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly state: Pick<FileState, 'ino' | 'mtimeNs' | 'birthNs'>;
}

/** Where to look and what to compare with. */
export interface Compared {
  readonly files: FileReader;
  readonly inventory: Inventory;
  /** Notes read so soon after they were written that a second write could hide behind equal times. */
  readonly racy: Set<string>;
}

/** Notes that are looked at in one go: less than a millisecond of work. */
const STEP = 20;
/** So many names of one folder are looked at one by one; with more, listing it is no dearer. */
const FEW_NAMES = 100;

/**
 * Compare folders with the inventory. New folders are always entered; known ones below only when `isDeep`.
 * Names that events told limit the comparison of a folder to them, and to what came and went; where nothing did, it is not listed.
 */
export function* compareFolders(
  compared: Compared,
  folders: ReadonlyMap<string, ReadonlySet<string> | null>,
  isDeep: boolean,
): Generator<void, Differences> {
  const differences: Differences = {
    fresh: new Map(),
    gone: new Map(),
    newAttachments: new Set(),
    goneAttachments: new Set(),
    newFolders: new Set(),
    goneFolders: new Set(),
  };
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
  if (!isDeep && named !== null && named.size <= FEW_NAMES && known !== undefined) {
    const changed = savedAmong(compared, { folder, seen: known, named });
    yield;
    for (const path of changed ?? []) differences.fresh.set(path, {});
    if (changed !== null) return [];
  }
  const look = listFolder(files, folder);
  yield;
  if (look.kind !== 'folder') {
    // A root that is gone is a lost mount or a folder moved away, not ten thousand deletions.
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
  seen.unreadable = null;
  seen.skipped = new Map(look.skipped.map(({ name, reason }) => [name, reason]));

  const below: FolderToCompare[] = [];
  const names = new Set(look.folders);
  for (const name of seen.folders) if (!names.has(name)) dropFolder(compared, differences, joinPath(folder, name));
  for (const name of names) {
    const path = joinPath(folder, name);
    const isNew = (inventory.folders.get(path)?.identity ?? '') === '';
    seen.folders.add(name);
    if (isNew || isDeep || isAnother) below.push({ folder: path, isDeep: isDeep || isAnother });
    else if (named?.has(name) === true) below.push({ folder: path, isDeep: false });
  }
  yield* compareFiles(compared, differences, folder, { seen, look, named });
  return below;
}

/** The notes among these names that were saved; null when anything else happened to one of them, which only a listing can tell. */
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
      // A name that nobody knows and that is gone again was never there.
      if (state === null && note === undefined && !isOther && !seen.folders.has(name) && !seen.skipped.has(name)) continue;
      if (state?.kind !== 'file' || (note === undefined && !isOther) || note?.linkedTo !== undefined) return null;
      if (note !== undefined && (racy.has(path) || !isSameState(note.stamp, state))) changed.push(path);
    }
  } catch {
    // The listing tells why it cannot be read.
    return null;
  }
  // A link may show what was saved.
  return changed.length > 0 && seen.links.size > 0 ? null : changed;
}

function* compareFiles(
  { files, inventory, racy }: Compared,
  differences: Differences,
  folder: string,
  { seen, look, named }: { seen: SeenFolder; look: FolderListing; named: ReadonlySet<string> | null },
): Generator<void> {
  const notes = new Map<string, string | null>(look.notes.map((name) => [name, null]));
  const attachments = new Set(look.attachments);
  const skipped = new Map(seen.skipped);
  for (const name of look.links) {
    const linked = followLink(files, joinPath(folder, name));
    if (linked.kind === 'file') {
      if (isNotePath(name)) notes.set(name, linked.path);
      else attachments.add(name);
    } else skipped.set(name, linked.reason);
  }
  seen.skipped = skipped;

  for (const name of attachments) if (!seen.attachments.has(name)) differences.newAttachments.add(joinPath(folder, name));
  for (const name of seen.attachments) {
    if (attachments.has(name)) continue;
    seen.attachments.delete(name);
    differences.goneAttachments.add(joinPath(folder, name));
  }
  for (const name of attachments) seen.attachments.add(name);
  yield;

  let looked = 0;
  for (const [name, linkedTo] of notes) {
    const path = joinPath(folder, name);
    const known = seen.notes.get(name);
    // A link shows what is behind it, which may be what was named.
    if (known !== undefined && named !== null && linkedTo === null && !named.has(name) && !racy.has(path)) continue;
    const stat = known === undefined ? null : stateOf(files, linkedTo ?? path);
    if (known === undefined || stat === null || racy.has(path) || !isSameState(known.stamp, stat)) {
      differences.fresh.set(path, linkedTo === null ? {} : { linkedTo });
    } else noteNames(inventory, path, stat);
    if (++looked % STEP === 0) yield;
  }
  for (const [name, note] of seen.notes) {
    if (!notes.has(name)) differences.gone.set(joinPath(folder, name), note);
  }
  inventory.folders.set(folder, seen);
}

/** Remembers whether the file of a note has another name as well. */
export function noteNames({ hardLinked }: Inventory, path: string, { links }: FileState): void {
  if (links > 1) hardLinked.add(path);
  else hardLinked.delete(path);
}

function stateOf(files: FileReader, path: string): FileState | null {
  try {
    return files.hint(path);
  } catch {
    // Reading it will tell why, and keep the reason.
    return null;
  }
}

/** A folder is gone with all below it. */
function dropFolder({ inventory }: Compared, differences: Differences, folder: string): void {
  for (const [path, seen] of inventory.folders) {
    if (path !== folder && !path.startsWith(`${folder}/`)) continue;
    for (const [name, note] of seen.notes) {
      differences.gone.set(joinPath(path, name), note);
      inventory.hardLinked.delete(joinPath(path, name));
    }
    for (const name of seen.attachments) differences.goneAttachments.add(joinPath(path, name));
    differences.goneFolders.add(path);
    inventory.folders.delete(path);
  }
  const [parent, name] = splitPath(folder);
  inventory.folders.get(parent)?.folders.delete(name);
}

/** What comparing would find of single paths. */
export function differencesOf(
  { files, inventory }: Compared,
  paths: readonly string[],
  { isCertain, own }: { isCertain: boolean; own: ReadonlyMap<string, OwnBytes> | undefined },
): Differences {
  const differences: Differences = {
    fresh: new Map(),
    gone: new Map(),
    newAttachments: new Set(),
    goneAttachments: new Set(),
    newFolders: new Set(),
    goneFolders: new Set(),
    isCertain,
    ...(own === undefined ? {} : { own }),
  };
  for (const path of paths) {
    if (!isVaultPath(path) || isIgnoredName(splitPath(path)[1])) continue;
    const state = files.stat(path);
    const kind = state?.kind;
    const isThere = kind === 'file' || kind === 'link';
    const known = inventory.note(path);
    if (!isNotePath(path)) {
      (isThere ? differences.newAttachments : differences.goneAttachments).add(path);
      if (isThere) inventory.setAttachment(path);
      else inventory.remove(path);
    } else if (isThere) {
      differences.fresh.set(path, {
        ...(state === null ? {} : { state }),
        ...(known?.linkedTo === undefined ? {} : { linkedTo: known.linkedTo }),
      });
      // Whoever asks by the new name right after a rename must not hide that it was one.
      const former = known === null && !isCertain && state !== null ? inventory.ofInode(state.ino) : [];
      for (const [other, note] of former) if (files.stat(other) === null) differences.gone.set(other, note);
    } else if (known !== null) differences.gone.set(path, known);
  }
  return differences;
}
