import type { ByteReader, ByteWriter } from './byte-stream.ts';

/** Bits for each pair of a document, and how many of them stand for it: two of a hundred pairs that are not there seem to be. */
const BITS = 8;
const MARKS = 4;

/**
 * Which pairs of words each document has, by its number: a Bloom filter each, in one typed array. It may say yes where there is none, and
 * never no where there is one. Positions of all words would tell more and take three times the room.
 */
export class PairSets {
  #pool = new Uint8Array(1 << 16);
  #used = 0;
  /** Where the set of a document ends; the next one begins there. */
  #ends = new Uint32Array(1 << 10);
  #count = 0;

  /** Adds the set of the next document. */
  add(pairs: readonly number[]): void {
    const set = this.#open(Math.ceil((pairs.length * BITS) / 8));
    for (const pair of pairs) {
      for (let mark = 0; mark < MARKS; mark += 1) {
        const bit = bitOf(pair, mark, set.length);
        set[bit >> 3]! |= 1 << (bit & 7);
      }
    }
  }

  /** Whether a document may have all of these pairs. */
  mayHave(id: number, pairs: readonly number[]): boolean {
    const start = id === 0 ? 0 : this.#ends[id - 1]!;
    const length = this.#ends[id]! - start;
    if (length === 0) return pairs.length === 0;
    for (const pair of pairs) {
      for (let mark = 0; mark < MARKS; mark += 1) {
        const bit = bitOf(pair, mark, length);
        if ((this.#pool[start + (bit >> 3)]! & (1 << (bit & 7))) === 0) return false;
      }
    }
    return true;
  }

  /** Writes the sets of the documents that `isKept` names. */
  save(writer: ByteWriter, isKept: (id: number) => boolean): void {
    for (let id = 0; id < this.#count; id += 1) {
      if (!isKept(id)) continue;
      const set = this.#pool.subarray(id === 0 ? 0 : this.#ends[id - 1], this.#ends[id]);
      writer.number(set.length);
      writer.bytes(set);
    }
  }

  static load(reader: ByteReader, count: number): PairSets {
    const sets = new PairSets();
    for (let left = count; left > 0; left -= 1) {
      const bytes = reader.bytes(reader.number());
      sets.#open(bytes.length).set(bytes);
    }
    return sets;
  }

  #open(length: number): Uint8Array {
    if (this.#used + length > this.#pool.length) {
      const pool = new Uint8Array(Math.max(Math.ceil(this.#pool.length * 1.5), this.#used + length));
      pool.set(this.#pool);
      this.#pool = pool;
    }
    if (this.#count === this.#ends.length) {
      const ends = new Uint32Array(this.#ends.length * 2);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    this.#used += length;
    this.#ends[this.#count] = this.#used;
    this.#count += 1;
    return this.#pool.subarray(this.#used - length, this.#used);
  }
}

function bitOf(pair: number, mark: number, bytes: number): number {
  return ((pair + Math.imul(mark, (pair >>> 15) | 1)) >>> 0) % (bytes * 8);
}
