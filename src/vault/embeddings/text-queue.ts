/** A text that waits to be embedded. */
export interface WaitingText {
  readonly content: string;
  readonly text: string;
  /** Whether it is the beginning of a note. */
  readonly isBeginning?: boolean;
}

/** A source of texts to embed, the most wanted first. */
export interface TextSource {
  /** Takes at most `most` texts of those that `isWanted`. The caller has to embed or requeue them. */
  take(most: number, isWanted?: (content: string) => boolean): WaitingText[];
  /** Returns texts that were not embedded to the queue. */
  requeue(texts: readonly WaitingText[]): void;
  /** Number of waiting texts, as far as known. */
  readonly waiting: number;
}

/** Texts by hash, the last one added first. */
export class TextQueue implements TextSource {
  readonly #texts = new Map<string, string>();
  /** May have duplicates, and hashes that are not wanted any more. */
  #order: string[] = [];

  get waiting(): number {
    return this.#texts.size;
  }

  add(content: string, text: string): void {
    this.#texts.set(content, text);
    this.#order.push(content);
    if (this.#order.length > 2 * this.#texts.size + 1000) this.#order = [...new Set(this.#order.toReversed())].toReversed();
  }

  has(content: string): boolean {
    return this.#texts.has(content);
  }

  keys(): readonly string[] {
    return [...this.#texts.keys()];
  }

  delete(content: string): void {
    this.#texts.delete(content);
  }

  take(most: number, isWanted: (content: string) => boolean = () => true): WaitingText[] {
    const taken: WaitingText[] = [];
    const left: string[] = [];
    while (taken.length < most) {
      const content = this.#order.pop();
      if (content === undefined) break;
      const text = this.#texts.get(content);
      if (text === undefined) continue;
      if (!isWanted(content)) {
        left.push(content);
        continue;
      }
      this.#texts.delete(content);
      taken.push({ content, text });
    }
    for (const content of left.toReversed()) this.#order.push(content);
    return taken;
  }

  requeue(texts: readonly WaitingText[]): void {
    for (const { content, text } of texts.toReversed()) if (!this.#texts.has(content)) this.add(content, text);
  }
}
