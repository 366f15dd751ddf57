import type { FileState, FileSystem } from '../../folder/file-system.ts';
import { listAllowed } from '../../folder/system-error.ts';
import type { Origin } from '../../origin.ts';
import { hashOf } from '../../folder/hash.ts';
import { compress, decompress } from './packed-lines.ts';
import { encodeSigned, readSigned } from '../signed-file.ts';
import type { SignedFile } from '../signed-file.ts';

/** A small file inside a pack. */
export interface PackedFile {
  /** Its original name in the folder; begins with a batch id. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly like: Pick<FileState, 'mode' | 'uid' | 'gid' | 'mtimeNs'>;
}

/** Compressed packs of a folder's small files, named `<first id>-<last id>.<hash>.pack`. */
export interface Packs {
  /** Returns a file by name from a pack that was written here; null when no pack has it. */
  find(name: string): PackedFile | null;
  /** Yields all files of the packs whose last id is greater. */
  after(id: string): Generator<PackedFile>;
  /** Whether a pack that was not written here may contain files of this id. */
  hasForeign(id: string): boolean;
}

/** The parsed name of a pack. */
export interface PackName {
  readonly name: string;
  readonly first: string;
  readonly last: string;
}

interface IndexEntry extends Pick<FileState, 'size' | 'mode' | 'uid' | 'gid'> {
  readonly name: string;
  readonly mtimeNs: string;
}

/** Limit of the unpacked size, since packs are unpacked whole. */
export const MAX_PACK_BYTES = 8 * 1024 * 1024;
/** Unpacked packs kept in memory: callers mostly read neighbouring files. */
const MAX_OPEN_PACKS = 2;

const ID_LENGTH = 26;
const HASH_DIGITS = 16;
const PACK_NAME = /^([0-9a-z]{26})-([0-9a-z]{26})\.[0-9a-f]{16}\.pack$/;

const byName = (found: ReturnType<typeof readPack>): ReadonlyMap<string, PackedFile> =>
  new Map(typeof found === 'string' ? [] : found.map((file) => [file.name, file]));

const labelOf = (name: string): string => `pack ${name}`;
const placeOf = (folder: string, name: string) => ({ path: `${folder}/${name}`, label: labelOf(name) });

/** Access to the packs of a folder. `list` may return names that are already known. */
export function createPacks(files: FileSystem, folder: string, origin: Origin, list = () => listPacks(files, folder)): Packs {
  /** Unpacked packs, least recently used first. */
  const open = new Map<string, ReadonlyMap<string, PackedFile>>();

  function load(name: string): ReadonlyMap<string, PackedFile> {
    const known = open.get(name);
    const found = known ?? byName(readPack(files, { folder, name }, origin));
    open.delete(name);
    open.set(name, found);
    const [oldest] = open.keys();
    if (open.size > MAX_OPEN_PACKS && oldest !== undefined) open.delete(oldest);
    return found;
  }

  const covering = (id: string): readonly PackName[] => list().filter(({ first, last }) => first <= id && id <= last);

  return {
    find(name) {
      for (const pack of covering(name.slice(0, ID_LENGTH))) {
        const found = load(pack.name).get(name);
        if (found !== undefined) return found;
      }
      return null;
    },
    *after(id) {
      for (const { name, last } of list()) if (last > id) yield* load(name).values();
    },
    hasForeign: (id) => covering(id).some(({ name }) => readSigned(files, placeOf(folder, name), origin).kind === 'foreign'),
  };
}

export function listPacks(files: Pick<FileSystem, 'list'>, folder: string): readonly PackName[] {
  return listAllowed(files, folder).flatMap(({ name, kind }) => {
    const [, first, last] = PACK_NAME.exec(name) ?? [];
    return kind === 'file' && first !== undefined && last !== undefined ? [{ name, first, last }] : [];
  });
}

/** Makes a pack of files sorted by id, and the name it should get. */
export async function makePack(packed: readonly PackedFile[], origin: Origin): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const index = packed.map(({ name, bytes, like: { mode, uid, gid, mtimeNs } }): IndexEntry => {
    return { name, size: bytes.length, mode, uid, gid, mtimeNs: String(mtimeNs) };
  });
  const body = await compress(Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...packed.map(({ bytes }) => bytes)]));
  const ids = packed.map(({ name }) => name.slice(0, ID_LENGTH)).toSorted();
  const name = `${ids[0]}-${ids.at(-1)}.${hashOf(body).slice(0, HASH_DIGITS)}.pack`;
  return { name, bytes: encodeSigned(labelOf(name), body, origin) };
}

/** Reads the files of a pack; a string says why there are none. */
export function readPack(
  files: Pick<FileSystem, 'read'>,
  { folder, name, path }: { readonly folder: string; readonly name: string; readonly path?: string },
  origin: Origin,
): readonly PackedFile[] | Exclude<SignedFile['kind'], 'ours'> {
  const place = placeOf(folder, name);
  const found = readSigned(files, path === undefined ? place : { ...place, path }, origin);
  if (found.kind !== 'ours') return found.kind;
  return readBody(found.body) ?? 'damaged';
}

function readBody(body: Buffer): readonly PackedFile[] | null {
  const bytes = decompress(body, 2 * MAX_PACK_BYTES);
  const end = bytes?.indexOf(0x0a) ?? -1;
  if (bytes === null || end < 0) return null;
  // The signature was checked, so the index has the shape that `makePack` gave it.
  const index = JSON.parse(bytes.toString('utf8', 0, end)) as readonly IndexEntry[];
  let start = end + 1;
  return index.map(({ name, size, mode, uid, gid, mtimeNs }) => {
    const file = { name, bytes: bytes.subarray(start, start + size), like: { mode, uid, gid, mtimeNs: BigInt(mtimeNs) } };
    start += size;
    return file;
  });
}
