import { EVERYTHING } from './commits.ts';
import type { GitCommit, GitCommits } from './commits.ts';

/** The commit that a file was last changed in. */
export interface LastCommit {
  readonly commit: GitCommit;
  /** Whether the commits before it are not there, or not read, so that the file may be older. */
  readonly isCut: boolean;
}

/** What is waiting at a commit: files that are in it as they are in `HEAD`, or as they were confirmed. */
interface Stop {
  readonly commit: GitCommit;
  readonly paths: Set<string>;
}

/** Commits that are looked at. */
const MAX_COMMITS = 20_000;
/** Commit times are whole seconds; this is the rest of one, in milliseconds. */
const SLACK_MS = 999;

/**
 * Finds the commits that files of `HEAD` were last changed in, as `git log` does: of a merge, a parent that has the same file is followed.
 * A file that was moved as it is was not changed.
 * All files together take one walk, which goes into folders alone that differ. `since`: for a file with a time (in milliseconds), its first
 * change from then on is looked for instead; null if there is none.
 */
export async function findLastCommits(
  commits: GitCommits,
  head: GitCommit,
  since: ReadonlyMap<string, number | null>,
): Promise<ReadonlyMap<string, LastCommit | null>> {
  const found = new Map<string, LastCommit | null>([...since.keys()].map((path) => [path, null]));
  const folders = new Set([...since.keys()].flatMap(foldersOf));
  const times = new Map(since);
  /** What files are called in `HEAD`, by the names that they had. */
  const current = new Map<string, string>();
  const queue: Stop[] = [];
  const move = (paths: Iterable<string>, commit: GitCommit): void => {
    const waiting = queue.find((stop) => stop.commit.id === commit.id);
    const stop = waiting ?? { commit, paths: new Set<string>() };
    for (const path of paths) stop.paths.add(path);
    if (waiting === undefined && stop.paths.size > 0) insertByTime(queue, stop);
  };
  move(since.keys(), head);
  for (let left = MAX_COMMITS; queue.length > 0; left -= 1) {
    const { commit, paths } = queue.pop() as Stop;
    for (const path of paths) if (await isBefore(commits, commit, path, times.get(path) ?? 0)) paths.delete(path);
    if (paths.size === 0) continue;
    const parents: (GitCommit | null)[] = [];
    if (left > 1) for (const id of commit.parents) parents.push(await commits.find(id));
    const isCut = left <= 1 ? commit.parents.length > 0 : parents.includes(null);
    const earlier = new Map<string, GitCommit>();
    for (const parent of parents) {
      if (parent === null || paths.size === 0) continue;
      const changed = new Set<string>();
      const scope = { mayMatch: (folder: string) => folders.has(folder), matches: (path: string) => paths.has(path) };
      for (const { path, before } of await commits.compare(parent.tree, commit.tree, scope)) {
        changed.add(path);
        if (before !== null && !earlier.has(path)) earlier.set(path, parent);
      }
      move(
        [...paths].filter((path) => !changed.has(path)),
        parent,
      );
      for (const path of paths) if (!changed.has(path)) paths.delete(path);
    }
    const [only = null] = parents.length === 1 ? parents : [];
    const moved = await findMoved(commits, only, commit, new Set([...paths].filter((path) => !earlier.has(path))));
    for (const path of paths) {
      found.set(current.get(path) ?? path, { commit, isCut });
      const parent = earlier.get(path);
      const from = moved.get(path);
      if (typeof times.get(path) === 'number' && parent !== undefined) move([path], parent);
      if (only === null || from === undefined || times.has(from)) continue;
      times.set(from, times.get(path) ?? null);
      current.set(from, current.get(path) ?? path);
      for (const folder of foldersOf(from)) folders.add(folder);
      move([from], only);
    }
  }
  return found;
}

/** Returns where files were that a commit moved as they are, by their new paths. */
async function findMoved(
  commits: GitCommits,
  parent: GitCommit | null,
  commit: GitCommit,
  paths: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (parent === null || paths.size === 0) return found;
  const changes = await commits.compare(parent.tree, commit.tree, EVERYTHING);
  const removed = new Map(changes.flatMap(({ path, before, after }) => (before !== null && after === null ? [[before.id, path]] : [])));
  for (const { path, after } of changes) {
    const from = after !== null && paths.has(path) ? removed.get(after.id) : undefined;
    if (from !== undefined) found.set(path, from);
  }
  return found;
}

/**
 * Whether a commit was made before a file got the confirmation of a time (in milliseconds). In the same second, what the file held tells: a
 * note may be committed, confirmed and committed again within it.
 */
async function isBefore(commits: GitCommits, commit: GitCommit, path: string, since: number): Promise<boolean> {
  if (commit.time >= since) return false;
  if (commit.time + SLACK_MS < since) return true;
  const entry = await commits.entryAt(commit, path);
  const bytes = entry === null ? null : await commits.bytes(entry.id);
  return bytes !== null && !bytes.includes(new Date(since).toISOString());
}

/** Returns the folders above a path, with the top. */
function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return ['', ...names.map((_, depth) => names.slice(0, depth + 1).join('/'))];
}

/** Keeps the newest commit at the end. */
function insertByTime(queue: Stop[], stop: Stop): void {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((queue[middle]?.commit.time ?? 0) < stop.commit.time) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, stop);
}

/** The state of the branch at a time. */
export interface CommitAt {
  readonly commit: GitCommit;
  /** Whether an older commit would be the right one and is not there. */
  readonly isCut: boolean;
}

/** Finds for each time (in milliseconds) the commit that `HEAD` was at, by first parents: the last one of then, else the first of all. */
export async function findCommitsAt(
  commits: GitCommits,
  head: GitCommit,
  times: readonly number[],
): Promise<ReadonlyMap<number, CommitAt>> {
  const found = new Map<number, CommitAt>();
  const left = [...new Set(times)].sort((a, b) => a - b);
  let commit = head;
  for (let more = MAX_COMMITS; left.length > 0; more -= 1) {
    while (left.length > 0 && commit.time <= (left.at(-1) ?? 0)) found.set(left.pop() ?? 0, { commit, isCut: false });
    const [first] = commit.parents;
    const parent = first === undefined || more <= 0 ? null : await commits.find(first);
    if (parent !== null) commit = parent;
    else for (const time of left.splice(0)) found.set(time, { commit, isCut: first !== undefined });
  }
  return found;
}
