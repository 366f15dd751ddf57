import type { StoredFile, VaultStore } from '../../store.ts';

/** Merges two versions of a file; null if a user has to. `base` null: the common version is unknown. */
export type Merge = (sides: {
  readonly path: string;
  readonly base: Buffer | null;
  readonly ours: Buffer;
  readonly theirs: Buffer;
}) => Buffer | null;

/** The two sides of a merge: the folder and the store. */
export interface Sides {
  /** The hash by path of the store's files, as of the checkpoint. */
  readonly base: ReadonlyMap<string, string>;
  /** Local moves that are not pushed: the previous path by the current one. */
  readonly moves: ReadonlyMap<string, string>;
  /** Those of them that were only moved to temporary names. */
  readonly setAside: ReadonlySet<string>;
  readonly read: VaultStore['read'];
  /** The size limit of shared files. */
  readonly maxFileBytes: number;
  /** Returns another file whose name differs only in case or Unicode form. */
  readonly findCaseCollision: (path: string) => string | null;
  readonly fetchContent: (hash: string) => Promise<Buffer>;
  /** Fetches a content to merge with; null if the store no longer has it. */
  readonly fetchEarlierContent: (hash: string) => Promise<Buffer | null>;
  readonly merge: Merge;
  /** ISO 8601; part of the names of conflict copies. */
  readonly at: string;
}

/** Reads a local file. A file in the store's version is complete; only another one may be in the middle of a save. */
export function readSide({ base, moves, read, maxFileBytes }: Sides, path: string): Promise<StoredFile | null> {
  return read(path, { known: base.get(moves.get(path) ?? path) ?? null, maxBytes: maxFileBytes });
}
