import { RouxError, systemCode } from '../errors.ts';
import { linkOrCopy, removeIfThere, writeNewFile } from '../disk/atomic.ts';
import type { WriteGround } from './ground.ts';
import { absolute, syncFoldersOf } from './ground.ts';

/**
 * Keeps a text that a person saved while roux wrote, beside the note, and returns its path.
 * `source`: absolute path of the file that holds it, in a folder of roux. The copy is a file of its own: what is kept for undo
 * under the other name must not change with it, and a file with two names could not be written safely.
 */
export async function keepConflictCopy(ground: WriteGround, kept: { source: string; path: string }): Promise<string> {
  const { files, isSynced } = ground;
  const staged = `${kept.source}.copy`;
  const [bytes, like] = [await files.read(kept.source), await files.stat(kept.source)];
  if (bytes === null || like === null) throw new RouxError('IO_ERROR', `${kept.source} is gone, and with it a text for ${kept.path}.`);
  await removeIfThere(files, staged);
  await writeNewFile(files, { path: staged, bytes, like, isSynced });
  const path = await nameCopy(ground, { staged, path: kept.path });
  await removeIfThere(files, staged);
  await syncFoldersOf(ground, [path]);
  return path;
}

/** Gives the copy the first name for this moment that nobody has. */
async function nameCopy(ground: WriteGround, { staged, path }: { staged: string; path: string }): Promise<string> {
  const time = new Date(ground.ports.clock.now()).toISOString();
  const stamp = `${time.slice(0, 10).replaceAll('-', '')}-${time.slice(11, 19).replaceAll(':', '')}`;
  const dot = path.lastIndexOf('.');
  const [stem, extension] = dot > path.lastIndexOf('/') + 1 ? [path.slice(0, dot), path.slice(dot)] : [path, ''];
  for (let count = 1; ; count++) {
    const name = `${stem}.sync-conflict-${stamp}${count === 1 ? '' : `-${count}`}${extension}`;
    try {
      await linkOrCopy(ground.files, { from: staged, to: absolute(ground, name), isSynced: ground.isSynced });
      return name;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** What the caller is told of a conflict copy. */
export function conflictWarning(path: string, copy: string): string {
  return `${path} was saved by somebody else while roux wrote it; that text is kept as ${copy}.`;
}
