import { systemCode } from '../errors.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Journal } from '../disk/journal.ts';
import type { HeldLock } from '../disk/lock.ts';
import type { Ports } from '../ports.ts';

/** What a transaction runs on: the disk, the journal, the lock that is held. */
export interface WriteGround {
  readonly files: FileSystem;
  readonly root: string;
  readonly journal: Journal;
  readonly ports: Ports;
  readonly lock: Pick<HeldLock, 'check'>;
  /** False with `durability: relaxed`: a power loss may take the last seconds of writing. */
  readonly isSynced: boolean;
}

/** The absolute path of a vault-relative one. */
export function absolute(ground: Pick<WriteGround, 'root'>, path: string): string {
  return `${ground.root}/${path}`;
}

/** Syncs the folders of these vault-relative paths, each once, side by side. */
export async function syncFoldersOf(ground: WriteGround, paths: Iterable<string>): Promise<void> {
  if (!ground.isSynced) return;
  const folders = new Set<string>();
  for (const path of paths) folders.add(path.includes('/') ? absolute(ground, path.slice(0, path.lastIndexOf('/'))) : ground.root);
  await eachOf([...folders], async (folder) => {
    try {
      await ground.files.syncFolder(folder);
    } catch (error) {
      // A folder that somebody removed keeps no names.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  });
}

/** Runs a task for each value, at most sixteen at once; waits for all that started before it fails. */
export async function eachOf<T>(values: readonly T[], task: (value: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const runner = async (): Promise<void> => {
    while (next < values.length && failures.length === 0) {
      const index = next++;
      try {
        await task(values[index] as T, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(16, values.length) }, runner));
  if (failures.length > 0) throw failures[0];
}
