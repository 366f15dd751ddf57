import { foldKey } from '../../../note/path.ts';
import { isSameState } from '../../folder/file-system.ts';
import type { FileState } from '../../folder/file-system.ts';
import type { Inode } from '../../pair-moves.ts';
import { RACY_MS } from './dirty-paths.ts';
import type { FileStamp, FolderSnapshot } from './file-snapshot.ts';

interface Seen {
  readonly state: FileStamp;
  readonly hash: string;
  /** Read so soon after a write that another write could have the same times. */
  readonly isRacy: boolean;
}

/** The store's files as of the checkpoint, and the state in which files of the folder were last seen. */
export class KnownFiles {
  #base = new Map<string, string>();
  /** The number of files of the store by folded path. */
  readonly #folds = new Map<string, number>();
  readonly #seen = new Map<string, Seen>();
  /** The inode of a file when it was last seen with the store's content. */
  readonly #inodes = new Map<string, Inode>();
  readonly #now: () => number;

  /** `now`: the clock of file times, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The hash by path of the store's files. */
  get base(): ReadonlyMap<string, string> {
    return this.#base;
  }

  /** Replaces the files of the store. `seen`: files whose state is known already. */
  rebase(files: ReadonlyMap<string, string>, seen: FolderSnapshot['seen']): void {
    this.#base = new Map();
    this.#folds.clear();
    this.#inodes.clear();
    for (const { path, hash, state } of seen) this.#seen.set(path, { state, hash, isRacy: false });
    for (const [path, hash] of files) this.setStored(path, hash);
  }

  /** Sets the store's hash of a file; null: it is deleted. */
  setStored(path: string, hash: string | null): void {
    if (this.#base.has(path) !== (hash !== null)) {
      const key = foldKey(path);
      this.#folds.set(key, (this.#folds.get(key) ?? 0) + (hash === null ? -1 : 1));
      if (this.#folds.get(key) === 0) this.#folds.delete(key);
    }
    if (hash === null) {
      this.#base.delete(path);
      this.#inodes.delete(path);
    } else this.#base.set(path, hash);
    this.#rememberInode(path);
  }

  /** Whether the store has a file under a folded path. */
  hasFold(key: string): boolean {
    return this.#folds.has(key);
  }

  /** Records a file as it was read; returns whether it has to be read again later, because another write could have the same times. */
  setSeen(path: string, { state, hash }: Omit<Seen, 'isRacy'>): boolean {
    const isRacy = this.#isRacyNow(state);
    this.#seen.set(path, { state, hash, isRacy });
    this.#rememberInode(path);
    return isRacy;
  }

  deleteSeen(path: string): void {
    this.#seen.delete(path);
  }

  /** The hash that a file had when it was last seen. */
  seenHash(path: string): string | undefined {
    return this.#seen.get(path)?.hash;
  }

  /** Whether a file in this state was seen with the store's content. A racy one counts until a later write would have other times. */
  isUnchanged(path: string, state: FileState): boolean {
    const seen = this.#seen.get(path);
    if (seen === undefined || seen.hash !== this.#base.get(path) || !isSameState(seen.state, state)) return false;
    return !seen.isRacy || this.#isRacyNow(state);
  }

  /** Returns the states that are certain. */
  snapshot(): FolderSnapshot {
    const certain = [...this.#seen].filter(([path, { hash, isRacy }]) => !isRacy && this.#base.get(path) === hash);
    return { base: this.#base, seen: certain.map(([path, { hash, state }]) => ({ path, hash, state })) };
  }

  inodeBefore(path: string): Inode | undefined {
    return this.#inodes.get(path);
  }

  inodeNow(path: string): Inode | undefined {
    const { ino, birthNs } = this.#seen.get(path)?.state ?? {};
    return ino === undefined || birthNs === undefined ? undefined : { ino, birthNs };
  }

  #rememberInode(path: string): void {
    const inode = this.inodeNow(path);
    if (inode !== undefined && this.seenHash(path) === this.#base.get(path)) this.#inodes.set(path, inode);
  }

  #isRacyNow({ mtimeNs }: FileStamp): boolean {
    return this.#now() - Number(mtimeNs / 1_000_000n) < RACY_MS;
  }
}
