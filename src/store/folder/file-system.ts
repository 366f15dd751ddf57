/** The mode of files that only the vault's owner may read; where the vault is a group's, its group may too. */
export const PRIVATE_FILE = 0o600;

/** What a name in a folder stands for; `other` is a FIFO, socket or device. */
export type FileKind = 'file' | 'folder' | 'link' | 'other';

/** One name in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** What the file system says of a name. Size, times and inode identify one state of a file's content. */
export interface FileState {
  readonly kind: FileKind;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** 0 where the file system does not tell. */
  readonly birthNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Hard links to the file. */
  readonly links: number;
}

/** A file that is being written. */
export interface OpenFile {
  /** Writes at the end of what was written; returns how many bytes went in, which may be fewer. */
  write(bytes: Uint8Array): number;
  setMode(mode: number): void;
  setOwner(owner: { uid: number; gid: number }): void;
  /** The state of what is open, whatever its name stands for by now. */
  state(): FileState;
  /** Resolves when the content is on the medium. */
  sync(): Promise<void>;
  close(): void;
}

/** Where a name leads when links are followed. */
export type RealPath = { readonly kind: 'inside'; readonly path: string } | { readonly kind: 'outside' | 'nothing' | 'loop' };

/** The reading half of the port. */
export interface FileReader {
  /** The state of the name itself: a link is a `link`. Null: nothing there. */
  stat(path: string): FileState | null;
  /**
   * The same by the bare name, folders on the way not looked at: for comparing with what was seen before, ten thousand times over.
   * It says that something is to be read, never what; whoever reads goes the safe way.
   */
  hint(path: string): FileState | null;
  /** The names in a folder, sorted; null when there is no such folder. */
  list(folder: string): readonly FolderEntry[] | null;
  /** A regular file's bytes, or a stretch of them, with its state just before; null for anything else. `EFBIG` where no length is given and there are too many to be read whole. */
  read(path: string, range?: ReadRange): FileBytes | null;
  /** Follows the links of a path; the only call that does, and it tells a name, not a file. */
  realPath(path: string): RealPath;
  /** The clock that stamps files, in milliseconds: the age of a file is told by it alone. */
  now(): number;
}

/** Which part of a file is read. */
export interface ReadRange {
  readonly start?: number;
  readonly length?: number;
  /** A file of more bytes than this is not read: its state comes with no bytes. */
  readonly most?: number;
  /** The bytes are valid until the next such read only: ten thousand fresh buffers cost more than the reading. */
  readonly isShared?: boolean;
}

/** Bytes of a file, and its state just before they were read. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly state: FileState;
}

/**
 * The one port to the operating system: every call by which roux looks at a folder of files or changes it, one method a
 * system call, so that a simulated one can fail or stop at each. Paths are relative to the folder, with `/`; `''` is the
 * folder itself. A link is followed nowhere: each folder on the way is opened as itself, and its names are reached
 * through it, so that an exchange in between leads nowhere else (docs/security.md). Failures are Node's system
 * errors with the relative path; `ESTALE` when the folder itself is gone or another one stands in its place.
 */
export interface FileSystem extends FileReader {
  /** A new file; `EEXIST` when the name is taken. `PRIVATE_FILE` as its mode is for roux's own records. */
  create(path: string, mode: number): OpenFile;
  /** A regular file to append to, made as a private one when absent. One with a second name is refused, as it is by `cut` and `touch`: it would change elsewhere too. */
  append(path: string): OpenFile;
  /** Makes a folder; a private one is for the vault's owner alone, as `makePrivate` says. */
  makeFolder(path: string, isPrivate?: boolean): void;
  /**
   * Takes away what others than the owner may do in a folder. Where the vault's folder is made for a group (setgid and writable by it), the
   * group keeps its rights. Does nothing for a folder of another user.
   */
  makePrivate(folder: string): void;
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Shortens a file. */
  cut(path: string, size: number): void;
  removeFolder(path: string): void;
  /** Sets the modification time to now: a sign of life. */
  touch(path: string): void;
  /** Resolves when the names in the folder are on the medium. */
  syncFolder(path: string): Promise<void>;
  /** The same folder, with every folder that is passed kept open until `release`: for many calls in few folders. */
  hold(): HeldFileSystem;
  /** Takes what stands under the root's name now for the folder, if `isIt` says so of its names: it was unmounted and is back. False: it is not. */
  adopt(isIt: (names: readonly FolderEntry[]) => boolean): boolean;
}

/** A file system that keeps the folders it passed open. */
export interface HeldFileSystem extends FileSystem {
  /** A folder that was passed and is no longer what its name stands for; null when all are. */
  findExchanged(): string | null;
  release(): void;
}

/** Opens a folder by its absolute real path. */
export type OpenFileSystem = (root: string) => FileSystem;

/** Whether two states are of the same content, as far as the file system can tell. */
export function isSameState(
  a: Pick<FileState, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>,
  b: Pick<FileState, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>,
): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino;
}
