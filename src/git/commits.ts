import { openObjects } from './objects.ts';
import type { GitObjects } from './objects.ts';
import { readHead } from './references.ts';
import { FOLDER_MODE, Trees } from './trees.ts';
import type { TreeChange, TreeEntry, TreeScope } from './trees.ts';

export interface GitCommit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Commit time in milliseconds. */
  readonly time: number;
}

/** The commits of an open repository, with their files. */
export interface GitCommits {
  /** Returns the commit with an id, its first digits, or `HEAD`; null for none or several. */
  find(name: string): Promise<GitCommit | null>;
  /** Yields commits from `HEAD` back by first parents: the past states of this branch. */
  back(): AsyncGenerator<GitCommit>;
  /** Returns the id of a regular file at a path in a commit; null for none. */
  fileIn(commit: GitCommit, path: string): Promise<string | null>;
  /** Returns the files below a folder that one commit has and another has not, or with other contents. */
  changes(from: GitCommit, to: GitCommit, folder: string): Promise<readonly { readonly path: string; readonly id: string }[]>;
  /** Returns the file, link, submodule or folder at a path of a commit; null for none. */
  entryAt(commit: GitCommit, path: string): Promise<TreeEntry | null>;
  /** Returns the differences of two folders, given by the ids of their trees (`Trees.compare`). */
  compare(before: string | null, after: string | null, scope: TreeScope): Promise<readonly TreeChange[]>;
  bytes(id: string): Promise<Buffer | null>;
  /** How many objects were read. */
  readonly objectsRead: number;
  close(): void;
}

/** Commits that are searched. */
const MAX_COMMITS = 20_000;

/**
 * Opens the commits of a repository by its `.git`. `vault`: folder from which no git program is started. `head`: the commit of `HEAD`, if
 * it is that of a worktree. `isStrict`: a folder that is missing in the repository is an error, and does not count as empty.
 */
export function openCommits(
  git: string,
  {
    vault,
    head = readHead({ own: git, common: git }),
    isStrict,
  }: { readonly vault: string; readonly head?: string | null; readonly isStrict?: boolean },
): GitCommits {
  const objects = openObjects(git, { vault, digits: head?.length ?? 40 });
  const trees = new Trees(objects, { isStrict: isStrict === true });
  return {
    find: async (name) => (name === 'HEAD' ? (head === null ? null : readCommit(objects, head)) : readCommit(objects, name)),
    async *back() {
      let next = head;
      for (let left = MAX_COMMITS; left > 0 && next !== null; left -= 1) {
        const commit: GitCommit | null = await readCommit(objects, next);
        if (commit === null) return;
        yield commit;
        next = commit.parents[0] ?? null;
      }
    },
    async fileIn({ tree }, path) {
      const entry = await trees.entryAt(tree, path);
      return entry !== null && isFile(entry) ? entry.id : null;
    },
    async changes(from, to, folder) {
      const [before, after] = [await trees.entryAt(from.tree, folder), await trees.entryAt(to.tree, folder)];
      if (after?.mode !== FOLDER_MODE) return [];
      const found = await trees.compare(before?.mode === FOLDER_MODE ? before.id : null, after.id, EVERYTHING);
      return found.flatMap(({ path, after: file }) => (file !== null && isFile(file) ? [{ path, id: file.id }] : []));
    },
    entryAt: ({ tree }, path) => trees.entryAt(tree, path),
    compare: (before, after, scope) => trees.compare(before, after, scope),
    async bytes(id) {
      const found = await objects.read(id);
      return found?.type === 'blob' ? found.bytes : null;
    },
    get objectsRead() {
      return objects.count;
    },
    close: () => objects.close(),
  };
}

/** Every file. */
export const EVERYTHING: TreeScope = { mayMatch: () => true, matches: () => true };

function isFile({ mode }: TreeEntry): boolean {
  return mode.startsWith('100');
}

const FULL_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** A tag may name another tag. */
const MAX_TAGS = 5;

/** Git resolves short names only; for full ids it would keep each commit in memory. */
async function readNamed(objects: GitObjects, name: string): Promise<Awaited<ReturnType<GitObjects['read']>>> {
  if (!FULL_ID.test(name)) return await objects.read(`${name}^{commit}`);
  let found = await objects.read(name);
  for (let left = MAX_TAGS; left > 0 && found?.type === 'tag'; left -= 1) {
    const tagged = /^object ([0-9a-f]+)$/m.exec(found.bytes.toString('latin1', 0, 100))?.[1];
    found = tagged === undefined || !FULL_ID.test(tagged) ? null : await objects.read(tagged);
  }
  return found;
}

async function readCommit(objects: GitObjects, name: string): Promise<GitCommit | null> {
  const found = await readNamed(objects, name);
  if (found?.type !== 'commit') return null;
  const text = found.bytes.toString('utf8');
  const head = text.slice(0, text.indexOf('\n\n') + 1);
  const tree = /^tree ([0-9a-f]+)$/m.exec(head)?.[1];
  const time = Number(/^committer .*> (\d+) [+-]\d+$/m.exec(head)?.[1] ?? Number.NaN) * 1000;
  if (tree === undefined || Number.isNaN(time)) return null;
  return { id: found.id, tree, parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id = '']) => id), time };
}
