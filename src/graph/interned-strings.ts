import { detach } from '../note/text.ts';
import { Column } from './column.ts';

/** Maps strings to small integers, with reference counts. */
export class InternedStrings {
  /** Null after `unpack`, until a text is looked for: most starts look for none of most kinds. */
  #ids: Map<string, number> | null = new Map();
  #texts: string[] = [];
  readonly #uses = new Column();
  readonly #free: number[] = [];

  /** Returns the number of a text, assigning one on first use, and counts one use. */
  acquire(text: string): number {
    const ids = this.#byText();
    const known = ids.get(text);
    if (known !== undefined) {
      this.#uses.set(known, this.#uses.get(known) + 1);
      return known;
    }
    const id = this.#free.pop() ?? this.#texts.length;
    const own = detach(text);
    this.#texts[id] = own;
    this.#uses.set(id, 1);
    ids.set(own, id);
    return id;
  }

  /** Loads the texts of a packed graph as numbers from 0, with their use counts. The table must be empty. */
  unpack(texts: readonly string[], uses: Int32Array): void {
    this.#ids = null;
    this.#texts = [...texts];
    this.#uses.fill(uses);
  }

  /** Ends one use; the last one frees the number. Returns true when it was the last. */
  release(id: number): boolean {
    const left = this.#uses.get(id) - 1;
    this.#uses.set(id, left);
    if (left > 0) return false;
    this.#ids?.delete(this.text(id));
    this.#texts[id] = '';
    this.#free.push(id);
    return true;
  }

  /** Returns the number of a text in use, or -1. */
  find(text: string): number {
    return this.#byText().get(text) ?? -1;
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

  #byText(): Map<string, number> {
    if (this.#ids !== null) return this.#ids;
    this.#ids = new Map();
    for (const [id, text] of this.#texts.entries()) if (this.uses(id) > 0) this.#ids.set(text, id);
    return this.#ids;
  }
}
