import { RouxError } from '../../../errors.ts';
import { fileName, foldKey, folderOf } from '../../../note/path.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { movesAmong } from '../../pair-moves.ts';
import type { Edit } from '../../pair-moves.ts';
import type { StoredFile, VaultStore } from '../../store.ts';
import { tooLargeError } from '../too-large.ts';
import type { SharedChange } from '../shared-vault.ts';
import type { FetchContents, LocalChangesOptions, FolderSnapshot, StagedStamp } from './file-snapshot.ts';
import { createFolderScan } from './folder-scan.ts';
import type { FolderScan } from './folder-scan.ts';
import { trackDirtyPaths } from './dirty-paths.ts';
import type { DirtySet, DirtyPaths } from './dirty-paths.ts';
import { createMoveDetector } from './detect-moves.ts';
import type { DetectMoves } from './detect-moves.ts';
import { KnownFiles } from './known-files.ts';
import { listUnreportedRemovals, listUnreportedFiles } from './unreported-paths.ts';

/** The differences between a folder and its store, found by comparing the files for which events were seen. */
export class LocalChanges {
  /** The number of files that were read since the snapshot was saved. */
  uncachedReads = 0;
  readonly #files: Pick<FileSystem, 'list' | 'hint' | 'now'>;
  readonly #onSkipped: NonNullable<LocalChangesOptions['onSkipped']>;
  readonly #maxBytes: () => number;
  readonly #known: KnownFiles;
  readonly #dirty: DirtyPaths;
  readonly #scan: FolderScan;
  readonly #detectMoves: DetectMoves;
  /** Paths that were found and are not settled. */
  readonly #open = new Set<string>();
  #moves: ReadonlyMap<string, string> = new Map();
  /** Removed and new files that are no part of a move. */
  #unpaired: ReadonlySet<string> = new Set();

  /** Nothing is known of the folder yet. */
  constructor(
    files: Pick<FileSystem, 'list' | 'hint' | 'now'>,
    { onSkipped = () => undefined, idOf = () => null, maxBytes = () => Infinity }: LocalChangesOptions = {},
  ) {
    this.#files = files;
    this.#onSkipped = onSkipped;
    this.#maxBytes = maxBytes;
    this.#known = new KnownFiles(() => files.now());
    this.#dirty = trackDirtyPaths(() => files.now());
    this.#scan = createFolderScan(files, { dirty: this.#dirty, onSkipped, isStored: (path) => this.base.has(path) });
    this.#detectMoves = createMoveDetector(idOf);
  }

  /** The hash by path of the store's files, as of the checkpoint. */
  get base(): ReadonlyMap<string, string> {
    return this.#known.base;
  }

  /** Replaces the files of the store. `seen`: files whose state is known already. */
  rebase(files: ReadonlyMap<string, string>, seen: FolderSnapshot['seen'] = []): void {
    this.#known.rebase(files, seen);
    this.#dirty.add(null);
  }

