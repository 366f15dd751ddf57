import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RouxError, systemCode } from '../../errors.ts';
import { formatArgument } from './show.ts';
import { UsageError } from './options.ts';

/** Files and folders that mark the root of a vault. */
const MARKS = ['.rouxrc.json', '.obsidian'];

const EVERYBODY_WRITES = 0o002;

/**
 * Returns the vault that a command refers to: the named folder, else the nearest one upward that looks like a vault, else the current
 * folder.
 */
export function findVault({ named, cwd }: { readonly named: string | undefined; readonly cwd: string }): string {
  if (named === undefined) return findEnclosingVault(cwd) ?? cwd;
  // Mostly an unset variable in a client's configuration. It would mean the folder in which that client runs.
  if (named === '') throw new UsageError('the name of the vault is empty; give the folder that holds your notes');
  return resolve(cwd, fromFileUrl(named));
}

/** Returns the vault that the environment names. As with settings, an empty variable names none. */
export function vaultInEnvironment({ ROUX_VAULT: named }: Readonly<Record<string, string | undefined>>): string | undefined {
  return named === '' ? undefined : named;
}

/** Converts the URL of a folder, as MCP clients have it, to its path; returns anything else as it is. */
function fromFileUrl(named: string): string {
  if (!/^file:\/\//i.test(named)) return named;
  try {
    return fileURLToPath(named);
  } catch {
    throw new UsageError(`${formatArgument(named)} is not the URL of a folder on this machine`);
  }
}

/** Whether a folder looks like a vault. */
export function isVault(folder: string): boolean {
  return MARKS.some((mark) => isMark(folder, mark));
}

/**
 * Returns the vaults that a command refers to, each once. Throws for what is no folder, or a part of a vault, before anything is started:
 * whoever names several would not notice that one is missing. `mayBeGone`: of several, one may be missing, which its own calls tell.
 */
export function findVaults({
  named,
  cwd,
  mayBeGone = false,
}: {
  readonly named: readonly (string | undefined)[];
  readonly cwd: string;
  readonly mayBeGone?: boolean;
}): readonly [string, ...string[]] {
  const roots = new Map<string, string>();
  for (const each of named) {
    if (each !== undefined) refuseStoreUrl(each);
    const root = findVault({ named: each, cwd });
    const isGone = mayBeGone && named.length > 1 && !isFolder(root);
    if (!isGone) {
      requireFolder(root);
      refusePartOfVault(root);
    }
    const place = isGone ? root : realpathSync.native(root);
    if (!roots.has(place)) roots.set(place, root);
  }
  const [first = findVault({ named: undefined, cwd }), ...others] = roots.values();
  return [first, ...others];
}

/** Returns the nearest folder from here upward that looks like a vault, or null. */
function findEnclosingVault(path: string): string | null {
  for (let folder = path; ; folder = dirname(folder)) {
    if (isVault(folder)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/**
 * Throws if the folder is inside of a vault without being one itself: opened as a vault it would get its own history and lock beside the
 * ones that apply to it.
 */
export function refusePartOfVault(path: string): void {
  // The real location counts, not the path that leads there.
  const folder = realpathSync.native(path);
  const around = findEnclosingVault(folder);
  if (around === null || around === folder) return;
  const message = `${formatArgument(path)} is a folder of the vault ${formatArgument(around)} and no vault itself; name that one, or put a file .rouxrc.json with {} into the folder if it is to be a vault of its own.`;
  throw new RouxError('INVALID_PARAMS', message, { vault: around });
}

/**
 * Whether the folder has this mark. In a folder that everybody may write to, such as `/tmp`, a mark that belongs to another user does not
 * count: it would make a vault of everything below.
 */
function isMark(folder: string, name: string): boolean {
  const mark = join(folder, name);
  if (!existsSync(mark)) return false;
  const self = process.getuid?.();
  if (self === undefined || (statSync(folder).mode & EVERYBODY_WRITES) === 0) return true;
  return [self, 0].includes(lstatSync(mark).uid);
}

/** Throws if the URL of a store is given instead of a folder. The message does not repeat the URL, which may contain a password. */
export function refuseStoreUrl(named: string): void {
  if (!/^postgres(?:ql)?:\/\//i.test(named)) return;
  throw new UsageError(
    'a vault is a folder, and not the URL of a store: "roux clone" makes one of it, and "roux serve --clone" for as long as it runs',
  );
}

/** Throws if a folder that is to become a vault, and may not exist yet, is inside of one. */
export function refuseInsideOfVault(path: string): void {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const real = realpathSync.native(there);
  const around = findEnclosingVault(real);
  if (around === null || (around === real && there === path)) return;
  throw new RouxError(
    'INVALID_PARAMS',
    `${formatArgument(path)} is inside of the vault ${formatArgument(around)}; take a folder beside it.`,
    { vault: around },
  );
}

/** Throws `VAULT_NOT_FOUND` if the vault is not a folder, before anything is started for it. */
export function requireFolder(path: string): void {
  const what = whyNoFolder(path);
  if (what === null) return;
  const message = `${formatArgument(path)} ${what}; give the folder that holds your notes.`;
  throw new RouxError('VAULT_NOT_FOUND', message, { vault: path });
}

/** Whether the path is a folder. */
export function isFolder(path: string): boolean {
  return whyNoFolder(path) === null;
}

function whyNoFolder(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'is not a folder';
  } catch (error) {
    const code = systemCode(error) ?? String(error);
    // A path beyond the system's limit cannot exist.
    return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code) ? 'does not exist' : `cannot be reached (${code})`;
  }
}
