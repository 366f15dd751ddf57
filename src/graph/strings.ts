import { Column } from './column.ts';

/**
 * A copy of a string that holds on to nothing else.
 * V8 answers `slice` with a view that keeps the whole original alive: one kept link would pin the text of its note.
 */
export function detach(text: string): string {
  // Shorter ones are always copied by V8.
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string);
}

/** Order of two strings by UTF-16 units, as `<` sees them: the order of every list of the graph. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Where a text is in a sorted list, or would be. */
export function lowerBound(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareText(sorted[middle] ?? '', text) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Strings as small integers, each kept once and counted by its users. */
export class Strings {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #uses = new Column();
  readonly #free: number[] = [];

  /** The number of a text, given on first use; every call is one use. */
  acquire(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) {
      this.#uses.set(known, this.#uses.get(known) + 1);
      return known;
    }
    const id = this.#free.pop() ?? this.#texts.length;
    const own = detach(text);
    this.#texts[id] = own;
    this.#uses.set(id, 1);
    this.#ids.set(own, id);
    return id;
  }

  /** Take over the texts of a packed graph as numbers from 0 on, none of them used yet; only while there are no others. */
  fill(texts: readonly string[]): void {
    for (const [id, text] of texts.entries()) {
      this.#texts[id] = text;
      this.#ids.set(text, id);
      this.#uses.set(id, 0);
    }
  }

  /** One more use of a number that is known. */
  use(id: number): void {
    this.#uses.set(id, this.#uses.get(id) + 1);
  }

  /** End one use; with the last one the number is free for another text. True when it was the last. */
  release(id: number): boolean {
    const left = this.#uses.get(id) - 1;
    this.#uses.set(id, left);
    if (left > 0) return false;
    this.#ids.delete(this.text(id));
    this.#texts[id] = '';
    this.#free.push(id);
    return true;
  }

  /** The number of a text in use, or -1. */
  find(text: string): number {
    return this.#ids.get(text) ?? -1;
  }

  /** How many uses a number has. */
  uses(id: number): number {
    return this.#uses.get(id);
  }

  text(id: number): string {
    return this.#texts[id] ?? '';
  }

  /** One more than the highest number in use. */
  get end(): number {
    return this.#texts.length;
  }
}
