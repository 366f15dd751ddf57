import { lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
import { readSmallFile } from '../../small-file.ts';

/** Activity of git in a vault, as far as git's own files show it. */
export interface GitActivity {
  /** Whether the vault is in a repository. */
  readonly hasRepository: boolean;
  /** Returns whether git was active around a time in milliseconds, or is now. */
  wasActiveAround(time: number): boolean;
  /** Returns whether git moved `HEAD` since shortly before a time in milliseconds, or is about to. */
  hasMovedSince(time: number): boolean;
  /**
   * Waits while git changes files, but not for a stale lock. Returns whether it waited, or `HEAD` moved since the last call; cached file
   * states are invalid then. Throws `LOCK_TIMEOUT` after `patience` milliseconds.
   */
  waitUntilDone(patience: number, signal?: AbortSignal): Promise<boolean>;
  /** Returns whether git is changing files right now, so that their present state is not final. */
  isActive(): boolean;
}

/** Age after which a lock of git counts as stale. */
const LOCK_AGE_MS = 10_000;
const POLL_MS = 25;
/** Between searches of the folders above for a repository. */
const SEEK_MS = 1_000;

/** Files that git writes when it changes branches, commits, resets, stashes or merges. */
const TRACES = ['HEAD', 'index', 'ORIG_HEAD', 'logs/HEAD', 'MERGE_HEAD'];
/** Those of them that show a change of commit or branch. */
const MOVES = ['HEAD', 'ORIG_HEAD', 'logs/HEAD'];
/** Files that exist while git is in the middle of something. */
const UNFINISHED = ['index.lock', 'HEAD.lock', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'MERGE_HEAD'];
/** Longest time between the first file of a checkout and its last trace. */
const MAX_CHECKOUT_MS = 15_000;

/** A `.git` file has one line. */
const MAX_GIT_FILE_BYTES = 4096;

/** Creates the observer of the repository that contains the folder, if any. `now`: the clock of the file system, in milliseconds. */
export function createGitActivity(root: string, now: () => number = Date.now): GitActivity {
  let known: string | null = null;
  let soughtAt = Number.NEGATIVE_INFINITY;
  /** A repository may be created while the vault is served: in its folder at any time, around it rarely. */
  const folder = (): string | null => {
    if (known !== null || (performance.now() - soughtAt < SEEK_MS && stateOf(`${root}/.git`) === null)) return known;
    soughtAt = performance.now();
    return (known = findGitFolder(root));
  };
  const stateIn = (name: string, at = folder()): Stats | null => (at === null ? null : stateOf(`${at}/${name}`));
  const isAtWork = (at = folder()): boolean => {
    const locked = stateIn('index.lock', at)?.mtimeMs;
    // A lock from the future is not current either: a folder may come with any times.
    return locked !== undefined && Math.abs(now() - locked) < LOCK_AGE_MS;
  };
  const isUnfinished = (): boolean => UNFINISHED.some((name) => stateIn(name) !== null);
  const headState = (at = folder()): string => {
    const state = stateIn('HEAD', at);
    return `${state?.ino} ${state?.mtimeMs}`;
  };
  let head = headState();

  return {
    get hasRepository() {
      return folder() !== null;
    },
    isActive: () => isAtWork(),
    async waitUntilDone(patience, signal) {
      const end = now() + patience;
      let hasWaited = false;
      const at = folder();
      while (isAtWork(at)) {
        if (now() >= end) {
          const text = 'git has been changing files of this vault for a while; try again when it is done.';
          throw new RouxError('LOCK_TIMEOUT', text, { timeout_ms: patience }, { retryable: true });
        }
        hasWaited = true;
        await setTimeout(POLL_MS, undefined, signal === undefined ? {} : { signal });
      }
      const before = head;
      head = headState(at);
      return hasWaited || head !== before;
    },
    hasMovedSince: (time) => isUnfinished() || MOVES.some((name) => (stateIn(name)?.mtimeMs ?? 0) > time - MAX_CHECKOUT_MS),
    wasActiveAround: (time) =>
      isUnfinished() ||
      TRACES.some((name) => {
        const traced = stateIn(name)?.mtimeMs;
        return traced !== undefined && Math.abs(traced - time) < MAX_CHECKOUT_MS;
      }),
  };
}

/** Finds the folder with `HEAD` and `index`, from here upward. In a worktree `.git` is a file that names it. */
function findGitFolder(root: string): string | null {
  for (let folder = root; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    const path = `${folder}/.git`;
    const state = stateOf(path);
    if (state?.isDirectory() === true) return path;
    if (state?.isFile() === true) return findNamedFolder(folder, path);
    if (folder === '' || !folder.includes('/')) return null;
  }
}

/** Returns the folder that a `.git` file names, if it is a git folder; null for anything else, as anybody may have written the file. */
function findNamedFolder(folder: string, path: string): string | null {
  const file = readSmallFile(path, { mostBytes: MAX_GIT_FILE_BYTES });
  const named = file.kind === 'text' ? /^gitdir: (.+)$/m.exec(file.text)?.[1]?.trim() : undefined;
  // Accessing a network path would reveal this user to its owner.
  if (named === undefined || /^[/\\]{2}/.test(named)) return null;
  const place = isAbsolute(named) ? named : `${folder}/${named}`;
  return stateOf(place)?.isDirectory() === true && stateOf(`${place}/HEAD`)?.isFile() === true ? place : null;
}

/** Returns the state of one of git's files, which may be outside of the vault; null when missing or not accessible. */
function stateOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // Git's files are only hints; the watcher reports changes anyway.
    return null;
  }
}
