import { detach } from '../note/text.ts';
import { Column } from './column.ts';

/** Maps strings to small integers, with reference counts. */
export class InternedStrings {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #uses = new Column();
  readonly #free: number[] = [];

  /** Returns the number of a text, assigning one on first use, and counts one use. */
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

  /** Loads the texts of a packed graph as numbers from 0, with their use counts. The table must be empty. */
  unpack(texts: readonly string[], uses: Int32Array): void {
    for (const text of texts) this.#ids.set(text, this.#texts.push(text) - 1);
    this.#uses.fill(uses);
  }

  /** Ends one use; the last one frees the number. Returns true when it was the last. */
  release(id: number): boolean {
    const left = this.#uses.get(id) - 1;
    this.#uses.set(id, left);
    if (left > 0) return false;
    this.#ids.delete(this.text(id));
    this.#texts[id] = '';
    this.#free.push(id);
    return true;
  }

  /** Returns the number of a text in use, or -1. */
  find(text: string): number {
    return this.#ids.get(text) ?? -1;
  }

  /** Returns the use count of a number. */
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
