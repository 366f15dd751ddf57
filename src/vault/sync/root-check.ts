import { systemCode } from '../../errors.ts';
import { isIgnoredName } from '../../note/path.ts';
import type { FileState, FileSystem } from '../../store/folder/file-system.ts';

/** Whether the folder of a vault is the one that was opened: it may be unmounted, replaced, and mounted again (F51). */
export interface RootCheck {
  /** Looks now. `back`: it was gone, or another one that holds files has taken its place; nothing that was known holds. */
  look(): 'there' | 'gone' | 'back';
}

/** Who is told when the folder goes and comes, whoever looked. */
export interface RootListener {
  onGone(): void;
  onBack(): void;
}

/** A check of a folder that is there. */
export function openRootCheck(files: FileSystem, listener: RootListener): RootCheck {
  let isGone = false;
  /** The folder by its bare name, as it was when it was found to be the one; most looks need no more. */
  let known: FileState | null = null;
  return {
    look() {
      const wasGone = isGone;
      const now = files.hint('');
      if (!wasGone && isOneFolder(known, now)) return 'there';
      isGone = !isThere(files);
      known = !isGone && isOneFolder(now, files.hint('')) ? now : null;
      // A bare mount point holds nothing; whatever holds files was put there to be served.
      const isAdopted = isGone && files.adopt((names) => names.some(({ name }) => !isIgnoredName(name)));
      if (isAdopted) isGone = false;
      if (isGone) {
        if (!wasGone) listener.onGone();
        return 'gone';
      }
      if (!wasGone && !isAdopted) return 'there';
      listener.onBack();
      return 'back';
    },
  };
}

function isOneFolder(a: FileState | null, b: FileState | null): boolean {
  return a !== null && b !== null && a.ino === b.ino && a.dev === b.dev;
}

function isThere(files: FileSystem): boolean {
  try {
    files.stat('');
    return true;
  } catch (error) {
    if (systemCode(error) === 'ESTALE') return false;
    throw error;
  }
}
