import type { FileState, FileSystem } from '../disk/file-system.ts';
import { RouxError } from '../errors.ts';
import { linkKey } from '../graph/links/resolve.ts';
import type { GraphView } from '../graph/view.ts';
import { checkName, folderOf, foldKey, isIgnoredName, isNotePath, isVaultPath } from '../note/path.ts';

/** A file of the vault that exists, with links resolved. */
export interface Place {
  /** Vault-relative path of the file itself. */
  readonly path: string;
  readonly state: FileState;
  /** The asked name is a symbolic link to it. */
  readonly isLinked: boolean;
}

/** Finds the file that a vault path stands for, or null. Never leads out of the vault or into hidden folders. */
export async function findPlace(files: FileSystem, root: string, path: string): Promise<Place | null> {
  mustBeInside(path);
  const folder = await realFolder(files, root, folderOf(path));
  if (folder === null) return null;
  const real = join(folder, fileName(path));
  const state = await files.stat(`${root}/${real}`);
  if (state === null) return null;
  if (state.kind === 'file') return { path: real, state, isLinked: false };
  if (state.kind !== 'link') throw refusal(path, 'it is not a regular file');
  const target = await files.realPath(`${root}/${real}`);
  const inside = target === null ? null : relative(root, target);
  if (inside === null || !isVaultPath(inside) || isNotePath(inside) !== isNotePath(path)) {
    throw refusal(path, target === null ? 'it is a symbolic link to nothing' : 'it is a symbolic link out of the vault');
  }
  const targetState = await files.stat(`${root}/${inside}`);
  if (targetState?.kind !== 'file') throw refusal(path, 'it is a symbolic link to something that is not a file');
  return { path: inside, state: targetState, isLinked: true };
}

/** The names in folders by their folded form, each folder listed once: a plan of a thousand new notes must not list a large folder a thousand times. */
export type Listings = Map<string, ReadonlyMap<string, readonly string[]>>;

/** Where a new file is to go. `leaving`: names that go in the same plan; `listings`: what the plan has listed so far. */
export interface RoomQuery {
  readonly root: string;
  readonly graph: Pick<GraphView, 'byKey'>;
  readonly path: string;
  readonly leaving: ReadonlySet<string>;
  readonly listings?: Listings;
}

/** Checks that a new file may have this name, and gives the path with links in its folders resolved. */
export async function findRoom(files: FileSystem, query: RoomQuery): Promise<string> {
  const { root, graph, path, leaving, listings = new Map() } = query;
  mustBeInside(path);
  const name = fileName(path);
  mustBeLegal(path, name);
  const segments = folderOf(path) === '' ? [] : folderOf(path).split('/');
  let folder = '';
  for (const [index, segment] of segments.entries()) {
    const real = await realFolder(files, root, join(folder, segment));
    if (real === null) {
      // From here on every folder is new.
      for (const missing of segments.slice(index)) mustBeLegal(path, missing);
      await mustHaveNoTwin(files, { root, folder, name: segment, leaving, path, listings });
      return join(join(folder, segments.slice(index).join('/')), name);
    }
    folder = real;
  }
  if (await isFree(files, { root, graph, path: join(folder, name) })) return join(folder, name);
  await mustHaveNoTwin(files, { root, folder, name, leaving, path, listings });
  return join(folder, name);
}

/** The real vault-relative path of a folder, or null when there is none. */
async function realFolder(files: FileSystem, root: string, folder: string): Promise<string | null> {
  if (folder === '') return '';
  const real = await files.realPath(`${root}/${folder}`);
  if (real === null) return null;
  const inside = relative(root, real);
  if (inside === null || !isVaultPath(inside)) throw refusal(folder, 'it leads out of the vault');
  if ((await files.stat(real))?.kind !== 'folder') throw refusal(folder, 'it is not a folder');
  return inside;
}

/** Whether nothing is there, and the graph knows no twin. Listing a large folder for each new note would cost more than the note. */
async function isFree(files: FileSystem, { root, graph, path }: Pick<RoomQuery, 'root' | 'graph' | 'path'>): Promise<boolean> {
  const key = foldKey(path);
  if (graph.byKey(linkKey(path)).some((other) => foldKey(other) === key)) return false;
  return (await files.stat(`${root}/${path}`)) === null;
}

async function mustHaveNoTwin(
  files: FileSystem,
  query: Omit<RoomQuery, 'graph'> & { folder: string; name: string; listings: Listings },
): Promise<void> {
  const { root, folder, name, leaving, path, listings } = query;
  const listing = listings.get(folder) ?? foldNames((await files.list(folder === '' ? root : `${root}/${folder}`)) ?? []);
  listings.set(folder, listing);
  const twin = listing.get(foldKey(name))?.find((other) => !leaving.has(join(folder, other)));
  if (twin === undefined) return;
  const existing = join(folder, twin);
  throw new RouxError(
    'NODE_EXISTS',
    existing === path ? `${path} exists already.` : `${path} differs from ${existing}, which exists, only by case or Unicode form.`,
    {
      path,
      existing,
    },
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

function mustBeInside(path: string): void {
  if (!isVaultPath(path)) throw refusal(path, 'it is no path inside the vault that roux may write');
}

function mustBeLegal(path: string, name: string): void {
  const fault = checkName(name) ?? (isIgnoredName(name) ? 'it is a name for temporary or hidden files' : null);
  if (fault !== null) throw refusal(path, `of "${name}": ${fault}`);
}

function refusal(path: string, why: string): RouxError {
  return new RouxError('INVALID_PARAMS', `${JSON.stringify(path)} cannot be written: ${why}.`, { path });
}

/** The vault-relative form of an absolute path, or null when it is outside. */
function relative(root: string, path: string): string | null {
  const unix = path.replaceAll('\\', '/');
  return unix.startsWith(`${root}/`) ? unix.slice(root.length + 1) : null;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
