import { Chains, Column } from '../column.ts';
import { InternedStrings } from '../interned-strings.ts';
import { linkKey } from '../../note/path.ts';

/** Interned linkpaths of all links, also by the key of the files that they may mean. */
export class Linkpaths {
  readonly texts = new InternedStrings();
  /** By linkpath. */
  readonly keys = new Column();
  readonly #fileKeys: InternedStrings;
  readonly #byKey = new Chains();

  /** `fileKeys` is shared with the files. */
  constructor(fileKeys: InternedStrings) {
    this.#fileKeys = fileKeys;
  }

  /** One more than the highest number in use. */
  get end(): number {
    return this.texts.end;
  }

  hasKey(key: number): boolean {
    return this.#byKey.first(key) >= 0;
  }

  ofKey(key: number): readonly number[] {
    return this.#byKey.members(key);
  }

  /** Returns the number of a linkpath and counts one use. */
  acquire(text: string): number {
    const id = this.texts.acquire(text);
    if (this.texts.uses(id) === 1) {
      const key = this.#fileKeys.acquire(linkKey(text));
      this.keys.set(id, key);
      this.#byKey.add(key, id);
    }
    return id;
  }

  /** Ends one use. */
  release(id: number): void {
    if (!this.texts.release(id)) return;
    const key = this.keys.get(id);
    this.#byKey.remove(key, id);
    this.#fileKeys.release(key);
  }

  /** Loads the linkpaths of a packed graph with their uses and keys. The table must be empty. */
  unpack(texts: readonly string[], packed: { readonly uses: Int32Array; readonly keys: Int32Array; readonly keyCount: number }): void {
    this.texts.unpack(texts, packed.uses);
    this.keys.fill(packed.keys.slice());
    this.#byKey.fill(packed.keys, packed.keyCount);
  }
}
