import { setTimeout } from 'node:timers/promises';
import type { Disk } from '../disk/disk.ts';
import { RouxError } from '../errors.ts';

/** What git does to a vault, as far as its own files tell. */
export interface GitActivity {
  /** The vault is in a repository. */
  readonly isThere: boolean;
  /** Whether git was at work around a time in milliseconds, or is now. */
  wasAround(time: number): boolean;
  /**
   * Waits while git changes files, but not for a lock that was left behind. Whether it waited, or `HEAD` moved since it was last asked:
   * nothing that was known of the files holds then. Throws `LOCK_TIMEOUT` when git is still at it after so many milliseconds.
   */
  settle(patience: number, signal?: AbortSignal): Promise<boolean>;
}

/** Git removes its lock when it is done; one older than this in milliseconds was left behind. */
const LOCK_AGE_MS = 10_000;
const LOOK_AGAIN_MS = 25;

/** Files that git writes when it changes branches, commits, resets, stashes or merges. */
const TRACES = ['HEAD', 'index', 'ORIG_HEAD', 'logs/HEAD', 'MERGE_HEAD'];
/** What is there while git is not done. */
const UNFINISHED = ['index.lock', 'HEAD.lock', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'MERGE_HEAD'];
/** A checkout of many files takes this long at most between its first file and its last trace. */
const WITHIN_MS = 15_000;

/** The git of the repository that the folder is in, or of none. */
export function openGitActivity(disk: Disk, root: string): GitActivity {
  const folder = findGitFolder(disk, root);
  if (folder === null) return { isThere: false, wasAround: () => false, settle: () => Promise.resolve(false) };

  const isLocked = (): boolean => {
    const lock = disk.stat(`${folder}/index.lock`);
    return lock !== null && disk.now() - Number(lock.mtimeNs / 1_000_000n) < LOCK_AGE_MS;
  };
  const headState = (): string => {
    const stat = disk.stat(`${folder}/HEAD`);
    return `${stat?.ino} ${stat?.mtimeNs}`;
  };
  let head = headState();

  return {
    isThere: true,
    async settle(patience, signal) {
      const end = disk.now() + patience;
      let hasWaited = false;
      while (isLocked()) {
        if (disk.now() >= end) {
          const text = 'git has been changing files of this vault for a while; try again when it is done.';
          throw new RouxError('LOCK_TIMEOUT', text, { timeout_ms: patience }, { retryable: true });
        }
        hasWaited = true;
        await setTimeout(LOOK_AGAIN_MS, undefined, signal === undefined ? {} : { signal });
      }
      const before = head;
      head = headState();
      return hasWaited || head !== before;
    },
    wasAround: (time) =>
      UNFINISHED.some((name) => disk.stat(`${folder}/${name}`) !== null) ||
      TRACES.some((name) => {
        const stat = disk.stat(`${folder}/${name}`);
        return stat !== null && Math.abs(Number(stat.mtimeNs / 1_000_000n) - time) < WITHIN_MS;
      }),
  };
}

/** The folder with `HEAD` and `index`, from here upward; in a worktree `.git` is a file that names it. */
function findGitFolder(disk: Disk, root: string): string | null {
  for (let folder = root; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    const path = `${folder}/.git`;
    const kind = disk.stat(path)?.kind;
    if (kind === 'folder') return path;
    if (kind === 'file') {
      const named = /^gitdir: (.+)$/m.exec(disk.read(path, { limit: 4096 })?.bytes.toString('utf8') ?? '')?.[1]?.trim();
      if (named !== undefined) return named.startsWith('/') ? named : `${folder}/${named}`;
    }
    if (folder === '' || !folder.includes('/')) return null;
  }
}
