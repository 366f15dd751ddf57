import * as z from 'zod';
import type { FileSystem } from '../folder/file-system.ts';
import { readAllowed } from '../folder/read-allowed.ts';
import { removeIfThere, writeNewFile } from '../folder/write-file.ts';

/** Where a working copy stands: beside the notes, so that a folder that is restored from a backup stands where it stood then. */
export interface Standing {
  /** The id of the shared vault whose files these are. */
  readonly vault: string;
  /** The number of the last commit whose files are in the folder. */
  readonly seq: number;
  /** The id of that commit, by which it is told from another one of its number in a store that was restored to an earlier moment; null: not known. */
  readonly batch: string | null;
}

const FILE = '.roux/shared.json';
const MOST_BYTES = 4096;
const standing = z.object({
  format: z.literal(1),
  vault: z.string().min(1),
  seq: z.int().min(0),
  batch: z.string().nullable().default(null),
});

/** Where a folder stands; null for one that follows nothing, or whose mark cannot be read. */
export function readStanding(files: Pick<FileSystem, 'read' | 'stat'>): Standing | null {
  const bytes = readAllowed(files, FILE, { length: MOST_BYTES })?.bytes;
  if (bytes === undefined) return null;
  try {
    const read = standing.safeParse(JSON.parse(bytes.toString('utf8')));
    return read.success ? { vault: read.data.vault, seq: read.data.seq, batch: read.data.batch } : null;
  } catch {
    return null;
  }
}

/** Notes it, whole or not at all. Not synced: a copy that stands further than it says applies what it has once more, and finds it there. */
export async function writeStanding(files: FileSystem, { vault, seq, batch }: Standing): Promise<void> {
  const draft = `${FILE}.part`;
  removeIfThere(files, draft);
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, vault, seq, batch })}\n`);
  await writeNewFile(files, { path: draft, bytes, like: null, isSynced: false });
  files.rename(draft, FILE);
}

/** The folder follows nothing from now on. */
export function clearStanding(files: FileSystem): void {
  removeIfThere(files, FILE);
}
