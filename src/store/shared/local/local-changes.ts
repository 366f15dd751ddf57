import { RouxError } from '../../../errors.ts';
import { fileName, foldKey, folderOf } from '../../../note/path.ts';
import { isSameState } from '../../folder/file-system.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import { movesAmong } from '../../pair-moves.ts';
import type { Edit, Inode } from '../../pair-moves.ts';
import type { StoredFile, VaultStore } from '../../store.ts';
import { tooLargeError } from '../too-large.ts';
import type { SharedChange } from '../shared-vault.ts';
import type { FetchContents, LocalChangesOptions, FolderSnapshot, StagedStamp, FileStamp } from './file-snapshot.ts';
import { createFolderScan } from './folder-scan.ts';
import { trackDirtyPaths, RACY_MS } from './dirty-paths.ts';
import type { DirtySet, DirtyPaths } from './dirty-paths.ts';
import { createMoveDetector } from './detect-moves.ts';
import { listUnreportedRemovals, listUnreportedFiles } from './unreported-paths.ts';

/** The differences between a folder and its store, found by comparing the files for which events were seen. */
export interface LocalChanges {
  /** The hash by path of the store's files, as of the checkpoint. */
  readonly base: ReadonlyMap<string, string>;
  /** Replaces the files of the store. `seen`: files whose state is known already. */
  rebase(files: ReadonlyMap<string, string>, seen?: FolderSnapshot['seen']): void;
  /** Updates files of the store (null: deleted). */
  settle(changed: Iterable<readonly [path: string, hash: string | null]>): void;
  /** A file was written with this content; it is not read again until an event for it. */
  recordStaged(path: string, hash: string, staged: StagedStamp): void;
  readonly markDirty: DirtyPaths['add'];
  /** Whether a file whose name differs only in case or Unicode form may be there. Saves listing a large folder for each new file. */
  mayCollide(path: string): boolean;
  readonly isDirty: boolean;
  /** Returns the states that are certain. */
  snapshot(): FolderSnapshot;
  /** The number of files that were read since the snapshot was saved. */
  uncachedReads: number;
  /** Returns the differences among the dirty paths. They stay dirty if this fails, and are found again until they are settled. */
  find(read: VaultStore['read'], contentsOf: FetchContents): Promise<readonly Edit[]>;
  /** Local moves that are not pushed: the previous path by the current one. */
  readonly moves: ReadonlyMap<string, string>;
  /** Whether a file of the store may have been moved: it is not at its path, or its inode has changed. */
  mayHaveMoved(path: string): boolean;
  /** Adds moves that were found before a restart or by another process; the next `find` checks them. */
  rememberMoves(moves: ReadonlyMap<string, string>): void;
  /** Removes the moves of files that these changes of the store rename or delete, and those to names that they take. */
  forgetMoves(changes: readonly Pick<SharedChange, 'path' | 'oldPath' | 'before' | 'hash'>[]): void;
}

interface Seen {
  readonly state: FileStamp;
  readonly hash: string;
  /** Read so soon after a write that another write could have the same times. */
  readonly isRacy: boolean;
}

