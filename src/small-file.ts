import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { systemCode } from './errors.ts';

/** The result of reading a small file: its text, nothing, or why it was refused, as the end of a sentence that begins with its name. */
export type SmallFile =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'nothing' } | { readonly kind: 'refused'; readonly why: string };

interface HowToRead {
  /** Larger files are refused. */
  readonly mostBytes?: number;
  /** Whether links are followed: for files of the user, who may use links, never for files of a vault. */
  readonly followsLinks?: boolean;
  /** Whether the file holds a secret: it is refused if others can read it, except for the group of a file that root owns. */
  readonly isPrivate?: boolean;
  /** `latin1`: a character a byte, for files that are no text. */
  readonly encoding?: 'utf8' | 'latin1';
}

/** Larger than any settings file that a person writes. */
const MAX_BYTES = 1024 * 1024;

const REFUSALS: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link, which roux does not follow there',
  ENXIO: 'is not a regular file',
  EACCES: 'may not be read by this user',
  ENAMETOOLONG: 'has a longer path than the file system takes',
};

/** Reads a settings file, but only a regular file of limited size. Does not follow links by default, and never blocks on a FIFO. */
export function readSmallFile(
  path: string | Buffer,
  { mostBytes = MAX_BYTES, followsLinks = false, isPrivate = false, encoding = 'utf8' }: HowToRead = {},
): SmallFile {
  try {
    return readOpened(openForReading(path, followsLinks), { mostBytes, isPrivate, encoding });
  } catch (error) {
    const code = systemCode(error) ?? String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || (code === 'EACCES' && !isReachable(path))) return { kind: 'nothing' };
    return { kind: 'refused', why: REFUSALS[code] ?? `cannot be read (${code})` };
  }
}

/** Whether this user can see the path at all: what is in another user's home folder does not count as existing. */
function isReachable(path: string | Buffer): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function isOpenToOthers({ mode, uid }: Stats): boolean {
  return process.platform !== 'win32' && (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
}

function openForReading(path: string | Buffer, followsLinks: boolean): number {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  if (followsLinks) return openSync(path, flags);
  if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) throw Object.assign(new Error('a link'), { code: 'ELOOP' });
  return openSync(path, flags | (constants.O_NOFOLLOW ?? 0));
}

function readOpened(descriptor: number, { mostBytes, isPrivate, encoding }: Required<Omit<HowToRead, 'followsLinks'>>): SmallFile {
  try {
    const state = fstatSync(descriptor);
    if (!state.isFile()) return { kind: 'refused', why: 'is not a regular file' };
    if (isPrivate && isOpenToOthers(state)) return { kind: 'refused', why: 'may be read by others than its owner (chmod 600 ends that)' };
    // Reading one byte more than allowed detects a file that is too large, even if it has grown in the meantime.
    const bytes = Buffer.allocUnsafe(Math.min(state.size, mostBytes) + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = readSync(descriptor, bytes, length, bytes.length - length, length);
    }
    if (length > mostBytes) return { kind: 'refused', why: `is larger than ${Math.floor(mostBytes / 1024)} KB` };
    return { kind: 'text', text: bytes.toString(encoding, 0, length) };
  } finally {
    closeSync(descriptor);
  }
}
