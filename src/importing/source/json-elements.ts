import { faultOf } from './read-file.ts';
import type { SourceFile } from './source-files.ts';

/** The largest element of an array that is read, in bytes. The longest conversations have some 20 MB. */
const MAX_ELEMENT_BYTES = 64 * 1024 * 1024;
/** Exports nest some ten levels. */
const MAX_DEPTH = 400;

/** An element of a JSON array: its value, or why it cannot be read. */
export type Element =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'left'; /** From 1. */ readonly index: number; readonly reason: string };

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Reads the elements of a JSON array one after the other, so that a file of gigabytes takes no more memory than its largest element. What
 * is too large, nested too deeply or no JSON is left out, and what is behind damage.
 */
export async function* readElements(file: SourceFile): AsyncIterable<Element> {
  const splitter = new ArraySplitter();
  try {
    for await (const chunk of file.chunks()) {
      yield* splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      if (splitter.isRefused) break;
    }
  } catch (error) {
    yield splitter.fail(`${faultOf(error)}, and so is not read from here on`);
    return;
  }
  if (splitter.hasBegun) yield* splitter.end();
  else yield splitter.fail('the file is no JSON array');
}

class ArraySplitter {
  hasBegun = false;
  /** What is not an array is not read on. */
  isRefused = false;
  #isOver = false;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #index = 0;
  #size = 0;
  #fault: string | null = null;
  #pieces: Buffer[] = [];

  *push(chunk: Buffer): Iterable<Element> {
    let start = this.hasBegun ? 0 : this.#begin(chunk);
    for (let at = start; at < chunk.length && !this.#isOver; at += 1) {
      if (!this.#endsElement(chunk[at])) continue;
      this.#keep(chunk.subarray(start, at));
      yield* this.#finish();
      start = at + 1;
    }
    if (!this.#isOver && this.hasBegun) this.#keep(chunk.subarray(start));
  }

  /** Follows texts and nesting byte by byte. All of JSON's marks are ASCII, which no byte of another character is in UTF-8. */
  #endsElement(byte: number | undefined): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
      return false;
    }
    if (byte === QUOTE) this.#isInText = true;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      this.#depth += 1;
      if (this.#depth > MAX_DEPTH) this.#fault ??= `it nests more than ${MAX_DEPTH} levels`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAP) {
      this.#depth -= 1;
      this.#isOver = this.#depth < 0;
    }
    return this.#isOver || (byte === COMMA && this.#depth === 0);
  }

  /** Ends with what is left of a file that was cut off. */
  *end(): Iterable<Element> {
    if (this.#isOver) return;
    this.#fault ??= 'the file ends in the middle of it';
    yield* this.#finish();
  }

  /** Returns what stands for the rest of the file. */
  fail(reason: string): Element {
    return { kind: 'left', index: this.#index + 1, reason };
  }

  /** Returns where the first element begins. */
  #begin(chunk: Buffer): number {
    const text = chunk
      .subarray(0, 64)
      .toString('latin1')
      .replace(/^\u00ef\u00bb\u00bf/, '\u0000\u0000\u0000');
    const at = /[^\s\0]/.exec(text)?.index ?? -1;
    this.hasBegun = text.charAt(at) === '[';
    this.isRefused = !this.hasBegun;
    return this.hasBegun ? at + 1 : chunk.length;
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > MAX_ELEMENT_BYTES) this.#fault ??= `it has more than ${MAX_ELEMENT_BYTES / 1024 ** 2} MB`;
    if (this.#fault === null) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  *#finish(): Iterable<Element> {
    const [pieces, fault] = [this.#pieces, this.#fault];
    const isEmpty = this.#size === 0 || (fault === null && this.#size < 64 && Buffer.concat(pieces).toString('latin1').trim() === '');
    [this.#pieces, this.#fault, this.#size] = [[], null, 0];
    if (isEmpty) return;
    this.#index += 1;
    const index = this.#index;
    if (fault !== null) yield { kind: 'left', index, reason: fault };
    else {
      const value = parse(Buffer.concat(pieces));
      yield value === undefined ? { kind: 'left', index, reason: 'it is no JSON' } : { kind: 'value', value };
    }
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
