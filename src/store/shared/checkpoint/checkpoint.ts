import * as z from 'zod';
import type { FileSystem } from '../../folder/file-system.ts';
import { readAllowed } from '../../folder/system-error.ts';
import { removeIfThere, writeAll, writeNewFile } from '../../folder/write-file.ts';
import type { BlockedChange } from '../incoming/blocked-change.ts';

/** The commit that a working copy is at. It is in the folder itself, so that a folder restored from a backup has the checkpoint of that time. */
export interface Checkpoint {
  /** The id of the shared vault whose files these are. */
  readonly vault: string;
  /** The number of the last commit whose files are in the folder. */
  readonly seq: number;
  /** The id of that commit: in a store that was restored to an earlier moment, the same number may be another commit. Null if unknown. */
  readonly batch: string | null;
  /** The id of the commit that local changes are about to become; null if none. If the store has it, its files are in the folder. */
  readonly pushing: string | null;
  /** The id of the working copy. A checkpoint of another copy, brought by a sync service or with a copied folder, is wrong for these files. */
  readonly copy: string;
  /** The blocked changes up to that commit. */
  readonly unplaced: readonly BlockedChange[];
  /** Local moves that are not pushed yet. A moved file that was merged cannot be recognised by its content any more. */
  readonly moved: readonly LocalMove[];
}

/** A file that was moved here, and is still at `from` in the store. */
export interface LocalMove {
  readonly from: string;
  readonly to: string;
}

/** A line for each checkpoint, of which the last complete one counts: appending takes one call, and the file is never without a checkpoint. */
export const CHECKPOINT_PATH = '.roux/shared.jsonl';
const MAX_BYTES = 64 * 1024;
/** More than the largest number of blocked changes with the longest names takes. */
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

/** Reads the checkpoint of a folder; null for one that follows no vault, or whose checkpoint cannot be read. */
export function readCheckpoint(files: Pick<FileSystem, 'read' | 'stat'>): Checkpoint | null {
  const text = readAllowed(files, CHECKPOINT_PATH, { length: MAX_READ_BYTES })?.bytes.toString('utf8') ?? '';
  // A last line without a line end is incomplete.
  for (const line of text.split('\n').slice(0, -1).toReversed()) {
    const read = parseLine(line);
    if (read !== null) return read;
  }
  return null;
}

function parseLine(line: string): Checkpoint | null {
  try {
    const { format: _, ...read } = checkpointSchema.parse(JSON.parse(line));
    return read;
  } catch {
    return null;
  }
}

/** Whether a checkpoint is of this copy of a vault. `''` is a copy without an id. */
export function belongsToCopy(mark: Pick<Checkpoint, 'vault' | 'copy'>, { vault, copy }: Pick<Checkpoint, 'vault' | 'copy'>): boolean {
  return mark.vault === vault && (mark.copy === copy || mark.copy === '' || copy === '');
}

/** The warning about a checkpoint of another copy. */
export const FOREIGN_CHECKPOINT =
  'Another working copy of this vault was laid over this folder (.roux/shared.jsonl is its mark), by a sync service or a backup: what differs from the store is kept beside it, as nobody can tell which is newer. Let only one of both look after the folder.';

/** Writes a checkpoint, completely or not at all. It is not synced: commits after an older checkpoint are applied again, without effect. */
export async function writeCheckpoint(
  files: FileSystem,
  { unplaced, moved, ...rest }: Omit<Checkpoint, 'moved'> & Partial<Checkpoint>,
): Promise<void> {
  const more = { ...(unplaced.length === 0 ? {} : { unplaced }), ...(moved === undefined || moved.length === 0 ? {} : { moved }) };
  const line = Buffer.from(`${JSON.stringify({ format: 1, ...rest, ...more })}\n`);
  const size = files.stat(CHECKPOINT_PATH)?.size ?? 0;
  if (size > 0 && size + line.length < MAX_BYTES) {
    const file = files.append(CHECKPOINT_PATH);
    try {
      // Ends an incomplete line that a crash left.
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

/** Removes the checkpoint: the folder follows no vault any more. */
export function clearCheckpoint(files: FileSystem): void {
  removeIfThere(files, CHECKPOINT_PATH);
}
