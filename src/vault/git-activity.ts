import type { Disk } from '../disk/disk.ts';

/** What git does to a vault, as far as its own files tell. */
export interface GitActivity {
  /** The vault is in a repository. */
  readonly isThere: boolean;
  /** Whether git was at work around a time in milliseconds, or is now. */
  wasAround(time: number): boolean;
}

/** Files that git writes when it changes branches, commits, resets, stashes or merges. */
const TRACES = ['HEAD', 'index', 'ORIG_HEAD', 'logs/HEAD', 'MERGE_HEAD'];
/** What is there while git is not done. */
const UNFINISHED = ['index.lock', 'HEAD.lock', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'MERGE_HEAD'];
/** A checkout of many files takes this long at most between its first file and its last trace. */
const WITHIN_MS = 15_000;

/** The git of the repository that the folder is in, or of none. */
export function openGitActivity(disk: Disk, root: string): GitActivity {
  const folder = findGitFolder(disk, root);
  if (folder === null) return { isThere: false, wasAround: () => false };
  return {
    isThere: true,
    wasAround: (time) =>
      UNFINISHED.some((name) => disk.stat(`${folder}/${name}`) !== null) ||
      TRACES.some((name) => {
        const stat = disk.stat(`${folder}/${name}`);
        return stat !== null && Math.abs(Number(stat.mtimeNs / 1_000_000n) - time) < WITHIN_MS;
      }),
  };
}

/** The folder with `HEAD` and `index`, from here upward; in a worktree `.git` is a file that names it. */
function findGitFolder(disk: Disk, root: string): string | null {
  for (let folder = root; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    const path = `${folder}/.git`;
    const kind = disk.stat(path)?.kind;
    if (kind === 'folder') return path;
    if (kind === 'file') {
      const named = /^gitdir: (.+)$/m.exec(disk.read(path, { limit: 4096 })?.bytes.toString('utf8') ?? '')?.[1]?.trim();
      if (named !== undefined) return named.startsWith('/') ? named : `${folder}/${named}`;
    }
    if (folder === '' || !folder.includes('/')) return null;
  }
}
