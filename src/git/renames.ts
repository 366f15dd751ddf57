import { EVERYTHING } from './commits.ts';
import type { GitCommit, GitCommits } from './commits.ts';
import { FOLDER_MODE } from './trees.ts';
import type { TreeChange } from './trees.ts';

/** Where a file or folder is that is no longer at its path. */
export interface Renamed {
  readonly path: string;
  /** The commit that renamed it last. */
  readonly commit: string;
}

/** Commits that are searched for the one that a path is missing from. */
const MAX_COMMITS = 20_000;
/** Renames of one path that are followed. */
const MAX_HOPS = 10;
/** Limits of comparing contents. */
const MAX_COMPARED = 50;
const MAX_CANDIDATES = 30;
const MAX_COMPARED_BYTES = 256 * 1024;
/** From here on git calls it a rename. */
const MIN_SIMILARITY = 0.5;

/**
 * Finds where paths are that `HEAD` has no longer, through renames of this branch (by first parents, so that a merged branch counts as one
 * change). Paths that were never there, or were removed, are left out.
 */
export async function followRenames(commits: GitCommits, head: GitCommit, paths: readonly string[]): Promise<ReadonlyMap<string, Renamed>> {
  const found = new Map<string, Renamed>();
  let wanted = new Map(paths.map((path) => [path, path]));
  for (let hops = MAX_HOPS; hops > 0 && wanted.size > 0; hops -= 1) {
    const renamed = await findRenames(commits, head, new Set(wanted.values()));
    const next = new Map<string, string>();
    for (const [path, at] of wanted) {
      const to = renamed.get(at);
      if (to === undefined) continue;
      if ((await commits.entryAt(head, to.path)) === null) next.set(path, to.path);
      else found.set(path, to);
    }
    wanted = next;
  }
  return found;
}

/** Finds the commits that paths are missing from since, and where each renamed them to. */
async function findRenames(commits: GitCommits, head: GitCommit, paths: Set<string>): Promise<ReadonlyMap<string, Renamed>> {
  const found = new Map<string, Renamed>();
  let commit = head;
  for (let left = MAX_COMMITS; left > 0 && paths.size > 0; left -= 1) {
    const [first] = commit.parents;
    const parent = first === undefined ? null : await commits.find(first);
    if (parent === null) break;
    const gone: string[] = [];
    const folders = new Set<string>();
    for (const path of paths) {
      const entry = parent.tree === commit.tree ? null : await commits.entryAt(parent, path);
      if (entry === null || (await commits.entryAt(commit, path)) !== null) continue;
      gone.push(path);
      paths.delete(path);
      if (entry.mode === FOLDER_MODE) folders.add(path);
    }
    if (gone.length > 0) {
      const changes = await commits.compare(parent.tree, commit.tree, EVERYTHING);
      const isWanted = (path: string): boolean => gone.some((each) => path === each || (folders.has(each) && path.startsWith(`${each}/`)));
      const pairs = await pairRenames(commits, changes, isWanted);
      for (const path of gone) {
        const to = folders.has(path) ? folderAfter(path, pairs) : pairs.get(path);
        if (to !== undefined) found.set(path, { path: to, commit: commit.id });
      }
    }
    commit = parent;
  }
  return found;
}

/** Returns where most of a folder's files are now, with the same names below it. */
function folderAfter(folder: string, pairs: ReadonlyMap<string, string>): string | undefined {
  const counts = new Map<string, number>();
  for (const [from, to] of pairs) {
    const below = from.startsWith(`${folder}/`) ? from.slice(folder.length) : null;
    if (below === null || !to.endsWith(below)) continue;
    const at = to.slice(0, -below.length);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))[0]?.[0];
}

/**
 * Returns the new paths of removed files, by their old ones: an added file with the same content, else the one that is most alike, by half
 * at least. `isWanted`: the removed files to look for.
 */
export async function pairRenames(
  commits: Pick<GitCommits, 'bytes'>,
  changes: readonly TreeChange[],
  isWanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const pairs = new Map<string, string>();
  const added = changes.filter(({ before }) => before === null);
  const removed = changes.filter(({ path, after }) => after === null && isWanted(path));
  const byId = new Map<string | undefined, TreeChange[]>();
  for (const each of added) {
    const same = byId.get(each.after?.id);
    if (same === undefined) byId.set(each.after?.id, [each]);
    else same.push(each);
  }
  const taken = new Set<string>();
  const pair = (from: string, to: string): void => {
    pairs.set(from, to);
    taken.add(to);
  };
  for (const { path, before } of removed) {
    const same = (byId.get(before?.id) ?? []).filter((each) => !taken.has(each.path));
    const best = same.find((each) => nameOf(each.path) === nameOf(path)) ?? same[0];
    if (best !== undefined) pair(path, best.path);
  }
  const open = removed.filter(({ path }) => !pairs.has(path)).slice(0, MAX_COMPARED);
  for (const { path, before } of open) {
    const candidates = added.filter((each) => !taken.has(each.path) && isAlikeNamed(path, each.path));
    candidates.sort((a, b) => Number(nameOf(b.path) === nameOf(path)) - Number(nameOf(a.path) === nameOf(path)));
    const old = before === null ? null : await textOf(commits, before.id);
    if (old === null) continue;
    let [best, most]: [string | null, number] = [null, MIN_SIMILARITY];
    for (const each of candidates.slice(0, MAX_CANDIDATES)) {
      const now = each.after === null ? null : await textOf(commits, each.after.id);
      const similarity = now === null ? 0 : similarityOf(old, now);
      if (similarity >= most && (best === null || similarity > most)) [best, most] = [each.path, similarity];
    }
    if (best !== null) pair(path, best);
  }
  return pairs;
}

async function textOf(commits: Pick<GitCommits, 'bytes'>, id: string): Promise<string | null> {
  const bytes = await commits.bytes(id);
  return bytes === null || bytes.length > MAX_COMPARED_BYTES ? null : bytes.toString('latin1');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isAlikeNamed(a: string, b: string): boolean {
  const [name, other] = [nameOf(a), nameOf(b)];
  return name.toLowerCase() === other.toLowerCase() || extensionOf(name) === extensionOf(other);
}

function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** Returns the part of the larger text, by length of its lines, that the other one has too: 0 to 1. */
export function similarityOf(a: string, b: string): number {
  const most = Math.max(a.length, b.length);
  if (most === 0) return 1;
  const lines = new Map<string, number>();
  for (const line of a.split(/(?<=\n)/)) lines.set(line, (lines.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of b.split(/(?<=\n)/)) {
    const count = lines.get(line) ?? 0;
    if (count === 0) continue;
    lines.set(line, count - 1);
    common += line.length;
  }
  return common / most;
}
