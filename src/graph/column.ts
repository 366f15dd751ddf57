const MAX_DOUBLED_LENGTH = 65_536;

/** A growing array of 32-bit integers; what was never set reads as `-1`. */
export class Column {
  #cells: Int32Array = new Int32Array(0);

  get(index: number): number {
    return this.#cells[index] ?? -1;
  }

  /** Replaces all cells. */
  fill(cells: Int32Array): void {
    this.#cells = cells;
  }

  set(index: number, value: number): void {
    if (index >= this.#cells.length) this.#grow(index + 1);
    this.#cells[index] = value;
  }

  #grow(length: number): void {
    // Small columns double, since they grow often while a vault is read.
    const next = this.#cells.length < MAX_DOUBLED_LENGTH ? this.#cells.length * 2 : Math.ceil(this.#cells.length * 1.25);
    const cells = new Int32Array(Math.max(64, length, next));
    cells.set(this.#cells);
    cells.fill(-1, this.#cells.length);
    this.#cells = cells;
  }
}

/**
 * Many linked lists of small integers in three columns. A member is in one list at most; adding and removing take constant time. The newest
 * member comes first, so readers sort.
 */
export class Chains {
  readonly #heads = new Column();
  readonly #next = new Column();
  readonly #previous = new Column();

  /** Fills empty lists at once: each member goes into the list of its index; negative numbers into none. */
  fill(listOf: Int32Array, lists: number): void {
    const [heads, next, previous] = [
      new Int32Array(lists).fill(-1),
      new Int32Array(listOf.length).fill(-1),
      new Int32Array(listOf.length).fill(-1),
    ];
    for (let member = 0; member < listOf.length; member += 1) {
      const list = listOf[member] ?? -1;
      if (list < 0) continue;
      const head = heads[list] ?? -1;
      next[member] = head;
      if (head >= 0) previous[head] = member;
      heads[list] = member;
    }
    this.#heads.fill(heads);
    this.#next.fill(next);
    this.#previous.fill(previous);
  }

  add(list: number, member: number): void {
    const head = this.#heads.get(list);
    this.#next.set(member, head);
    this.#previous.set(member, -1);
    if (head >= 0) this.#previous.set(head, member);
    this.#heads.set(list, member);
  }

  remove(list: number, member: number): void {
    const next = this.#next.get(member);
    const previous = this.#previous.get(member);
    if (previous >= 0) this.#next.set(previous, next);
    else this.#heads.set(list, next);
    if (next >= 0) this.#previous.set(next, previous);
  }

  /** Returns the first member of a list, or -1. */
  first(list: number): number {
    return this.#heads.get(list);
  }

  /** Returns the next member of the same list, or -1. */
  after(member: number): number {
    return this.#next.get(member);
  }

  members(list: number): number[] {
    const members: number[] = [];
    for (let member = this.first(list); member >= 0; member = this.after(member)) members.push(member);
    return members;
  }
}

/** Counts the occurrences of each number below `numbers` in columns, ignoring negative ones. */
export function countUses(numbers: number, ...columns: readonly Int32Array[]): Int32Array {
  const uses = new Int32Array(numbers);
  for (const column of columns) {
    for (let at = 0; at < column.length; at += 1) {
      const number = column[at] ?? -1;
      if (number >= 0) uses[number] = (uses[number] ?? 0) + 1;
    }
  }
  return uses;
}

/** Returns the row lists by source for links stored by source, then in text order. */
export function rowsBySource(linkCount: Int32Array): {
  readonly firstOut: Int32Array;
  readonly source: Int32Array;
  readonly nextOut: Int32Array;
} {
  const firstOut = new Int32Array(linkCount.length).fill(-1);
  const source = new Int32Array(linkCount.reduce((sum, count) => sum + count, 0));
  const nextOut = new Int32Array(source.length);
  let end = 0;
  for (const [at, count] of linkCount.entries()) {
    if (count === 0) continue;
    const first = (firstOut[at] = end);
    end += count;
    source.fill(at, first, end);
    for (let row = first; row < end; row += 1) nextOut[row] = row + 1;
    nextOut[end - 1] = -1;
  }
  return { firstOut, source, nextOut };
}
