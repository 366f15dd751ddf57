import { setImmediate } from 'node:timers/promises';
import { errorMessage, RouxError, systemCode } from '../../errors.ts';
import { revOf } from '../../note/frontmatter/property-value.ts';
import type { Note } from '../../note/note.ts';
import { toNotePath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { isSameState } from '../../store/folder/file-system.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import { ONLINE_ONLY } from '../../store/folder/online-only.ts';
import { findFile } from '../../store/folder/find-file.ts';
import type { FoundFile } from '../../store/folder/find-file.ts';
import { hashOf, isTooLarge, MAX_FILE_BYTES, stampHashOf } from '../../store/folder/hash.ts';
import { readStable } from '../../store/folder/read-stable.ts';
import type { StableFile } from '../../store/folder/read-stable.ts';
import { toStoreError } from '../../store/folder/system-error.ts';
import type { OwnBytes } from './compare-folders.ts';
import { noteOf, readBeginning } from './read-note.ts';
import type { Sync } from './sync.ts';

/** A note as it is on disk. */
export interface NoteOnDisk {
  readonly note: Note;
  /** sha-256 of the bytes, hex; for a note that is too large to be written, of its size and time. */
  readonly hash: string;
  /** True for a note that is too large to be written: this is its beginning, `readInChunks` returns all. */
  readonly isPartial: boolean;
  /** Frontmatter `rev`, else the count of changes by the history; null where that was not asked. */
  readonly rev: number | null;
  readonly createdMs: number;
  readonly modifiedMs: number;
}

/**
 * Reads a note from disk, but not in the middle of an in-place save, and updates the graph. Known bytes are returned at once, a young file
 * with unknown bytes only once it is stable.
 */
export async function readNoteNow({ files, sync, path }: { files: FileReader; sync: Sync; path: string }): Promise<NoteOnDisk | null> {
  const notePath = toNotePath(path);
  if (notePath === null) return null;
  const known = sync.inventory.note(path);
  // The sync may have read half of a save, unless roux wrote it.
  const isKnown = (hash: string): boolean => hash === known?.hash && (!sync.racy.has(path) || sync.isOwn(path, hash));
  const found = await readStableFile(files, path, { isKnown, mayReturn: known !== null });
  if (found === null) {
    if (known !== null) sync.look([path]);
    return null;
  }
  if (found.hash !== known?.hash) sync.look([path]);
  return toNoteOnDisk(notePath, found);
}

/**
 * Brings the graph up to date with the note at a path, which is read only where it may have changed. Returns whether there is one.
 */
export async function refreshNote(from: { files: FileReader; sync: Sync; path: string }): Promise<boolean> {
  return isAsSeen(from) || (await readNoteNow(from)) !== null;
}

function isAsSeen({ files, sync, path }: { files: FileReader; sync: Sync; path: string }): boolean {
  const known = sync.inventory.note(path);
  if (known === null || known.linkedTo !== undefined || sync.racy.has(path)) return false;
  try {
    const state = files.hint(path);
    return state?.kind === 'file' && isSameState(known.stamp, state);
  } catch {
    // Reading it tells why it cannot be read.
    return false;
  }
}

/** Reads a note at once, even in the middle of a save; null if it cannot be read. */
export function glanceAtNote(files: FileReader, path: string): NoteOnDisk | null {
  const notePath = toNotePath(path);
  if (notePath === null) return null;
  try {
    const real = findOwnFile(files, path)?.path ?? path;
    const found = files.read(real, { maxBytes: MAX_FILE_BYTES });
    if (found === null) return null;
    const large = isTooLarge(found.state) ? readLargeBeginning(files, real) : null;
    return toNoteOnDisk(notePath, large ?? { ...found, hash: hashOf(found.bytes) });
  } catch {
    // The vault warns of files that cannot be read.
    return null;
  }
}

/** Builds a note from the bytes and the state of its file. */
export function toNoteOnDisk(
  path: NotePath,
  { bytes, state, hash }: Pick<OwnBytes, 'bytes' | 'hash'> & { readonly state: Times },
): NoteOnDisk {
  const size = state.size ?? bytes.length;
  const note = noteOf(path, bytes, { forIndex: false, size });
  const [modifiedMs, bornMs] = [toMs(state.mtimeNs), toMs(state.birthNs)];
  return {
    note,
    hash,
    isPartial: bytes.length < size,
    rev: revOf(note.frontmatter.data),
    // Some file systems have no birth time.
    createdMs: bornMs > 0 ? Math.min(bornMs, modifiedMs) : modifiedMs,
    modifiedMs,
  };
}

type Times = OwnBytes['state'] & { readonly size?: number };

/** Reads the beginning of a note that is too large to be written, without waiting until it is stable. */
function readLargeBeginning(files: FileReader, path: string): StableFile | null {
  const found = readBeginning(files, path);
  return found === null || !isTooLarge(found.state) ? null : { ...found, hash: stampHashOf(found.state) };
}

/** Bytes that are read and decoded at once, which takes some milliseconds. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Reads the text of a note that is too large to be written, chunk by chunk, yielding after each. Throws a retryable `CONFLICT` if it changes
 * meanwhile, and `NODE_NOT_FOUND` if it is missing.
 */
export async function* readInChunks(files: FileReader, path: string): AsyncGenerator<string> {
  const file = findFile(files, path);
  if (file === null) throw new RouxError('NODE_NOT_FOUND', `${path} is not in the vault.`, { path });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const { state } = file;
  for (let start = 0; start < state.size; start += CHUNK_BYTES) {
    const chunk = files.read(file.path, { start, length: CHUNK_BYTES });
    if (chunk === null || stampHashOf(chunk.state) !== stampHashOf(state))
      throw new RouxError('CONFLICT', `${path} changed while it was read; read it again.`, { path }, { retryable: true });
    yield decoder.decode(chunk.bytes, { stream: true });
    await setImmediate();
  }
  yield decoder.decode();
}

/** Finds the file of a note. Nearly every path is the file itself, reached through folders that are no links: only others are resolved. */
function findOwnFile(files: FileReader, path: string): Pick<FoundFile, 'path' | 'state'> | null {
  const state = files.stat(path);
  return state?.kind === 'file' ? { path, state } : findFile(files, path);
}

async function readStableFile(
  files: FileReader,
  path: string,
  how: { readonly isKnown: (hash: string) => boolean; readonly mayReturn: boolean },
): ReturnType<typeof readStable> {
  try {
    const file = findOwnFile(files, path);
    const large = file !== null && isTooLarge(file.state) ? readLargeBeginning(files, file.path) : null;
    return large ?? (await readStable(files, { path: file?.path ?? path, ...how }));
  } catch (error) {
    // A link out of the vault, or to nothing, is not a note.
    if (error instanceof RouxError && error.code === 'INVALID_PARAMS') return null;
    if (error instanceof RouxError) throw error;
    if (['ESTALE', 'EFBIG', ONLINE_ONLY].includes(systemCode(error) ?? '')) throw toStoreError(error);
    throw new RouxError('IO_ERROR', `${path} cannot be read: ${errorMessage(error)}. Check its permissions.`, { path });
  }
}

function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}
