import { setImmediate } from 'node:timers/promises';
import type { FileSystem } from '../../folder/file-system.ts';
import { hashOf } from '../../folder/hash.ts';
import { listAllowed } from '../../folder/system-error.ts';
import { makeFolders, removeIfThere, writeNewFile } from '../../folder/write-file.ts';
import type { Origin } from '../../origin.ts';
import { shortHash } from '../history-event.ts';
import { HOME, writeHomeFiles } from '../home.ts';
import { timeOfId } from '../id-time.ts';
import { encodeSigned, readSigned } from '../signed-file.ts';
import { compress, decompress } from './packed-lines.ts';

/**
 * Texts of notes by their hash, so that what an edit from outside replaced can be shown and restored. They are packed in
 * `.roux/cache/texts`, for this machine only, and are looked up by the first 16 digits of the hash.
 */
export interface RetainedTexts {
  has(hash: string): boolean;
  /** Returns the bytes; null if they are not retained. */
  find(hash: string): Buffer | null;
  /** Retains texts, whose bytes are copied at once. They are on disk when the promise resolves, and found before. */
  add(texts: readonly RetainedText[]): Promise<void>;
  /** Reads which texts there are, in steps. Without it the first lookup reads this at once. */
  load(): Promise<void>;
  /** Size on disk, in bytes. */
  size(): number;
  /** Removes texts after 30 days, and the oldest beyond 256 MB, unless they are current. Joins small packs. */
  prune(isCurrent: (hash: string) => boolean): Promise<void>;
}

/** A text and its full hash. */
export interface RetainedText {
  readonly hash: string;
  readonly bytes: Buffer;
}

const FOLDER = `${HOME}/cache/texts`;
const SUFFIX = '.texts';
/** Of a file that is not complete yet. */
const STAGED_SUFFIX = '.new';
const PACK_NAME = /^[0-9a-z]{26}\.texts$/;
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** Size of a pack before compression; also limits what is decompressed to read one text. */
export const MAX_TEXT_PACK_BYTES = 1024 * 1024;
const MAX_SMALL_BYTES = 64 * 1024;
const MAX_SMALL_PACKS = 32;

/** Where a text is. */
interface Place {
  readonly pack: string;
  readonly start: number;
  readonly length: number;
}

/** The retained texts of a vault. Creating it touches nothing. */
export class TextFiles implements RetainedTexts {
  readonly #files: FileSystem;
  readonly #origin: Origin;
  readonly #ports: { readonly newId: () => string; readonly now: () => number };
  readonly #places = new Map<string, Place>();
  /** The names of packs that were read, and their sizes. */
  readonly #known = new Map<string, number>();
  /** Texts that are being written. */
  readonly #writing = new Map<string, Buffer>();
  /** The pack that was read last. */
  #open: { readonly pack: string; readonly bytes: Buffer } | null = null;

