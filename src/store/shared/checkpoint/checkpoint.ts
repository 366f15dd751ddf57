import * as z from 'zod';
import type { FileSystem } from '../../folder/file-system.ts';
import { readAllowed } from '../../folder/read-allowed.ts';
import { removeIfThere, writeAll, writeNewFile } from '../../folder/write-file.ts';
import type { BlockedChange } from '../incoming/blocked-change.ts';

/** Where a working copy stands: beside the notes, so that a folder that is restored from a backup stands where it stood then. */
export interface Checkpoint {
  /** The id of the shared vault whose files these are. */
  readonly vault: string;
  /** The number of the last commit whose files are in the folder. */
  readonly seq: number;
  /** The id of that commit, by which it is told from another one of its number in a store that was restored to an earlier moment; null: not known. */
  readonly batch: string | null;
  /** The id of a commit that is about to be made of what people edited here; null: of none. If it happened, its files are in the folder. */
  readonly pushing: string | null;
  /** Which working copy noted it: a mark that came from another one, by a sync service or with a copied folder, says nothing of this one's files. */
  readonly copy: string;
  /** What the store had at that commit and could not be put in place here. */
  readonly unplaced: readonly BlockedChange[];
  /** Files that somebody moved here and that the store still has under their former names: what was merged into one has no other sign of where it comes from. */
  readonly moved: readonly LocalMove[];
}

/** A file that the store has under its former name. */
export interface LocalMove {
  readonly from: string;
  readonly to: string;
}

/** A line for each time, of which the last whole one counts: a line more is one call, and no instant is without one. */
export const CHECKPOINT_PATH = '.roux/shared.jsonl';
const MAX_BYTES = 64 * 1024;
/** As many unplaced changes as there may be, with the longest names, are less. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
const hash = z.string().min(1).nullable();
const blockedSchema = z.object({
  op: z.enum(['create', 'update', 'rename', 'delete']),
  path: z.string(),
  oldPath: z.string().nullable(),
  before: hash,
  hash,
  size: z.int().min(0),
});
const checkpointSchema = z.object({
  format: z.literal(1),
  vault: z.string().min(1),
  seq: z.int().min(0),
  batch: z.string().nullable(),
  pushing: z.string().nullable(),
  copy: z.string().default(''),
  unplaced: z.array(blockedSchema).default([]),
  moved: z.array(z.object({ from: z.string(), to: z.string() })).default([]),
});

/** Where a folder stands; null for one that follows nothing, or whose mark cannot be read. */
export function readCheckpoint(files: Pick<FileSystem, 'read' | 'stat'>): Checkpoint | null {
  const text = readAllowed(files, CHECKPOINT_PATH, { length: MAX_READ_BYTES })?.bytes.toString('utf8') ?? '';
  // What follows the last line end was torn.
  for (const line of text.split('\n').slice(0, -1).toReversed()) {
    const read = parseLine(line);
    if (read !== null) return read;
  }
  return null;
}

function parseLine(line: string): Checkpoint | null {
  try {
    const { success, data } = checkpointSchema.safeParse(JSON.parse(line));
    if (!success) return null;
    const { format: _, ...told } = data;
    return told;
  } catch {
    return null;
  }
}

/** Whether a mark is of this copy of a vault; `''`: of one that nobody gave an id. */
export function belongsToCopy(mark: Pick<Checkpoint, 'vault' | 'copy'>, { vault, copy }: Pick<Checkpoint, 'vault' | 'copy'>): boolean {
  return mark.vault === vault && (mark.copy === copy || mark.copy === '' || copy === '');
}

/** What people are told of a mark that is not. */
export const FOREIGN_CHECKPOINT =
  'Another working copy of this vault was laid over this folder (.roux/shared.jsonl is its mark), by a sync service or a backup: what differs from the store is kept beside it, as nobody can tell which is newer. Let only one of both look after the folder.';

/** Notes it, whole or not at all. Not synced: a copy that stands further than it says applies what it has once more, and finds it there. */
export async function writeCheckpoint(
  files: FileSystem,
  { unplaced: left, moved, ...told }: Omit<Checkpoint, 'moved'> & Partial<Checkpoint>,
): Promise<void> {
  const more = { ...(left.length === 0 ? {} : { unplaced: left }), ...(moved === undefined || moved.length === 0 ? {} : { moved }) };
  const line = Buffer.from(`${JSON.stringify({ format: 1, ...told, ...more })}\n`);
  const size = files.stat(CHECKPOINT_PATH)?.size ?? 0;
  if (size > 0 && size + line.length < MAX_BYTES) {
    const file = files.append(CHECKPOINT_PATH);
    try {
      // What a crash has torn before it stays a line of its own.
      writeAll(file, Buffer.concat([Buffer.from('\n'), line]));
    } finally {
      file.close();
    }
    return;
  }
  const draft = `${CHECKPOINT_PATH}.part`;
  removeIfThere(files, draft);
  await writeNewFile(files, { path: draft, bytes: line, like: null, isSynced: false });
  files.rename(draft, CHECKPOINT_PATH);
}

/** The folder follows nothing from now on. */
export function clearCheckpoint(files: FileSystem): void {
  removeIfThere(files, CHECKPOINT_PATH);
}
