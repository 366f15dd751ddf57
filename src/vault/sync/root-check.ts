import { systemCode } from '../../errors.ts';
import { isIgnoredName } from '../../note/path.ts';
import type { FileState, FileSystem, RootFileSystem } from '../../store/folder/file-system.ts';

/** Checks whether the folder of a vault is the one that was opened: it may be unmounted, replaced and mounted again (F51). */
export interface RootCheck {
  /** Checks now. `back`: it was missing, or was replaced by another one with files, so all earlier state is invalid. */
  look(): 'there' | 'gone' | 'back';
}

/** Notified when the folder disappears and reappears. */
export interface RootListener {
  onGone(): void;
  onBack(): void;
}

/** Creates the check of a folder that exists. */
export function openRootCheck(files: RootFileSystem, listener: RootListener): RootCheck {
  let isGone = false;
  /** The state of the folder when it was last verified; usually comparing it suffices. */
  let known: FileState | null = null;
  return {
    look() {
      const wasGone = isGone;
      const now = files.hint('');
      if (!wasGone && isOneFolder(known, now)) return 'there';
      isGone = !isThere(files);
      known = !isGone && isOneFolder(now, files.hint('')) ? now : null;
      // A bare mount point is empty; a folder with files is there to be served.
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
