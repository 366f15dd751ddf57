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
const MAX_TEXTS = 1_000;
/** From here on git calls it a rename. */
const MIN_SIMILARITY = 0.5;

/**
 * Finds where paths are that `HEAD` has no longer, through renames of this branch (by first parents, so that a merged branch counts as one
 * change). Paths that were never there, or were removed, are left out.
 */
export async function followRenames(
  commits: GitCommits,
  head: GitCommit,
  paths: readonly string[],
  texts = new ComparedTexts(commits),
): Promise<ReadonlyMap<string, Renamed>> {
  const found = new Map<string, Renamed>();
  let wanted = new Map(paths.map((path) => [path, path]));
  for (let hops = MAX_HOPS; hops > 0 && wanted.size > 0; hops -= 1) {
    const renamed = await findRenames(commits, head, new Set(wanted.values()), texts);
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
async function findRenames(
  commits: GitCommits,
  head: GitCommit,
  paths: Set<string>,
  texts: ComparedTexts,
): Promise<ReadonlyMap<string, Renamed>> {
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
      const pairs = await pairRenames(texts, changes, isWanted);
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
export function folderAfter(folder: string, pairs: ReadonlyMap<string, string>): string | undefined {
  const counts = new Map<string, number>();
  for (const [from, to] of pairs) {
    const below = from.startsWith(`${folder}/`) ? from.slice(folder.length) : null;
    if (below === null || !to.endsWith(below)) continue;
    const at = to.slice(0, -below.length);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))[0]?.[0];
}

/** The texts of files that are compared, of which only so many are read. */
export class ComparedTexts {
  readonly #commits: Pick<GitCommits, 'bytes'>;
  readonly #texts = new Map<string, string | null>();
  #left = MAX_TEXTS;

  constructor(commits: Pick<GitCommits, 'bytes'>) {
    this.#commits = commits;
  }

  /** Returns the text of a file; null for one that is too large, and when enough was read. */
  async read(id: string | undefined): Promise<string | null> {
    if (id === undefined) return null;
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    if ((this.#left -= 1) < 0) return null;
    const bytes = await this.#commits.bytes(id);
    const text = bytes === null || bytes.length > MAX_COMPARED_BYTES ? null : bytes.toString('latin1');
    this.#texts.set(id, text);
    return text;
  }
}

/**
 * Returns the new paths of removed files, by their old ones: an added file with the same content, else the one that is most alike, by half
 * at least. `isOfInterest`: the removed or added files for which a pair is looked for.
 */
export async function pairRenames(
  texts: ComparedTexts,
  changes: readonly TreeChange[],
  isOfInterest: (path: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const pairs = new Map<string, string>();
  const added = new Set(changes.filter(({ before }) => before === null));
  const removed = changes.filter(({ after }) => after === null);
  const byId = new Map<string | undefined, TreeChange[]>();
  for (const each of added) {
    const same = byId.get(each.after?.id);
    if (same === undefined) byId.set(each.after?.id, [each]);
    else same.push(each);
  }
  for (const { path, before } of removed) {
    const same = byId.get(before?.id) ?? [];
    const at = same.slice(0, MAX_CANDIDATES).findIndex((each) => nameOf(each.path) === nameOf(path));
    const [best] = same.splice(Math.max(0, at), 1);
    if (best === undefined) continue;
    pairs.set(path, best.path);
    added.delete(best);
  }
  let left = MAX_COMPARED;
  for (const { path, before } of removed) {
    if (pairs.has(path)) continue;
    const isWanted = isOfInterest(path);
    const candidates = [...added].filter((each) => (isWanted || isOfInterest(each.path)) && isAlikeNamed(path, each.path));
    if (candidates.length === 0 || (left -= 1) < 0) continue;
    const best = await findMostAlike(texts, before?.id, sortByName(candidates, path).slice(0, MAX_CANDIDATES));
    if (best === null) continue;
    pairs.set(path, best.path);
    added.delete(best);
  }
  return pairs;
}

/** Puts those of the same name in front. */
function sortByName(candidates: readonly TreeChange[], path: string): readonly TreeChange[] {
  const isSame = (each: TreeChange): number => Number(nameOf(each.path) === nameOf(path));
  return candidates.toSorted((a, b) => isSame(b) - isSame(a));
}

async function findMostAlike(texts: ComparedTexts, id: string | undefined, candidates: readonly TreeChange[]): Promise<TreeChange | null> {
  const old = await texts.read(id);
  if (old === null) return null;
  let [best, most]: [TreeChange | null, number] = [null, MIN_SIMILARITY];
  for (const each of candidates) {
    const now = await texts.read(each.after?.id);
    const similarity = now === null ? 0 : similarityOf(old, now);
    if (similarity >= most && (best === null || similarity > most)) [best, most] = [each, similarity];
  }
  return best;
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
function similarityOf(a: string, b: string): number {
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
