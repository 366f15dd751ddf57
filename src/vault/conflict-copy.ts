import { systemCode } from '../errors.ts';
import { linkOrCopy } from '../disk/atomic.ts';
import type { WriteGround } from './ground.ts';
import { absolute, syncFoldersOf } from './ground.ts';

/** Keeps a text that a person saved while roux wrote, beside the note, and returns its path. `source`: absolute path of the file that holds it. */
export async function keepConflictCopy(ground: WriteGround, kept: { source: string; path: string }): Promise<string> {
  const time = new Date(ground.ports.clock.now()).toISOString();
  const stamp = `${time.slice(0, 10).replaceAll('-', '')}-${time.slice(11, 19).replaceAll(':', '')}`;
  const dot = kept.path.lastIndexOf('.');
  const [stem, extension] = dot > kept.path.lastIndexOf('/') + 1 ? [kept.path.slice(0, dot), kept.path.slice(dot)] : [kept.path, ''];
  for (let count = 1; ; count++) {
    const path = `${stem}.sync-conflict-${stamp}${count === 1 ? '' : `-${count}`}${extension}`;
    try {
      await linkOrCopy(ground.files, { from: kept.source, to: absolute(ground, path), isSynced: ground.isSynced });
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue;
      throw error;
    }
    await syncFoldersOf(ground, [path]);
    return path;
  }
}

/** What the caller is told of a conflict copy. */
export function conflictWarning(path: string, copy: string): string {
  return `${path} was saved by somebody else while roux wrote it; that text is kept as ${copy}.`;
}
