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

/** What is in the folder beside what the store has: found by looking, and looked for where something was heard. */
export interface LocalChanges {
  /** The hash by path of what the store has, as of the commit at which the folder stands. */
  readonly base: ReadonlyMap<string, string>;
  /** The folder stands at another commit: all of its files, or those that changed (null: gone). */
  rebase(files: ReadonlyMap<string, string>, seen?: FolderSnapshot['seen']): void;
  settle(changed: Iterable<readonly [path: string, hash: string | null]>): void;
  /** A file was put in place with this content, and is not looked at again until somebody touches it. */
  recordStaged(path: string, hash: string, staged: StagedStamp): void;
  readonly markDirty: DirtyPaths['add'];
  /** Whether a file may be there whose name differs from this one by case or Unicode form alone: for not listing a large folder for each new file. */
  mayCollide(path: string): boolean;
  readonly isDirty: boolean;
  /** What is known for certain, and how many files were read since it was kept. */
  snapshot(): FolderSnapshot;
  uncachedReads: number;
  /** What differs in what was marked. It stays marked where this fails, and what was found is found again until it is settled. */
  find(read: VaultStore['read'], contentsOf: FetchContents): Promise<readonly Edit[]>;
  /** Files that somebody moved here and that the store still has under their former names: the former name by the name of now. */
  readonly moves: ReadonlyMap<string, string>;
  /** Whether somebody may have moved a file of the store: it is not under its name, or not the inode that it was. */
  mayHaveMoved(path: string): boolean;
  /** Moves that were found before a restart, or by another process: they are believed as far as the folder bears them out. */
  rememberMoves(moves: ReadonlyMap<string, string>): void;
  /** The store has these changes now: files that they rename or delete, and names that they give, are no local moves any more. */
  forgetMoves(changes: readonly Pick<SharedChange, 'path' | 'oldPath' | 'before' | 'hash'>[]): void;
}

interface Seen {
  readonly state: FileStamp;
  readonly hash: string;
  /** Read so soon after it was written that another write could hide behind equal times. */
  readonly isRacy: boolean;
}

