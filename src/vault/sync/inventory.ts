import type { FileStamp } from '../../graph/view.ts';
import { joinPath, splitPath } from '../../note/path.ts';

/** A note as the disk last showed it. */
export interface SeenNote {
  readonly stamp: FileStamp;
  /** sha-256 of the bytes, hex. */
  readonly hash: string;
  /** The frontmatter `id`, to recognise the note under another name. */
  readonly id: string | null;
  /** What a symbolic link leads to, vault-relative; absent for a file of its own. */
  readonly linkedTo?: string;
}

/** One folder as the disk last showed it; names only, without the path. */
export interface SeenFolder {
  /** Device, inode and birth: another folder under the same name is told by them. */
  identity: string;
  readonly notes: Map<string, SeenNote>;
  /** Those of the notes that are symbolic links. */
  readonly links: Set<string>;
  readonly attachments: Set<string>;
  readonly folders: Set<string>;
  /** Names that would be notes but cannot be served, with the reason. */
  skipped: ReadonlyMap<string, string>;
  /** Why it could not be listed at the last look; what it held before is kept. */
  unreadable: string | null;
}

/** What the disk held at the last look: the other side of every comparison. The root folder is `''`. */
export interface Inventory {
  readonly folders: Map<string, SeenFolder>;
  /** Notes whose file has another name, maybe outside of the vault: what is written under that one is told to nobody here. */
  readonly hardLinked: Set<string>;
  note(path: string): SeenNote | null;
  /** The notes of an inode: all are gone through. */
  ofInode(ino: bigint): readonly (readonly [path: string, note: SeenNote])[];
  setNote(path: string, note: SeenNote): void;
  setAttachment(path: string): void;
  remove(path: string): void;
  folder(path: string): SeenFolder;
}

/** An empty inventory. */
export function openInventory(): Inventory {
  const folders = new Map<string, SeenFolder>();
  const hardLinked = new Set<string>();
  const folder = (path: string): SeenFolder => {
    let seen = folders.get(path);
    if (seen === undefined) {
      const sets = { links: new Set<string>(), attachments: new Set<string>(), folders: new Set<string>() };
      seen = { identity: '', notes: new Map(), ...sets, skipped: new Map(), unreadable: null };
      folders.set(path, seen);
      if (path !== '') {
        const [parent, name] = splitPath(path);
        folder(parent).folders.add(name);
      }
    }
    return seen;
  };
  return {
    folders,
    hardLinked,
    folder,
    note(path) {
      const [parent, name] = splitPath(path);
      return folders.get(parent)?.notes.get(name) ?? null;
    },
    ofInode(ino) {
      const found: (readonly [string, SeenNote])[] = [];
      for (const [parent, { notes }] of folders)
        for (const [name, note] of notes) if (note.stamp.ino === ino) found.push([joinPath(parent, name), note]);
      return found;
    },
    setNote(path, note) {
      const [parent, name] = splitPath(path);
      const { notes, links } = folder(parent);
      notes.set(name, note);
      if (note.linkedTo === undefined) links.delete(name);
      else links.add(name);
    },
    setAttachment(path) {
      const [parent, name] = splitPath(path);
      folder(parent).attachments.add(name);
    },
    remove(path) {
      const [parent, name] = splitPath(path);
      const seen = folders.get(parent);
      seen?.notes.delete(name);
      seen?.links.delete(name);
      seen?.attachments.delete(name);
      hardLinked.delete(path);
    },
  };
}
