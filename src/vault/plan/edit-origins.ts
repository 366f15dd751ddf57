import type { GraphChange, NoteEntry } from '../../graph/view.ts';
import { normalizeId } from '../../note/path.ts';
import { shortHash } from '../../store/records/history-event.ts';
import { movesAmong, pairMoves } from '../../store/pair-moves.ts';
import type { Now } from '../../store/store.ts';
import type { FileStates, RecordedFile } from './file-states.ts';

/** An edit, with the previous path of its file by the history: another process may have moved it since this one looked. */
export interface Edit {
  /** Null for a new file. */
  readonly from: string | null;
  /** The note as this process last saw it. */
  readonly before: NoteEntry | null;
  readonly after: NoteEntry | null;
}

type Read = Pick<Now, 'read'>;

/** Finds the previous path of a changed file by the history; null when there is nothing to record. */
export async function locateEdit({ before, after }: GraphChange, states: FileStates, { read }: Read): Promise<Edit | null> {
  const path = before === null ? null : states.currentPathOf(before.path);
  const stillExists = path !== null && path !== before?.path && path !== after?.path && (await read(path, { large: 'leave' })) !== null;
  if (after === null) return path === null || stillExists ? null : { from: path, before, after };
  // A file that is elsewhere by the history cannot have come here.
  return path === null || stillExists ? { from: null, before: null, after } : { from: path, before, after };
}

/** Joins removed and added files that are renames, noticed as two changes. */
export async function joinRenames(edits: readonly Edit[], states: FileStates, now: Read): Promise<readonly Edit[]> {
  const gone = new Map(edits.flatMap((edit) => (edit.after === null && edit.from !== null ? [[edit.from, edit] as const] : [])));
  // An observed target is more reliable than a path that another process had moved the file to.
  for (const { from, after } of edits) if (after !== null && from !== null) gone.delete(from);
  const others: Edit[] = [];
  for (const edit of edits) {
    const { from, after } = edit;
    if (after === null) continue;
    const origin = from === null && states.fileAt(after.path) === null ? await findOrigin(after, { gone, states, now }) : null;
    others.push(origin === null ? edit : { from: origin, before: gone.get(origin)?.before ?? null, after });
    if (origin !== null) gone.delete(origin);
  }
  return [...gone.values(), ...others];
}

/**
 * Returns the only possible previous path of a new note: one that had the same id or bytes, as seen by this process or recorded; null if
 * there is none or several.
 */
async function findOrigin(
  after: NoteEntry,
  { gone, states, now }: { readonly gone: ReadonlyMap<string, Edit>; readonly states: FileStates; readonly now: Read },
): Promise<string | null> {
  const hash = after.stamp.size > 0 ? after.hash : null;
  const seen = [...gone].filter(([, { before }]) => before !== null && (before.id === after.id || before.hash === hash));
  const recorded = states.pathsOf({ hash, node: after.id }).filter((path) => path !== after.path);
  const left = new Set(seen.map(([path]) => path));
  for (const path of recorded) if (!left.has(path) && (await now.read(path, { large: 'leave' })) === null) left.add(path);
  const sameId = [...left].filter((path) => gone.get(path)?.before?.id === after.id || states.fileAt(path)?.node === after.id);
  const [origin = null] = sameId.length === 1 ? sameId : left;
  return sameId.length === 1 || left.size === 1 ? origin : null;
}

/**
 * Recognizes files that took each other's names, which the sync sees as names with other contents, not as moves. Files are identified as in
 * a shared vault: by the id in them, else by their inode if they were not written to, else by their content. Other edits are returned as
 * they are.
 */
export function followFiles(edits: readonly Edit[], states: Pick<FileStates, 'fileAt'>): readonly Edit[] {
  const origins = new Map(edits.flatMap((edit) => (edit.from === null ? [] : [[edit.from, edit] as const])));
  const targets = new Map(edits.flatMap((edit) => (edit.after === null ? [] : [[edit.after.path as string, edit] as const])));
  // If a name occurs twice on one side, it is unknown which file is which.
  const isUnclear = origins.size + targets.size < count(edits, ({ from }) => from) + count(edits, ({ after }) => after);
  if (edits.length < 2 || isUnclear || ![...targets.keys()].some((path) => origins.has(path))) return edits;

  const found = findMoves(origins, targets, states);
  // A file that left its name for a free one was seen as a move already.
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

/** Inodes are reused and the time of birth is unknown, so the time of the last write shows that it is still the same file. */
function unchangedInode({ stamp }: NoteEntry): { readonly ino: bigint; readonly birthNs: bigint } {
  return { ino: stamp.ino, birthNs: stamp.mtimeNs };
}

/** Returns whether a note was seen before its last recorded write. */
export function isOlder(seen: NoteEntry, recorded: RecordedFile): boolean {
  return shortHash(seen.hash) !== recorded.hash && Number(seen.stamp.mtimeNs / 1_000_000n) < recorded.time;
}
