import { RouxError } from '../../../errors.ts';
import { openCommits } from '../../../git/commits.ts';
import type { GitCommit, GitCommits } from '../../../git/commits.ts';
import { findRepository } from '../../../git/repository.ts';
import { hashOf } from '../../../store/folder/hash.ts';
import { revIn } from '../../plan/note-text.ts';

/** A note in a commit. */
export interface CommittedNote {
  readonly commit: GitCommit;
  readonly path: string;
  readonly bytes: Buffer;
}

/** Returns the paths a note may have in a commit of this time (in milliseconds), most likely first. */
export type PathsAt = (time: number) => readonly string[];

/** Looks up notes in the commits of a vault's repository. */
export interface GitStates {
  /** Returns the note in one commit; null if the commit does not have it. Throws `NODE_NOT_FOUND` if there is no such commit. */
  inCommit(name: string, pathsAt: PathsAt): Promise<CommittedNote | null>;
  /**
   * Returns the note as last committed at `time`, not before `from`. If `hash` is known from the history, prefers a committed note with
   * that hash.
   */
  at(
    wanted: { readonly time: number; readonly from: number; readonly hash: string | null },
    pathsAt: PathsAt,
  ): Promise<CommittedNote | null>;
  /** Returns the note as it was when it got a `rev`. */
  withRev(rev: number, pathsAt: PathsAt): Promise<CommittedNote | null>;
}

/** Commit times are whole seconds; this is the rest of one, in milliseconds. */
const COMMIT_TIME_SLACK_MS = 999;

/**
 * Calls `run` with the commits of the repository that holds the vault; returns null when there is none. Throws `IO_ERROR` when the
 * repository may not be read.
 */
export async function withGitStates<T>(root: string, run: (states: GitStates) => Promise<T>): Promise<T | null> {
  const found = findRepository(root);
  if (found.kind === 'none') return null;
  if (found.kind === 'barred') {
    const why = 'its .git is no plain folder, belongs to somebody else, or leads to another repository';
    throw new RouxError('IO_ERROR', `The git repository of this vault is not read: ${why}.`);
  }
  return await runExclusively(async () => {
    const commits = openCommits(found.git, { vault: root });
    try {
      return await run(createGitStates(commits, found.prefix));
    } finally {
      commits.close();
    }
  });
}

let turn: Promise<unknown> = Promise.resolve();

/** Runs one git process at a time: the cost of one is bounded, that of many at once is not. */
export function runExclusively<T>(work: () => Promise<T>): Promise<T> {
  const next = turn.then(work);
  turn = next.catch(() => undefined);
  return next;
}

function createGitStates(commits: GitCommits, prefix: string): GitStates {
  const findFile = async (commit: GitCommit, paths: readonly string[]): Promise<{ path: string; id: string } | null> => {
    for (const path of paths) {
      const id = await commits.fileIn(commit, prefix + path);
      if (id !== null) return { path, id };
    }
    return null;
  };
  const bytesOf = async (commit: GitCommit, place: { path: string; id: string } | null): Promise<CommittedNote | null> => {
    const bytes = place === null ? null : await commits.bytes(place.id);
    return place === null || bytes === null ? null : { commit, path: place.path, bytes };
  };
  return {
    async inCommit(name, pathsAt) {
      const commit = await commits.find(name);
      if (commit === null) {
        const text = `The git repository of this vault has no commit ${name}, or several that begin so; "git log" names them.`;
        throw new RouxError('NODE_NOT_FOUND', text, { commit: name });
      }
      return bytesOf(commit, await findFile(commit, pathsAt(commit.time + COMMIT_TIME_SLACK_MS)));
    },
    async at({ time, from, hash }, pathsAt) {
      let last: { readonly commit: GitCommit; readonly place: { path: string; id: string } | null } | null = null;
      let id: string | null = null;
      for await (const commit of commits.back()) {
        if (commit.time + COMMIT_TIME_SLACK_MS < from) break;
        const place = await findFile(commit, pathsAt(commit.time + COMMIT_TIME_SLACK_MS));
        if (hash !== null && place !== null && place.id !== id) {
          const found = await bytesOf(commit, place);
          if (found !== null && hashOf(found.bytes).startsWith(hash)) return found;
        }
        id = place?.id ?? null;
        if (commit.time > time) continue;
        last ??= { commit, place };
        if (hash === null) break;
      }
      return last === null ? null : bytesOf(last.commit, last.place);
    },
    async withRev(rev, pathsAt) {
      let [id, found]: [string | null, CommittedNote | null] = [null, null];
      for await (const commit of commits.back()) {
        const place = await findFile(commit, pathsAt(commit.time + COMMIT_TIME_SLACK_MS));
        if (place === null || place.id === id) continue;
        ({ id } = place);
        const here = await bytesOf(commit, place);
        if (here !== null && revIn(here.bytes.toString('utf8')) === rev) found = here;
        else if (found !== null) break;
      }
      return found;
    },
  };
}
