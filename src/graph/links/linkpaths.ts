import { Chains, Column } from '../column.ts';
import { InternedStrings } from '../interned-strings.ts';
import { linkKey } from './resolve.ts';

/** The linkpaths of all links, each once, and by the key of the files that they may mean. */
export class Linkpaths {
  readonly texts = new InternedStrings();
  /** By linkpath. */
  readonly keys = new Column();
  readonly #fileKeys: InternedStrings;
  readonly #byKey = new Chains();

  /** `fileKeys`: shared with the files, which have the same ones. */
  constructor(fileKeys: InternedStrings) {
    this.#fileKeys = fileKeys;
  }

  text(id: number): string {
    return this.texts.text(id);
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

  /** The number of a linkpath that one more link has. */
  acquire(text: string): number {
    const id = this.texts.acquire(text);
    if (this.texts.uses(id) === 1) {
      const key = this.#fileKeys.acquire(linkKey(text));
      this.keys.set(id, key);
      this.#byKey.add(key, id);
    }
    return id;
  }

  /** A link less has it. */
  release(id: number): void {
    if (!this.texts.release(id)) return;
    const key = this.keys.get(id);
    this.#byKey.remove(key, id);
    this.#fileKeys.release(key);
  }

  /** Takes over those of a packed graph, each with its uses and its key, of so many keys; only while there are no others. */
  unpack(texts: readonly string[], packed: { readonly uses: Int32Array; readonly keys: Int32Array; readonly keyCount: number }): void {
    this.texts.unpack(texts, packed.uses);
    this.keys.fill(packed.keys.slice());
    this.#byKey.fill(packed.keys, packed.keyCount);
  }
}
