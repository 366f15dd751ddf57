/** Length of a list's first block; each further block is twice as long. */
const FIRST_BLOCK_LENGTH = 2;
const MAX_DOUBLINGS = 9;
/** Numbers in an array, as a power of two. When it is full there is another one, and nothing is copied. */
const PART_BITS = 18;
const PART_LENGTH = 1 << PART_BITS;

/**
 * Many append-only lists of numbers in a few typed arrays: each is a chain of blocks, with the next block in the last slot. An array per
 * term would cost more than its content, and a single one would exist twice while it grows.
 */
export class Postings {
  /** The array for each range of `PART_LENGTH` positions. One that spans several ranges is there for each of them. */
  readonly #parts: Uint32Array[] = [];
  /** The position at which the array of each range begins. */
  readonly #bases: number[] = [];
  /** Where the next block begins, and the end of the last part. */
  #used = 0;
  #end = 0;
  #heads: Uint32Array = new Uint32Array(1 << 12);
  /** Position of the next number, and of its block's link. */
  #tails: Uint32Array = new Uint32Array(1 << 12);
  #links: Uint32Array = new Uint32Array(1 << 12);
  #doublings: Uint8Array = new Uint8Array(1 << 12);
  #lists = 0;

  /** Creates a list with this capacity and returns its number. */
  open(length = FIRST_BLOCK_LENGTH): number {
    const list = this.#lists;
    this.#lists += 1;
    if (list >= this.#heads.length) {
      this.#heads = grown(this.#heads);
      this.#tails = grown(this.#tails);
      this.#links = grown(this.#links);
      const doublings = new Uint8Array(this.#heads.length);
      doublings.set(this.#doublings);
      this.#doublings = doublings;
    }
    const start = this.#block(length);
    this.#heads[list] = start;
    this.#tails[list] = start;
    this.#links[list] = start + length;
    return list;
  }

  append(list: number, value: number): void {
    let at = this.#tails[list] ?? 0;
    const link = this.#links[list] ?? 0;
    if (at === link) {
      const doublings = Math.min(MAX_DOUBLINGS, (this.#doublings[list] ?? 0) + 1);
      const length = FIRST_BLOCK_LENGTH << doublings;
      at = this.#block(length);
      this.#set(link, at);
      this.#links[list] = at + length;
      this.#doublings[list] = doublings;
    }
    this.#set(at, value);
    this.#tails[list] = at + 1;
  }

  /** Creates a list of this length, which `fill` writes into its part of the numbers. */
  openFilled(length: number, fill: (numbers: Uint32Array, part: { readonly start: number; readonly end: number }) => void): number {
    const list = this.open(length);
    const head = this.#heads[list] ?? 0;
    const start = head - this.#bases[head >>> PART_BITS]!;
    fill(this.#parts[head >>> PART_BITS]!, { start, end: start + length });
    this.#tails[list] = head + length;
    return list;
  }

  /** Calls `visit` with each number of a list, in order. */
  each(list: number, visit: (value: number) => void): void {
    this.eachPart(list, (numbers, start, end) => {
      for (let at = start; at < end; at += 1) visit(numbers[at] ?? 0);
    });
  }

  /** Calls `visit` with each stretch of a list, in order: a call for each number is most of what it costs to read a long one. */
  eachPart(list: number, visit: (numbers: Uint32Array, start: number, end: number) => void): void {
    const tail = this.#tails[list] ?? 0;
    let head = this.#heads[list] ?? 0;
    for (;;) {
      const numbers = this.#parts[head >>> PART_BITS]!;
      const start = head - this.#bases[head >>> PART_BITS]!;
      const length = numbers[start - 1] ?? 0;
      if (tail >= head && tail <= head + length) return visit(numbers, start, start + tail - head);
      visit(numbers, start, start + length);
      head = numbers[start + length] ?? 0;
    }
  }

  #set(position: number, value: number): void {
    const part = position >>> PART_BITS;
    this.#parts[part]![position - this.#bases[part]!] = value;
  }

  /** Allocates a block, preceded by its length and followed by its link. */
  #block(length: number): number {
    const needed = length + 2;
    if (this.#used + needed > this.#end) this.#open(needed);
    const start = this.#used + 1;
    this.#set(this.#used, length);
    this.#used += needed;
    return start;
  }

  #open(least: number): void {
    const count = Math.ceil(least / PART_LENGTH);
    const part = new Uint32Array(count * PART_LENGTH);
    const base = this.#parts.length * PART_LENGTH;
    for (let left = count; left > 0; left -= 1) {
      this.#parts.push(part);
      this.#bases.push(base);
    }
    this.#used = base;
    this.#end = base + part.length;
  }
}

function grown(values: Uint32Array): Uint32Array {
  const larger = new Uint32Array(Math.ceil(values.length * 1.5));
  larger.set(values);
  return larger;
}
