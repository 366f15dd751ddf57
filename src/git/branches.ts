import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile } from '../small-file.ts';
import { openCommits } from './commits.ts';
import type { GitCommit, GitCommits } from './commits.ts';
import { readHead, readHeadBranch, readId } from './references.ts';
import { kindOf } from './repository.ts';
import type { Checkout } from './worktrees.ts';

/** A file that another branch changed since it left ours. */
export interface BranchFile {
  readonly branch: string;
  /** Path below the folder that was asked for. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** Branches that are read, those that were committed to last. */
const MAX_BRANCHES = 30;
const MAX_REFS = 2_000;
/** Folders below `refs/heads`. */
const MAX_DEPTH = 6;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;
/** Commits between two branches and where they parted. */
const MAX_COMMITS = 3_000;
const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 1024 * 1024;

/** Returns the commits of the branches of a repository, by their names, from its files; `HEAD` is that of the checkout. */
export function readBranches({ own, common }: Checkout): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const packed = readSmallFile(join(common, 'packed-refs'), { mostBytes: MAX_PACKED_BYTES });
  if (packed.kind === 'text') {
    for (const [, id = '', name = ''] of packed.text.matchAll(/^([0-9a-f]{40,64}) refs\/heads\/(\S+)$/gm)) {
      found.set(name, id);
      if (found.size === MAX_REFS) break;
    }
  }
  const walk = (parts: readonly string[]): void => {
    const folder = join(common, 'refs', 'heads', ...parts);
    if (parts.length > MAX_DEPTH || kindOf(folder) !== 'folder') return;
    for (const name of readdirSync(folder).slice(0, MAX_REFS)) {
      const kind = kindOf(join(folder, name));
      if (kind === 'folder') walk([...parts, name]);
      if (kind !== 'file' || found.size > MAX_REFS) continue;
      const id = readId(common, ['refs', 'heads', ...parts, name]);
      if (id !== null) found.set([...parts, name].join('/'), id);
    }
  };
  walk([]);
  found.delete(readHeadBranch({ own }) ?? '');
  const id = readHead({ own, common });
  return id === null ? found : found.set('HEAD', id);
}

/**
 * Reads the notes in a folder of the vault that other branches changed since they left ours. Nothing is checked out, and nothing that the
 * repository names runs (`openObjects`).
 */
export async function readBranchFiles(
  { common, vault: place }: Checkout,
  branches: ReadonlyMap<string, string>,
  { vault, folder }: { readonly vault: string; readonly folder: string },
): Promise<readonly BranchFile[]> {
  const head = branches.get('HEAD');
  if (head === undefined || branches.size === 1) return [];
  const commits = openCommits(common, { vault });
  try {
    const ours = await commits.find(head);
    if (ours === null) return [];
    const others: { readonly branch: string; readonly commit: GitCommit }[] = [];
    for (const [branch, id] of branches) {
      const commit = id === head ? null : await commits.find(id);
      if (commit !== null) others.push({ branch, commit });
    }
    others.sort((a, b) => b.commit.time - a.commit.time);
    const files: BranchFile[] = [];
    for (const { branch, commit } of others.slice(0, MAX_BRANCHES)) {
      const base = await findBase(commits, ours, commit);
      if (base === null || base.id === commit.id) continue;
      for (const { path, id } of await commits.changes(base, commit, `${place}/${folder}`)) {
        if (files.length === MAX_FILES) return files;
        const bytes = path.endsWith('.md') ? await commits.bytes(id) : null;
        if (bytes !== null && bytes.length <= MAX_FILE_BYTES) files.push({ branch, path, bytes });
      }
    }
    return files;
  } finally {
    commits.close();
  }
}

/** Finds the newest commit that both have; null if it is not among so many commits. */
export async function findBase(
  commits: GitCommits,
  ours: GitCommit,
  theirs: GitCommit,
  maxCommits = MAX_COMMITS,
): Promise<GitCommit | null> {
  const sides = new Map<string, number>();
  const queue: GitCommit[] = [];
  const add = (commit: GitCommit, side: number): void => {
    const known = sides.get(commit.id) ?? 0;
    if ((known | side) === known) return;
    sides.set(commit.id, known | side);
    queue.push(commit);
  };
  add(ours, 1);
  add(theirs, 2);
  for (let left = maxCommits; left > 0 && queue.length > 0; left -= 1) {
    queue.sort((a, b) => a.time - b.time);
    const commit = queue.pop() as GitCommit;
    const side = sides.get(commit.id) ?? 0;
    if (side === 3) return commit;
    for (const id of commit.parents) {
      const parent = await commits.find(id);
      if (parent !== null) add(parent, side);
    }
  }
  return null;
}