/** Creates the local changes of a folder of which nothing is known yet. */
export function createLocalChanges(
  files: Pick<FileSystem, 'list' | 'hint' | 'now'>,
  { onSkipped: onLeft = () => undefined, idOf = () => null, maxBytes = () => Infinity }: LocalChangesOptions = {},
): LocalChanges {
  let base = new Map<string, string>();
  /** The number of files of the store by folded path. */
  const folds = new Map<string, number>();
  const seen = new Map<string, Seen>();
  const marks = trackDirtyPaths(() => files.now());
  const scan = createFolderScan(files, { marks, onSkipped: onLeft, isStored: (path) => base.has(path) });
  const { hint, isBehindLink } = scan;
  /** Paths that were found and are not settled. */
  const open = new Set<string>();
  /** The inode of a file when it was last seen with the store's content. */
  const inodes = new Map<string, Inode>();
  const detectMoves = createMoveDetector(idOf);
  let moves: ReadonlyMap<string, string> = new Map();
  /** Removed and new files that are no part of a move. */
  let alone: ReadonlySet<string> = new Set();

  function setBase(path: string, hash: string | null): void {
    if (base.has(path) !== (hash !== null)) {
      const key = foldKey(path);
      folds.set(key, (folds.get(key) ?? 0) + (hash === null ? -1 : 1));
      if (folds.get(key) === 0) folds.delete(key);
    }
    if (hash === null) {
      base.delete(path);
      inodes.delete(path);
    } else base.set(path, hash);
    rememberInode(path);
  }

  /** Remembers the inode of a file that was last seen with the store's content. */
  function rememberInode(path: string): void {
    const known = seen.get(path);
    if (known === undefined || known.hash !== base.get(path)) return;
    const { ino, birthNs } = known.state;
    if (birthNs !== undefined) inodes.set(path, { ino, birthNs });
  }

  /** Lists every dirty path that is a file, or was one. */
  function* listCandidates(marked: DirtySet): Generator<string> {
    yield* scan.listCandidates(marked);
    if (marked.isAll) yield* base.keys();
    yield* open;
  }

  /** Returns the file at a path if it differs from the store's; null if it is gone. `refused`: this user may not look. */
  async function readIfChanged(path: string, read: VaultStore['read']): Promise<Edit['file'] | 'unchanged' | 'refused'> {
    const state = hint(path);
    if (state === 'refused') return state;
    if (state === null && isBehindLink(path)) return 'unchanged';
    const known = seen.get(path);
    if (state !== null && known !== undefined && known.hash === base.get(path) && isSameState(known.state, state)) {
      // A racy file is read again as soon as a later write would have other times.
      if (!known.isRacy || isRacyNow(state)) return 'unchanged';
    }
    if (state?.kind === 'link' || state?.kind === 'other') {
      if (base.has(path)) onLeft(path, state.kind === 'link' ? 'it is a symbolic link here' : 'it is no regular file here');
      return 'unchanged';
    }
    if (state !== null && state.size > maxBytes()) {
      onLeft(path, tooLargeError(state.size, maxBytes()).message);
      return 'unchanged';
    }
    let found: StoredFile | null = null;
    try {
      if (state?.kind === 'file') found = await read(path, { known: base.get(path) ?? null, maxBytes: maxBytes() });
    } catch (error) {
      // Other files do not wait for one that cannot be read. A file that is being written is read the next time.
      if (!(error instanceof RouxError) || !['READ_ONLY', 'TOO_LARGE', 'IO_ERROR', 'INVALID_PARAMS'].includes(error.code)) throw error;
      if (error.retryable) marks.add(folderOf(path), fileName(path));
      else onLeft(path, error.message);
      return 'unchanged';
    }
    if (found === null || found.isLinked || found.path !== path) {
      seen.delete(path);
      return null;
    }
    see(path, found);
    edits.uncachedReads += 1;
    return found.hash === base.get(path) ? 'unchanged' : { bytes: found.bytes, hash: found.hash };
  }

  const isRacyNow = ({ mtimeNs }: FileStamp): boolean => files.now() - Number(mtimeNs / 1_000_000n) < RACY_MS;

  function see(path: string, { state, hash }: Omit<Seen, 'isRacy'>): void {
    const isRacy = isRacyNow(state);
    if (isRacy) marks.addLater(path);
    seen.set(path, { state, hash, isRacy });
    rememberInode(path);
  }

  const edits: LocalChanges = {
    get base() {
      return base;
    },
    rebase(next, known = []) {
      base = new Map();
      folds.clear();
      inodes.clear();
      for (const { path, hash, state } of known) seen.set(path, { state, hash, isRacy: false });
      for (const [path, hash] of next) setBase(path, hash);
      marks.add(null);
    },
    snapshot() {
      const certain = [...seen].filter(([path, { hash, isRacy }]) => !isRacy && base.get(path) === hash);
      return { base, seen: certain.map(([path, { hash, state }]) => ({ path, hash, state })) };
    },
    uncachedReads: 0,
    settle(changed) {
      for (const [path, hash] of changed) {
        setBase(path, hash);
        const isThere = seen.get(path)?.hash === hash;
        if (isThere) open.delete(path);
        else open.add(path);
      }
    },
    recordStaged(path, hash, staged) {
      const state = files.hint(path);
      if (state === null || state.ino !== staged.ino || state.mtimeNs !== staged.mtimeNs || state.birthNs !== staged.birthNs) return;
      scan.remember(path, 'file');
      see(path, { state, hash });
    },
    markDirty: (folder, name) => marks.add(folder, name),
    mayCollide(path) {
      const key = foldKey(path);
      return (folds.get(key) ?? 0) > 0 || marks.mayContain(path) || [...open].some((other) => foldKey(other) === key);
    },
    get isDirty() {
      return !marks.isEmpty || open.size > 0;
    },
    get moves() {
      return moves;
    },
    mayHaveMoved(path) {
      if (!base.has(path)) return false;
      const [state, inode] = [hint(path), inodes.get(path)];
      if (state === 'refused' || (state === null && isBehindLink(path))) return false;
      return state?.kind !== 'file' || (inode !== undefined && (inode.ino !== state.ino || inode.birthNs !== state.birthNs));
    },
    rememberMoves(more) {
      const froms = new Set(more.values());
      moves = new Map([...[...moves].filter(([, from]) => !froms.has(from)), ...more]);
      for (const [to, from] of more) open.add(to).add(from);
    },
    forgetMoves(changes) {
      const gone = new Set(changes.flatMap(({ path, oldPath, hash }) => oldPath ?? (hash === null ? path : [])));
      const given = new Set(
        changes.flatMap(({ path, oldPath, before, hash }) =>
          hash !== null && (before === null || oldPath !== null) ? [foldKey(path)] : [],
        ),
      );
      moves = new Map([...moves].filter(([to, from]) => !gone.has(from) && !given.has(foldKey(to))));
    },
    async find(read, contentsOf) {
      // Events in the meantime are for the next call.
      const marked = marks.take();
      try {
        const found = new Map<string, Edit>();
        await collect(new Set(listCandidates(marked)), found, read);
        let edits = await withMoves(found, contentsOf);
        // Of the two names of a move, an event may have come for one only.
        const isOne = (is: (edit: Edit) => boolean): boolean => !marked.isAll && edits.some((edit) => is(edit) && !alone.has(edit.path));
        const isGone = isOne(({ file }) => file === null);
        const isNew = isOne(({ former }) => former === null);
        const more = new Set([
          ...(isGone ? listUnreportedFiles(files, (path) => base.has(path) || found.has(path)) : []),
          ...(isNew ? listUnreportedRemovals(base, { marked, hint, isFound: (path) => found.has(path) }) : []),
        ]);
        if (await collect(more, found, read)) edits = await withMoves(found, contentsOf);
        for (const path of found.keys()) open.add(path);
        alone = new Set(edits.flatMap(({ path, file, former }) => (file === null || former === null ? [path] : [])));
        // A file is not new if it cannot be seen whether it is still at its previous path.
        const isUncertain = ({ path }: Edit): boolean => {
          const from = moves.get(path);
          return from !== undefined && base.has(from) && !found.has(from) && hint(from) === 'refused';
        };
        const certain = edits.filter((edit) => !isUncertain(edit));
        moves = new Map([...movesAmong(edits), ...edits.filter(isUncertain).map(({ path }) => [path, moves.get(path) ?? ''] as const)]);
        return certain;
      } catch (error) {
        marks.putBack(marked);
        throw error;
      }
    },
  };
  return edits;

  /** Collects the differences at these paths; returns whether there are any. */
  async function collect(paths: ReadonlySet<string>, found: Map<string, Edit>, read: VaultStore['read']): Promise<boolean> {
    const before = found.size;
    for (const path of paths) {
      const file = await readIfChanged(path, read);
      if (file === 'refused') {
        // It may be removed before it can be seen again, and then no list of its folder shows that.
        open.add(path);
        continue;
      }
      if (file === 'unchanged' || (file === null && !base.has(path))) {
        open.delete(path);
        continue;
      }
      found.set(path, { path, former: base.has(path) ? path : null, before: base.get(path) ?? null, file });
    }
    return found.size > before;
  }

  function withMoves(found: ReadonlyMap<string, Edit>, contentsOf: FetchContents): Promise<readonly Edit[]> {
    return detectMoves([...found.values()], contentsOf, {
      remembered: moves,
      inodeBefore: (path) => inodes.get(path),
      inodeNow(path) {
        const { ino, birthNs } = seen.get(path)?.state ?? {};
        return ino === undefined || birthNs === undefined ? undefined : { ino, birthNs };
      },
    });
  }
}
