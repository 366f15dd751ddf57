import type { FileState } from '../../folder/file-system.ts';

/** Fetches contents of the store by hash; large ones and those that it no longer has are omitted. */
export type FetchContents = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;

export interface LocalChangesOptions {
  /** A local file is not shared, and the store's version stays. */
  readonly onSkipped?: (path: string, why: string) => void;
  /** Returns the id in a file, by which it is recognised under another name; null if it has none. */
  readonly idOf?: (path: string, bytes: Uint8Array) => string | null;
  /** The most bytes of a file that is shared. */
  readonly maxBytes?: () => number;
}

/** Identifies a staged file under its final name. */
export type StagedStamp = Pick<FileState, 'ino' | 'mtimeNs' | 'birthNs'>;

/** The files of the store, and the state in which the same files were seen in the folder. */
export interface FolderSnapshot {
  readonly base: ReadonlyMap<string, string>;
  readonly seen: readonly { readonly path: string; readonly hash: string; readonly state: FileStamp }[];
}

/** Tells states of a file apart. `birthNs` is missing if an earlier version of roux saved it. */
export type FileStamp = Pick<FileState, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'> & { readonly birthNs?: bigint | undefined };