/** Edits of a folder of which nothing is known yet. */
export function createLocalChanges(
  files: Pick<FileSystem, 'list' | 'hint' | 'now'>,
  { onSkipped: onLeft = () => undefined, idOf = () => null, maxBytes = () => Infinity }: LocalChangesOptions = {},
): LocalChanges {
  let base = new Map<string, string>();
  /** How many files of the store have a name, but for case and Unicode form. */
  const folds = new Map<string, number>();
  const seen = new Map<string, Seen>();
  const marks = trackDirtyPaths(() => files.now());
  const looking = createFolderScan(files, { marks, onSkipped: onLeft, isStored: (path) => base.has(path) });
  const { hint, isBehindLink } = looking;
  /** What was found and is not settled. */
  const open = new Set<string>();
  /** The inode that a file had when it was seen as the store has it. */
  const inodes = new Map<string, Inode>();
  const recognise = createMoveDetector(idOf);
  let moves: ReadonlyMap<string, string> = new Map();
  /** Files that are gone or new and were found to be no part of a move. */
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
    noteInode(path);
  }

  /** Which inode the store's file is, where it is what was seen last. */
  function noteInode(path: string): void {
    const known = seen.get(path);
    if (known === undefined || known.hash !== base.get(path)) return;
    const { ino, birthNs } = known.state;
    if (birthNs !== undefined) inodes.set(path, { ino, birthNs });
  }

  /** Every path among the marked that is a file now, or was one. */
  function* look(marked: DirtySet): Generator<string> {
    yield* looking.listCandidates(marked);
    if (marked.isAll) yield* base.keys();
    yield* open;
  }

  /** What is there now; its bytes only where they are not what the store has. `refused`: this user may not look. */
  async function fileNow(path: string, read: VaultStore['read']): Promise<Edit['file'] | 'as it was' | 'refused'> {
    const state = hint(path);
    if (state === 'refused') return state;
    if (state === null && isBehindLink(path)) return 'as it was';
    const known = seen.get(path);
    if (state !== null && known !== undefined && known.hash === base.get(path) && isSameState(known.state, state)) {
      // A racy one is read once more as soon as another one could be told from it.
      if (!known.isRacy || isRacyNow(state)) return 'as it was';
    }
    if (state?.kind === 'link' || state?.kind === 'other') {
      if (base.has(path)) onLeft(path, state.kind === 'link' ? 'it is a symbolic link here' : 'it is no regular file here');
      return 'as it was';
    }
    if (state !== null && state.size > maxBytes()) {
      onLeft(path, tooLargeError(state.size, maxBytes()).message);
      return 'as it was';
    }
    let found: StoredFile | null = null;
    try {
      if (state?.kind === 'file') found = await read(path, { known: base.get(path) ?? null, maxBytes: maxBytes() });
    } catch (error) {
      // One file that cannot be read holds no other up. What is being written is read the next time.
      if (!(error instanceof RouxError) || !['READ_ONLY', 'TOO_LARGE', 'IO_ERROR', 'INVALID_PARAMS'].includes(error.code)) throw error;
      if (error.retryable) marks.add(folderOf(path), fileName(path));
      else onLeft(path, error.message);
      return 'as it was';
    }
    if (found === null || found.isLinked || found.path !== path) {
      seen.delete(path);
      return null;
    }
    see(path, found);
    edits.uncachedReads += 1;
    return found.hash === base.get(path) ? 'as it was' : { bytes: found.bytes, hash: found.hash };
  }

  const isRacyNow = ({ mtimeNs }: FileStamp): boolean => files.now() - Number(mtimeNs / 1_000_000n) < RACY_MS;

  function see(path: string, { state, hash }: Omit<Seen, 'isRacy'>): void {
    const isRacy = isRacyNow(state);
    if (isRacy) marks.addLater(path);
    seen.set(path, { state, hash, isRacy });
    noteInode(path);
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
      looking.remember(path, 'file');
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
      // What is heard of meanwhile is for the next time.
      const marked = marks.take();
      try {
        const found = new Map<string, Edit>();
        await collect(new Set(look(marked)), found, read);
        let edits = await recognised(found, contentsOf);
        // A name may have been heard of before the other one of its move, or without it.
        const isOne = (is: (edit: Edit) => boolean): boolean => !marked.isAll && edits.some((edit) => is(edit) && !alone.has(edit.path));
        const isGone = isOne(({ file }) => file === null);
        const isNew = isOne(({ former }) => former === null);
        const more = new Set([
          ...(isGone ? listUnreportedFiles(files, (path) => base.has(path) || found.has(path)) : []),
          ...(isNew ? listUnreportedRemovals(base, { marked, hint, isFound: (path) => found.has(path) }) : []),
        ]);
        if (await collect(more, found, read)) edits = await recognised(found, contentsOf);
        for (const path of found.keys()) open.add(path);
        alone = new Set(edits.flatMap(({ path, file, former }) => (file === null || former === null ? [path] : [])));
        // Where it cannot be seen whether a file is still under its former name, it is no new one.
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

  /** Looks at each path; gives whether one of them differs. */
  async function collect(paths: ReadonlySet<string>, found: Map<string, Edit>, read: VaultStore['read']): Promise<boolean> {
    const before = found.size;
    for (const path of paths) {
      const file = await fileNow(path, read);
      if (file === 'refused') {
        // It may be gone by the time that it can be seen again, when no list of its folder shows that.
        open.add(path);
        continue;
      }
      if (file === 'as it was' || (file === null && !base.has(path))) {
        open.delete(path);
        continue;
      }
      found.set(path, { path, former: base.has(path) ? path : null, before: base.get(path) ?? null, file });
    }
    return found.size > before;
  }

  function recognised(found: ReadonlyMap<string, Edit>, contentsOf: FetchContents): Promise<readonly Edit[]> {
    return recognise([...found.values()], contentsOf, {
      remembered: moves,
      inodeBefore: (path) => inodes.get(path),
      inodeNow(path) {
        const { ino, birthNs } = seen.get(path)?.state ?? {};
        return ino === undefined || birthNs === undefined ? undefined : { ino, birthNs };
      },
    });
  }
}
