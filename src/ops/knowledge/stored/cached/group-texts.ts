import type { VectorCollection } from '../../../../graph/semantic/embeddings.ts';
import { createFactTextIndex } from '../text-index/fact-text-index.ts';
import type { FactText, FactTextIndex, SavedTextIndex } from '../text-index/fact-text-index.ts';
import { keyOf } from '../group-statements.ts';

/** A text under which a fact is found. */
export interface IndexedText {
  /** `keyOf` the fact and the place among its texts. */
  readonly key: string;
  readonly text: FactText;
  readonly embedded: string;
}

export interface GroupTextsOptions {
  readonly groupId: string;
  /** All facts and statements of the group. */
  uuids(): Iterable<string>;
  /** The texts of a fact: one, or each sentence of a statement; none if it is gone. */
  textsOf(uuid: string): readonly IndexedText[];
  /** Vectors of all facts, by `<group>/<key>`. */
  readonly vectors: Pick<VectorCollection, 'set' | 'delete' | 'has' | 'whenSettled'>;
  /** Called when the text index was built. */
  onBuilt(): void;
}

/** Texts of facts per step: a few milliseconds of work. */
const TEXTS_PER_STEP = 50;

/** What the facts of a group are found by: the text index, loaded or built for the first search, and vectors. */
export class GroupTexts {
  readonly #options: GroupTextsOptions;
  #index: FactTextIndex | null = null;
  #saved: SavedTextIndex | null = null;
  /** Facts that changed since the saved index was made. */
  readonly #changed = new Set<string>();
  /** Keys that were passed to the vectors; null until there are any. */
  #embedded: Set<string> | null = null;
  /** Facts that are still to be passed to them. */
  #left: string[] = [];
  /** Keys that had no vector when this was last asked. */
  readonly #waiting = new Set<string>();

  constructor(options: GroupTextsOptions) {
    this.#options = options;
  }

  /** Uses a saved index, which is loaded on first use. */
  restore(saved: SavedTextIndex): void {
    this.#saved = saved;
  }

  /** Follows changes of facts. */
  update(uuids: Iterable<string>): void {
    for (const uuid of uuids) {
      if (this.#index !== null) this.#put(this.#index, uuid);
      else if (this.#saved !== null) this.#changed.add(uuid);
      if (this.#embedded !== null) this.#embed(this.#embedded, uuid);
    }
  }

  index(): FactTextIndex {
    if (this.#index === null) for (const _ of this.#open());
    return this.#index!;
  }

  /** Number of texts, and of those without a vector. */
  embedding(): { readonly all: number; readonly waiting: number } {
    for (const _ of this.embed());
    const { vectors, groupId } = this.#options;
    for (const key of this.#waiting) if (vectors.has(`${groupId}/${key}`)) this.#waiting.delete(key);
    return { all: this.#embedded?.size ?? 0, waiting: this.#waiting.size };
  }

  /** Resolves when all texts have a vector or can have none; to false if nothing embeds them now, as in a command. */
  async whenEmbedded(): Promise<boolean> {
    const { vectors, groupId } = this.#options;
    const outcomes = await Promise.all(Array.from(this.#waiting, (key) => vectors.whenSettled(`${groupId}/${key}`)));
    return !outcomes.includes('unavailable');
  }

  /** Passes all texts to the vectors, in steps. */
  *embed(): Generator<void, void> {
    if (this.#embedded === null) this.#left = [...this.#options.uuids()];
    this.#embedded ??= new Set();
    for (let uuid = this.#left.pop(); uuid !== undefined; uuid = this.#left.pop()) {
      this.#embed(this.#embedded, uuid);
      if (this.#left.length % TEXTS_PER_STEP === 0) yield;
    }
  }

  /** Packs the text index, in steps; null if there is none. */
  *pack(): Generator<void, SavedTextIndex | null> {
    if (this.#index === null && this.#saved !== null) {
      if (this.#changed.size === 0) return this.#saved;
      yield* this.#open();
    }
    return this.#index === null ? null : yield* this.#index.save();
  }

  *#open(): Generator<void, void> {
    const index = createFactTextIndex();
    const isLoaded = this.#saved !== null && (yield* load(index, this.#saved));
    // A search may have needed it between two steps.
    if (this.#index !== null) return;
    for (const uuid of isLoaded ? this.#changed : this.#options.uuids()) this.#put(index, uuid);
    this.#index = index;
    this.#saved = null;
    this.#changed.clear();
    if (!isLoaded) this.#options.onBuilt();
  }

  #put(index: FactTextIndex, uuid: string): void {
    const texts = this.#options.textsOf(uuid);
    for (const { key, text } of texts) index.put(key, text);
    for (let at = texts.length; index.has(keyOf(uuid, at)); at += 1) index.delete(keyOf(uuid, at));
  }

  #embed(embedded: Set<string>, uuid: string): void {
    const { vectors, groupId } = this.#options;
    const texts = this.#options.textsOf(uuid);
    for (const { key, embedded: text } of texts) {
      vectors.set(`${groupId}/${key}`, text);
      embedded.add(key);
      this.#waiting.add(key);
    }
    for (let at = texts.length; embedded.delete(keyOf(uuid, at)); at += 1) {
      vectors.delete(`${groupId}/${keyOf(uuid, at)}`);
      this.#waiting.delete(keyOf(uuid, at));
    }
  }
}

/** Loads a saved index; returns false if it is damaged. */
function* load(index: FactTextIndex, saved: SavedTextIndex): Generator<void, boolean> {
  try {
    yield* index.load(saved);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
