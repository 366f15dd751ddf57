import { RouxError } from '../../../errors.ts';
import { fileName, foldKey, folderOf, isIgnoredName, isTooFar, joinPath } from '../../../note/path.ts';
import { isSameState } from '../../folder/file-system.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { ifAllowed } from '../../folder/read-allowed.ts';
import type { StoredFile, VaultStore } from '../../store.ts';
import { openMarks, RACY_MS } from './marks.ts';
import type { Marked, Marks } from './marks.ts';

/** A file of the folder that is not what the store has. */
export interface Edit {
  readonly path: string;
  /** The name that it has in the store; another one where it was renamed, null where it is not there. */
  readonly former: string | null;
  /** The hash that the store has of it; null: none. */
  readonly before: string | null;
  /** The file as it is; null when it is gone. */
  readonly file: Pick<StoredFile, 'bytes' | 'hash'> | null;
}

/** What is in the folder beside what the store has: found by looking, and looked for where something was heard. */
export interface Edits {
  /** The hash by path of what the store has, as of the commit at which the folder stands. */
  readonly base: ReadonlyMap<string, string>;
  /** The folder stands at another commit: all of its files, or those that changed (null: gone). */
  rebase(files: ReadonlyMap<string, string>, seen?: Known['seen']): void;
  settle(changed: Iterable<readonly [path: string, hash: string | null]>): void;
  /** A file was put in place with this content, and is not looked at again until somebody touches it. */
  placed(path: string, hash: string, staged: Staged): void;
  readonly mark: Marks['add'];
  /** Whether a file may be there whose name differs from this one by case or Unicode form alone: for not listing a large folder for each new file. */
  mayHaveTwin(path: string): boolean;
  readonly isMarked: boolean;
  /** What is known for certain, and how many files were read since it was kept. */
  known(): Known;
  unkept: number;
  /** What differs in what was marked. It stays marked where this fails, and what was found is found again until it is settled. */
  find(read: VaultStore['read']): Promise<readonly Edit[]>;
}

/** By what a file that was staged is known under the name that it was given. */
export type Staged = Pick<FileState, 'ino' | 'mtimeNs' | 'birthNs'>;

/** What the store has, and the files of which it is known that they are that. */
export interface Known {
  readonly base: ReadonlyMap<string, string>;
  readonly seen: readonly { readonly path: string; readonly hash: string; readonly state: State }[];
}

/** By what a state of a file is told from another one. */
type State = Pick<FileState, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino'>;

interface Seen {
  readonly state: State;
  readonly hash: string;
  /** Read so soon after it was written that another write could hide behind equal times. */
  readonly isRacy: boolean;
}

