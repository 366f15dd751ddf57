import type { NoteEntry } from '../../graph/view.ts';
import { normalizeId } from '../../note/path.ts';
import { shortHash } from '../../store/records/history-event.ts';
import { movesAmong, pairMoves } from '../../store/pair-moves.ts';
import type { FileStates, RecordedFile } from './file-states.ts';

/** An edit, with the previous path of its file by the history: another process may have moved it since this one looked. */
export interface Edit {
  /** Null for a new file. */
  readonly from: string | null;
  /** The note as this process last saw it. */
  readonly before: NoteEntry | null;
  readonly after: NoteEntry | null;
}

/**
 * Recognizes files that took each other's names. What a look at the folder finds then are names with other contents, not moves. Files are
 * told apart as in a shared vault: by the id in them, else by their inode as long as they were not written to, else by their content. Edits
 * in which no name changed hands are returned as they are.
 */
export function followFiles(edits: readonly Edit[], states: Pick<FileStates, 'fileAt'>): readonly Edit[] {
  const origins = new Map(edits.flatMap((edit) => (edit.from === null ? [] : [[edit.from, edit] as const])));
  const targets = new Map(edits.flatMap((edit) => (edit.after === null ? [] : [[edit.after.path as string, edit] as const])));
  // A name twice on one side: what was seen does not tell which file is which.
  const isUnclear = origins.size + targets.size < count(edits, ({ from }) => from) + count(edits, ({ after }) => after);
  if (edits.length < 2 || isUnclear || ![...targets.keys()].some((path) => origins.has(path))) return edits;

  const found = findMoves(origins, targets, states);
  // Where a name was given up and the other one was free, what was seen of it is clear already.
  const moves = new Map([...found].filter(([to, from]) => origins.has(to) || targets.has(from)));
  const left = new Set(moves.values());
  const followed = [...targets].map(([path, { from, before, after }]): Edit => {
    const origin = moves.get(path);
    if (origin !== undefined) return { from: origin, before: origins.get(origin)?.before ?? null, after };
    return from !== null && left.has(from) ? { from: null, before: null, after } : { from, before, after };
  });
  const placed = new Set(followed.map(({ from }) => from));
  const removed = [...origins].flatMap(([path, { before }]): Edit[] => (placed.has(path) ? [] : [{ from: path, before, after: null }]));
  return [...removed, ...followed];
}

function count<T>(edits: readonly Edit[], side: (edit: Edit) => T | null): number {
  return edits.filter((edit) => side(edit) !== null).length;
}

/** Returns the previous path of each file that has another one now. */
function findMoves(
  origins: ReadonlyMap<string, Edit>,
  targets: ReadonlyMap<string, Edit>,
  states: Pick<FileStates, 'fileAt'>,
): ReadonlyMap<string, string> {
  const lastSeen = (
    path: string,
  ): { readonly before: NoteEntry | null; readonly recorded: RecordedFile | null; readonly isStale: boolean } => {
    const [before, recorded] = [origins.get(path)?.before ?? null, origins.has(path) ? states.fileAt(path) : null];
    return { before, recorded, isStale: before === null || (recorded !== null && isOlder(before, recorded)) };
  };
  const hashBefore = (path: string): string | null => {
    const { before, recorded, isStale } = lastSeen(path);
    return isStale || before === null ? (recorded?.hash ?? null) : shortHash(before.hash);
  };
  const paths = [...new Set([...origins.keys(), ...targets.keys()])];
  const compared = paths.map((path) => {
    const after = targets.get(path)?.after ?? null;
    const before = hashBefore(path);
    const file = after === null ? null : { hash: shortHash(after.hash), bytes: { length: after.stamp.size } };
    return { path, former: before === null ? null : path, before, file };
  });
  return movesAmong(
    pairMoves(compared, {
      remembered: new Map([...targets].flatMap(([path, { from }]) => (from === null || from === path ? [] : [[path, from] as const]))),
      inodeBefore: (path) => {
        const { before, isStale } = lastSeen(path);
        return before === null || isStale ? undefined : unchangedInode(before);
      },
      inodeNow: (path) => {
        const after = targets.get(path)?.after ?? null;
        return after === null ? undefined : unchangedInode(after);
      },
      idBefore: ({ path }) => {
        const { before, recorded } = lastSeen(path);
        return before === null ? (recorded === null ? null : ownId(recorded.node, path)) : ownId(before.id, before.path);
      },
      idNow: ({ path }) => ownId(targets.get(path)?.after?.id ?? path, path),
    }),
  );
}

/** Returns the id that a note has in its frontmatter; null for one that is only known by its path. */
function ownId(id: string, path: string): string | null {
  return id === normalizeId(path) ? null : id;
}

/** Inodes are given out again, and the time of birth is not known: the time of the last write tells that it is still the same file. */
function unchangedInode({ stamp }: NoteEntry): { readonly ino: bigint; readonly birthNs: bigint } {
  return { ino: stamp.ino, birthNs: stamp.mtimeNs };
}

/** Returns whether a note was seen before its last recorded write. */
export function isOlder(seen: NoteEntry, recorded: RecordedFile): boolean {
  return shortHash(seen.hash) !== recorded.hash && Number(seen.stamp.mtimeNs / 1_000_000n) < recorded.time;
}
