import { systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import type { Ports } from '../../ports.ts';
import { forEachConcurrent } from '../for-each-concurrent.ts';
import type { FileSystem, HeldFileSystem } from '../folder/file-system.ts';
import type { Records } from '../records/records.ts';
import type { Journal } from './journal.ts';
import type { HeldLock } from './lock/lock.ts';

/** What a transaction has while it holds the writer lock. Paths are vault-relative. */
export interface UnderLock {
  readonly files: HeldFileSystem;
  readonly journal: Journal;
  readonly records: Records;
  readonly ports: Ports;
  readonly lock: Pick<HeldLock, 'check'>;
  readonly reapply: Reapply;
  /** False with `durability: relaxed`: a power loss may take the last seconds of writing. */
  readonly isSynced: boolean;
}

/**
 * Makes the changes of a step again on newer bytes of its file; null when they change nothing there. Throws where they must
 * not be made on this text. `isRepeat`: a crash came in between, so that a change may have been made once already.
 */
export type Reapply = (request: {
  readonly path: string;
  readonly bytes: Buffer;
  /** As the step carries them, JSON. */
  readonly changes: readonly unknown[];
  readonly isRepeat: boolean;
}) => Uint8Array | null;

/** Syncs the folders of these paths, each once, side by side. */
export async function syncFoldersOf(
  under: Pick<UnderLock, 'isSynced'> & { readonly files: FileSystem },
  paths: Iterable<string>,
): Promise<void> {
  if (!under.isSynced) return;
  const folders = new Set<string>();
  for (const path of paths) folders.add(folderOf(path));
  await forEachConcurrent([...folders], async (folder) => {
    try {
      await under.files.syncFolder(folder);
    } catch (error) {
      // A folder that somebody removed keeps no names.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  });
}
