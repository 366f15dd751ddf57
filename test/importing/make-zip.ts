import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a zip, and what its directory says of it where that is not true. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Unix mode with the kind of file, such as 0o120777 for a symbolic link. */
  readonly mode?: number;
  /** The size that the directory claims. */
  readonly claimed?: number;
  readonly isEncrypted?: boolean;
  /** The content is not what was packed. */
  readonly isDamaged?: boolean;
}

/** Makes a zip, also one that no program would make. */
export function makeZip(entries: readonly ZipEntry[] | Readonly<Record<string, string | Uint8Array>>): Buffer {
  const list: readonly ZipEntry[] = Array.isArray(entries)
    ? entries
    : Object.entries(entries as Readonly<Record<string, string | Uint8Array>>).map(([name, content]) => ({ name, content }));
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode = 0o100644, claimed, isEncrypted = false, isDamaged = false } of list) {
    const [bytes, raw] = [Buffer.from(name), Buffer.from(content)];
    const packed = deflateRawSync(raw);
    const [flags, sum, size] = [isEncrypted ? 0x801 : 0x800, crc32(raw, isDamaged ? 1 : 0), claimed ?? raw.length];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(sum, 14);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(bytes.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((3 << 8) | 20, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(sum, 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(size, 24);
    central.writeUInt16LE(bytes.length, 28);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    parts.push(local, bytes, packed);
    directory.push(central, bytes);
    offset += local.length + bytes.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}
