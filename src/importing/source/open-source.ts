import { constants, createWriteStream } from 'node:fs';
import type { Stats } from 'node:fs';
import { access, lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { errorMessage, RouxError, systemCode } from '../../errors.ts';
import { compareText } from '../../note/text.ts';
import { MAX_FILES, MAX_INNER_ARCHIVE_BYTES, MAX_LEVELS } from './limits.ts';
import { faultOf } from './read-file.ts';
import { isJunk, normalizeSourcePath, sourceName } from './source-path.ts';
import { openZip } from './zip.ts';
import type { LeftOut, SourceFile, SourceFiles } from './source-files.ts';

/**
 * Archives that belong to the export itself, and are no attachments: the parts of Notion's, the categories of Claude's. Of others, only
 * the file is taken.
 */
const INNER_ARCHIVE =
  /(?:-Part-\d{1,4}|^(?:conversations|projects|memories|light_metadata|frames|design_chats)-\d{1,4})(?: \(\d{1,3}\))?\.zip$/i;
/** Folders with a dot are a program's own, but for this one. */
const KEPT_DOT_FOLDER = '.beads';
/** Also with a dot before its name, which Logseq and basic-memory take for a letter of the title. */
const PAGE = /\.md$/i;

/** Opens an export: a folder, a zip, or a single file. Throws `INVALID_PARAMS` when nothing of that is there. */
export async function openSource(path: string, name: string): Promise<SourceFiles> {
  const opened = new OpenSource(name);
  try {
    await opened.add(path);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

class OpenSource implements SourceFiles {
  readonly name: string;
  readonly left: LeftOut[] = [];
  readonly #files = new Map<string, SourceFile>();
  #sorted: readonly SourceFile[] | null = null;
  readonly #closing: (() => void | Promise<void>)[] = [];
  #temporary: string | null = null;
  #unpacked = 0;

  constructor(name: string) {
    this.name = name;
  }

  get files(): readonly SourceFile[] {
    return (this.#sorted ??= [...this.#files.values()].sort((a, b) => compareText(a.path, b.path)));
  }

  async add(path: string): Promise<void> {
    const state = await lstatOrNull(path);
    if (state?.isDirectory() === true) await this.#addFolder(path);
    else if (state?.isFile() === true && (await isZip(path))) await this.#addZip(path, this.name);
    else if (state?.isFile() === true) this.#put(new DiskFile(path, basename(path), state.size), '');
    else {
      const what =
        state === null ? 'is not there' : state.isSymbolicLink() ? 'is a symbolic link; name what it leads to' : 'is no file or folder';
      throw new RouxError('INVALID_PARAMS', `${this.name} ${what}.`, { path: this.name });
    }
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0)) await close();
    await this.#removeUnpacked();
  }

  async #addFolder(top: string): Promise<void> {
    const pending = [{ folder: top, path: '', level: 0 }];
    const archives: string[] = [];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const name of await this.#list(next)) {
        const [file, path] = [join(next.folder, name), normalizeSourcePath(next.path === '' ? name : `${next.path}/${name}`)];
        if (isJunk(path)) continue;
        const state = await lstatOrNull(file);
        if (state === null) continue;
        const isHidden = name.startsWith('.') && name !== KEPT_DOT_FOLDER && !(state.isFile() && PAGE.test(name));
        if (state.isDirectory() && next.level < MAX_LEVELS && !isHidden) pending.push({ folder: file, path, level: next.level + 1 });
        else if (state.isDirectory() && !isHidden) this.left.push({ path, reason: `it is in more than ${MAX_LEVELS} folders` });
        else if (state.isFile() && next.path === '' && INNER_ARCHIVE.test(name)) archives.push(file);
        else if (state.isFile() && !isHidden) await this.#addFile(file, path, state.size);
        else if (state.isSymbolicLink()) this.left.push({ path, reason: 'it is a symbolic link' });
        if (this.#files.size > MAX_FILES)
          throw new RouxError('TOO_LARGE', `${this.name} has more than ${MAX_FILES} files; name a smaller folder.`, { path: this.name });
      }
    }
    for (const archive of archives.sort(compareText)) await this.#addInner(basename(archive), () => Promise.resolve(archive));
  }

  /** Lists a folder; one that cannot be read is left out, but for that of the export itself. */
  async #list({ folder, path }: { readonly folder: string; readonly path: string }): Promise<readonly string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      const fault = describeRefusal(error);
      if (path === '') throw new RouxError('IO_ERROR', `${this.name}: ${fault}.`, { path: this.name });
      this.left.push({ path, reason: fault });
      return [];
    }
  }

  async #addFile(place: string, path: string, size: number): Promise<void> {
    try {
      await access(place, constants.R_OK);
      this.#put(new DiskFile(place, path, size), '');
    } catch (error) {
      if (error instanceof RouxError) throw error;
      this.left.push({ path, reason: describeRefusal(error) });
    }
  }

  /** Adds an archive that is a part of the export; a damaged one is left out, so that the other parts are read. */
  async #addInner(name: string, place: () => Promise<string>): Promise<void> {
    try {
      await this.#addZip(await place(), name);
    } catch (error) {
      this.left.push({ path: name, reason: faultOf(error) });
    }
  }

  async #addZip(file: string, name: string): Promise<void> {
    const archive = await openZip(file, name);
    this.#closing.push(() => archive.close());
    for (const each of archive.left) this.left.push(each);
    const isInner = name !== this.name || this.#files.size > 0;
    for (const each of archive.files) {
      if (isInner || each.path.includes('/') || !INNER_ARCHIVE.test(each.path)) {
        this.#put(each, name.replace(/\.zip$/i, ''));
        continue;
      }
      await this.#addInner(each.path, () => this.#unpack(each));
      // Except on Windows, an open file needs no name; without one, nothing is left when the program is killed.
      if (process.platform !== 'win32') await this.#removeUnpacked();
    }
  }

  async #removeUnpacked(): Promise<void> {
    if (this.#temporary !== null) await rm(this.#temporary, { recursive: true, force: true });
    this.#temporary = null;
  }

  /** Parts of one export share folders; a name that two of them have is told apart by the name of its archive. */
  #put(file: SourceFile, archive: string): void {
    const path = this.#files.has(file.path) && archive !== '' ? `${archive}/${file.path}` : file.path;
    if (this.#files.has(path)) this.left.push({ path, reason: 'another file of the export has this name' });
    else this.#files.set(path, path === file.path ? file : new RenamedFile(file, path));
    this.#sorted = null;
    if (this.#files.size > MAX_FILES)
      throw new RouxError('TOO_LARGE', `${this.name} has more than ${MAX_FILES} files.`, { path: this.name });
  }

  /** An archive inside of another one is read like any other, from a temporary file. */
  async #unpack(file: SourceFile): Promise<string> {
    if (file.size > MAX_INNER_ARCHIVE_BYTES)
      throw new RouxError(
        'TOO_LARGE',
        `${file.path} has more than ${MAX_INNER_ARCHIVE_BYTES / 1024 ** 3} GB. Unpack ${this.name} and import the folder.`,
        {
          path: file.path,
        },
      );
    this.#temporary ??= await mkdtemp(join(tmpdir(), 'roux-import-'));
    const target = join(this.#temporary, `${this.#unpacked}.zip`);
    this.#unpacked += 1;
    await pipeline(Readable.from(file.chunks()), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    return target;
  }
}

class RenamedFile implements SourceFile {
  readonly path: string;
  readonly #file: SourceFile;

  constructor(file: SourceFile, path: string) {
    this.#file = file;
    this.path = path;
  }

  get size(): number {
    return this.#file.size;
  }

  stamp(): Promise<string> {
    return this.#file.stamp();
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.#file.chunks();
  }
}

class DiskFile implements SourceFile {
  readonly path: string;
  readonly size: number;
  readonly #place: string;

  constructor(place: string, path: string, size: number) {
    this.#place = place;
    this.path = path;
    this.size = size;
  }

  async stamp(): Promise<string> {
    let [sum, size] = [0, 0];
    for await (const chunk of this.chunks()) {
      sum = crc32(chunk, sum);
      size += chunk.length;
    }
    return `${sum.toString(16).padStart(8, '0')}-${size}`;
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    try {
      // It was a file when the folder was listed, and may be a link or a pipe by now.
      const file = await open(this.#place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
      try {
        if (!(await file.stat()).isFile()) throw new Error('it is no regular file any more');
        for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 })) yield chunk as Uint8Array;
      } finally {
        await file.close();
      }
    } catch (error) {
      throw new RouxError('IO_ERROR', `${sourceName(this.path)} cannot be read: ${errorMessage(error)}.`, {
        path: this.path,
        fault: describeRefusal(error),
      });
    }
  }
}

/** Of a file, of an empty archive, and of one in parts. */
const ZIP_STARTS = ['504b0304', '504b0506', '504b0708'];

async function isZip(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && ZIP_STARTS.includes(buffer.toString('hex'));
  } finally {
    await file.close();
  }
}

function describeRefusal(error: unknown): string {
  return `it cannot be read (${systemCode(error) ?? errorMessage(error)})`;
}

async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch {
    return null;
  }
}
