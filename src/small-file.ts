import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { systemCode } from './errors.ts';

/** What stands under a name: a file with its text, nothing, or something that is not read, and why, as the end of a sentence that begins with its name. */
export type SmallFile =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'nothing' } | { readonly kind: 'refused'; readonly why: string };

interface HowToRead {
  /** A longer file is refused. */
  readonly mostBytes?: number;
  /** For what the user keeps, who may have put a link there; never for what came with a vault. */
  readonly followsLinks?: boolean;
  /** For what holds a secret: refused where others than its owner may read it, but for the group of a file of root's. */
  readonly isPrivate?: boolean;
}

/** Longer than any file of settings that a person wrote. */
const MAX_BYTES = 1024 * 1024;

/** Reads a file of settings by its name: a regular file of bounded size only, without following a link and without waiting for a FIFO's other end. */
export function readSmallFile(path: string, { mostBytes = MAX_BYTES, followsLinks = false, isPrivate = false }: HowToRead = {}): SmallFile {
  try {
    return readOpened(openForReading(path, followsLinks), { mostBytes, isPrivate });
  } catch (error) {
    const code = systemCode(error) ?? String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || (code === 'EACCES' && !isReachable(path))) return { kind: 'nothing' };
    return { kind: 'refused', why: WHY[code] ?? `cannot be read (${code})` };
  }
}

/** Whether this user can see that something stands there: a home folder that is another user's holds nothing for this one. */
function isReachable(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

const WHY: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link, which roux does not follow there',
  ENXIO: 'is not a regular file',
  EACCES: 'may not be read by this user',
  ENAMETOOLONG: 'has a longer path than the file system takes',
};

function isOpenToOthers({ mode, uid }: Stats): boolean {
  return process.platform !== 'win32' && (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
}

function openForReading(path: string, followsLinks: boolean): number {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  if (followsLinks) return openSync(path, flags);
  if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) throw Object.assign(new Error('a link'), { code: 'ELOOP' });
  return openSync(path, flags | (constants.O_NOFOLLOW ?? 0));
}

function readOpened(descriptor: number, { mostBytes, isPrivate }: Required<Omit<HowToRead, 'followsLinks'>>): SmallFile {
  try {
    const state = fstatSync(descriptor);
    if (!state.isFile()) return { kind: 'refused', why: 'is not a regular file' };
    if (isPrivate && isOpenToOthers(state)) return { kind: 'refused', why: 'may be read by others than its owner (chmod 600 ends that)' };
    // One byte more than may be there tells of a file that is too large, also where it grew after it was looked at.
    const bytes = Buffer.allocUnsafe(Math.min(state.size, mostBytes) + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = readSync(descriptor, bytes, length, bytes.length - length, length);
    }
    if (length > mostBytes) return { kind: 'refused', why: `is larger than ${Math.floor(mostBytes / 1024)} KB` };
    return { kind: 'text', text: bytes.toString('utf8', 0, length) };
  } finally {
    closeSync(descriptor);
  }
}
