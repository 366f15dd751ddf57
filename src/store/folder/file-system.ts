/** Mode of files that only the vault's owner may read, or the group of a vault shared by a group. */
export const PRIVATE_FILE = 0o600;

/** Kind of a directory entry; `other` is a FIFO, socket or device. */
export type FileKind = 'file' | 'folder' | 'link' | 'other';

export interface FolderEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** State of a file. Size, times and inode identify one state of its content. */
export interface FileState {
  readonly kind: FileKind;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** 0 where the file system has no birth times. */
  readonly birthNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Number of hard links. */
  readonly links: number;
  /** Its content is not on this machine: a sync service keeps it elsewhere. Reading it throws `EREMOTE`. */
  readonly isOnlineOnly?: boolean;
}

/** A file that is being written. */
export interface OpenFile {
  /** Appends bytes, or replaces those that begin `at` a place of a new file. Returns how many were written, which may be fewer. */
  write(bytes: Uint8Array, at?: number): number;
  setMode(mode: number): void;
  setOwner(owner: { uid: number; gid: number }): void;
  /** Returns the state of the open file, whatever its name means by now. */
  state(): FileState;
  /** Resolves when the content is durable. */
  sync(): Promise<void>;
  close(): void;
}

/** Where a path leads after following links. */
export type RealPath = { readonly kind: 'inside'; readonly path: string } | { readonly kind: 'outside' | 'nothing' | 'loop' };

/** The reading half of the port. */
export interface FileReader {
  /** Returns the state of the name itself, without following a link; null when there is none. */
  stat(path: string): FileState | null;
  /**
   * Like `stat`, without verifying the folders on the path: a cheap hint that something changed. Whoever reads afterwards uses the safe
   * calls.
   */
  hint(path: string): FileState | null;
  /** Lists the names in a folder, sorted; null when there is no such folder. */
  list(folder: string): readonly FolderEntry[] | null;
  /**
   * Reads a regular file or a part of it, with its state just before; null for anything else. Throws `EFBIG` when no length is given and
   * the file is too large to be read completely.
   */
  read(path: string, range?: ReadRange): FileBytes | null;
  /**
   * Reads a small regular file without its state, at half the cost; null where `read` has to tell. The bytes are valid only until the next
   * shared read.
   */
  glance?(path: string): Buffer | null;
  /** Resolves the links of a path to a path. The only call that follows links. */
  realPath(path: string): RealPath;
  /** Returns the time of the clock that stamps files, in milliseconds, which ages of files are computed with. */
  now(): number;
}

export interface ReadRange {
  readonly start?: number;
  readonly length?: number;
  /** A larger file is not read: its state comes with no bytes. */
  readonly maxBytes?: number;
  /** The bytes are valid only until the next such read: saves ten thousand allocations. */
  readonly isShared?: boolean;
}

/** Bytes of a file, with its state just before the read. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly state: FileState;
}

/**
 * The port to the operating system: every call by which roux reads or changes a folder of files, one method per system call, so that a
 * simulation can fail or stop at each. Paths are relative to the folder, with `/`; `''` is the folder itself. No link is followed: each
 * folder on the path is opened as itself and its entries are reached through it, so that replacing a folder meanwhile has no effect
 * (docs/security.md). Failures are Node's system errors with the relative path; `ESTALE` when the folder itself is gone or was replaced.
 */
export interface FileSystem extends FileReader {
  /** Creates a file; throws `EEXIST` when the name is taken. Use the mode `PRIVATE_FILE` for roux's own records. */
  create(path: string, mode: number): OpenFile;
  /**
   * Opens a regular file for appending, or creates a private one. Like `cut` and `touch`, refuses a file with several hard links, which
   * would change elsewhere too.
   */
  append(path: string): OpenFile;
  /** Creates a folder; a private one has the permissions of `makePrivate`. */
  makeFolder(path: string, isPrivate?: boolean): void;
  /**
   * Removes the permissions of others than the owner. If the vault's folder is shared by a group (setgid and group-writable), the group
   * keeps its permissions. Does nothing for a folder of another user.
   */
  makePrivate(folder: string): void;
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Truncates a file. */
  cut(path: string, size: number): void;
  removeFolder(path: string): void;
  /** Sets the modification time to now. */
  touch(path: string): void;
  /** Resolves when the names in the folder are durable. */
  syncFolder(path: string): Promise<void>;
  /**
   * Calls the listener when a file may have been changed or removed, until the function that it returns is called: a hint only. Null where
   * the system does not report all changes, or where there is no such file.
   */
  onChange?(path: string, listener: () => void): (() => void) | null;
  /** Returns the same file system with every used folder kept open until `release`, for many calls in few folders. */
  hold(): HeldFileSystem;
}

/** A file system that keeps used folders open. */
export interface HeldFileSystem extends FileSystem {
  /** Returns a used folder that was replaced under its name, `except` those that do not matter; null when none was. */
  findExchanged(except?: readonly string[]): string | null;
  release(): void;
}

/** The file system of a folder that was opened by its path. */
export interface RootFileSystem extends FileSystem {
  /** Accepts the folder that now has the root's name if `isIt` recognizes its entries, as after a remount. Returns whether it did. */
  adopt(isIt: (names: readonly FolderEntry[]) => boolean): boolean;
}

/** Opens a folder by its absolute real path. */
export type OpenFileSystem = (root: string) => RootFileSystem;

/** A younger state may be followed by another one with the same times. */
const MAX_RACY_AGE_MS = 50;
/** The same where times are whole seconds, which some file systems keep, one even every other second. */
const MAX_RACY_SECONDS_AGE_MS = 2_100;

/** Returns whether a file may have changed since without another time. `ageMs`: how old its time was when it was looked at. */
export function isRacy(ageMs: number, timeNs: bigint): boolean {
  return ageMs < (timeNs % 1_000_000_000n === 0n ? MAX_RACY_SECONDS_AGE_MS : MAX_RACY_AGE_MS);
}

/** Returns whether two states are of the same content, as far as the file system can tell. */
export function isSameState(
  a: Pick<FileState, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>,
  b: Pick<FileState, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>,
): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino;
}
