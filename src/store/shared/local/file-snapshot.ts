import type { FileState } from '../../folder/file-system.ts';

/** The store's contents with these hashes, those that are small and still kept. */
export type FetchContents = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;

/** What edits are told of the files, beside what the file system says. */
export interface LocalChangesOptions {
  /** A file stays on this machine alone, and what is in the store stays there. */
  readonly onSkipped?: (path: string, why: string) => void;
  /** The id that a file has in it, by which it is recognised under another name; null: none. */
  readonly idOf?: (path: string, bytes: Uint8Array) => string | null;
  /** The most bytes of a file that is shared. */
  readonly maxBytes?: () => number;
}

/** By what a file that was staged is known under the name that it was given. */
export type StagedStamp = Pick<FileState, 'ino' | 'mtimeNs' | 'birthNs'>;

/** What the store has, and the files of which it is known that they are that. */
export interface FolderSnapshot {
  readonly base: ReadonlyMap<string, string>;
  readonly seen: readonly { readonly path: string; readonly hash: string; readonly state: FileStamp }[];
}

/** By what a state of a file is told from another one. `birthNs` is missing where an earlier version of roux noted it. */
export type FileStamp = Pick<FileState, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'> & { readonly birthNs?: bigint | undefined };