  constructor(files: FileSystem, origin: Origin, ports: { readonly newId: () => string; readonly now: () => number }) {
    [this.#files, this.#origin, this.#ports] = [files, origin, ports];
  }

  has(hash: string): boolean {
    const key = shortHash(hash);
    return this.#writing.has(key) || this.#places.has(key);
  }

  find(hash: string): Buffer | null {
    const key = shortHash(hash);
    const found = this.#writing.get(key) ?? this.#read(key);
    if (found !== null) return found;
    // Another process may have added, joined or removed packs.
    if (this.#places.has(key)) this.#forget();
    for (const _ of this.#loadInSteps());
    return this.#read(key);
  }

  add(texts: readonly RetainedText[]): Promise<void> {
    return this.#addAs(`${this.#ports.newId()}${SUFFIX}`, texts);
  }

  async load(): Promise<void> {
    for (const _ of this.#loadInSteps()) await setImmediate();
  }

  size(): number {
    return [...this.#known.values()].reduce((sum, size) => sum + size, 0);
  }

  async prune(isCurrent: (hash: string) => boolean): Promise<void> {
    for (const { name } of listAllowed(this.#files, FOLDER))
      if (name.endsWith(STAGED_SUFFIX) && this.#isOld(name)) removeIfThere(this.#files, `${FOLDER}/${name}`);
    const current = new Set([...this.#places].flatMap(([key, { pack }]) => (isCurrent(key) ? [pack] : [])));
    let total = 0;
    // Newest first: names begin with a time.
    for (const [name, size] of [...this.#known].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
      total += size;
      if (!current.has(name) && (this.#isOld(name) || total > MAX_TOTAL_BYTES)) this.#remove(name);
    }
    await this.#join();
  }

  /** Returns the index and the compressed texts of a pack; null if it is gone, damaged or was not written here. */
  #readPack(name: string): { readonly index: readonly (readonly [string, number])[]; readonly packed: Buffer } | null {
    const found = readSigned(this.#files, placeOf(name), this.#origin);
    if (found.kind !== 'ours') return null;
    const end = found.body.indexOf(0x0a);
    // The signature was checked, so the index has the shape that `#addAs` gave it.
    return { index: JSON.parse(found.body.toString('utf8', 0, end)) as [string, number][], packed: found.body.subarray(end + 1) };
  }

  *#loadInSteps(): Generator<void> {
    const names = listAllowed(this.#files, FOLDER).flatMap(({ name, kind }) => (kind === 'file' && PACK_NAME.test(name) ? [name] : []));
    for (const name of names) {
      if (this.#known.has(name)) continue;
      const pack = this.#readPack(name);
      this.#known.set(name, this.#files.stat(`${FOLDER}/${name}`)?.size ?? 0);
      let start = 0;
      for (const [hash, length] of pack?.index ?? []) {
        this.#places.set(hash, { pack: name, start, length });
        start += length;
      }
      yield;
    }
  }

  #read(key: string): Buffer | null {
    const place = this.#places.get(key);
    const bytes = place === undefined ? null : (this.#unpack(place.pack)?.subarray(place.start, place.start + place.length) ?? null);
    return bytes !== null && shortHash(hashOf(bytes)) === key ? bytes : null;
  }

  #unpack(name: string): Buffer | null {
    if (this.#open?.pack === name) return this.#open.bytes;
    const pack = this.#readPack(name);
    const bytes = pack === null ? null : decompress(pack.packed, 2 * MAX_TEXT_PACK_BYTES);
    if (bytes !== null) this.#open = { pack: name, bytes };
    return bytes;
  }

  #forget(): void {
    this.#places.clear();
    this.#known.clear();
    this.#open = null;
  }

  async #addAs(name: string, texts: readonly RetainedText[]): Promise<void> {
    const added = [...new Map(texts.map(({ hash, bytes }) => [shortHash(hash), bytes]))];
    if (added.length === 0) return;
    const whole = Buffer.concat(added.map(([, bytes]) => bytes));
    let start = 0;
    for (const [key, { length }] of added) this.#writing.set(key, whole.subarray(start, (start += length)));
    try {
      const packed = await compress(whole);
      const body = Buffer.concat([Buffer.from(`${JSON.stringify(added.map(([key, bytes]) => [key, bytes.length]))}\n`), packed]);
      const { path, label } = placeOf(name);
      const staged = `${path}${STAGED_SUFFIX}`;
      if (makeFolders(this.#files, FOLDER).includes(HOME)) await writeHomeFiles(this.#files, false);
      await writeNewFile(this.#files, { path: staged, bytes: encodeSigned(label, body, this.#origin), like: null, isSynced: false });
      this.#files.rename(staged, path);
      this.#known.delete(name);
      if (this.#open?.pack === name) this.#open = null;
      for (const _ of this.#loadInSteps());
    } finally {
      for (const [key] of added) this.#writing.delete(key);
    }
  }

  #remove(name: string): void {
    removeIfThere(this.#files, `${FOLDER}/${name}`);
    this.#known.delete(name);
    for (const [key, { pack }] of this.#places) if (pack === name) this.#places.delete(key);
  }

  /** Joins small packs into larger ones, each named like the newest in it. */
  async #join(): Promise<void> {
    const small = [...this.#known].flatMap(([name, size]) => (size < MAX_SMALL_BYTES ? [name] : []));
    if (small.length <= MAX_SMALL_PACKS) return;
    const byPack = new Map(small.map((name) => [name, [] as string[]]));
    for (const [key, { pack }] of this.#places) byPack.get(pack)?.push(key);
    let [joined, texts, size] = [[] as string[], [] as RetainedText[], 0];
    const flush = async (): Promise<void> => {
      const newest = joined.toSorted().at(-1);
      if (newest !== undefined && texts.length > 0) await this.#addAs(newest, texts);
      for (const name of joined) if (name !== newest || texts.length === 0) this.#remove(name);
      [joined, texts, size] = [[], [], 0];
    };
    for (const [name, keys] of byPack) {
      for (const hash of keys) {
        const bytes = this.#read(hash);
        if (bytes === null) continue;
        texts.push({ hash, bytes });
        size += bytes.length;
      }
      joined.push(name);
      if (size > MAX_TEXT_PACK_BYTES / 2) await flush();
      await setImmediate();
    }
    await flush();
  }

  #isOld(name: string): boolean {
    const made = timeOfId(name);
    return made !== null && this.#ports.now() - made > RETENTION_MS;
  }
}

function placeOf(name: string): { readonly path: string; readonly label: string } {
  return { path: `${FOLDER}/${name}`, label: `texts ${name}` };
}
