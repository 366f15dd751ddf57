import { brotliCompress, brotliDecompressSync, constants } from 'node:zlib';
import { promisify } from 'node:util';

/**
 * Lines of a segment that are kept compressed, as one line of JSON in their place: `{"packed":"br","lines":812,"data":"<base64>"}`. A
 * segment stays text, a line for a line, so that git joins two of them as before.
 */
interface PackedLine {
  readonly packed: 'br';
  readonly lines: number;
  readonly data: string;
}

/** So many bytes of lines are compressed at once. */
const BLOCK_BYTES = 2 * 1024 * 1024;
/** What begins a packed line, and nothing that a segment holds otherwise. */
const BEGINNING = '{"packed":"br",';

/** Whether a line, or what a segment begins with, is packed. */
export function isPacked(text: string): boolean {
  return text.startsWith(BEGINNING);
}

/** Packs the whole lines of a segment; every byte of them comes back. */
export async function packLines(bytes: Buffer): Promise<Buffer> {
  const packed: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const wanted = bytes.lastIndexOf(LINE_END, start + BLOCK_BYTES - 1);
    const end = wanted < start ? bytes.indexOf(LINE_END, start) + 1 : wanted + 1;
    const block = bytes.subarray(start, end);
    packed.push(block.length > BLOCK_BYTES || isPacked(block.toString('utf8', 0, BEGINNING.length)) ? block.toString() : await pack(block));
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

/** Compresses, on another thread; what repeats within some MB takes nearly nothing. */
export function compress(bytes: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 } });
}

/** Unpacks bytes that `compress` made; null when they are damaged, or come to more than `most` bytes. */
export function decompress(bytes: Buffer, most: number): Buffer | null {
  try {
    return brotliDecompressSync(bytes, { maxOutputLength: most });
  } catch {
    return null;
  }
}

/** Gives the lines that a packed line stands for; null when it is damaged. `room`: how many bytes they may come to at most. */
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

const LINE_END = 0x0a;
