import type { FileReader } from '../../store/folder/file-system.ts';

/** Notes that vanish within this time are counted together. */
const WINDOW_MS = 10_000;
/** Smaller vaults may lose half of their notes without an alarm. */
const MIN_NOTES = 10;

/** Detects that a vault lost more than half of its notes at once, for instance by a lost mount or a partial sync. */
export interface Shrinking {
  readonly isShrunk: boolean;
  /** Records vanished notes, of `size` present ones. */
  lose(paths: readonly string[], size: number): void;
  /** Excludes notes that roux removed or moved, which a comparison during or after the write sees vanish too. */
  excuse(paths: readonly string[]): void;
  /** Ends the alarm if enough notes are back; `size` is their present number. */
  end(size: number): void;
}

/** `isMeant` returns whether somebody intended what happened since a time, so that it is no loss. */
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
        // The present notes are the base for the next loss.
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
      isShrunk = largest >= MIN_NOTES && vanished.size * 2 > largest && (size - paths.length) * 2 < largest;
    },
    excuse(paths) {
      if (files.now() - excusedAt > WINDOW_MS) excused.clear();
      excusedAt = files.now();
      for (const path of paths) {
        if (vanished.delete(path)) largest -= 1;
        else excused.add(path);
      }
      if (isShrunk) isShrunk = largest >= MIN_NOTES && vanished.size * 2 > largest;
    },
    end(size) {
      if (isShrunk) isShrunk = size * 2 < largest;
    },
  };
}
