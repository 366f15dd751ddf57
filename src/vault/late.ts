import { removeIfThere } from '../disk/atomic.ts';
import { errorMessage } from '../errors.ts';
import { conflictWarning, keepConflictCopy } from './conflict-copy.ts';
import { hashOf } from './content.ts';
import type { WriteGround } from './ground.ts';

/** A displaced file as it is kept for undo, and what it held then. */
export interface LateFile {
  readonly file: string;
  readonly hash: string;
  /** The note that took its place. */
  readonly path: string;
}

/** Second looks at displaced files: an editor may have had one open and written into it after the transaction. */
export interface LateLooks {
  after(ground: WriteGround, files: readonly LateFile[]): void;
  /** Takes the looks that are still to come. */
  close(): Promise<void>;
}

const LATE_LOOK_MS = 2_000;

/** Looks two seconds after each write; `onCopies` learns of the conflict copies that were made. */
export function openLateLooks(onCopies: (paths: readonly string[]) => void): LateLooks {
  const pending = new Map<NodeJS.Timeout, () => Promise<void>>();
  return {
    after(ground, files) {
      if (files.length === 0) return;
      const look = async (): Promise<void> => {
        pending.delete(timer);
        try {
          const copies = await keepLateTexts(ground, files);
          if (copies.length > 0) onCopies(copies);
        } catch (error) {
          ground.ports.log.error(`Looking at displaced files failed: ${errorMessage(error)}`);
        }
      };
      const timer = setTimeout(() => void look(), LATE_LOOK_MS);
      timer.unref();
      pending.set(timer, look);
    },
    async close() {
      for (const [timer, look] of pending) {
        clearTimeout(timer);
        await look();
      }
    },
  };
}

/** What an editor wrote into a displaced file since then becomes a conflict copy. Returns the copies. */
async function keepLateTexts(ground: WriteGround, late: readonly LateFile[]): Promise<readonly string[]> {
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
