import { systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import type { Ports } from '../../ports.ts';
import { forEachConcurrent } from '../for-each-concurrent.ts';
import type { FileSystem, HeldFileSystem } from '../folder/file-system.ts';
import type { Records } from '../records/records.ts';
import type { Journal } from './journal.ts';
import type { HeldLock } from './lock/held-lock.ts';

/** The context of a transaction that holds the writer lock. Paths are vault-relative. */
export interface UnderLock {
  readonly files: HeldFileSystem;
  readonly journal: Journal;
  readonly records: Records;
  readonly ports: Ports;
  readonly lock: Pick<HeldLock, 'check'>;
  readonly reapply: Reapply;
  /** False with `durability: relaxed`: a power loss may lose the last seconds of writes. */
  readonly isSynced: boolean;
}

/**
 * Applies the changes of a step to newer bytes of its file. Returns null when they change nothing there. Throws when they must not be applied
 * to this text. `isRepeat`: after a crash, when the changes may have been applied already.
 */
export type Reapply = (request: {
  readonly path: string;
  readonly bytes: Buffer;
  /** The changes of the step, as JSON. */
  readonly changes: readonly unknown[];
  readonly isRepeat: boolean;
}) => Uint8Array | null;

/** Syncs the folders of these paths, each once and concurrently. */
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
      // A folder that was removed has no names to sync.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  });
}
