import { brotliCompress, brotliDecompressSync, constants } from 'node:zlib';
import { promisify } from 'node:util';

/**
 * Compressed lines of a segment, stored as one line of JSON: `{"packed":"br","lines":812,"data":"<base64>"}`. The segment stays a text file
 * of lines, so git can still merge it.
 */
interface PackedLine {
  readonly packed: 'br';
  readonly lines: number;
  readonly data: string;
}

/** Bytes of lines that are compressed as one block. */
const BLOCK_BYTES = 2 * 1024 * 1024;
/** Prefix of a packed line; no other line begins with it. */
const PREFIX = '{"packed":"br",';

const LINE_END = 0x0a;

/** Whether a line, or the beginning of a segment, is packed. */
export function isPacked(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Packs all lines of a segment without losing a byte. */
export async function packLines(bytes: Buffer): Promise<Buffer> {
  const packed: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const wanted = bytes.lastIndexOf(LINE_END, start + BLOCK_BYTES - 1);
    const end = wanted < start ? bytes.indexOf(LINE_END, start) + 1 : wanted + 1;
    const block = bytes.subarray(start, end);
    packed.push(block.length > BLOCK_BYTES || isPacked(block.toString('utf8', 0, PREFIX.length)) ? block.toString() : await pack(block));
    start = end;
  }
  return Buffer.from(packed.join(''));
}

async function pack(block: Buffer): Promise<string> {
  const data = (await compress(block)).toString('base64');
  let lines = 0;
  for (const byte of block) if (byte === LINE_END) lines += 1;
  const line: PackedLine = { packed: 'br', lines, data };
  return `${JSON.stringify(line)}\n`;
}

/** Compresses off the main thread. The window is large, since lines resemble earlier ones. */
export function compress(bytes: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 } });
}

/** Reverses `compress`. Returns null for damaged data, or when the result exceeds `maxBytes`. */
export function decompress(bytes: Buffer, maxBytes: number): Buffer | null {
  try {
    return brotliDecompressSync(bytes, { maxOutputLength: maxBytes });
  } catch {
    return null;
  }
}

/** Returns the lines inside a packed line; null when it is damaged or they exceed `maxBytes`. */
export function unpackLine(text: string, room: number): string | null {
  const line = parsePacked(text);
  const bytes = line === null ? null : decompress(Buffer.from(line.data, 'base64'), Math.max(1, Math.min(room, BLOCK_BYTES)));
  return bytes === null ? null : bytes.toString('utf8');
}

function parsePacked(text: string): PackedLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'data' in value && typeof value.data === 'string' ? (value as PackedLine) : null;
  } catch {
    return null;
  }
}
