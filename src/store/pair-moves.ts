import type { FileState } from './folder/file-system.ts';
import type { StoredFile } from './store.ts';

/** A file of the folder that is not what the store has. */
export interface Edit<File = Pick<StoredFile, 'bytes' | 'hash'>> {
  readonly path: string;
  /** The name that it has in the store; another one where it was renamed, null where it is not there. */
  readonly former: string | null;
  /** The hash that the store has of it; null: none. */
  readonly before: string | null;
  /** The file as it is; null when it is gone. */
  readonly file: File | null;
}

/** By what a file is recognised under another name, whatever was written into it. */
export type Inode = Pick<FileState, 'ino' | 'birthNs'>;

/** What pairing has to know of a file as it is. */
type PairedFile = { readonly hash: string; readonly bytes: { readonly length: number } };

/** What tells one file from another. */
export interface Evidence<File extends PairedFile = NonNullable<Edit['file']>> {
  /** Moves that were found earlier and are in no commit yet: the former name by the name of now. */
  readonly remembered: ReadonlyMap<string, string>;
  /** The inode that a file of the store had here; undefined: not known. */
  readonly inodeBefore: (path: string) => Inode | undefined;
  readonly inodeNow: (path: string) => Inode | undefined;
  /** The id that the store's version of a file has in it; null: none, or not known. */
  readonly idBefore: (edit: Edit<File>) => string | null;
  readonly idNow: (edit: Edit<File>) => string | null;
}

/**
 * Recognises files that went under one name and came under another one, so that they are shared as moves: what others make of the former
 * name is then made of the file, wherever it is. A file is told by an earlier find, by the id in it, by its inode, or by its bytes.
 *
 * A name that is still there counts as left where the file that had it is found elsewhere, as when two files exchange their names, or
 * where what stands there now says itself that it is another file.
 */
export function pairMoves<File extends PairedFile = NonNullable<Edit['file']>>(
  edits: readonly Edit<File>[],
  evidence: Evidence<File>,
): readonly Edit<File>[] {
  const here = edits.filter(({ file }) => file !== null);
  /** The former name by the name of now. A file that has its name is not among them. */
  const moves = new Map<string, string>();
  const taken = new Set<string>();
  const byPath = new Map(edits.map((edit) => [edit.path, edit]));

  const isInPlace = (edit: Edit<File>): boolean => {
    const [id, was] = [evidence.idNow(edit), evidence.idBefore(edit)];
    if (id !== null && was !== null) return id === was;
    if (evidence.remembered.has(edit.path)) return false;
    return isSameInode(evidence.inodeNow(edit.path), evidence.inodeBefore(edit.path));
  };
  const settled = new Set(here.filter(isInPlace).map(({ path }) => path));
  const isOther = (edit: Edit<File>, origin: Edit<File>): boolean => {
    const [id, was] = [evidence.idNow(edit), evidence.idBefore(origin)];
    return id !== null && was !== null && id !== was;
  };
  const pair = (edit: Edit<File>, origin: Edit<File> | undefined): void => {
    if (origin === undefined || origin.path === edit.path || moves.has(edit.path) || taken.has(origin.path)) return;
    if (settled.has(edit.path) || settled.has(origin.path) || isOther(edit, origin)) return;
    moves.set(edit.path, origin.path);
    taken.add(origin.path);
  };
  /** Of several that look alike, each is taken once. */
  const pairBy = <K>(keyBefore: (edit: Edit<File>) => K | null, keyNow: (edit: Edit<File>) => K | null): void => {
    const origins = new Map<K, Edit<File>[]>();
    for (const edit of edits) {
      const key = keyBefore(edit);
      if (key === null) continue;
      const alike = origins.get(key);
      if (alike === undefined) origins.set(key, [edit]);
      else alike.push(edit);
    }
    for (const edit of here) {
      const key = keyNow(edit);
      if (key === null || moves.has(edit.path) || settled.has(edit.path)) continue;
      const free = (origins.get(key) ?? []).filter(({ path }) => path !== edit.path && !taken.has(path) && !settled.has(path));
      // One that is gone has gone somewhere; one that is there may have been copied.
      pair(edit, free.find(({ file }) => file === null) ?? free[0]);
    }
  };

  for (const edit of here) pair(edit, byPath.get(evidence.remembered.get(edit.path) ?? ''));
  pairBy(evidence.idBefore, evidence.idNow);
  const isCertain = new Set(moves.keys());
  pairBy(
    ({ path }) => inodeKey(evidence.inodeBefore(path)),
    ({ path }) => inodeKey(evidence.inodeNow(path)),
  );
  const isByInode = new Set(moves.keys());
  pairBy(
    ({ before }) => before,
    ({ file }) => (file === null || file.bytes.length === 0 ? null : file.hash),
  );
  // Empty files are all alike: only one that is gone has become a new one.
  const gone = edits.filter(({ file }) => file === null);
  for (const edit of here)
    if (edit.file?.bytes.length === 0 && edit.before === null)
      pair(
        edit,
        gone.find(({ path, before }) => before === edit.file?.hash && !taken.has(path)),
      );

  // A file that is there still was copied or written over, unless what says otherwise is more than its bytes, or another one has its name.
  for (let isDone = false; !isDone;) {
    isDone = true;
    for (const [to, from] of moves) {
      const [arrived, left] = [byPath.get(to), byPath.get(from)];
      const isLeft = left?.file === null || moves.has(from) || isByInode.has(to);
      const isRoomMade = arrived?.before === null || taken.has(to) || isCertain.has(to);
      if (isLeft && isRoomMade) continue;
      moves.delete(to);
      taken.delete(from);
      isDone = false;
    }
  }

  return edits.flatMap((edit): readonly Edit<File>[] => {
    const { path, file } = edit;
    const from = moves.get(path);
    if (from !== undefined) {
      const moved: Edit<File> = { path, former: from, before: byPath.get(from)?.before ?? null, file };
      // What had the name is gone, unless it is found under another one.
      return edit.before === null || taken.has(path) ? [moved] : [moved, { ...edit, file: null }];
    }
    if (!taken.has(path)) return [edit];
    return file === null ? [] : [{ path, former: null, before: null, file }];
  });
}

/** The former name by the name of now, of what was found as moved. */
export function movesAmong(edits: readonly Edit<unknown>[]): ReadonlyMap<string, string> {
  return new Map(
    edits.flatMap(({ path, former, file }) => (file === null || former === null || former === path ? [] : [[path, former] as const])),
  );
}

function inodeKey(inode: Inode | undefined): string | null {
  return inode === undefined || inode.ino === 0n ? null : `${inode.ino} ${inode.birthNs}`;
}

function isSameInode(a: Inode | undefined, b: Inode | undefined): boolean {
  const key = inodeKey(a);
  return key !== null && key === inodeKey(b);
}
