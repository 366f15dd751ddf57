/** Where nodes were when a layout was last kept, by the names that nodes have among themselves. */
export interface KeptPlaces {
  readonly keys: readonly string[];
  readonly x: Float32Array;
  readonly y: Float32Array;
  /** How many links a node had: one with another number is looked at again. */
  readonly degree: Int32Array;
  readonly community: Int32Array;
}

/** Grows with every change of the format or of what a place means. */
const FORMAT = 'roux-layout-1';

/** The blocks of a file in the cache. */
export function encodePlaces({ keys, x, y, degree, community }: KeptPlaces): readonly Uint8Array[] {
  const names = Buffer.from(JSON.stringify({ format: FORMAT, keys }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(names.length);
  return [length, names, ...[x, y, degree, community].map((column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength))];
}

/** Reads such a file; null for one that is of another format or damaged. */
export function decodePlaces(bytes: Uint8Array): KeptPlaces | null {
  try {
    const buffer = Buffer.from(bytes);
    const end = 4 + buffer.readUInt32LE(0);
    const names: unknown = JSON.parse(buffer.toString('utf8', 4, end));
    if (typeof names !== 'object' || names === null || !('format' in names) || names.format !== FORMAT || !('keys' in names)) return null;
    const { keys } = names;
    if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string') || buffer.length !== end + keys.length * 16) return null;
    // In memory of its own, so that it begins where numbers may.
    const columns = new Uint8Array(buffer.subarray(end)).buffer;
    const [x, y] = [0, 1].map((at) => new Float32Array(columns, at * keys.length * 4, keys.length));
    const [degree, community] = [2, 3].map((at) => new Int32Array(columns, at * keys.length * 4, keys.length));
    if (x === undefined || y === undefined || degree === undefined || community === undefined) return null;
    return [x, y].every((column) => column.every(Number.isFinite)) ? { keys, x, y, degree, community } : null;
  } catch {
    return null;
  }
}
