import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
import { readSmallFile } from '../../small-file.ts';

/** What git does to a vault, as far as its own files tell. */
export interface GitActivity {
  /** The vault is in a repository. */
  readonly isThere: boolean;
  /** Whether git was at work around a time in milliseconds, or is now. */
  wasAround(time: number): boolean;
  /** Whether git has moved `HEAD` since a time in milliseconds, shortly before it, or is about to. */
  hasMovedSince(time: number): boolean;
  /**
   * Waits while git changes files, but not for a lock that was left behind. Whether it waited, or `HEAD` moved since it was last asked:
   * nothing that was known of the files holds then. Throws `LOCK_TIMEOUT` when git is still at it after so many milliseconds.
   */
  waitUntilDone(patience: number, signal?: AbortSignal): Promise<boolean>;
  /** Git is changing files at this moment: what it has done so far is no state that anybody meant. */
  isAtWork(): boolean;
}

/** Git removes its lock when it is done; one older than this in milliseconds was left behind. */
const LOCK_AGE_MS = 10_000;
const LOOK_AGAIN_MS = 25;

/** Files that git writes when it changes branches, commits, resets, stashes or merges. */
const TRACES = ['HEAD', 'index', 'ORIG_HEAD', 'logs/HEAD', 'MERGE_HEAD'];
/** Those of them that tell of another commit or branch, not of a mere look. */
const MOVES = ['HEAD', 'ORIG_HEAD', 'logs/HEAD'];
/** What is there while git is not done. */
const UNFINISHED = ['index.lock', 'HEAD.lock', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'MERGE_HEAD'];
/** A checkout of many files takes this long at most between its first file and its last trace. */
const WITHIN_MS = 15_000;

/** The git of the repository that the folder is in, or of none. `now`: the clock that stamps files. */
export function openGitActivity(root: string, now: () => number = Date.now): GitActivity {
  let known: string | null = null;
  // A vault may become a repository while it is served.
  const folder = (): string | null => (known ??= findGitFolder(root));
  const stateIn = (name: string): Stats | null => {
    const at = folder();
    return at === null ? null : stateOf(`${at}/${name}`);
  };
  const isAtWork = (): boolean => {
    const locked = stateIn('index.lock')?.mtimeMs;
    // One from the future is as little of this moment: a folder may be brought along with any times.
    return locked !== undefined && Math.abs(now() - locked) < LOCK_AGE_MS;
  };
  const isUnfinished = (): boolean => UNFINISHED.some((name) => stateIn(name) !== null);
  const headState = (): string => {
    const state = stateIn('HEAD');
    return `${state?.ino} ${state?.mtimeMs}`;
  };
  let head = headState();

  return {
    get isThere() {
      return folder() !== null;
    },
    isAtWork,
    async waitUntilDone(patience, signal) {
      const end = now() + patience;
      let hasWaited = false;
      while (isAtWork()) {
        if (now() >= end) {
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
    hasMovedSince: (time) => isUnfinished() || MOVES.some((name) => (stateIn(name)?.mtimeMs ?? 0) > time - WITHIN_MS),
    wasAround: (time) =>
      isUnfinished() ||
      TRACES.some((name) => {
        const traced = stateIn(name)?.mtimeMs;
        return traced !== undefined && Math.abs(traced - time) < WITHIN_MS;
      }),
  };
}

/** The folder with `HEAD` and `index`, from here upward; in a worktree `.git` is a file that names it. */
function findGitFolder(root: string): string | null {
  for (let folder = root; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    const path = `${folder}/.git`;
    const state = stateOf(path);
    if (state?.isDirectory() === true) return path;
    if (state?.isFile() === true) return findNamedFolder(folder, path);
    if (folder === '' || !folder.includes('/')) return null;
  }
}

/** The folder that a `.git` file names, where it is one of git's; null for anything else that a stranger may have written there. */
function findNamedFolder(folder: string, path: string): string | null {
  const file = readSmallFile(path, { mostBytes: MAX_BYTES });
  const named = file.kind === 'text' ? /^gitdir: (.+)$/m.exec(file.text)?.[1]?.trim() : undefined;
  // Looking at a name of the network would tell its owner of this user.
  if (named === undefined || /^[/\\]{2}/.test(named)) return null;
  const place = isAbsolute(named) ? named : `${folder}/${named}`;
  return stateOf(place)?.isDirectory() === true && stateOf(`${place}/HEAD`)?.isFile() === true ? place : null;
}

/** The state of a file of git's, which may be outside of the vault; null when it is not there or may not be looked at. */
function stateOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // Git's files are a hint; without them the watcher tells of changes all the same.
    return null;
  }
}

/** A `.git` file holds one line. */
const MAX_BYTES = 4096;
