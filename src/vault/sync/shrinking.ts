import type { FileReader } from '../../store/folder/file-system.ts';

/** Within so many milliseconds vanished notes are counted together. */
const WINDOW_MS = 10_000;
/** Below so many notes nothing is made of it when half of them go. */
const SMALL_VAULT = 10;

/** Whether a vault lost more than half of its notes at once, as by a lost mount or a half-done sync. */
export interface Shrinking {
  readonly isShrunk: boolean;
  /** These of the notes there are go. */
  lose(paths: readonly string[], size: number): void;
  /** These were removed or moved by roux: a comparison in the middle of a write, or just after it, sees them go like any others. */
  excuse(paths: readonly string[]): void;
  /** So many there are now: enough of them back, and the alarm is over. */
  end(size: number): void;
}

/** `isMeant`: whether somebody meant what happened since this time: then it is no loss. */
export function openShrinking(files: Pick<FileReader, 'now'>, isMeant: (since: number) => boolean): Shrinking {
  let since = 0;
  let largest = 0;
  const vanished = new Set<string>();
  const excused = new Set<string>();
  let excusedAt = 0;
  let isShrunk = false;
  return {
    get isShrunk() {
      if (isShrunk && isMeant(since)) {
        isShrunk = false;
        // What is there now is what the next loss is measured by.
        since = 0;
      }
      return isShrunk;
    },
    lose(gone, size) {
      if (files.now() - excusedAt > WINDOW_MS) excused.clear();
      const paths = gone.filter((path) => !excused.delete(path));
      if (isShrunk || paths.length === 0) return;
      if (files.now() - since > WINDOW_MS) {
        largest = size;
        vanished.clear();
      }
      since = files.now();
      for (const path of paths) vanished.add(path);
      isShrunk = largest >= SMALL_VAULT && vanished.size * 2 > largest && (size - paths.length) * 2 < largest;
    },
    excuse(paths) {
      if (files.now() - excusedAt > WINDOW_MS) excused.clear();
      excusedAt = files.now();
      for (const path of paths) {
        if (vanished.delete(path)) largest -= 1;
        else excused.add(path);
      }
      if (isShrunk) isShrunk = largest >= SMALL_VAULT && vanished.size * 2 > largest;
    },
    end(size) {
      if (isShrunk) isShrunk = size * 2 < largest;
    },
  };
}
