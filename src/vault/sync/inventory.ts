import type { FileStamp } from '../../graph/view.ts';
import { joinPath, splitPath } from '../../note/path.ts';

/** A note as last seen on disk. */
export interface SeenNote {
  readonly stamp: FileStamp;
  /** sha-256 of the bytes, hex. */
  readonly hash: string;
  /** The frontmatter `id`, to recognise a renamed note. */
  readonly ownId: string | null;
  /** The target of a symbolic link, relative to the vault; absent for a regular file. */
  readonly linkedTo?: string;
}

/** A folder as last seen on disk; names only. */
export interface SeenFolder {
  /** Device, inode and birth time, which distinguish it from another folder of the same name. */
  identity: string;
  /** The time at which its names last changed, when it was listed; 0 if that is too recent to tell of the next change. */
  changedNs: bigint;
  readonly notes: Map<string, SeenNote>;
  /** Names of the notes that are symbolic links. */
  readonly links: Set<string>;
  readonly attachments: Set<string>;
  readonly folders: Set<string>;
  /** Names of notes that cannot be served, with the reason. */
  skipped: ReadonlyMap<string, string>;
  /** Why the last listing failed; the earlier content is retained. */
  unreadable: string | null;
}

/** What was last seen on disk, against which folders are compared. The root folder is `''`. */
export interface Inventory {
  readonly folders: Map<string, SeenFolder>;
  /** Notes whose files have other names, possibly outside of the vault, where writes cause no event here. */
  readonly hardLinked: Set<string>;
  note(path: string): SeenNote | null;
  /** Returns the notes with an inode; scans all notes. */
  ofInode(ino: bigint): readonly (readonly [path: string, note: SeenNote])[];
  setNote(path: string, note: SeenNote): void;
  setAttachment(path: string): void;
  remove(path: string): void;
  folder(path: string): SeenFolder;
}

/** Creates an empty inventory. */
export function openInventory(): Inventory {
  const folders = new Map<string, SeenFolder>();
  const hardLinked = new Set<string>();
  const folder = (path: string): SeenFolder => {
    let seen = folders.get(path);
    if (seen === undefined) {
      const sets = { links: new Set<string>(), attachments: new Set<string>(), folders: new Set<string>() };
      seen = { identity: '', changedNs: 0n, notes: new Map(), ...sets, skipped: new Map(), unreadable: null };
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
