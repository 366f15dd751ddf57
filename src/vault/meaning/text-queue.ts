/** A text that waits for a vector. */
export interface WaitingText {
  readonly content: string;
  readonly text: string;
}

/** Where texts come from that are to be embedded, the most wanted first. */
export interface TextSource {
  /** The next ones, at most so many, of those that `isWanted`; they are this caller's now. */
  take(most: number, isWanted?: (content: string) => boolean): WaitingText[];
  /** They were not embedded, and wait again. */
  putBack(texts: readonly WaitingText[]): void;
  /** Texts that wait, as far as they are known. */
  readonly waiting: number;
}

/** Texts by their hash, the last one wanted first. */
export class TextQueue implements TextSource {
  readonly #texts = new Map<string, string>();
  /** Some are here twice, or are not wanted any more. */
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

  contents(): readonly string[] {
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

  putBack(texts: readonly WaitingText[]): void {
    for (const { content, text } of texts.toReversed()) if (!this.#texts.has(content)) this.add(content, text);
  }
}
