import { setImmediate } from 'node:timers/promises';
import type { FileSystem } from '../../folder/file-system.ts';
import { hashOf } from '../../folder/hash.ts';
import { listAllowed } from '../../folder/read-allowed.ts';
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
  /** Retains texts. They are on disk when the promise resolves, and found at once. */
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

/** Access to the retained texts of a vault. */
export function openRetainedTexts(
  files: FileSystem,
  origin: Origin,
  { newId, now }: { readonly newId: () => string; readonly now: () => number },
): RetainedTexts {
  const places = new Map<string, Place>();
  /** The names of packs that were read, and their sizes. */
  const known = new Map<string, number>();
  /** Texts that are being written. */
  const writing = new Map<string, Buffer>();
  let open: { readonly pack: string; readonly bytes: Buffer } | null = null;

  const placeOf = (name: string) => ({ path: `${FOLDER}/${name}`, label: `texts ${name}` });

  /** Returns the index and the compressed texts of a pack; null if it is gone, damaged or was not written here. */
  function readPack(name: string): { readonly index: readonly (readonly [string, number])[]; readonly packed: Buffer } | null {
    const found = readSigned(files, placeOf(name), origin);
    if (found.kind !== 'ours') return null;
    const end = found.body.indexOf(0x0a);
    // The signature was checked, so the index has the shape that `add` gave it.
    return { index: JSON.parse(found.body.toString('utf8', 0, end)) as [string, number][], packed: found.body.subarray(end + 1) };
  }

  function* loadInSteps(): Generator<void> {
    const names = listAllowed(files, FOLDER).flatMap(({ name, kind }) => (kind === 'file' && PACK_NAME.test(name) ? [name] : []));
    for (const name of names) {
      if (known.has(name)) continue;
      const pack = readPack(name);
      known.set(name, files.stat(`${FOLDER}/${name}`)?.size ?? 0);
      let start = 0;
      for (const [hash, length] of pack?.index ?? []) {
        places.set(hash, { pack: name, start, length });
        start += length;
      }
      yield;
    }
  }

  function unpack(name: string): Buffer | null {
    if (open?.pack === name) return open.bytes;
    const pack = readPack(name);
    const bytes = pack === null ? null : decompress(pack.packed, 2 * MAX_TEXT_PACK_BYTES);
    if (bytes !== null) open = { pack: name, bytes };
    return bytes;
  }

  function findOnDisk(key: string): Buffer | null {
    const place = places.get(key);
    const bytes = place === undefined ? null : (unpack(place.pack)?.subarray(place.start, place.start + place.length) ?? null);
    return bytes !== null && shortHash(hashOf(bytes)) === key ? bytes : null;
  }

  function find(hash: string): Buffer | null {
    const key = shortHash(hash);
    const found = writing.get(key) ?? findOnDisk(key);
    if (found !== null) return found;
    // Another process may have added, joined or removed packs.
    if (places.has(key)) forget();
    for (const _ of loadInSteps());
    return findOnDisk(key);
  }

  function forget(): void {
    places.clear();
    known.clear();
    open = null;
  }

  async function add(texts: readonly RetainedText[], name = `${newId()}${SUFFIX}`): Promise<void> {
    const added = [...new Map(texts.map(({ hash, bytes }) => [shortHash(hash), bytes]))];
    if (added.length === 0) return;
    for (const [key, bytes] of added) writing.set(key, bytes);
    try {
      const index = added.map(([key, bytes]) => [key, bytes.length]);
      const packed = await compress(Buffer.concat(added.map(([, bytes]) => bytes)));
      const { path, label } = placeOf(name);
      if (makeFolders(files, FOLDER).includes(HOME)) await writeHomeFiles(files, false);
      const body = Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), packed]);
      const staged = `${path}.new`;
      await writeNewFile(files, { path: staged, bytes: encodeSigned(label, body, origin), like: null, isSynced: false });
      files.rename(staged, path);
      known.delete(name);
      if (open?.pack === name) open = null;
      for (const _ of loadInSteps());
    } finally {
      for (const [key] of added) writing.delete(key);
    }
  }

  function remove(name: string): void {
    removeIfThere(files, `${FOLDER}/${name}`);
    known.delete(name);
    for (const [key, { pack }] of places) if (pack === name) places.delete(key);
  }

  /** Joins small packs into larger ones, each named like the newest in it. */
  async function join(): Promise<void> {
    const small = [...known].flatMap(([name, size]) => (size < MAX_SMALL_BYTES ? [name] : []));
    if (small.length <= MAX_SMALL_PACKS) return;
    const byPack = new Map(small.map((name) => [name, [] as string[]]));
    for (const [key, { pack }] of places) byPack.get(pack)?.push(key);
    let [joined, texts, size] = [[] as string[], [] as RetainedText[], 0];
    const flush = async (): Promise<void> => {
      const newest = joined.toSorted().at(-1);
      if (newest !== undefined && texts.length > 0) await add(texts, newest);
      for (const name of joined) if (name !== newest || texts.length === 0) remove(name);
      [joined, texts, size] = [[], [], 0];
    };
    for (const [name, keys] of byPack) {
      for (const hash of keys) {
        const bytes = find(hash);
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

  return {
    has(hash) {
      const key = shortHash(hash);
      return writing.has(key) || places.has(key);
    },
    find,
    add: (texts) => add(texts),
    async load() {
      for (const _ of loadInSteps()) await setImmediate();
    },
    size: () => [...known.values()].reduce((sum, size) => sum + size, 0),
    async prune(isCurrent) {
      for (const { name } of listAllowed(files, FOLDER))
        if (name.endsWith('.new') && isOld(name)) removeIfThere(files, `${FOLDER}/${name}`);
      const current = new Set([...places].flatMap(([key, { pack }]) => (isCurrent(key) ? [pack] : [])));
      let total = 0;
      // Newest first: names begin with a time.
      for (const [name, size] of [...known].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
        total += size;
        if (!current.has(name) && (isOld(name) || total > MAX_TOTAL_BYTES)) remove(name);
      }
      await join();
    },
  };

  function isOld(name: string): boolean {
    const made = timeOfId(name);
    return made !== null && now() - made > RETENTION_MS;
  }
}
