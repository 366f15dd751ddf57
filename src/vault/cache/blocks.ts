/** A length in four bytes, little-endian, then that many bytes. */

/** Returns a block of these parts, without copying them: an array, since so many arguments have no place on the stack. */
export function toBlock(parts: readonly NodeJS.ArrayBufferView[]): readonly Uint8Array[] {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(parts.reduce((sum, part) => sum + part.byteLength, 0));
  return [length, ...parts.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength))];
}

/** Returns the content of each block. The last one is cut short if the bytes are. */
export function readBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32LE(at);
    blocks.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return blocks;
}
