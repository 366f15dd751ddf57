import type { FileSystem } from '../disk/file-system.ts';
import { RouxError } from '../errors.ts';
import { foldKey, isNotePath } from '../note/path.ts';
import { timeOfId } from './id-time.ts';
import type { FileChange } from './plan.ts';

/** A removed file that can be restored. */
export interface TrashEntry {
  /** What `restore` takes: the batch that removed it and its path. */
  readonly ref: string;
  readonly batch: string;
  readonly path: string;
  /** Absolute path of the kept file. */
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  /** ISO 8601; null for what lies there by another hand than roux's. */
  readonly removedAt: string | null;
}

/** All removed files, the last removed first, then by path. */
export async function listTrash(files: FileSystem, root: string): Promise<readonly TrashEntry[]> {
  const home = `${root}/.roux/trash`;
  const entries: TrashEntry[] = [];
  for (const batch of ((await files.list(home)) ?? []).toReversed()) {
    const removed = timeOfId(batch);
    const removedAt = removed === null ? null : new Date(removed).toISOString();
    for (const { path, size } of await listBelow(files, `${home}/${batch}`, '')) {
      entries.push({ ref: `${batch}/${path}`, batch, path, file: `${home}/${batch}/${path}`, size, removedAt });
    }
  }
  return entries;
}

/** The entries that a reference means: a batch with all its files, a `ref`, or a path (with or without `.md`), the last removed of that name. */
export async function findInTrash(files: FileSystem, root: string, reference: string): Promise<readonly TrashEntry[]> {
  const entries = await listTrash(files, root);
  const ofBatch = entries.filter((entry) => entry.batch === reference);
  if (ofBatch.length > 0) return ofBatch;
  const key = foldKey(reference);
  const byName = entries.find(({ ref, path }) => foldKey(ref) === key || foldKey(path) === key || foldKey(path) === `${key}.md`);
  if (byName !== undefined) return [byName];
  const bySuffix = entries.filter(({ path }) => foldKey(path).endsWith(`/${key}`) || foldKey(path).endsWith(`/${key}.md`));
  const paths = [...new Set(bySuffix.map(({ path }) => path))];
  if (paths.length > 1) throw new RouxError('AMBIGUOUS', `${JSON.stringify(reference)} fits several removed notes.`, { candidates: paths });
  if (bySuffix[0] === undefined)
    throw new RouxError('NODE_NOT_FOUND', `${JSON.stringify(reference)} is not in the trash.`, { id: reference });
  return [bySuffix[0]];
}

/** The creation that brings a removed file back to its place. */
export async function restoredFile(files: FileSystem, entry: TrashEntry): Promise<FileChange> {
  const bytes = await files.read(entry.file);
  if (bytes === null) throw new RouxError('NODE_NOT_FOUND', `${entry.ref} is not in the trash any more.`, { id: entry.ref });
  const text = bytes.toString('utf8');
  // What is no valid text comes back as the bytes that it was.
  return isNotePath(entry.path) && Buffer.from(text).equals(bytes)
    ? { kind: 'create', path: entry.path, text }
    : { kind: 'create-bytes', path: entry.path, base64: bytes.toString('base64') };
}

/** Takes a restored file out of the trash, with the folders that it leaves empty. */
export async function leaveTrash(files: FileSystem, root: string, entry: TrashEntry): Promise<void> {
  await files.remove(entry.file);
  const home = `${root}/.roux/trash`;
  for (let folder = parentOf(entry.file); folder.length > home.length; folder = parentOf(folder)) {
    if ((await files.list(folder))?.length !== 0) return;
    await files.removeFolder(folder);
  }
}

async function listBelow(files: FileSystem, folder: string, under: string): Promise<readonly { path: string; size: number }[]> {
  const found: { path: string; size: number }[] = [];
  const home = under === '' ? folder : `${folder}/${under}`;
  // Listing a link would follow it.
  if ((await files.stat(home))?.kind !== 'folder') return found;
  for (const name of (await files.list(home)) ?? []) {
    const path = under === '' ? name : `${under}/${name}`;
    const state = await files.stat(`${folder}/${path}`);
    if (state?.kind === 'folder') found.push(...(await listBelow(files, folder, path)));
    else if (state !== null) found.push({ path, size: state.size });
  }
  return found;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
