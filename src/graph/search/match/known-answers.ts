/** Maximum number of tests whose answers are cached. */
const MAX_TESTS = 16;

/** What a test said of a note, by its key. */
export interface Answers {
  readonly ofKeys: Uint8Array;
}

const UNKNOWN = 0;
const NO = 1;
const YES = 2;

/**
 * The answers of tests that depend on the graph's entry of a note alone, such as those for tags: a second search with the same tag looks only
 * at notes that have changed.
 */
export class KnownAnswers {
  /** Least recently used first. */
  readonly #tests = new Map<string, Answers>();

  /** Returns the answers of a test, of notes with keys below `end`. */
  of(test: string, end: number): Answers {
    const known = this.#tests.get(test);
    const answers = known !== undefined && known.ofKeys.length >= end ? known : { ofKeys: grown(known?.ofKeys, end) };
    this.#tests.delete(test);
    this.#tests.set(test, answers);
    for (const oldest of this.#tests.keys()) {
      if (this.#tests.size <= MAX_TESTS) break;
      this.#tests.delete(oldest);
    }
    return answers;
  }

  /** Forgets what was said of a note, which has changed. */
  forget(key: number): void {
    for (const { ofKeys } of this.#tests.values()) if (key < ofKeys.length) ofKeys[key] = UNKNOWN;
  }
}

/** Returns what is known of a note, or else asks. */
export function recall({ ofKeys }: Answers, key: number, ask: () => boolean): boolean {
  const known = ofKeys[key];
  if (known !== UNKNOWN) return known === YES;
  const isSo = ask();
  ofKeys[key] = isSo ? YES : NO;
  return isSo;
}

/** Returns a longer array, with room for more notes. */
export function grown(values: Uint8Array | undefined, end: number): Uint8Array {
  const longer = new Uint8Array(Math.ceil(end * 1.25));
  if (values !== undefined) longer.set(values);
  return longer;
}
