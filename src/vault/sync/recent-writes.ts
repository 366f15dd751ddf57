import { decodeNote } from '../../note/parse.ts';
import type { OwnBytes } from './compare-folders.ts';

/** Bytes are discarded this long after the last write. The index and the history read them within half a second. */
const KEPT_MS = 1_000;
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** The bytes that roux wrote a moment ago, by hash, so that the index and the history need not read them from the disk. */
export class RecentWrites {
  readonly #bytes = new Map<string, Buffer>();
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  keep(own: ReadonlyMap<string, OwnBytes>): void {
    for (const { hash, bytes } of own.values()) {
      if (this.#bytes.has(hash)) continue;
      this.#bytes.set(hash, bytes);
      this.#size += bytes.length;
    }
    for (const [hash, { length }] of this.#bytes) {
      if (this.#size <= MAX_KEPT_BYTES) break;
      this.#bytes.delete(hash);
      this.#size -= length;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#forget(), KEPT_MS).unref();
  }

  find(hash: string): Buffer | null {
    return this.#bytes.get(hash) ?? null;
  }

  /** Returns the bytes as the text of a note. */
  textOf(hash: string): string | null {
    const bytes = this.find(hash);
    return bytes === null ? null : decodeNote(bytes).text;
  }

  #forget(): void {
    this.#bytes.clear();
    this.#size = 0;
  }
}
