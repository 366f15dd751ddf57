/** A stored layout: positions of nodes by key. */
export interface StoredLayout {
  readonly keys: readonly string[];
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** Number of links of each node; a node whose number changed is laid out again. */
  readonly degree: Int32Array;
  readonly community: Int32Array;
}

/** Changes with every change of the format or of the meaning of a position. */
const FORMAT = 'roux-layout-1';

/** Encodes a layout as the blocks of a cache file. */
export function encodeLayout({ keys, x, y, degree, community }: StoredLayout): readonly Uint8Array[] {
  const names = Buffer.from(JSON.stringify({ format: FORMAT, keys }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(names.length);
  return [length, names, ...[x, y, degree, community].map((column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength))];
}

/** Decodes a layout; null for another format or a damaged file. */
export function decodeLayout(bytes: Uint8Array): StoredLayout | null {
  try {
    const buffer = Buffer.from(bytes);
    const end = 4 + buffer.readUInt32LE(0);
    const names: unknown = JSON.parse(buffer.toString('utf8', 4, end));
    if (typeof names !== 'object' || names === null || !('format' in names) || names.format !== FORMAT || !('keys' in names)) return null;
    const { keys } = names;
    if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string') || buffer.length !== end + keys.length * 16) return null;
    // Copied so that the typed arrays are aligned.
    const columns = new Uint8Array(buffer.subarray(end)).buffer;
    const [x, y] = [0, 1].map((at) => new Float32Array(columns, at * keys.length * 4, keys.length));
    const [degree, community] = [2, 3].map((at) => new Int32Array(columns, at * keys.length * 4, keys.length));
    if (x === undefined || y === undefined || degree === undefined || community === undefined) return null;
    return [x, y].every((column) => column.every(Number.isFinite)) ? { keys, x, y, degree, community } : null;
  } catch {
    return null;
  }
}