  /** Updates files of the store (null: deleted). */
  settle(changed: Iterable<readonly [path: string, hash: string | null]>): void {
    for (const [path, hash] of changed) {
      this.#known.setStored(path, hash);
      if (this.#known.seenHash(path) === hash) this.#open.delete(path);
      else this.#open.add(path);
    }
  }

  /** Records that a file was written with this content; it is not read again until an event for it. */
  recordStaged(path: string, hash: string, staged: StagedStamp): void {
    const state = this.#files.hint(path);
    if (state === null || state.ino !== staged.ino || state.mtimeNs !== staged.mtimeNs || state.birthNs !== staged.birthNs) return;
    this.#scan.remember(path, 'file');
    this.#setSeen(path, { state, hash });
  }

  /** Adds a path for which an event came: a name in a folder, or any name (null). `folder` null: anywhere. */
  markDirty(folder: string | null, name: string | null = null): void {
    this.#dirty.add(folder, name);
  }

  /** Whether a file whose name differs only in case or Unicode form may be there. Saves listing a large folder for each new file. */
  mayCollide(path: string): boolean {
    const key = foldKey(path);
    return this.#known.hasFold(key) || this.#dirty.mayContain(path) || [...this.#open].some((other) => foldKey(other) === key);
  }

  get isDirty(): boolean {
    return !this.#dirty.isEmpty || this.#open.size > 0;
  }

  /** Returns the states that are certain. */
  snapshot(): FolderSnapshot {
    return this.#known.snapshot();
  }

  /** Local moves that are not pushed: the previous path by the current one. */
  get moves(): ReadonlyMap<string, string> {
    return this.#moves;
  }

  /** Whether a file of the store may have been moved: it is not at its path, or its inode has changed. */
  mayHaveMoved(path: string): boolean {
    if (!this.base.has(path)) return false;
    const [state, inode] = [this.#scan.hint(path), this.#known.inodeBefore(path)];
    if (state === 'refused' || (state === null && this.#scan.isBehindLink(path))) return false;
    return state?.kind !== 'file' || (inode !== undefined && (inode.ino !== state.ino || inode.birthNs !== state.birthNs));
  }

  /** Adds moves that were found before a restart or by another process; the next `find` checks them. */
  rememberMoves(moves: ReadonlyMap<string, string>): void {
    const froms = new Set(moves.values());
    this.#moves = new Map([...[...this.#moves].filter(([, from]) => !froms.has(from)), ...moves]);
    for (const [to, from] of moves) this.#open.add(to).add(from);
  }

  /** Removes the moves of files that these changes of the store rename or delete, and those to names that they take. */
  forgetMoves(changes: readonly Pick<SharedChange, 'path' | 'oldPath' | 'before' | 'hash'>[]): void {
    const gone = new Set(changes.flatMap(({ path, oldPath, hash }) => oldPath ?? (hash === null ? path : [])));
    const taken = new Set(
      changes.flatMap(({ path, oldPath, before, hash }) => (hash !== null && (before === null || oldPath !== null) ? [foldKey(path)] : [])),
    );
    this.#moves = new Map([...this.#moves].filter(([to, from]) => !gone.has(from) && !taken.has(foldKey(to))));
  }

  /** Returns the differences among the dirty paths. They stay dirty if this fails, and are found again until they are settled. */
  async find(read: VaultStore['read'], contentsOf: FetchContents): Promise<readonly Edit[]> {
    // Events in the meantime are for the next call.
    const dirty = this.#dirty.take();
    try {
      const found = new Map<string, Edit>();
      await this.#collect(new Set(this.#listCandidates(dirty)), found, read);
      let edits = await this.#pairMoves(found, contentsOf);
      const unreported = dirty.isAll ? new Set<string>() : this.#listUnreported(dirty, found, edits);
      if (await this.#collect(unreported, found, read)) edits = await this.#pairMoves(found, contentsOf);
      for (const path of found.keys()) this.#open.add(path);
      this.#unpaired = new Set(edits.flatMap(({ path, file, former }) => (file === null || former === null ? [path] : [])));
      // A file is not new if it cannot be seen whether it is still at its previous path.
      const isUncertain = ({ path }: Edit): boolean => {
        const from = this.#moves.get(path);
        return from !== undefined && this.base.has(from) && !found.has(from) && this.#scan.hint(from) === 'refused';
      };
      const certain = edits.filter((edit) => !isUncertain(edit));
      const uncertainMoves = edits.filter(isUncertain).map(({ path }) => [path, this.#moves.get(path) ?? ''] as const);
      this.#moves = new Map([...movesAmong(edits), ...uncertainMoves]);
      return certain;
    } catch (error) {
      this.#dirty.putBack(dirty);
      throw error;
    }
  }

  /** Lists every dirty path that is a file, or was one. */
  *#listCandidates(dirty: DirtySet): Generator<string> {
    yield* this.#scan.listCandidates(dirty);
    if (dirty.isAll) yield* this.base.keys();
    yield* this.#open;
  }

  /** Lists paths without an event that may be the other name of a move: an event may have come for one of its names only. */
  #listUnreported(dirty: DirtySet, found: ReadonlyMap<string, Edit>, edits: readonly Edit[]): ReadonlySet<string> {
    const { base } = this;
    const { hint } = this.#scan;
    const unpaired = edits.filter(({ path }) => !this.#unpaired.has(path));
    return new Set([
      ...(unpaired.some(({ file }) => file === null) ? listUnreportedFiles(this.#files, (path) => base.has(path) || found.has(path)) : []),
      ...(unpaired.some(({ former }) => former === null)
        ? listUnreportedRemovals(base, { dirty, hint, isFound: (path) => found.has(path) })
        : []),
    ]);
  }

  /** Collects the differences at these paths; returns whether there are any. */
  async #collect(paths: ReadonlySet<string>, found: Map<string, Edit>, read: VaultStore['read']): Promise<boolean> {
    const before = found.size;
    for (const path of paths) {
      const file = await this.#readIfChanged(path, read);
      if (file === 'refused') {
        // It may be removed before it can be seen again, and then no list of its folder shows that.
        this.#open.add(path);
        continue;
      }
      const stored = this.base.get(path) ?? null;
      if (file === 'unchanged' || (file === null && stored === null)) this.#open.delete(path);
      else found.set(path, { path, former: stored === null ? null : path, before: stored, file });
    }
    return found.size > before;
  }

  /** Returns the file at a path if it differs from the store's; null if it is gone. `refused`: this user may not look. */
  async #readIfChanged(path: string, read: VaultStore['read']): Promise<Edit['file'] | 'unchanged' | 'refused'> {
    const state = this.#scan.hint(path);
    if (state === 'refused') return state;
    if (state === null && this.#scan.isBehindLink(path)) return 'unchanged';
    if (state !== null && (this.#known.isUnchanged(path, state) || this.#isSkipped(path, state))) return 'unchanged';
    let found: StoredFile | null = null;
    try {
      if (state?.kind === 'file') found = await read(path, { known: this.base.get(path) ?? null, maxBytes: this.#maxBytes() });
    } catch (error) {
      // Other files do not wait for one that cannot be read. A file that is being written is read the next time.
      if (!(error instanceof RouxError) || !['READ_ONLY', 'TOO_LARGE', 'IO_ERROR', 'INVALID_PARAMS'].includes(error.code)) throw error;
      if (error.retryable) this.#dirty.add(folderOf(path), fileName(path));
      else this.#onSkipped(path, error.message);
      return 'unchanged';
    }
    if (found === null || found.isLinked || found.path !== path) {
      this.#known.deleteSeen(path);
      return null;
    }
    this.#setSeen(path, found);
    this.uncachedReads += 1;
    return found.hash === this.base.get(path) ? 'unchanged' : { bytes: found.bytes, hash: found.hash };
  }

  /** Whether what is at a path is not shared: the store's file stays as it is. */
  #isSkipped(path: string, { kind, size }: FileState): boolean {
    if (kind === 'link' || kind === 'other') {
      if (this.base.has(path)) this.#onSkipped(path, kind === 'link' ? 'it is a symbolic link here' : 'it is no regular file here');
      return true;
    }
    if (size <= this.#maxBytes()) return false;
    this.#onSkipped(path, tooLargeError(size, this.#maxBytes()).message);
    return true;
  }

  #setSeen(path: string, file: Pick<StoredFile, 'state' | 'hash'>): void {
    if (this.#known.setSeen(path, file)) this.#dirty.addLater(path);
  }

  #pairMoves(found: ReadonlyMap<string, Edit>, contentsOf: FetchContents): Promise<readonly Edit[]> {
    return this.#detectMoves([...found.values()], contentsOf, {
      remembered: this.#moves,
      inodeBefore: (path) => this.#known.inodeBefore(path),
      inodeNow: (path) => this.#known.inodeNow(path),
    });
  }
}
