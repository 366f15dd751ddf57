const SMALL = 65_536;

/** A growing array of 32-bit integers; what was never set reads as `-1`. */
export class Column {
  #cells = new Int32Array(0);

  get(index: number): number {
    return this.#cells[index] ?? -1;
  }

  set(index: number, value: number): void {
    if (index >= this.#cells.length) this.#grow(index + 1);
    this.#cells[index] = value;
  }

  #grow(length: number): void {
    // Small ones double: while a vault is read they grow often, and what they hold more is little.
    const next = this.#cells.length < SMALL ? this.#cells.length * 2 : Math.ceil(this.#cells.length * 1.25);
    const cells = new Int32Array(Math.max(64, length, next));
    cells.set(this.#cells);
    cells.fill(-1, this.#cells.length);
    this.#cells = cells;
  }
}

/**
 * Many lists of small integers in three columns. A member is in one list at most; adding and removing take constant time.
 * The newest member comes first, so what leaves the graph is sorted by its reader.
 */
export class Chains {
  readonly #heads = new Column();
  readonly #next = new Column();
  readonly #previous = new Column();

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

  /** The first member of a list, or -1. */
  first(list: number): number {
    return this.#heads.get(list);
  }

  /** The member after this one in its list, or -1. */
  after(member: number): number {
    return this.#next.get(member);
  }

  /** All members of a list. */
  members(list: number): number[] {
    const members: number[] = [];
    for (let member = this.first(list); member >= 0; member = this.after(member)) members.push(member);
    return members;
  }
}
