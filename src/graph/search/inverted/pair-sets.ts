import type { ByteReader, ByteWriter } from './byte-stream.ts';

/** Bits per pair of a document, and bits set per pair: about two of a hundred absent pairs are reported as present. */
const BITS_PER_PAIR = 8;
const HASHES_PER_PAIR = 4;
/** Sets written per step. */
const SETS_PER_STEP = 256;

/**
 * The word pairs of each document: one Bloom filter each, in one typed array. False positives are possible, false negatives are not.
 * Positions of all words would be exact but take three times the memory.
 */
export class PairSets {
  #pool = new Uint8Array(1 << 16);
  #used = 0;
  /** End of each document's set, where the next one starts. */
  #ends = new Uint32Array(1 << 10);
  #count = 0;

  /** Adds the set of the next document. */
  add(pairs: readonly number[]): void {
    const length = Math.ceil((pairs.length * BITS_PER_PAIR) / 8);
    const start = this.#open(length);
    const set = this.#pool.subarray(start, start + length);
    for (const pair of pairs) {
      for (let mark = 0; mark < HASHES_PER_PAIR; mark += 1) {
        const bit = bitOf(pair, mark, set.length);
        set[bit >> 3]! |= 1 << (bit & 7);
      }
    }
  }

  /** Returns whether a document may have all of these pairs. */
  mayHave(id: number, pairs: readonly number[]): boolean {
    const start = id === 0 ? 0 : this.#ends[id - 1]!;
    const length = this.#ends[id]! - start;
    if (length === 0) return pairs.length === 0;
    for (const pair of pairs) {
      for (let mark = 0; mark < HASHES_PER_PAIR; mark += 1) {
        const bit = bitOf(pair, mark, length);
        if ((this.#pool[start + (bit >> 3)]! & (1 << (bit & 7))) === 0) return false;
      }
    }
    return true;
  }

  /** Writes the sets of the documents for which `isKept` returns true. */
  *save(writer: ByteWriter, isKept: (id: number) => boolean): Generator<void, void> {
    for (let id = 0; id < this.#count; id += 1) {
      if (!isKept(id)) continue;
      const set = this.#pool.subarray(id === 0 ? 0 : this.#ends[id - 1], this.#ends[id]);
      writer.number(set.length);
      writer.bytes(set);
      if (id % SETS_PER_STEP === SETS_PER_STEP - 1) yield;
    }
  }

  static load(reader: ByteReader, count: number): PairSets {
    const sets = new PairSets();
    for (let left = count; left > 0; left -= 1) {
      const length = reader.number();
      const at = sets.#open(length);
      reader.copy(sets.#pool, { at, count: length });
    }
    return sets;
  }

  /** Gives back the room that is kept for more sets. */
  trim(): void {
    this.#pool = this.#pool.slice(0, this.#used);
  }

  /** Makes room for the set of the next document, and returns where it starts. */
  #open(length: number): number {
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
    return this.#used - length;
  }
}

function bitOf(pair: number, mark: number, bytes: number): number {
  return ((pair + Math.imul(mark, (pair >>> 15) | 1)) >>> 0) % (bytes * 8);
}
