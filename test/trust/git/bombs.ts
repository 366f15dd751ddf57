import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** An object of a pack: as it is, or as a difference from the object with this id. */
export type PackedObject =
  | { readonly id: string; readonly type: 'commit' | 'tree' | 'blob'; readonly bytes: Buffer }
  | { readonly id: string; readonly base: string; readonly delta: Buffer };

const TYPES = { commit: 1, tree: 2, blob: 3, difference: 7 };

/** Writes objects as a pack with its index, by hand: git itself would need the memory that they claim. Ids are not checked by whoever reads them. */
export function writePack(git: string, objects: readonly PackedObject[]): number {
  const parts: Buffer[] = [Buffer.concat([Buffer.from('PACK'), number(2), number(objects.length)])];
  const places: { id: string; at: number; crc: number }[] = [];
  let at = 12;
  for (const object of objects) {
    const [type, content] = 'base' in object ? [TYPES.difference, object.delta] : [TYPES[object.type], object.bytes];
    const base = 'base' in object ? Buffer.from(object.base, 'hex') : Buffer.alloc(0);
    const entry = Buffer.concat([entryHead(type, content.length), base, deflateSync(content, { level: 9 })]);
    places.push({ id: object.id, at, crc: crc32(entry) });
    parts.push(entry);
    at += entry.length;
  }
  const pack = withChecksum(Buffer.concat(parts));
  const sorted = places.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const fanout = Buffer.concat(
    Array.from({ length: 256 }, (_, byte) => number(sorted.filter(({ id }) => Number.parseInt(id.slice(0, 2), 16) <= byte).length)),
  );
  const index = withChecksum(
    Buffer.concat([
      Buffer.from([0xff, 0x74, 0x4f, 0x63]),
      number(2),
      fanout,
      ...sorted.map(({ id }) => Buffer.from(id, 'hex')),
      ...sorted.map(({ crc }) => number(crc)),
      ...sorted.map((place) => number(place.at)),
      pack.subarray(-20),
    ]),
  );
  const name = join(git, 'objects/pack', `pack-${pack.subarray(-20).toString('hex')}`);
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(`${name}.pack`, pack);
  writeFileSync(`${name}.idx`, index);
  return pack.length;
}

/** A difference that says: copy the whole base so many times. */
export function repeated(baseSize: number, times: number): Buffer {
  const copy = Buffer.from([0xf0, baseSize & 0xff, (baseSize >> 8) & 0xff, (baseSize >> 16) & 0xff]);
  return Buffer.concat([varint(baseSize), varint(baseSize * times), ...Array.from({ length: times }, () => copy)]);
}

/** A commit of a tree, with further lines in its head. */
export function commitText(tree: string, more = ''): Buffer {
  return Buffer.from(`tree ${tree}\nauthor A <a@b> 1700000000 +0000\ncommitter A <a@b> 1700000000 +0000\n${more}\nmessage\n`);
}

export function treeEntry(mode: string, name: string, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
}

/** An id that begins with two digits, for what nobody checks. */
export function idOf(name: string): string {
  return createHash('sha1').update(name).digest('hex');
}

/** The largest copy that a difference can name at once is a little shorter than this. */
const MAX_BASE_BYTES = 16 * 1024 * 1024 - 256;

/** Objects of some KB in a pack of which one, a commit or what belongs to it, claims more than 6 GB. `HEAD_COMMIT` is the commit. */
export function bombObjects(claiming: 'commit' | 'tree' | 'blob'): readonly PackedObject[] {
  const [tree, blob, base] = ['tree', 'blob', 'base'].map(idOf) as [string, string, string];
  const plain = {
    commit: { id: HEAD_COMMIT, bytes: commitText(tree) },
    tree: { id: tree, bytes: treeEntry('100644', 'a.md', blob) },
    blob: { id: blob, bytes: Buffer.alloc(0) },
  };
  const { id, bytes } = plain[claiming];
  return [
    ...(['commit', 'tree'] as const).filter((type) => type !== claiming).map((type) => ({ ...plain[type], type })),
    { id: base, type: claiming, bytes: Buffer.concat([bytes, Buffer.alloc(MAX_BASE_BYTES - bytes.length)]) },
    { id, base, delta: repeated(MAX_BASE_BYTES, 400) },
  ];
}

/** The commit of `bombObjects`. */
export const HEAD_COMMIT = idOf('commit');

/** Makes a repository without any object, whose `HEAD` is this commit. */
export function makeRepository(root: string, head: string): string {
  const git = join(root, '.git');
  for (const folder of ['objects/pack', 'objects/info', 'refs/heads']) mkdirSync(join(git, folder), { recursive: true });
  writeFileSync(join(git, 'HEAD'), `${head}\n`);
  writeFileSync(join(git, 'config'), '[core]\n\trepositoryformatversion = 0\n');
  return git;
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The size of an entry in groups of 4, 7, 7 … bits, the type in the first byte. */
function entryHead(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let [first, rest] = [(type << 4) | (size & 15), Math.floor(size / 16)];
  while (rest > 0) {
    bytes.push(first | 0x80);
    [first, rest] = [rest & 0x7f, Math.floor(rest / 128)];
  }
  return Buffer.from([...bytes, first]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function withChecksum(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
}
