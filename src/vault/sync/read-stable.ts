import type { Disk } from '../../disk/disk.ts';
import { followLink } from '../../disk/list-folder.ts';
import { RouxError } from '../../errors.ts';
import { toNotePath } from '../../note/path.ts';
import type { NoteOnDisk } from '../vault.ts';
import { noteOf, readBytes } from './read-note.ts';
import type { Sync } from './sync.ts';

/** A file older than this in milliseconds is not in the middle of a save. */
const YOUNG = 1_000;
/** Between two looks at a young file. */
const PAUSE = 20;
/** Looks at a young file before it is taken as it is; an empty one gets more, since saving begins with emptying. */
const LOOKS = 12;
const LOOKS_AT_EMPTY = 20;
/** So long after its last change a file whose bytes stay the same is whole: within one save the pauses are shorter. */
const SETTLED = 60;

/**
 * One note as it is on disk now, never the instant of a save in place (writes.md, section 1), with the graph brought up to date for it.
 * A file whose bytes are known is taken at once; an unknown young one only when two looks agree.
 */
export function readStable({ disk, root, sync, path }: { disk: Disk; root: string; sync: Sync; path: string }): NoteOnDisk | null {
  const notePath = toNotePath(path);
  if (notePath === null) return null;
  const known = sync.inventory.note(path);
  const absolute = `${root}/${path}`;
  let previous = '';
  for (let look = 1; ; look++) {
    const place = findPlace(disk, root, path);
    const reading = place === null ? ({ kind: 'gone' } as const) : readBytes(disk, absolute, { isLink: place === 'link', isStable: true });
    if (reading.kind === 'unreadable') {
      throw new RouxError('IO_ERROR', `${path} cannot be read: ${reading.reason}. Check its permissions.`, { path });
    }
    if (reading.kind === 'gone') {
      // A rename over the old name leaves no gap; deleting and creating anew does.
      if (known !== null && look === 1) {
        pause();
        continue;
      }
      if (known !== null) sync.look([path]);
      return null;
    }
    if (reading.kind === 'torn') {
      if (look >= LOOKS_AT_EMPTY)
        throw new RouxError('IO_ERROR', `${path} keeps changing while it is read; try again.`, { path }, { retryable: true });
      pause();
      continue;
    }
    const { bytes, stat, hash } = reading;
    const age = disk.now() - Number(stat.mtimeNs / 1_000_000n);
    // What the sync read a moment ago may itself be half of a save, unless roux wrote it.
    const isKnown = hash === known?.hash && (!sync.racy.has(path) || sync.isOwn(path, hash));
    const isEmptied = stat.size === 0 && (known === null || known.stamp.size > 0);
    const isSettled =
      isKnown || age > YOUNG || (isEmptied ? look >= LOOKS_AT_EMPTY : (hash === previous && age >= SETTLED) || look >= LOOKS);
    if (!isSettled) {
      previous = hash;
      pause();
      continue;
    }
    const note = noteOf(notePath, bytes, { forIndex: false });
    if (hash !== known?.hash) sync.look([path]);
    const { rev } = note.frontmatter.data;
    const modifiedMs = Number(stat.mtimeNs / 1_000_000n);
    return {
      note,
      hash,
      rev: typeof rev === 'number' && Number.isInteger(rev) && rev >= 1 ? rev : null,
      // Some file systems keep no birth time.
      createdMs: stat.birthtimeMs > 0 ? Math.min(stat.birthtimeMs, modifiedMs) : modifiedMs,
      modifiedMs,
    };
  }
}

/** Whether the name is a file of the vault, reached through no linked folder, or a link to one. */
function findPlace(disk: Disk, root: string, path: string): 'file' | 'link' | null {
  const absolute = `${root}/${path}`;
  const stat = disk.stat(absolute);
  if (stat === null) return null;
  if (stat.kind === 'link') return followLink(disk, root, absolute).kind === 'file' ? 'link' : null;
  return stat.kind === 'file' && disk.realPath(absolute) === absolute ? 'file' : null;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function pause(): void {
  Atomics.wait(sleeper, 0, 0, PAUSE);
}
