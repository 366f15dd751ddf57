import * as z from 'zod';
import type { FileSystem } from '../../folder/file-system.ts';
import { readAllowed } from '../../folder/read-allowed.ts';
import { removeIfThere, writeAll, writeNewFile } from '../../folder/write-file.ts';

/** Where a working copy stands: beside the notes, so that a folder that is restored from a backup stands where it stood then. */
export interface Standing {
  /** The id of the shared vault whose files these are. */
  readonly vault: string;
  /** The number of the last commit whose files are in the folder. */
  readonly seq: number;
  /** The id of that commit, by which it is told from another one of its number in a store that was restored to an earlier moment; null: not known. */
  readonly batch: string | null;
  /** The id of a commit that is about to be made of what people edited here; null: of none. If it happened, its files are in the folder. */
  readonly pushing: string | null;
}

/** A line for each time, of which the last whole one counts: a line more is one call, and no instant is without one. */
export const STANDING = '.roux/shared.jsonl';
const MOST_BYTES = 64 * 1024;
const standing = z.object({
  format: z.literal(1),
  vault: z.string().min(1),
  seq: z.int().min(0),
  batch: z.string().nullable(),
  pushing: z.string().nullable(),
});

/** Where a folder stands; null for one that follows nothing, or whose mark cannot be read. */
export function readStanding(files: Pick<FileSystem, 'read' | 'stat'>): Standing | null {
  const text = readAllowed(files, STANDING, { length: 2 * MOST_BYTES })?.bytes.toString('utf8') ?? '';
  // What follows the last line end was torn.
  for (const line of text.split('\n').slice(0, -1).toReversed()) {
    const read = parseLine(line);
    if (read !== null) return read;
  }
  return null;
}

function parseLine(line: string): Standing | null {
  try {
    const { success, data } = standing.safeParse(JSON.parse(line));
    return success ? { vault: data.vault, seq: data.seq, batch: data.batch, pushing: data.pushing } : null;
  } catch {
    return null;
  }
}

/** Notes it, whole or not at all. Not synced: a copy that stands further than it says applies what it has once more, and finds it there. */
export async function writeStanding(files: FileSystem, { vault, seq, batch, pushing }: Standing): Promise<void> {
  const line = Buffer.from(`${JSON.stringify({ format: 1, vault, seq, batch, pushing })}\n`);
  const size = files.stat(STANDING)?.size ?? 0;
  if (size > 0 && size + line.length <= MOST_BYTES) {
    const file = files.append(STANDING);
    try {
      writeAll(file, line);
    } finally {
      file.close();
    }
    return;
  }
  const draft = `${STANDING}.part`;
  removeIfThere(files, draft);
  await writeNewFile(files, { path: draft, bytes: line, like: null, isSynced: false });
  files.rename(draft, STANDING);
}

/** The folder follows nothing from now on. */
export function clearStanding(files: FileSystem): void {
  removeIfThere(files, STANDING);
}
