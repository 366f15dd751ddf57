import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../../errors.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { PRIVATE_FILE } from '../folder/file-system.ts';
import { makeFolders, removeIfThere, writeAll } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { HOME, writeHomeFiles } from './home.ts';
import { encodeHead, MAX_HEAD_BYTES, readHead } from './signed-file.ts';

/** Files under `.roux/cache` that are made anew when they are lost: written whole, read whole, by this vault's own processes only. */
export interface CacheFiles {
  /** The bytes under a name; null when there are none, or none that were written here. */
  load(name: string): Buffer | null;
  /** The same in steps of some milliseconds, for what is large. */
  loadInSteps(name: string): Generator<void, Buffer | null>;
  /** Temporary file, then rename: whoever reads meanwhile sees the old one. Gives way to others between pieces of some milliseconds. */
  save(name: string, blocks: readonly Uint8Array[]): Promise<void>;
  /** Removes a file that is needed no more; none there is well too. */
  remove(name: string): void;
}

const FOLDER = `${HOME}/cache`;

/** The cache of a vault's folder. A file is one line with the hash of the rest and the mark of its origin, then the bytes. */
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
      // How large it is is believed of our own only.
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

  /** Writes a file whole, piece by piece. */
  async function write(path: string, blocks: readonly Uint8Array[]): Promise<void> {
    const file = files.create(path, PRIVATE_FILE);
    try {
      for (const piece of piecesOf(blocks)) {
        writeAll(file, piece);
        await setImmediate();
      }
    } finally {
      file.close();
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
    async save(name, blocks) {
      if (makeFolders(files, FOLDER).includes(HOME)) await writeHomeFiles(files, false);
      const hash = createHash('sha256');
      for (const piece of piecesOf(blocks)) {
        hash.update(piece);
        await setImmediate();
      }
      const sha256 = hash.digest('hex');
      const head = encodeHead(name, sha256, origin);
      const staged = `${FOLDER}/${name}.${options.newId()}`;
      try {
        await write(staged, [head, ...blocks]);
        files.rename(staged, `${FOLDER}/${name}`);
      } catch (error) {
        removeIfThere(files, staged);
        throw error;
      }
    },
    remove(name) {
      try {
        removeIfThere(files, `${FOLDER}/${name}`);
      } catch (error) {
        options.onFailure(`${FOLDER}/${name} cannot be removed: ${errorMessage(error)}`);
      }
    },
  };
}

/** Blocks in pieces that take some milliseconds each, small ones together. */
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

const MAX_BYTES = 2 ** 31 - 1;
const PIECE_BYTES = 1024 * 1024;
