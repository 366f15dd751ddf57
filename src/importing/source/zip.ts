import { crc32 } from 'node:zlib';
import { getFileNameLowLevel, openPromise } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { errorMessage, RouxError } from '../../errors.ts';
import { MAX_FILES, MAX_RATIO, MAX_TOTAL_BYTES, MIN_SUSPECT_BYTES } from './limits.ts';
import { checkSourcePath, isJunk, normalizeSourcePath } from './source-path.ts';
import type { LeftOut, SourceFile } from './source-files.ts';

/** An open archive. */
export interface Archive {
  readonly files: readonly SourceFile[];
  readonly left: readonly LeftOut[];
  close(): void;
}

const UNIX = 3;
const DAMAGED = 'it is damaged';
const [KIND_OF_FILE, SYMBOLIC_LINK] = [0xf000, 0xa000];

/**
 * Opens a zip by its central directory: nothing is unpacked before it is read. Throws `TOO_LARGE` for an archive that would fill the disk,
 * `INVALID_PARAMS` for a file that is none. `name`: what messages call it.
 */
export async function openZip(path: string, name: string): Promise<Archive> {
  // Names are decoded and checked one by one: a bad one leaves out one file, and not all that follow.
  const zip = await openPromise(path, { autoClose: false, decodeStrings: false, validateEntrySizes: true }).catch((error: unknown) => {
    throw new RouxError('INVALID_PARAMS', `${name} cannot be read as a zip: ${reasonOf(error)}.`, {
      path: name,
      fault: 'it cannot be read as a zip',
    });
  });
  try {
    return await listZip(zip, name);
  } catch (error) {
    zip.close();
    if (error instanceof RouxError) throw error;
    throw new RouxError('INVALID_PARAMS', `The list of files in ${name} is damaged: ${reasonOf(error)}.`, {
      path: name,
      fault: DAMAGED,
    });
  }
}

/** Some messages of the library are sentences, others are not. */
function reasonOf(error: unknown): string {
  return errorMessage(error).replace(/\.$/, '');
}

async function listZip(zip: ZipFile, name: string): Promise<Archive> {
  if (zip.entryCount > MAX_FILES) throw refuse(name, `it has more than ${MAX_FILES} files`);
  const files = new Map<string, SourceFile>();
  const left: LeftOut[] = [];
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    const path = normalizeSourcePath(
      getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false).replace(/^(?:\.\/)+/, ''),
    );
    if (path.endsWith('/') || isJunk(path)) continue;
    total += entry.uncompressedSize;
    if (total > MAX_TOTAL_BYTES) throw refuse(name, `it unpacks to more than ${MAX_TOTAL_BYTES / 1024 ** 3} GB`);
    if (entry.uncompressedSize > MIN_SUSPECT_BYTES && entry.uncompressedSize > MAX_RATIO * entry.compressedSize)
      throw refuse(name, `${path} in it grows more than ${MAX_RATIO} times when it is unpacked`);
    const reason = checkSourcePath(path) ?? checkEntry(entry) ?? (files.has(path) ? 'another file of the archive has this name' : null);
    if (reason !== null) left.push({ path, reason });
    else files.set(path, new ZippedFile(zip, entry, { path, archive: name }));
  }
  return { files: [...files.values()], left, close: () => zip.close() };
}

function checkEntry(entry: Entry): string | null {
  const isLink = entry.versionMadeBy >> 8 === UNIX && ((entry.externalFileAttributes >>> 16) & KIND_OF_FILE) === SYMBOLIC_LINK;
  if (isLink) return 'it is a symbolic link';
  if (entry.isEncrypted()) return 'it is encrypted';
  return entry.canDecodeFileData() ? null : 'it is packed in a way that is not known here';
}

function refuse(name: string, why: string): RouxError {
  return new RouxError('TOO_LARGE', `${name} is not read: ${why}, as an archive does that was made to fill a disk.`, { path: name });
}

class ZippedFile implements SourceFile {
  readonly path: string;
  readonly #zip: ZipFile;
  readonly #entry: Entry;
  readonly #archive: string;

  constructor(zip: ZipFile, entry: Entry, { path, archive }: { readonly path: string; readonly archive: string }) {
    this.#zip = zip;
    this.#entry = entry;
    this.#archive = archive;
    this.path = path;
  }

  get size(): number {
    return this.#entry.uncompressedSize;
  }

  stamp(): Promise<string> {
    return Promise.resolve(`${(this.#entry.crc32 >>> 0).toString(16).padStart(8, '0')}-${this.size}`);
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    try {
      // The stream fails as soon as it has more bytes than the directory says.
      const stream = await this.#zip.openReadStreamPromise(this.#entry);
      let sum = 0;
      for await (const chunk of stream) {
        sum = crc32(chunk as Uint8Array, sum);
        yield chunk as Uint8Array;
      }
      if (sum !== this.#entry.crc32 >>> 0) throw new Error('its content is not what was packed');
    } catch (error) {
      throw new RouxError('IO_ERROR', `${this.path} in ${this.#archive} is damaged: ${reasonOf(error)}.`, {
        path: this.path,
        fault: DAMAGED,
      });
    }
  }
}
