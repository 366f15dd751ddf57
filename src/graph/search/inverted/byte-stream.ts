const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Room that a writer begins with. */
const FIRST_BYTES = 1 << 18;
/** The longest number in bytes. */
const MAX_NUMBER_BYTES = 8;

/** Writes numbers and texts in a compact binary form, into memory that is used again after each `take`. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** The number of bytes that were written and not taken. */
  get length(): number {
    return this.#length;
  }

  /** Writes an integer from 0 to 2^53. */
  number(value: number): void {
    this.#reserve(MAX_NUMBER_BYTES);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length] = (rest % 0x80) | 0x80;
      this.#length += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  text(value: string): void {
    // Written in place: an array for each text would take more memory than the texts.
    const count = Buffer.byteLength(value);
    this.number(count);
    this.#reserve(count);
    this.#bytes.write(value, this.#length);
    this.#length += count;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Returns what was written since the last time: a view that is valid until more is written. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads the output of a `ByteWriter`; throws a RangeError for anything else. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  /** The same bytes: most texts are ASCII, which a buffer reads faster than a decoder. */
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  number(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || unit > 2 ** 49) throw new RangeError('The bytes end in the middle of a number.');
      this.#at += 1;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
  }

  /** Reads delta-encoded ascending numbers into a part of an array. */
  ascending(numbers: Uint32Array, { start, end }: { readonly start: number; readonly end: number }): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let value = 0;
    for (let index = start; index < end; index += 1) {
      // Most are two bytes long; `number` handles the end.
      const first = bytes[at] ?? 0x80;
      const second = first < 0x80 ? 0 : (bytes[at + 1] ?? 0x80);
      if (first < 0x80) {
        value += first;
        at += 1;
      } else if (second < 0x80) {
        value += first - 0x80 + second * 0x80;
        at += 2;
      } else {
        this.#at = at;
        value += this.number();
        at = this.#at;
      }
      numbers[index] = value;
    }
    this.#at = at;
  }

  text(): string {
    const count = this.number();
    const end = this.#at + count;
    if (this.#isAscii(end)) {
      this.#at = end;
      return this.#buffer.toString('latin1', end - count, end);
    }
    const bytes = this.bytes(count);
    try {
      return decoder.decode(bytes);
    } catch (error) {
      throw new RangeError('The bytes hold a text that is no UTF-8.', { cause: error });
    }
  }

  /** Returns a view of the next bytes, not a copy. */
  bytes(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw new RangeError('The bytes end too early.');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** Copies the next bytes; quicker than `bytes` for a few. */
  copy(target: Uint8Array, { at, count }: { readonly at: number; readonly count: number }): void {
    if (this.#at + count > this.#bytes.length) throw new RangeError('The bytes end too early.');
    for (let offset = 0; offset < count; offset += 1) target[at + offset] = this.#bytes[this.#at + offset]!;
    this.#at += count;
  }

  rest(): Uint8Array {
    return this.bytes(this.#bytes.length - this.#at);
  }

  #isAscii(end: number): boolean {
    for (let at = this.#at; at < end; at += 1) if ((this.#bytes[at] ?? 0x80) >= 0x80) return false;
    return true;
  }
}
