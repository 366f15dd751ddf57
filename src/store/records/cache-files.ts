import { errorMessage } from '../../errors.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { makeFolders, removeIfThere, writeNewFile } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { HOME, writeHomeFiles } from './home.ts';

/** Files under `.roux/cache` that are made anew when they are lost: written whole, read whole, by this vault's own processes only. */
export interface CacheFiles {
  /** The bytes under a name; null when there are none, or none that were written here. */
  load(name: string): Buffer | null;
  /** Temporary file, then rename: whoever reads meanwhile sees the old one. */
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
  return {
    load(name) {
      try {
        const path = `${FOLDER}/${name}`;
        const start = files.read(path, { length: MOST_HEAD_BYTES })?.bytes;
        const end = start?.indexOf(0x0a) ?? -1;
        const head = start === undefined || end < 0 ? null : readHead(start.toString('utf8', 0, end));
        // How large it is is believed of our own only.
        if (head === null || !origin.isOurs(`${name} ${head.sha256}`, head.origin)) return null;
        const body = files.read(path, { length: MOST_BYTES })?.bytes.subarray(end + 1);
        return body !== undefined && hashOf(body) === head.sha256 ? body : null;
      } catch (error) {
        options.onFailure(`The cache cannot be read: ${errorMessage(error)}`);
        return null;
      }
    },
    async save(name, blocks) {
      if (makeFolders(files, FOLDER).includes(HOME)) await writeHomeFiles(files, false);
      const body = Buffer.concat(blocks);
      const sha256 = hashOf(body);
      const head = Buffer.from(`${JSON.stringify({ sha256, origin: origin.sign(`${name} ${sha256}`) })}\n`);
      const staged = `${FOLDER}/${name}.${options.newId()}`;
      try {
        await writeNewFile(files, { path: staged, bytes: Buffer.concat([head, body]), like: null, isSynced: false });
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

const MOST_HEAD_BYTES = 1024;
const MOST_BYTES = 2 ** 31 - 1;

function readHead(line: string): { sha256: string; origin: unknown } | null {
  try {
    const head: unknown = JSON.parse(line);
    const isHead = typeof head === 'object' && head !== null && 'sha256' in head && typeof head.sha256 === 'string' && 'origin' in head;
    return isHead ? { sha256: head.sha256 as string, origin: head.origin } : null;
  } catch {
    return null;
  }
}
