import { RouxError } from '../../errors.ts';
import { openCommits } from '../../git/commits.ts';
import type { GitCommit, GitCommits } from '../../git/commits.ts';
import { findRepository } from '../../git/repository.ts';
import { hashOf } from '../../store/folder/hash.ts';
import { revIn } from '../plan/note-text.ts';

/** A note as a commit has it. */
export interface InGit {
  readonly commit: GitCommit;
  readonly path: string;
  readonly bytes: Buffer;
}

/** The paths under which a note may be in a commit of this time (in milliseconds), the most likely first. */
export type PathsAt = (time: number) => readonly string[];

/** What is looked for in the commits of a vault. */
export interface GitStates {
  /** The note in one commit. Refused where there is no such commit; null where it has no such note. */
  inCommit(name: string, pathsAt: PathsAt): Promise<InGit | null>;
  /**
   * The note as it was committed last at a time, not before `from`; in its place the one whose content has this hash, where the history tells
   * that it was the one.
   */
  at(wanted: { readonly time: number; readonly from: number; readonly hash: string | null }, pathsAt: PathsAt): Promise<InGit | null>;
  /** The note as it came to have a `rev`. */
  withRev(rev: number, pathsAt: PathsAt): Promise<InGit | null>;
}

/** Git's commits know seconds only. */
const SECOND_MS = 999;

/** Runs with the commits of the repository that a vault is in; null where it is in none. `IO_ERROR` where that is not read, and why. */
export async function withGitStates<T>(root: string, run: (states: GitStates) => Promise<T>): Promise<T | null> {
  const found = findRepository(root);
  if (found.kind === 'none') return null;
  if (found.kind === 'barred') {
    const why = 'its .git is no plain folder, belongs to somebody else, or leads to another repository';
    throw new RouxError('IO_ERROR', `The git repository of this vault is not read: ${why}.`);
  }
  return await inTurn(async () => {
    const commits = openCommits(found.git, { vault: root });
    try {
      return await run(openGitStates(commits, found.prefix));
    } finally {
      commits.close();
    }
  });
}

let turn: Promise<unknown> = Promise.resolve();

/** One git at a time: what a repository can make one cost is bounded, many at once would not be. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const next = turn.then(work);
  turn = next.catch(() => undefined);
  return next;
}

function openGitStates(commits: GitCommits, prefix: string): GitStates {
  const placeIn = async (commit: GitCommit, paths: readonly string[]): Promise<{ path: string; id: string } | null> => {
    for (const path of paths) {
      const id = await commits.fileIn(commit, prefix + path);
      if (id !== null) return { path, id };
    }
    return null;
  };
  const bytesOf = async (commit: GitCommit, place: { path: string; id: string } | null): Promise<InGit | null> => {
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
      return bytesOf(commit, await placeIn(commit, pathsAt(commit.time + SECOND_MS)));
    },
    async at({ time, from, hash }, pathsAt) {
      let last: { readonly commit: GitCommit; readonly place: { path: string; id: string } | null } | null = null;
      let id: string | null = null;
      for await (const commit of commits.back()) {
        if (commit.time + SECOND_MS < from) break;
        const place = await placeIn(commit, pathsAt(commit.time + SECOND_MS));
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
      let [id, found]: [string | null, InGit | null] = [null, null];
      for await (const commit of commits.back()) {
        const place = await placeIn(commit, pathsAt(commit.time + SECOND_MS));
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
