import { removeIfThere } from '../disk/atomic.ts';
import type { LateFile } from './commit.ts';
import { conflictWarning, keepConflictCopy } from './conflict-copy.ts';
import { hashOf } from './content.ts';
import type { WriteGround } from './ground.ts';

/** Looks at displaced files a moment after a write: what an editor wrote into one since then becomes a conflict copy. Returns the copies. */
export async function keepLateTexts(ground: WriteGround, late: readonly LateFile[]): Promise<readonly string[]> {
  const copies: string[] = [];
  for (const { file, hash, path } of late) {
    const bytes = await ground.files.read(file);
    if (bytes === null || hashOf(bytes) === hash) continue;
    const standing = await ground.files.read(`${ground.root}/${path}`);
    if (bytes.length > 0 && (standing === null || !standing.equals(bytes))) {
      const copy = await keepConflictCopy(ground, { source: file, path });
      copies.push(copy);
      ground.ports.log.warn(conflictWarning(path, copy));
    }
    // Its name says that it holds something else.
    await removeIfThere(ground.files, file);
  }
  return copies;
}
