import { openObjects } from './objects.ts';
import type { GitObjects } from './objects.ts';
import { readHead } from './head.ts';

/** A commit. */
export interface GitCommit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** When it was committed, in milliseconds. */
  readonly time: number;
}

/** The commits of a repository and the files in them, as long as it is open. */
export interface GitCommits {
  /** The commit of an id, of its first digits, or of `HEAD`; null where there is none, or several begin so. */
  find(name: string): Promise<GitCommit | null>;
  /** From `HEAD` back by first parents: what was there before, as it was here. */
  back(): AsyncGenerator<GitCommit>;
  /** The id of a regular file at a path in a commit, or null. */
  fileIn(commit: GitCommit, path: string): Promise<string | null>;
  bytes(id: string): Promise<Buffer | null>;
  close(): void;
}

/** So many commits are looked through. */
const MOST_COMMITS = 20_000;

/** Opens the commits of a repository by its `.git`. `vault`: where no git is started from. */
export function openCommits(git: string, { vault }: { readonly vault: string }): GitCommits {
  const head = readHead(git);
  const objects = openObjects(git, { vault, digits: head?.length ?? 40 });
  const trees = new Map<string, readonly TreeEntry[]>();
  return {
    find: async (name) => (name === 'HEAD' ? (head === null ? null : readCommit(objects, head)) : readCommit(objects, name)),
    async *back() {
      let next = head;
      for (let left = MOST_COMMITS; left > 0 && next !== null; left -= 1) {
        const commit: GitCommit | null = await readCommit(objects, next);
        if (commit === null) return;
        yield commit;
        next = commit.parents[0] ?? null;
      }
    },
    async fileIn({ tree }, path) {
      let id = tree;
      const names = path.split('/');
      for (const [depth, name] of names.entries()) {
        const entries = trees.get(id) ?? readTree(await objects.read(id));
        if (trees.size < MOST_TREES) trees.set(id, entries);
        const entry = entries.find((each) => each.name === name);
        const isLast = depth === names.length - 1;
        if (entry === undefined || !(isLast ? entry.mode.startsWith('100') : entry.mode === '40000')) return null;
        ({ id } = entry);
      }
      return id;
    },
    async bytes(id) {
      const found = await objects.read(id);
      return found?.type === 'blob' ? found.bytes : null;
    },
    close: () => objects.close(),
  };
}

/** So many folders are remembered while commits are looked through. */
const MOST_TREES = 2_000;

interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

function readTree(object: { readonly type: string; readonly id: string; readonly bytes: Buffer } | null): readonly TreeEntry[] {
  if (object?.type !== 'tree') return [];
  const { bytes } = object;
  const idLength = object.id.length / 2;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length;) {
    const [space, end] = [bytes.indexOf(0x20, at), bytes.indexOf(0, at)];
    if (space < 0 || end < space) break;
    const id = bytes.toString('hex', end + 1, end + 1 + idLength);
    entries.push({ mode: bytes.toString('latin1', at, space), name: bytes.toString('utf8', space + 1, end), id });
    at = end + 1 + idLength;
  }
  return entries;
}

async function readCommit(objects: GitObjects, name: string): Promise<GitCommit | null> {
  const found = await objects.read(`${name}^{commit}`);
  if (found?.type !== 'commit') return null;
  const text = found.bytes.toString('utf8');
  const head = text.slice(0, text.indexOf('\n\n') + 1);
  const tree = /^tree ([0-9a-f]+)$/m.exec(head)?.[1];
  const time = Number(/^committer .*> (\d+) [+-]\d+$/m.exec(head)?.[1] ?? Number.NaN) * 1000;
  if (tree === undefined || Number.isNaN(time)) return null;
  return { id: found.id, tree, parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id = '']) => id), time };
}
