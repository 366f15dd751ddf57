import { setImmediate } from 'node:timers/promises';
import { RouxError } from '../../../errors.ts';
import { linkKey, checkPath, isIgnoredName, isVaultPath, normalizeId } from '../../../note/path.ts';
import { sliced } from '../../../graph/search/scan.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { Vault } from '../../../vault/vault.ts';
import { shorten } from '../../shorten.ts';
import { MemoryFault } from './fault.ts';

/** The folder that the model sees. */
export const ROOT = '/memories';

/** Encoded dots, slashes, backslashes, percent signs and nulls: whoever decoded them would get another path. */
const ENCODED = /%(?:2e|2f|5c|25|00)/i;

/** A path as the model gave it, and in the vault. */
export interface MemoryPath {
  readonly shown: string;
  /** Vault-relative; of the root the folder itself. */
  readonly path: string;
  readonly isRoot: boolean;
}

/** Returns the folder of the vault behind `/memories`. Throws `INVALID_PARAMS` for one that no vault may have. */
export function readFolder(given: string): string {
  const folder = given.replace(/\/$/, '');
  if (folder !== '' && isVaultPath(folder) && !folder.split('/').some(isIgnoredName)) return folder;
  const message = `folder: ${JSON.stringify(shorten(given, 200))} is no folder of a vault; give a path such as "memories" or "agents/claude".`;
  throw new RouxError('INVALID_PARAMS', message, { field: 'folder' });
}

/** Returns a folder in the Unicode form in which the disk has it. */
export function folderOnDisk(graph: GraphView, folder: string): string {
  const wanted = `${normalizeId(folder)}/`;
  if (folder.normalize('NFD') === normalizeId(folder)) return folder;
  const depth = folder.split('/').length;
  const isBelow = (path: string): boolean => normalizeId(path).startsWith(wanted);
  const paths = [...Array.from(graph.entries({ includeHidden: true }), ({ path }) => path), ...graph.attachments()];
  return paths.find(isBelow)?.split('/').slice(0, depth).join('/') ?? folder;
}

/** Reads a path of a command. Throws a fault for one that is not below `/memories` in its plain form, or that a vault does not show. */
export function readPath(given: unknown, field: string, folder: string): MemoryPath {
  if (typeof given !== 'string') throw new MemoryFault(`Error: \`${field}\` is missing. Give a path below ${ROOT}.`);
  const shown = given.length > ROOT.length + 1 && given.endsWith('/') ? given.slice(0, -1) : given;
  if (shown === ROOT || shown === `${ROOT}/`) return { shown: ROOT, path: folder, isRoot: true };
  const rest = shown.startsWith(`${ROOT}/`) ? shown.slice(ROOT.length + 1) : '';
  const names = rest.split('/');
  const isPlain = rest !== '' && !names.some((name) => name === '' || name === '.' || name === '..') && !ENCODED.test(rest);
  const path = `${folder}/${rest}`;
  if (!isPlain || !isVaultPath(path) || names.some(isIgnoredName))
    throw new MemoryFault(
      `Error: The path ${shorten(shown, 300)} is not allowed: it has to lead below ${ROOT}, without "..", encoded, hidden or temporary names.`,
    );
  return { shown, path, isRoot: false };
}

/** Throws a fault for a path that no new file may have: a name that some system cannot hold. */
export function checkNew({ shown, path }: MemoryPath): void {
  const problem = checkPath(path);
  if (problem !== null) throw new MemoryFault(`Error: The path ${shorten(shown, 300)} cannot be used: ${problem}.`);
}

/** What is at a path, and the path as the disk has it. `files`: as the graph has them; a symbolic link among them may lead out of the folder. */
export type Found =
  | { readonly kind: 'note' | 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string; readonly files: readonly string[] }
  | null;

/**
 * Looks up a path by the graph, in exactly this case, in whichever Unicode form the disk has it: models write one of them. A file to which a
 * symbolic link leads out of the folder is not there.
 */
export function find({ notes }: Pick<Vault, 'notes'>, graph: GraphView, { shown, path: given, isRoot }: MemoryPath, folder: string): Found {
  const wanted = normalizeId(given);
  const isThere = (path: string): boolean => graph.get(path) !== null || graph.isAttachment(path);
  const path = isThere(given) ? given : graph.byKey(linkKey(given)).find((other) => normalizeId(other) === wanted);
  if (path !== undefined) checkDownloaded(notes, path, shown);
  if (path !== undefined) return isInside(notes, path, folder) ? { kind: graph.get(path) === null ? 'file' : 'note', path } : null;
  const files = filesBelow(graph, folder).filter((file) => isRoot || normalizeId(file).startsWith(`${wanted}/`));
  const depth = given.split('/').length;
  const [first] = files;
  // The graph knows no empty folders.
  if (first === undefined) return isRoot || notes.isFolder(given) ? { kind: 'folder', path: given, files } : null;
  return { kind: 'folder', path: first.split('/').slice(0, depth).join('/'), files };
}

/** Lists the files of a folder, hidden ones too. */
export function filesBelow(graph: GraphView, folder: string): readonly string[] {
  const below: string[] = [];
  for (const { path } of graph.entries({ under: folder, includeHidden: true })) below.push(path);
  for (const path of graph.attachments()) if (path.startsWith(`${folder}/`)) below.push(path);
  return below;
}

/** Yields the files that are in the folder, wherever symbolic links lead. Lets other work run in between: each is looked up on the disk. */
export async function* filesInside({ notes }: Pick<Vault, 'notes'>, files: readonly string[], folder: string): AsyncGenerator<string> {
  const slice = sliced();
  for (const file of files) {
    if (slice.isOver()) await setImmediate();
    if (isInside(notes, file, folder)) yield file;
  }
}

/** Whether a file is where its path says, or at least in the folder. */
function isInside(notes: Vault['notes'], path: string, folder: string): boolean {
  const real = notes.realPath(path);
  // Of a placeholder there is no real path.
  if (real === null) return isOnlineOnly(notes, path);
  return real === path || real.startsWith(`${notes.realPath(folder) ?? folder}/`);
}

/** Throws a fault for a file that is there, but not its content. */
export function checkDownloaded(notes: Vault['notes'], path: string, shown: string): void {
  if (isOnlineOnly(notes, path))
    throw new MemoryFault(
      `Error: The file ${shown} is there, but online-only: a sync service keeps its content elsewhere. Ask the user to download it.`,
    );
}

function isOnlineOnly(notes: Vault['notes'], path: string): boolean {
  return notes.timesOf(path)?.isOnlineOnly === true;
}
