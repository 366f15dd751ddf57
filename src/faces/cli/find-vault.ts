import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RouxError, systemCode } from '../../errors.ts';
import { UsageError } from './command.ts';
import { shownArgument } from './show.ts';

/** What marks the root of a vault. */
const MARKS = ['.rouxrc.json', '.obsidian'];

/** The vault that a command means: the named folder, else the nearest one upward that looks like a vault, else the current one. */
export function findVault(query: { readonly named: string | undefined; readonly cwd: string }): string {
  return query.named === undefined ? (vaultAround(query.cwd) ?? query.cwd) : resolve(query.cwd, query.named);
}

/** The nearest folder from this one upward that looks like a vault, or null. */
function vaultAround(path: string): string | null {
  for (let folder = path; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => isMark(folder, mark))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** Refuses a folder of a vault that is none itself: opened as one it would get a history and a lock of its own, beside those that hold for it. */
export function refusePartOfVault(path: string): void {
  // Where it lies on the disk counts, and not the way there.
  const folder = realpathSync.native(path);
  const around = vaultAround(folder);
  if (around === null || around === folder) return;
  const message = `${shownArgument(path)} is a folder of the vault ${shownArgument(around)} and no vault itself; name that one, or put a file .rouxrc.json with {} into the folder if it is to be a vault of its own.`;
  throw new RouxError('INVALID_PARAMS', message, { vault: around });
}

/** Where everybody may write, as in `/tmp`, what another user has put down makes nobody's vault of all that is below. */
function isMark(folder: string, name: string): boolean {
  const mark = join(folder, name);
  if (!existsSync(mark)) return false;
  const self = process.getuid?.();
  if (self === undefined || (statSync(folder).mode & EVERYBODY_WRITES) === 0) return true;
  return [self, 0].includes(lstatSync(mark).uid);
}

const EVERYBODY_WRITES = 0o002;

/** Refuses the URL of a store where a folder is wanted, without repeating it: it may hold a password. */
export function refuseStoreUrl(named: string): void {
  if (!/^postgres(?:ql)?:\/\//i.test(named)) return;
  throw new UsageError(
    'a vault is a folder, and not the URL of a store: "roux clone" makes one of it, and "roux serve --clone" for as long as it runs',
  );
}

/** Refuses a place inside of a vault for a folder that is to become one, and may not be there yet. */
export function refuseInsideOfVault(path: string): void {
  let there = path;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const real = realpathSync.native(there);
  const around = vaultAround(real);
  if (around === null || (around === real && there === path)) return;
  throw new RouxError(
    'INVALID_PARAMS',
    `${shownArgument(path)} is inside of the vault ${shownArgument(around)}; take a folder beside it.`,
    { vault: around },
  );
}

/** Refuses a vault that is no folder before anything is started for it. */
export function requireFolder(path: string): void {
  const what = faultOf(path);
  if (what === null) return;
  const message = `${shownArgument(path)} ${what}; give the folder that holds your notes.`;
  throw new RouxError('VAULT_NOT_FOUND', message, { vault: path });
}

/** Whether a folder stands there. */
export function isFolder(path: string): boolean {
  return faultOf(path) === null;
}

function faultOf(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'is not a folder';
  } catch (error) {
    const code = systemCode(error) ?? String(error);
    // A path that is longer than paths can be leads nowhere.
    return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code) ? 'does not exist' : `cannot be reached (${code})`;
  }
}
