import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { readSmallFile } from '../small-file.ts';
import { kindOf } from './repository.ts';

/** Where git keeps a checkout, and the place of a vault in it. */
export interface Checkout {
  /** Absolute real path of its top folder. */
  readonly top: string;
  /** Absolute real path of the folder with its own `HEAD`. */
  readonly own: string;
  /** Absolute real path of the folder that all worktrees of the repository share (`git rev-parse --git-common-dir`). */
  readonly common: string;
  /** The name of its worktree in `common`; `''` for the main one. */
  readonly tree: string;
  /** Path of the vault in the checkout; `''` for its top. */
  readonly vault: string;
  /** Another value if another repository takes the place of this one. */
  readonly identity: string;
}

/** The parts of a repository. */
const PARTS = ['HEAD', 'objects', 'refs'];
/** A file that names a folder has one line. */
const MAX_NAME_BYTES = 4096;
const MAX_NOTE_BYTES = 1024 * 1024;

/**
 * Finds the checkout that contains a vault. Null if there is none that is certainly the vault's own: a `.git` that
 * came with a vault may name any folder, so one that is a file counts only if the folder that it names leads back to it.
 */
export function findCheckout(root: string): Checkout | null {
  try {
    const start = realpathSync(root);
    for (let folder = start; ; folder = dirname(folder)) {
      const git = join(folder, '.git');
      const kind = kindOf(git);
      const vault = relative(folder, start).split(sep).join('/');
      // Git also skips a folder that is not a repository.
      if (kind === 'folder' && isRepository(git))
        return kindOf(join(git, 'commondir')) === null ? toCheckout({ top: folder, own: git, common: git, vault }) : null;
      if (kind !== null && kind !== 'folder') {
        const named = kind === 'file' ? findNamed(folder, git) : null;
        return named === null ? null : toCheckout({ ...named, top: folder, vault });
      }
      if (dirname(folder) === folder) return null;
    }
  } catch {
    // What cannot be read is not used.
    return null;
  }
}

function toCheckout(found: Omit<Checkout, 'identity' | 'tree'>): Checkout {
  const { dev, ino } = lstatSync(found.common);
  const tree = found.own === found.common ? '' : basename(found.own);
  return { ...found, tree, identity: `${dev} ${ino} ${found.own} ${found.vault}` };
}

/** Reads a note of the same vault in another worktree, with the branch that is checked out there (else the worktree's name); null if it is not there. */
export function readInWorktree(
  { common, vault }: Checkout,
  tree: string,
  path: string,
): { readonly branch: string; readonly text: string } | null {
  try {
    if ([...path.split('/'), tree].some((part) => /^\.{1,2}$|[\\\0]/.test(part)) || tree.includes('/')) return null;
    const git = tree === '' ? common : readFolderName(join(common, 'worktrees', tree, 'gitdir'), common, /^(.+)$/m);
    if (git === null || basename(git) !== '.git') return null;
    const found = findCheckout(join(dirname(git), vault));
    if (found?.common !== common || found.tree !== tree || found.vault !== vault) return null;
    const note = readSmallFile(join(dirname(git), vault, path), { mostBytes: MAX_NOTE_BYTES });
    return note.kind === 'text' ? { branch: readBranch(found) ?? tree, text: note.text } : null;
  } catch {
    // A worktree that was removed meanwhile.
    return null;
  }
}

function readBranch({ own }: Checkout): string | null {
  const head = readSmallFile(join(own, 'HEAD'), { mostBytes: MAX_NAME_BYTES });
  return head.kind === 'text' ? (/^ref: refs\/heads\/(\S+)\s*$/.exec(head.text)?.[1] ?? null) : null;
}

/** Returns the folders that a `.git` file means: of a worktree, or of a submodule. */
function findNamed(folder: string, git: string): Pick<Checkout, 'own' | 'common'> | null {
  const own = readFolderName(git, folder, /^gitdir: (.+)$/m);
  if (own === null) return null;
  const common = readFolderName(join(own, 'commondir'), own, /^(.+)$/m);
  if (common === null) return isOfSubmodule(folder, own) && isRepository(own) ? { own, common: own } : null;
  const isListed = dirname(own) === join(common, 'worktrees') && isRepository(common);
  return isListed && readFolderName(join(own, 'gitdir'), own, /^(.+)$/m) === realpathSync(git) ? { own, common } : null;
}

/** Whether a folder is where a repository around it keeps its submodules, and the one there is checked out here. */
function isOfSubmodule(folder: string, own: string): boolean {
  for (let around = dirname(folder); ; around = dirname(around)) {
    const git = join(around, '.git');
    if (own.startsWith(`${join(git, 'modules')}${sep}`))
      return kindOf(git) === 'folder' && readFolderName(join(own, 'config'), own, /^[ \t]*worktree[ \t]*=[ \t]*(.+)$/im) === folder;
    if (dirname(around) === around) return false;
  }
}

/** Reads the real path that a file of git names; null if it names none. */
function readFolderName(file: string, from: string, pattern: RegExp): string | null {
  const read = readSmallFile(file, { mostBytes: MAX_NAME_BYTES });
  const name = read.kind === 'text' ? pattern.exec(read.text)?.[1]?.trim() : undefined;
  // Accessing a network path would reveal this user to its owner.
  return name === undefined || /^[/\\]{2}/.test(name) ? null : realpathSync(resolve(from, name));
}

function isRepository(git: string): boolean {
  if (!PARTS.every((part) => kindOf(join(git, part)) !== null)) return false;
  // The owner of another one could replace its files at any moment.
  return process.getuid === undefined || lstatSync(git).uid === process.getuid();
}
