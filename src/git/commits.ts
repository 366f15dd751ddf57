import { join } from 'node:path';
import { readSmallFile } from '../small-file.ts';
import { openObjects } from './objects.ts';
import type { GitObjects } from './objects.ts';
import { kindOf } from './repository.ts';

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
  bytes(id: string): Promise<Buffer | null>;
  close(): void;
}

/** Commits that are searched. */
const MAX_COMMITS = 20_000;

/** Opens the commits of a repository by its `.git`. `vault`: folder from which no git program is started. */
export function openCommits(git: string, { vault }: { readonly vault: string }): GitCommits {
  const head = readHead(git);
  const objects = openObjects(git, { vault, digits: head?.length ?? 40 });
  const trees = createTreeCache(objects);
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
      let id = tree;
      const names = path.split('/');
      for (const [depth, name] of names.entries()) {
        const entry = findEntry(await trees.read(id), name, id.length / 2);
        const isLast = depth === names.length - 1;
        if (entry === null || !(isLast ? entry.mode.startsWith('100') : entry.mode === '40000')) return null;
        ({ id } = entry);
      }
      return id;
    },
    async changes(from, to, folder) {
      const names = folder.split('/').filter((name) => name !== '');
      const treeIn = async (tree: string): Promise<string | null> => {
        let id = tree;
        for (const name of names) {
          const entry = findEntry(await trees.read(id), name, id.length / 2);
          if (entry?.mode !== '40000') return null;
          ({ id } = entry);
        }
        return id;
      };
      const found: { path: string; id: string }[] = [];
      const compare = async (old: string | null, now: string, path: string, depth: number): Promise<void> => {
        if (old === now || depth > MAX_DEPTH || found.length >= MAX_CHANGES) return;
        const before = new Map(
          listEntries(old === null ? null : await trees.read(old), now.length / 2).map((entry) => [entry.name, entry]),
        );
        for (const { name, mode, id } of listEntries(await trees.read(now), now.length / 2)) {
          const was = before.get(name);
          if (was?.id === id) continue;
          if (mode === '40000') await compare(was?.mode === '40000' ? was.id : null, id, `${path}${name}/`, depth + 1);
          else if (mode.startsWith('100') && found.length < MAX_CHANGES) found.push({ path: path + name, id });
        }
      };
      const now = await treeIn(to.tree);
      if (now !== null) await compare(await treeIn(from.tree), now, '', 0);
      return found;
    },
    async bytes(id) {
      const found = await objects.read(id);
      return found?.type === 'blob' ? found.bytes : null;
    },
    close: () => objects.close(),
  };
}

/** Bytes of cached trees: most commits share folders. */
const MAX_TREE_BYTES = 16 * 1024 * 1024;

/** Creates a cached reader of trees; returns null for other objects. */
function createTreeCache(objects: GitObjects): { read(id: string): Promise<Buffer | null> } {
  const trees = new Map<string, Buffer | null>();
  let size = 0;
  return {
    async read(id) {
      const known = trees.get(id);
      if (known !== undefined) return known;
      const found = await objects.read(id);
      const bytes = found?.type === 'tree' ? found.bytes : null;
      size += bytes?.length ?? 0;
      if (size > MAX_TREE_BYTES) {
        trees.clear();
        size = bytes?.length ?? 0;
      }
      trees.set(id, bytes);
      return bytes;
    },
  };
}

interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** Finds an entry of a tree by name without parsing the others, whose number is up to whoever made the tree. */
function findEntry(tree: Buffer | null, name: string, idBytes: number): TreeEntry | null {
  if (tree === null) return null;
  const wanted = Buffer.from(name);
  for (let at = 0; at < tree.length;) {
    const end = tree.indexOf(0, at);
    const space = tree.indexOf(0x20, at);
    if (space < 0 || end < space) return null;
    if (end - space - 1 === wanted.length && tree.compare(wanted, 0, wanted.length, space + 1, end) === 0)
      return { mode: tree.toString('latin1', at, space), id: tree.toString('hex', end + 1, end + 1 + idBytes) };
    at = end + 1 + idBytes;
  }
  return null;
}

/** Limits of a comparison of two commits. */
const MAX_DEPTH = 20;
const MAX_CHANGES = 20_000;

/** Lists the entries of a tree, at most as many as a comparison may have. */
function listEntries(tree: Buffer | null, idBytes: number): readonly (TreeEntry & { readonly name: string })[] {
  const entries: (TreeEntry & { readonly name: string })[] = [];
  for (let at = 0; tree !== null && at < tree.length && entries.length < MAX_CHANGES;) {
    const end = tree.indexOf(0, at);
    const space = tree.indexOf(0x20, at);
    if (space < 0 || end < space) break;
    const id = tree.toString('hex', end + 1, end + 1 + idBytes);
    entries.push({ name: tree.toString('utf8', space + 1, end), mode: tree.toString('latin1', at, space), id });
    at = end + 1 + idBytes;
  }
  return entries;
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

/** Longest chain of references. */
const MAX_STEPS = 5;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;

/** Reads the commit of `HEAD` from the files of git's folder, without following links; null for none. */
function readHead(git: string): string | null {
  let text = textIn(git, ['HEAD']);
  for (let left = MAX_STEPS; left > 0 && text !== null; left -= 1) {
    const [, name] = /^ref: (refs\/[^\s\\~^:?*[\0]+)\s*$/.exec(text) ?? [];
    if (name === undefined) return idIn(text);
    const parts = name.split('/');
    if (parts.some((part) => part === '' || part.startsWith('.'))) return null;
    text = textIn(git, parts) ?? packed(git, name);
  }
  return null;
}

function textIn(git: string, parts: readonly string[]): string | null {
  for (let depth = 1; depth < parts.length; depth++) if (kindOf(join(git, ...parts.slice(0, depth))) !== 'folder') return null;
  const file = readSmallFile(join(git, ...parts), { mostBytes: 4096 });
  return file.kind === 'text' ? file.text : null;
}

function packed(git: string, name: string): string | null {
  const file = readSmallFile(join(git, 'packed-refs'), { mostBytes: MAX_PACKED_BYTES });
  if (file.kind !== 'text') return null;
  // Searched as text, since it may have millions of lines.
  const end = `${file.text}\n`.indexOf(` ${name}\n`);
  return end < 0 ? null : file.text.slice(file.text.lastIndexOf('\n', end) + 1, end);
}

function idIn(text: string): string | null {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text)?.[1] ?? null;
}
