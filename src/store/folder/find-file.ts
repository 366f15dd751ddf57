import { RouxError } from '../../errors.ts';
import { checkName, fileName, folderOf, foldKey, isIgnoredName, isNotePath, isVaultPath, joinPath } from '../../note/path.ts';
import type { FileReader, FileState } from './file-system.ts';

/** A file of the vault that exists, with links resolved. */
export interface FoundFile {
  /** Vault-relative path of the file itself. */
  readonly path: string;
  readonly state: FileState;
  /** The asked name is a symbolic link to it. */
  readonly isLinked: boolean;
}

/** Finds the file that a vault path stands for, or null. Never leads out of the vault or into hidden folders. */
export function findFile(files: FileReader, path: string): FoundFile | null {
  mustBeVaultPath(path);
  const folder = realFolder(files, folderOf(path));
  if (folder === null) return null;
  const real = joinPath(folder, fileName(path));
  const state = files.stat(real);
  if (state === null) return null;
  if (state.kind === 'file') return { path: real, state, isLinked: false };
  if (state.kind !== 'link') throw refusal(path, 'it is not a regular file');
  const target = files.realPath(real);
  if (target.kind !== 'inside') throw refusal(path, WHERE_LINKS_LEAD[target.kind]);
  if (!isVaultPath(target.path) || isNotePath(target.path) !== isNotePath(path)) throw refusal(path, WHERE_LINKS_LEAD.outside);
  const targetState = files.stat(target.path);
  if (targetState?.kind !== 'file') throw refusal(path, 'it is a symbolic link to something that is not a file');
  return { path: target.path, state: targetState, isLinked: true };
}

const WHERE_LINKS_LEAD = {
  nothing: 'it is a symbolic link to nothing',
  loop: 'it is a symbolic link that leads to itself',
  outside: 'it is a symbolic link out of the vault',
} as const;

/** The names in folders by their folded form, each folder listed once: a plan of a thousand new notes must not list a large folder a thousand times. */
export type Listings = Map<string, ReadonlyMap<string, readonly string[]>>;

/** Where a new file is to go. */
export interface NewName {
  readonly path: string;
  /** Names that go in the same plan. */
  readonly leaving: ReadonlySet<string>;
  /** Whether a name that differs by case or Unicode form at most may be there; false spares listing the folder. */
  readonly mayHaveTwin: (path: string) => boolean;
  /** The name is as others gave it, on a system that may take more names than this one does. */
  readonly isTakenOver?: boolean;
  /** What the plan has listed so far. */
  readonly listings?: Listings;
}

/** Checks that a new file may have this name (docs/format.md, Identity), and gives the path with links in its folders resolved. */
export function findFreeName(files: FileReader, query: NewName): string {
  const { path, leaving, mayHaveTwin, isTakenOver = false, listings = new Map() } = query;
  mustBeVaultPath(path);
  const name = fileName(path);
  if (!isTakenOver) mustBeLegal(path, name);
  const segments = folderOf(path) === '' ? [] : folderOf(path).split('/');
  let folder = '';
  for (const [index, segment] of segments.entries()) {
    const real = realFolder(files, joinPath(folder, segment));
    if (real === null) {
      // From here on every folder is new.
      if (!isTakenOver) {
        for (const missing of segments.slice(index)) mustBeLegal(path, missing);
        mustHaveNoTwin(files, { folder, name: segment, leaving, path, listings });
      }
      return joinPath(joinPath(folder, segments.slice(index).join('/')), name);
    }
    // Its notes are known by the paths of the folder itself: whoever is answered another one would not find them again.
    if (foldKey(real) !== foldKey(joinPath(folder, segment)))
      throw refusal(joinPath(folder, segment), `it is a link to ${real}; name that folder`);
    folder = real;
  }
  const wanted = joinPath(folder, name);
  // Listing a large folder for each new note would cost more than the note.
  if (mayHaveTwin(wanted) || files.stat(wanted) !== null) mustHaveNoTwin(files, { folder, name, leaving, path, listings });
  return wanted;
}

/** The real vault-relative path of a folder, or null when there is none. */
function realFolder(files: FileReader, folder: string): string | null {
  if (folder === '') return '';
  const real = files.realPath(folder);
  if (real.kind === 'nothing') return null;
  if (real.kind !== 'inside' || !isVaultPath(real.path)) throw refusal(folder, 'it leads out of the vault');
  if (files.stat(real.path)?.kind !== 'folder') throw refusal(folder, 'it is not a folder');
  return real.path;
}

function mustHaveNoTwin(
  files: FileReader,
  query: { folder: string; name: string; leaving: ReadonlySet<string>; path: string; listings: Listings },
): void {
  const { folder, name, leaving, path, listings } = query;
  const listing = listings.get(folder) ?? foldNames((files.list(folder) ?? []).map((entry) => entry.name));
  listings.set(folder, listing);
  const twin = listing.get(foldKey(name))?.find((other) => !leaving.has(joinPath(folder, other)));
  if (twin === undefined) return;
  const existing = joinPath(folder, twin);
  throw new RouxError(
    'NODE_EXISTS',
    existing === path ? `${path} exists already.` : `${path} differs from ${existing}, which exists, only by case or Unicode form.`,
    { path, existing },
  );
}

function foldNames(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byKey = new Map<string, string[]>();
  for (const name of names) {
    const key = foldKey(name);
    const twins = byKey.get(key);
    if (twins === undefined) byKey.set(key, [name]);
    else twins.push(name);
  }
  return byKey;
}

/** Refuses a path that leads out of the vault or into hidden folders. */
export function mustBeVaultPath(path: string): void {
  if (!isVaultPath(path)) throw refusal(path, 'it is no path inside the vault that roux may write');
}

function mustBeLegal(path: string, name: string): void {
  const fault = checkName(name) ?? (isIgnoredName(name) ? 'it is a name for temporary or hidden files' : null);
  if (fault !== null) throw refusal(path, `of "${name}": ${fault}`);
}

function refusal(path: string, why: string): RouxError {
  return new RouxError('INVALID_PARAMS', `${JSON.stringify(path)} cannot be written: ${why}.`, { path });
}