/** Edits of a folder of which nothing is known yet. `onLeft`: a file stays on this machine alone, and what is in the store stays there. */
export function openEdits(
  files: Pick<FileSystem, 'list' | 'hint' | 'now'>,
  onLeft: (path: string, why: string) => void = () => undefined,
): Edits {
  let base = new Map<string, string>();
  /** How many files of the store have a name, but for case and Unicode form. */
  const folds = new Map<string, number>();
  const seen = new Map<string, Seen>();
  /** Names by folder, files and folders, as they were when it was looked at last. */
  const folders = new Map<string, Set<string>>();
  const marks = openMarks(() => files.now());
  /** What was found and is not settled. */
  const open = new Set<string>();

  function setBase(path: string, hash: string | null): void {
    if (base.has(path) !== (hash !== null)) {
      const key = foldKey(path);
      folds.set(key, (folds.get(key) ?? 0) + (hash === null ? -1 : 1));
      if (folds.get(key) === 0) folds.delete(key);
    }
    if (hash === null) base.delete(path);
    else base.set(path, hash);
  }

  /** What is known to be in a folder, with what stands under one of its names now. */
  function note(path: string, kind: FileState['kind'] | undefined): void {
    const names = folders.get(folderOf(path));
    if (kind === 'file') names?.add(fileName(path));
    else if (kind === 'folder') names?.add(`${fileName(path)}/`);
  }

  /** Every path among the marked that is a file now, or was one. */
  function* look(marked: Marked): Generator<string> {
    const waiting = marked.isAll ? [''] : [...marked.folders];
    /** Folders of which all that is below is looked at: another one may have come under the name. */
    const deep = new Set(marked.isAll ? [''] : []);
    if (!marked.isAll) {
      for (const path of marked.names) {
        if (isTooFar(path)) continue;
        const state = hint(path);
        if (state === 'refused') continue;
        const kind = state?.kind;
        note(path, kind);
        if (kind === 'folder' || folders.has(path)) {
          deep.add(path);
          waiting.push(path);
        }
        // Where a folder is now, a file may have been.
        if (kind !== 'folder' || base.has(path)) yield path;
      }
    }
    const visited = new Set<string>();
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (visited.has(folder)) continue;
      visited.add(folder);
      const before = folders.get(folder);
      const listed = unlessRefused(folder, () => files.list(folder));
      if (listed === 'refused') continue;
      const names = new Set<string>();
      for (const { name, kind } of listed ?? []) {
        const path = joinPath(folder, name);
        if (isIgnoredName(name) || isTooFar(path)) continue;
        if (kind === 'folder') {
          names.add(`${name}/`);
          if (deep.has(folder)) deep.add(path);
          if (deep.has(folder) || before?.has(`${name}/`) !== true) waiting.push(path);
        } else if (kind === 'file') {
          names.add(name);
          yield path;
        }
      }
      for (const name of before ?? []) {
        if (names.has(name)) continue;
        if (name.endsWith('/')) waiting.push(joinPath(folder, name.slice(0, -1)));
        else yield joinPath(folder, name);
      }
      if (listed === null) folders.delete(folder);
      else folders.set(folder, names);
    }
    if (marked.isAll) yield* base.keys();
    yield* open;
  }

  /** A look into a folder; where this user has no right to that, what is in it counts as it was, and is looked at again. */
  function unlessRefused<T>(folder: string, look: () => T): T | 'refused' {
    const found = ifAllowed<T, 'refused'>(look, 'refused');
    if (found === 'refused') {
      marks.add(folderOf(folder), folder === '' ? null : fileName(folder));
      onLeft(folder, 'this user has no right to look into it');
    }
    return found;
  }

  const hint = (path: string): FileState | null | 'refused' => unlessRefused(folderOf(path), () => files.hint(path));

  /** What is there now; its bytes only where they are not what the store has. */
  async function fileNow(path: string, read: VaultStore['read']): Promise<Edit['file'] | 'as it was'> {
    const state = hint(path);
    if (state === 'refused') return 'as it was';
    const known = seen.get(path);
    if (state !== null && known !== undefined && known.hash === base.get(path) && isSameState(known.state, state)) {
      // A racy one is read once more as soon as another one could be told from it.
      if (!known.isRacy || isRacyNow(state)) return 'as it was';
    }
    if (state?.kind === 'link' || state?.kind === 'other') {
      if (base.has(path)) onLeft(path, state.kind === 'link' ? 'it is a symbolic link here' : 'it is no regular file here');
      return 'as it was';
    }
    let found: StoredFile | null = null;
    try {
      if (state?.kind === 'file') found = await read(path, { known: base.get(path) ?? null });
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
    edits.unkept += 1;
    return found.hash === base.get(path) ? 'as it was' : { bytes: found.bytes, hash: found.hash };
  }

  const isRacyNow = ({ mtimeNs }: State): boolean => files.now() - Number(mtimeNs / 1_000_000n) < RACY_MS;

  function see(path: string, { state, hash }: Omit<Seen, 'isRacy'>): void {
    const isRacy = isRacyNow(state);
    if (isRacy) marks.addLater(path);
    seen.set(path, { state, hash, isRacy });
  }

  const edits: Edits = {
    get base() {
      return base;
    },
    rebase(next, known = []) {
      base = new Map();
      folds.clear();
      for (const [path, hash] of next) setBase(path, hash);
      for (const { path, hash, state } of known) seen.set(path, { state, hash, isRacy: false });
      marks.add(null);
    },
    known() {
      const certain = [...seen].filter(([path, { hash, isRacy }]) => !isRacy && base.get(path) === hash);
      return { base, seen: certain.map(([path, { hash, state }]) => ({ path, hash, state })) };
    },
    unkept: 0,
    settle(changed) {
      for (const [path, hash] of changed) {
        setBase(path, hash);
        const isThere = seen.get(path)?.hash === hash;
        if (isThere) open.delete(path);
        else open.add(path);
      }
    },
    placed(path, hash, staged) {
      const state = files.hint(path);
      if (state === null || state.ino !== staged.ino || state.mtimeNs !== staged.mtimeNs || state.birthNs !== staged.birthNs) return;
      note(path, 'file');
      see(path, { state, hash });
    },
    mark: (folder, name) => marks.add(folder, name),
    mayHaveTwin(path) {
      const key = foldKey(path);
      return (folds.get(key) ?? 0) > 0 || marks.mayHave(path) || [...open].some((other) => foldKey(other) === key);
    },
    get isMarked() {
      return !marks.isEmpty || open.size > 0;
    },
    async find(read) {
      // What is heard of meanwhile is for the next time.
      const marked = marks.take();
      const found = new Map<string, Edit>();
      const inodes = new Map<bigint, string>();
      try {
        await collect(new Set(look(marked)), { found, inodes }, read);
      } catch (error) {
        marks.giveBack(marked);
        throw error;
      }
      return withRenames(found, (path) => inodes.get(seen.get(path)?.state.ino ?? 0n));
    },
  };
  return edits;

  async function collect(
    paths: ReadonlySet<string>,
    { found, inodes }: { readonly found: Map<string, Edit>; readonly inodes: Map<bigint, string> },
    read: VaultStore['read'],
  ): Promise<void> {
    for (const path of paths) {
      const was = seen.get(path);
      const file = await fileNow(path, read);
      if (file === 'as it was' || (file === null && !base.has(path))) {
        open.delete(path);
        continue;
      }
      open.add(path);
      found.set(path, { path, former: base.has(path) ? path : null, before: base.get(path) ?? null, file });
      if (file === null && was !== undefined && was.state.ino !== 0n) inodes.set(was.state.ino, path);
    }
  }
}

/** What went under one name and came under another is one file: by its bytes, or by its inode. */
function withRenames(edits: ReadonlyMap<string, Edit>, goneByInode: (path: string) => string | undefined): readonly Edit[] {
  const gone = new Map<string, Edit[]>();
  for (const edit of edits.values()) {
    if (edit.file !== null || edit.before === null) continue;
    gone.set(edit.before, [...(gone.get(edit.before) ?? []), edit]);
  }
  const taken = new Set<string>();
  const take = (edit: Edit | undefined): Edit | undefined => {
    if (edit === undefined || edit.file !== null || edit.before === null || taken.has(edit.path)) return undefined;
    taken.add(edit.path);
    return edit;
  };
  const found = [...edits.values()].map((edit): Edit => {
    if (edit.file === null || edit.before !== null) return edit;
    const former = take(edits.get(goneByInode(edit.path) ?? '')) ?? take(gone.get(edit.file.hash)?.find(({ path }) => !taken.has(path)));
    return former === undefined ? edit : { ...edit, former: former.path, before: former.before };
  });
  return found.filter(({ path }) => !taken.has(path));
}
