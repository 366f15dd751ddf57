import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../../errors.ts';
import { PRIVATE_FILE } from '../folder/file-system.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { listAllowed } from '../folder/system-error.ts';
import { makeFolders, removeIfThere, tryRemove, writeAll } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { HOME, writeHomeFiles } from './home.ts';
import { timeOfId } from './id-time.ts';
import { encodeHead, MAX_HEAD_BYTES, readHead } from './signed-file.ts';

/** Caches under `.roux/cache`, rebuilt when missing. Each is written and read as a whole, and only by processes of this vault. */
export interface CacheFiles {
  /** Returns the bytes of a cache file; null when it is missing, damaged or was not written in this folder. */
  load(name: string): Buffer | null;
  /** Does the same in steps of a few milliseconds, for large files. */
  loadInSteps(name: string): Generator<void, Buffer | null>;
  /**
   * Writes a temporary file and renames it, so that readers see the old or the new file. Yields to other work every few milliseconds. What
   * comes in pieces is written piece by piece, each before the next one is asked for; if they end with an error, nothing is saved.
   */
  save(name: string, content: readonly Uint8Array[] | AsyncIterable<Uint8Array>): Promise<void>;
  /** Removes a file. Does nothing if it does not exist. */
  remove(name: string): void;
}

const FOLDER = `${HOME}/cache`;
const MAX_BYTES = 2 ** 31 - 1;
const PIECE_BYTES = 1024 * 1024;
/** Whatever was begun before is of a process that ended. */
const MAX_WRITE_MS = 60 * 60 * 1000;

/** Access to `.roux/cache`. A file is one line with the hash of the body and an origin mark, followed by the body. */
export function openCacheFiles(
  files: FileSystem,
  origin: Origin,
  options: { readonly newId: () => string; readonly onFailure: (message: string) => void },
): CacheFiles {
  function* loadInSteps(name: string): Generator<void, Buffer | null> {
    try {
      const path = `${FOLDER}/${name}`;
      const start = files.read(path, { length: MAX_HEAD_BYTES });
      const end = start?.bytes.indexOf(0x0a) ?? -1;
      const head = start === null || end < 0 ? null : readHead(start.bytes.toString('utf8', 0, end));
      // The size is trusted only after the signature was checked.
      if (start === null || head === null || !origin.isOurs(`${name} ${head.sha256}`, head.origin)) return null;
      const body = Buffer.allocUnsafe(Math.min(start.state.size, MAX_BYTES) - end - 1);
      const hash = createHash('sha256');
      for (let at = 0; at < body.length; at += PIECE_BYTES) {
        const piece = files.read(path, { start: end + 1 + at, length: Math.min(PIECE_BYTES, body.length - at), isShared: true })?.bytes;
        if (piece === undefined) return null;
        hash.update(piece);
        piece.copy(body, at);
        yield;
      }
      return hash.digest('hex') === head.sha256 ? body : null;
    } catch (error) {
      options.onFailure(`The cache cannot be read: ${errorMessage(error)}`);
      return null;
    }
  }

  /** The head is written last, in its place: no file is one of ours before it is whole. */
  async function write(path: string, name: string, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    const file = files.create(path, PRIVATE_FILE);
    try {
      writeAll(file, Buffer.alloc(encodeHead(name, hashOf(''), origin).length));
      for await (const piece of pieces) {
        hash.update(piece);
        writeAll(file, piece);
        await setImmediate();
      }
      writeAll(file, encodeHead(name, hash.digest('hex'), origin), 0);
    } finally {
      file.close();
    }
  }

  function remove(path: string): void {
    try {
      removeIfThere(files, path);
    } catch (error) {
      options.onFailure(`${path} cannot be removed: ${errorMessage(error)}`);
    }
  }

  function removeLeftovers(now: number): void {
    for (const { name, kind } of listAllowed(files, FOLDER)) {
      const [, id = ''] = kind === 'file' ? name.split('.') : [];
      const begun = timeOfId(id);
      if (begun !== null && now - begun > MAX_WRITE_MS) remove(`${FOLDER}/${name}`);
    }
  }

  return {
    load(name) {
      const steps = loadInSteps(name);
      for (;;) {
        const step = steps.next();
        if (step.done === true) return step.value;
      }
    },
    loadInSteps,
    async save(name, content) {
      if (makeFolders(files, FOLDER).includes(HOME)) await writeHomeFiles(files, false);
      const id = options.newId();
      const staged = `${FOLDER}/${name}.${id}`;
      const isLong = Symbol.asyncIterator in content;
      if (isLong) removeLeftovers(timeOfId(id) ?? 0);
      try {
        await write(staged, name, isLong ? content : piecesOf(content));
        files.rename(staged, `${FOLDER}/${name}`);
      } catch (error) {
        tryRemove(files, staged);
        throw error;
      }
    },
    remove: (name) => remove(`${FOLDER}/${name}`),
  };
}

/** Splits blocks into pieces that take a few milliseconds each; joins small blocks. */
function* piecesOf(blocks: readonly Uint8Array[]): Generator<Uint8Array> {
  let few: Uint8Array[] = [];
  let length = 0;
  for (const block of blocks) {
    if (length + block.length > PIECE_BYTES && few.length > 0) {
      yield Buffer.concat(few);
      [few, length] = [[], 0];
    }
    if (block.length > PIECE_BYTES) {
      for (let at = 0; at < block.length; at += PIECE_BYTES) yield block.subarray(at, at + PIECE_BYTES);
    } else {
      few.push(block);
      length += block.length;
    }
  }
  if (few.length > 0) yield Buffer.concat(few);
}
