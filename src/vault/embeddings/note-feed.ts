import { setImmediate } from 'node:timers/promises';
import { splitIntoPassages, PASSAGES_VERSION } from '../../graph/semantic/passages.ts';
import type { GraphChange, GraphView, NoteEntry } from '../../graph/view.ts';
import type { ScoredNotes, SimilarNote } from '../../graph/semantic/embeddings.ts';
import type { Vectors } from '../../graph/semantic/vectors.ts';
import type { NotePath } from '../../note/path.ts';
import { createSlice } from '../../store/slices.ts';
import { contentKey } from './content-key.ts';
import type { TextSource, WaitingText } from './text-queue.ts';
import type { VectorIndex } from './vector-index.ts';

/** Beyond this number only beginnings of notes get vectors, because all vectors are in memory. */
const MAX_VECTORS = 150_000;

/** A stack of distinct paths. */
class Stack {
  readonly #paths = new Set<NotePath>();
  #order: NotePath[] = [];

  get size(): number {
    return this.#paths.size;
  }

  add(path: NotePath): void {
    this.#paths.add(path);
    this.#order.push(path);
    if (this.#order.length > 2 * this.#paths.size + 1000) this.#order = [...new Set(this.#order.toReversed())].toReversed();
  }

  has(path: NotePath): boolean {
    return this.#paths.has(path);
  }

  delete(path: NotePath): void {
    this.#paths.delete(path);
  }

  pop(): NotePath | null {
    for (let path = this.#order.pop(); path !== undefined; path = this.#order.pop()) if (this.#paths.delete(path)) return path;
    return null;
  }
}

/** What is known of a note: the hashes of its passages, and the rows of their vectors. */
interface NotePassages {
  readonly keys: readonly string[];
  /** Cached rows, valid for one table in one `layout`; -1 for a passage without a vector. */
  rows: Int32Array | null;
  table: Vectors | null;
  layout: number;
}

const UNKNOWN: readonly string[] = [];

/**
 * The notes of a vault as texts to embed: first their beginnings, then their sections. In both, notes that callers read come first, then
 * those that were modified last. Cached passages are found by the hash of the note, so that a note is read only when its turn comes.
 */
export class NoteFeed implements TextSource {
  readonly #graph: GraphView;
  readonly #readText: (path: NotePath) => string | null;
  readonly #index: VectorIndex;
  readonly #notes = new Map<NotePath, NotePassages>();
  readonly #first = new Stack();
  readonly #rest = new Stack();
  /** Texts taken for embedding, by hash, with their note: beginnings, and other passages. */
  readonly #taken = new Map<string, NotePath>();
  readonly #takenRest = new Map<string, NotePath>();

  constructor(options: { graph: GraphView; readText: (path: NotePath) => string | null; index: VectorIndex }) {
    this.#graph = options.graph;
    this.#readText = options.readText;
    this.#index = options.index;
  }

  /** Adds all notes, in slices. */
  async addAll(): Promise<void> {
    const entries = [...this.#graph.entries()].sort((a, b) => Number(a.stamp.mtimeNs - b.stamp.mtimeNs));
    await setImmediate();
    const slice = createSlice();
    slice.begin();
    for (const { path } of entries) {
      if (slice.isOver()) {
        await setImmediate();
        slice.begin();
      }
      const entry = this.#graph.get(path);
      if (entry !== null && !entry.isHidden) this.#put(entry);
    }
  }

  applyChanges(changes: readonly GraphChange[]): void {
    for (const { before, after } of changes) {
      if (before !== null && (after === null || after.path !== before.path || after.isHidden)) this.#remove(before.path);
      if (after !== null && !after.isHidden) this.#put(after);
    }
  }

  /** Checks again which notes have vectors, after another process saved some or the cached ones were discarded. */
  async refresh(): Promise<void> {
    const paths = [...this.#notes.keys()].sort((a, b) => Number(this.#savedAt(a) - this.#savedAt(b)));
    const slice = createSlice();
    slice.begin();
    for (const path of paths) {
      if (slice.isOver()) {
        await setImmediate();
        slice.begin();
      }
      const entry = this.#graph.get(path);
      if (entry !== null && !entry.isHidden) this.#put(entry);
    }
  }

  #savedAt(path: NotePath): bigint {
    return this.#graph.get(path)?.stamp.mtimeNs ?? 0n;
  }

  /** Number of notes whose beginning has a vector, out of all. */
  get notes(): { readonly embedded: number; readonly all: number } {
    return { embedded: this.#notes.size - this.#first.size - this.#taken.size, all: this.#notes.size };
  }

  /** Moves a waiting note to the front. */
  want(path: NotePath): void {
    for (const waiting of [this.#first, this.#rest]) if (waiting.has(path)) waiting.add(path);
  }

  isEmbedded(path: NotePath): boolean {
    const [first] = this.#notes.get(path)?.keys ?? UNKNOWN;
    return first !== undefined && this.#index.has(first);
  }

  get waiting(): number {
    return this.#first.size + this.#rest.size + this.#taken.size + this.#takenRest.size;
  }

  /** The hashes of all current notes. */
  documentKeys(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const path of this.#notes.keys()) {
      const entry = this.#graph.get(path);
      if (entry !== null) found.add(documentKey(entry));
    }
    return found;
  }

  /** The hashes of all known passages. */
  *contents(): Generator<string> {
    for (const { keys: contents } of this.#notes.values()) yield* contents;
  }

  /**
   * Scores each note against a vector: half by its beginning, half by its best passage. By the beginning alone, long notes are not found by
   * what they say later; by the best passage alone, they are found too often.
   */
  scoreNotes(vector: Float32Array, vectors: Vectors): ScoredNotes {
    const products = vectors.dotProducts(vector);
    const found: SimilarNote[] = [];
    for (const [path, known] of this.#notes) {
      const rows = rowsOf(known, vectors);
      let [best, at, embedded] = [-Infinity, -1, 0];
      for (let passage = 0; passage < rows.length; passage += 1) {
        const row = rows[passage]!;
        if (row < 0) continue;
        embedded += 1;
        if (products[row]! > best) [best, at] = [products[row]!, passage];
      }
      if (at < 0) continue;
      const first = rows[0]! < 0 ? best : products[rows[0]!]!;
      found.push({ path, score: (first + best) / 2, best, at, passages: rows.length, embedded });
    }
    return found;
  }

  /** Returns the vector of a note's beginning. */
  getNoteVector(path: NotePath, vectors: Vectors): Float32Array | null {
    const [first] = this.#notes.get(path)?.keys ?? UNKNOWN;
    return first === undefined ? null : vectors.get(first);
  }

  /** Returns the text that represents a note as a whole: its title and beginning. */
  getFirstPassage(path: NotePath): string | null {
    const entry = this.#graph.get(path);
    const text = entry === null ? null : this.#readText(path);
    return entry === null || text === null ? null : (splitIntoPassages({ title: entry.title, text })[0]?.text ?? null);
  }

  take(most: number, isWanted: (content: string) => boolean = () => true): WaitingText[] {
    const taken: WaitingText[] = [];
    const slice = createSlice();
    slice.begin();
    while (taken.length < most && !(taken.length > 0 && slice.isOver())) {
      const path = this.#first.pop();
      if (path === null) break;
      const first = this.#read(path)?.find(({ at }) => at === 0);
      if (first === undefined || this.#index.has(first.content) || !isWanted(first.content)) continue;
      this.#taken.set(first.content, path);
      taken.push(first);
    }
    while (taken.length === 0 && this.#index.size < MAX_VECTORS) {
      const path = this.#rest.pop();
      if (path === null) break;
      const missing = (this.#read(path) ?? []).filter(
        ({ content }) => !this.#index.has(content) && !this.#takenRest.has(content) && isWanted(content),
      );
      taken.push(...missing.slice(0, Math.max(1, most)));
      for (const { content } of taken) this.#takenRest.set(content, path);
      // What is left of the note has its turn next. Without that it would come back forever, for a text that the embedder refuses.
      if (missing.length > taken.length) this.#rest.add(path);
      else this.#rest.delete(path);
    }
    return taken;
  }

  requeue(texts: readonly WaitingText[]): void {
    for (const { content } of texts.toReversed()) {
      for (const [taken, waiting] of [
        [this.#taken, this.#first],
        [this.#takenRest, this.#rest],
      ] as const) {
        const path = taken.get(content);
        if (path !== undefined && taken.delete(content) && this.#graph.get(path) !== null) waiting.add(path);
      }
    }
  }

  /** Marks texts as done: they have vectors, or never will. */
  markDone(contents: readonly string[]): void {
    for (const content of contents) {
      this.#taken.delete(content);
      this.#takenRest.delete(content);
    }
  }

  /** Adds a note with its cached passages; without them it waits to be read. */
  #put(entry: NoteEntry): void {
    const { path } = entry;
    if (!this.#notes.has(path)) this.#point(path, UNKNOWN);
    this.#first.delete(path);
    this.#rest.delete(path);
    const contents = this.#index.documents.get(documentKey(entry));
    if (contents === undefined) {
      // Until it is read, the previous version is searched.
      this.#first.add(path);
      return;
    }
    this.#point(path, contents);
    if (contents[0] !== undefined && !this.#index.has(contents[0])) this.#first.add(path);
    else if (contents.some((content) => !this.#index.has(content))) this.#rest.add(path);
  }

  #remove(path: NotePath): void {
    this.#notes.delete(path);
    this.#first.delete(path);
    this.#rest.delete(path);
  }

  #point(path: NotePath, contents: readonly string[]): void {
    if (this.#notes.get(path)?.keys !== contents) this.#notes.set(path, { keys: contents, rows: null, table: null, layout: 0 });
  }

  /** Reads the passages of a note and remembers them; null where the note is missing. */
  #read(path: NotePath): readonly (WaitingText & { readonly at: number })[] | null {
    const entry = this.#graph.get(path);
    const text = entry === null || entry.isHidden ? null : this.#readText(path);
    if (entry === null || text === null) return null;
    const passages = splitIntoPassages({ title: entry.title, text }).map((passage, at) => ({
      at,
      text: passage.text,
      content: contentKey(passage.text),
      isBeginning: at === 0,
    }));
    const contents = passages.map(({ content }) => content);
    // A file that is being saved may already differ from its hash: its passages must not be cached under it.
    if (Buffer.byteLength(text) === entry.stamp.size) this.#index.setDocument(documentKey(entry), contents);
    this.#point(path, contents);
    if (passages.some(({ at, content }) => at > 0 && !this.#index.has(content))) this.#rest.add(path);
    return passages;
  }
}

/** Returns the rows of a note's passages, cached unless some were missing or rows were freed. */
function rowsOf(known: NotePassages, vectors: Vectors): Int32Array {
  if (known.rows === null || known.table !== vectors || known.layout !== vectors.layout) {
    known.rows = Int32Array.from(known.keys, (content) => vectors.rowOf(content));
    [known.table, known.layout] = [vectors, vectors.layout];
  } else if (known.rows.includes(-1)) {
    for (const [at, content] of known.keys.entries()) known.rows[at] = vectors.rowOf(content);
  }
  return known.rows;
}

function documentKey({ hash, title }: NoteEntry): string {
  return contentKey(`passages ${PASSAGES_VERSION}\n${hash}\n${title}`);
}
