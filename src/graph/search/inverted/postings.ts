/** Length of a list's first block; each further block is twice as long. */
const FIRST_BLOCK_LENGTH = 2;
const MAX_DOUBLINGS = 9;

/**
 * Many append-only lists of numbers in one typed array: each is a chain of blocks, with the next block in the last slot. An array per term
 * would cost more than its content.
 */
export class Postings {
  #pool: Uint32Array = new Uint32Array(1 << 16);
  #used = 1;
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
      this.#pool[link] = at;
      this.#links[list] = at + length;
      this.#doublings[list] = doublings;
    }
    this.#pool[at] = value;
    this.#tails[list] = at + 1;
  }

  /** Creates a list of this length, which `fill` writes into its part of the numbers. */
  openFilled(length: number, fill: (numbers: Uint32Array, part: { readonly start: number; readonly end: number }) => void): number {
    const list = this.open(length);
    const start = this.#heads[list] ?? 0;
    fill(this.#pool, { start, end: start + length });
    this.#tails[list] = start + length;
    return list;
  }

  /** Gives back the room that is kept for more numbers. */
  trim(): void {
    this.#pool = this.#pool.slice(0, this.#used);
  }

  /** Calls `visit` with each number of a list, in order. */
  each(list: number, visit: (value: number) => void): void {
    this.eachPart(list, (numbers, start, end) => {
      for (let at = start; at < end; at += 1) visit(numbers[at] ?? 0);
    });
  }

  /** Calls `visit` with each stretch of a list, in order: a call for each number is most of what it costs to read a long one. */
  eachPart(list: number, visit: (numbers: Uint32Array, start: number, end: number) => void): void {
    const pool = this.#pool;
    const tail = this.#tails[list] ?? 0;
    let at = this.#heads[list] ?? 0;
    let link = at + (pool[at - 1] ?? 0);
    while (tail < at || tail > link) {
      visit(pool, at, link);
      at = pool[link] ?? 0;
      link = at + (pool[at - 1] ?? 0);
    }
    visit(pool, at, tail);
  }

  /** Allocates a block, preceded by its length and followed by its link. */
  #block(length: number): number {
    const needed = this.#used + length + 2;
    if (needed > this.#pool.length) this.#pool = grown(this.#pool, needed);
    const start = this.#used + 1;
    this.#pool[this.#used] = length;
    this.#used = needed;
    return start;
  }
}

function grown(values: Uint32Array, least = 0): Uint32Array {
  const larger = new Uint32Array(Math.max(Math.ceil(values.length * 1.5), least));
  larger.set(values);
  return larger;
}
