import { RouxError } from '../../errors.ts';
import { checkName, fileName, folderOf, foldKey, isIgnoredName, isNotePath, isVaultPath, joinPath } from '../../note/path.ts';
import { HOW_TO_DOWNLOAD, WHY_ONLINE_ONLY } from './online-only.ts';
import type { FileReader, FileState } from './file-system.ts';

/** A file of the vault that exists, with links resolved. */
export interface FoundFile {
  /** Vault-relative path of the file itself. */
  readonly path: string;
  readonly state: FileState;
  /** Whether the requested path is a symbolic link to it. */
  readonly isLinked: boolean;
}

const LINK_FAULTS = {
  nothing: 'it is a symbolic link to nothing',
  loop: 'it is a symbolic link that leads to itself',
  outside: 'it is a symbolic link out of the vault',
} as const;

/** Finds the file at a vault path, or null. Never leads out of the vault or into hidden folders. */
export function findFile(files: FileReader, path: string): FoundFile | null {
  checkVaultPath(path);
  const folder = realFolder(files, folderOf(path));
  if (folder === null) return null;
  const real = joinPath(folder, fileName(path));
  const state = files.stat(real);
  if (state === null) return null;
  if (state.kind === 'file') return { path: real, state, isLinked: false };
  if (state.kind !== 'link') throw refusal(path, 'it is not a regular file');
  const target = files.realPath(real);
  if (target.kind !== 'inside') throw refusal(path, LINK_FAULTS[target.kind]);
  if (!isVaultPath(target.path) || isNotePath(target.path) !== isNotePath(path)) throw refusal(path, LINK_FAULTS.outside);
  const targetState = files.stat(target.path);
  if (targetState?.kind !== 'file') throw refusal(path, 'it is a symbolic link to something that is not a file');
  return { path: target.path, state: targetState, isLinked: true };
}

/** Names in folders by folded form. Each folder is listed once, even for a plan of a thousand new notes. */
export type Listings = Map<string, ReadonlyMap<string, readonly string[]>>;

/** The path of a new file. */
export interface NewName {
  readonly path: string;
  /** Paths that are vacated by the same plan. */
  readonly leaving: ReadonlySet<string>;
  /** Returns whether a path may exist that differs at most by case or Unicode form; false avoids listing the folder. */
  readonly mayCollide: (path: string) => boolean;
  /** The name comes from another machine, whose system may allow more names than this one. */
  readonly isIncoming?: boolean;
  /** Folders that the plan has listed so far. */
  readonly listings?: Listings;
}

/**
 * Checks that a new file may have this path (docs/format.md, Identity) and returns it with links in its folders resolved. Throws otherwise.
 */
export function findFreeName(files: FileReader, query: NewName): string {
  const { path, leaving, mayCollide, isIncoming = false, listings = new Map() } = query;
  checkVaultPath(path);
  const name = fileName(path);
  if (!isIncoming) checkLegalName(path, name);
  const segments = folderOf(path) === '' ? [] : folderOf(path).split('/');
  let folder = '';
  for (const [index, segment] of segments.entries()) {
    const real = realFolder(files, joinPath(folder, segment));
    if (real === null) {
      // All remaining folders are new.
      if (!isIncoming) {
        for (const missing of segments.slice(index)) checkLegalName(path, missing);
        checkCaseCollision(files, { folder, name: segment, leaving, path, listings });
      }
      return joinPath(joinPath(folder, segments.slice(index).join('/')), name);
    }
    // Notes are indexed under the real folder: a caller that got another path would not find them again.
    if (foldKey(real) !== foldKey(joinPath(folder, segment)))
      throw refusal(joinPath(folder, segment), `it is a link to ${real}; name that folder`);
    folder = real;
  }
  const wanted = joinPath(folder, name);
  // Listing a large folder would cost more than writing the note.
  if (mayCollide(wanted) || files.stat(wanted) !== null) checkCaseCollision(files, { folder, name, leaving, path, listings });
  return wanted;
}

/** Returns the real vault-relative path of a folder; null when it does not exist. */
function realFolder(files: FileReader, folder: string): string | null {
  if (folder === '') return '';
  const real = files.realPath(folder);
  if (real.kind === 'nothing') return null;
  if (real.kind !== 'inside' || !isVaultPath(real.path)) throw refusal(folder, 'it leads out of the vault');
  if (files.stat(real.path)?.kind !== 'folder') throw refusal(folder, 'it is not a folder');
  return real.path;
}

function checkCaseCollision(
  files: FileReader,
  query: { folder: string; name: string; leaving: ReadonlySet<string>; path: string; listings: Listings },
): void {
  const { folder, name, leaving, path, listings } = query;
  const listing = listings.get(folder) ?? foldNames((files.list(folder) ?? []).map((entry) => entry.name));
  listings.set(folder, listing);
  const collision = listing.get(foldKey(name))?.find((other) => !leaving.has(joinPath(folder, other)));
  if (collision === undefined) return;
  const existing = joinPath(folder, collision);
  const isThere =
    existing === path ? `${path} exists already` : `${path} differs from ${existing}, which exists, only by case or Unicode form`;
  const isOnlineOnly = files.stat(existing)?.isOnlineOnly === true;
  const why = isOnlineOnly ? `, but is online-only: ${WHY_ONLINE_ONLY}. ${HOW_TO_DOWNLOAD}.` : '.';
  throw new RouxError('NODE_EXISTS', `${isThere}${why}`, { path, existing });
}

function foldNames(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byKey = new Map<string, string[]>();
  for (const name of names) {
    const key = foldKey(name);
    const names = byKey.get(key);
    if (names === undefined) byKey.set(key, [name]);
    else names.push(name);
  }
  return byKey;
}

/** Throws `INVALID_PARAMS` for a path that leads out of the vault or into hidden folders. */
export function checkVaultPath(path: string): void {
  if (!isVaultPath(path)) throw refusal(path, 'it is no path inside the vault that roux may write');
}

function checkLegalName(path: string, name: string): void {
  const fault = checkName(name) ?? (isIgnoredName(name) ? 'it is a name for temporary or hidden files' : null);
  if (fault !== null) throw refusal(path, `of "${name}": ${fault}`);
}

function refusal(path: string, why: string): RouxError {
  return new RouxError('INVALID_PARAMS', `${JSON.stringify(path)} cannot be written: ${why}.`, { path });
}
