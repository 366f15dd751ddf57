import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { readSmallFile } from '../small-file.ts';
import { readHeadBranch } from './references.ts';
import { hasRepositoryParts, isOwnersAlone, kindOf } from './repository.ts';

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

/** A file that names a folder has one line. */
const MAX_NAME_BYTES = 4096;
const MAX_NOTE_BYTES = 1024 * 1024;
/** Folders of another worktree that are looked through for a note that was moved. */
const MAX_FOLDERS = 2_000;

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
      if (kind === 'folder' && isRepository(git, start))
        return kindOf(join(git, 'commondir')) === null ? toCheckout({ top: folder, own: git, common: git, vault }) : null;
      if (kind !== null && kind !== 'folder') {
        const named = kind === 'file' ? findNamed(folder, git, start) : null;
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

/** The vault in another worktree. */
export interface VaultElsewhere {
  /** The branch that is checked out there, else the worktree's name. */
  readonly branch: string;
  /** Absolute path of the vault's folder there. */
  readonly root: string;
}

/** Finds the same vault in another worktree; null if it is not there. */
export function findElsewhere({ common, vault }: Checkout, tree: string): VaultElsewhere | null {
  try {
    if (!isPlain(tree)) return null;
    const git = tree === '' ? common : readFolderName(join(common, 'worktrees', tree, 'gitdir'), common, /^(.+)$/m);
    if (git === null || basename(git) !== '.git') return null;
    const root = join(dirname(git), vault);
    const found = findCheckout(root);
    if (found?.common !== common || found.tree !== tree || found.vault !== vault) return null;
    return { branch: readHeadBranch(found) ?? (tree === '' ? 'HEAD' : tree), root };
  } catch {
    // A worktree that was removed meanwhile.
    return null;
  }
}

/** A note in another worktree. */
export interface NoteElsewhere {
  /** Another one after each change of its file. */
  readonly stamp: string;
  /** When it was changed, in milliseconds since 1970 UTC. */
  readonly changedMs: number;
  /** Returns its text; null if it cannot be read. */
  readonly read: () => string | null;
}

/** Finds a note there by its path in the vault; null if there is none. */
export function findNoteElsewhere({ root }: VaultElsewhere, path: string): NoteElsewhere | null {
  if (path === '' || !path.split('/').every(isPlain)) return null;
  const file = join(root, path);
  const state = stateOf(file);
  if (state?.isFile() !== true) return null;
  const { ino, size, mtimeNs, ctimeNs } = state;
  const read = (): string | null => {
    const note = readSmallFile(file, { mostBytes: MAX_NOTE_BYTES });
    return note.kind === 'text' ? note.text : null;
  };
  return { stamp: `${ino} ${size} ${mtimeNs} ${ctimeNs}`, changedMs: Number(mtimeNs / 1_000_000n), read };
}

function stateOf(file: string): BigIntStats | null {
  try {
    return lstatSync(file, { bigint: true });
  } catch {
    // One that is gone, or that this user may not see.
    return null;
  }
}

/** Lists the paths of the notes below a folder there, by their file names. Follows no link. */
export function listNotesElsewhere({ root }: VaultElsewhere, folder: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const folders = [folder];
  for (let at = 0; at < Math.min(folders.length, MAX_FOLDERS); at += 1) {
    const above = folders[at] ?? '';
    for (const entry of readFolder(join(root, above))) {
      if (entry.name.startsWith('.')) continue;
      const path = above === '' ? entry.name : `${above}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && /\.md$/i.test(entry.name)) found.set(entry.name, [...(found.get(entry.name) ?? []), path]);
    }
  }
  return found;
}

function readFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // One that is gone, or that this user may not read.
    return [];
  }
}

function isPlain(part: string): boolean {
  return !/^\.{1,2}$|[/\\\0]/.test(part);
}

/** Returns the folders that a `.git` file means: of a worktree, or of a submodule. */
function findNamed(folder: string, git: string, start: string): Pick<Checkout, 'own' | 'common'> | null {
  const own = readFolderName(git, folder, /^gitdir: (.+)$/m);
  if (own === null) return null;
  const common = readFolderName(join(own, 'commondir'), own, /^(.+)$/m);
  if (common === null) return isOfSubmodule(folder, own) && isRepository(own, start) ? { own, common: own } : null;
  const isListed = dirname(own) === join(common, 'worktrees') && isRepository(common, start);
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

function isRepository(git: string, vault: string): boolean {
  // The owner of another one could replace its files at any moment.
  return hasRepositoryParts(git) && isOwnersAlone(git, vault);
}
