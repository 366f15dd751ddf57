import { setImmediate } from 'node:timers/promises';
import { passagesOf, PASSAGES_VERSION } from '../../graph/meaning/passages.ts';
import type { GraphChange, GraphView, NoteEntry } from '../../graph/view.ts';
import type { NearNotes } from '../../graph/meaning/meaning.ts';
import type { Vectors } from '../../graph/meaning/vectors.ts';
import type { NotePath } from '../../note/path.ts';
import { openSlice } from '../sync/slices.ts';
import { contentKey } from './content-key.ts';
import type { TextSource, WaitingText } from './text-queue.ts';
import type { VectorIndex } from './vector-index.ts';

/** Longest stretch without giving way, in milliseconds. */
const SLICE_MS = 8;
/** With more vectors than that, further ones are those of beginnings only: they are all in memory. */
const MAX_VECTORS = 150_000;

/** Paths, the last one added first. */
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

  delete(path: NotePath): void {
    this.#paths.delete(path);
  }

  pop(): NotePath | null {
    for (let path = this.#order.pop(); path !== undefined; path = this.#order.pop()) if (this.#paths.delete(path)) return path;
    return null;
  }
}

/** A note of which something is known: the hashes of its passages, and their rows. */
interface Known {
  readonly contents: readonly string[];
  /** In which state of which vectors the rows were looked up; -1 for a passage without a vector. */
  rows: Int32Array | null;
  of: Vectors | null;
  layout: number;
}

const UNKNOWN: readonly string[] = [];

/**
 * The notes of a vault as texts that wait: their beginnings first, those that were touched last before the others, then their sections. What
 * was kept of a note is known by its hash, so that it is read only when its turn comes.
 */
export class NoteFeed implements TextSource {
  readonly #graph: GraphView;
  readonly #readText: (path: NotePath) => string | null;
  readonly #index: VectorIndex;
  readonly #notes = new Map<NotePath, Known>();
  readonly #first = new Stack();
  readonly #rest = new Stack();
  /** What was taken, by hash: which note it is of. */
  readonly #taken = new Map<string, NotePath>();

  constructor(options: { graph: GraphView; readText: (path: NotePath) => string | null; index: VectorIndex }) {
    this.#graph = options.graph;
    this.#readText = options.readText;
    this.#index = options.index;
  }

  /** Takes all notes, in slices. */
  async fill(): Promise<void> {
    const entries = [...this.#graph.entries()].sort((a, b) => Number(a.stamp.mtimeNs - b.stamp.mtimeNs));
    await setImmediate();
    const slice = openSlice(SLICE_MS);
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

  follow(changes: readonly GraphChange[]): void {
    for (const { before, after } of changes) {
      if (before !== null && (after === null || after.path !== before.path || after.isHidden)) this.#remove(before.path);
      if (after !== null && !after.isHidden) this.#put(after);
    }
  }

  /** Looks again which notes have vectors: another process may have kept some, or what was kept is of no use. */
  async lookAgain(): Promise<void> {
    const paths = [...this.#notes.keys()].sort((a, b) => Number(this.#savedAt(a) - this.#savedAt(b)));
    const slice = openSlice(SLICE_MS);
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

  /** Notes whose beginning has a vector, of all. */
  get notes(): { readonly embedded: number; readonly all: number } {
    return { embedded: this.#notes.size - this.#first.size - this.#taken.size, all: this.#notes.size };
  }

  isEmbedded(path: NotePath): boolean {
    const [first] = this.#notes.get(path)?.contents ?? UNKNOWN;
    return first !== undefined && this.#index.has(first);
  }

  get waiting(): number {
    return this.#first.size + this.#rest.size + this.#taken.size;
  }

  /** The hashes under which notes of now are known. */
  documents(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const path of this.#notes.keys()) {
      const entry = this.#graph.get(path);
      if (entry !== null) found.add(documentKey(entry));
    }
    return found;
  }

  /** The hashes of all passages that are known. */
  *contents(): Generator<string> {
    for (const { contents } of this.#notes.values()) yield* contents;
  }

  /**
   * How near each note is to a vector: half by its beginning, half by the passage that is nearest. By the beginning alone a long note is not
   * found by what it says later; by the nearest passage alone it is found too often.
   */
  near(vector: Float32Array, vectors: Vectors): NearNotes {
    const products = vectors.products(vector);
    const found: { path: NotePath; score: number; at: number }[] = [];
    for (const [path, known] of this.#notes) {
      const rows = rowsOf(known, vectors);
      let [best, at] = [-Infinity, -1];
      for (let passage = 0; passage < rows.length; passage += 1) {
        const row = rows[passage]!;
        if (row >= 0 && products[row]! > best) [best, at] = [products[row]!, passage];
      }
      if (at < 0) continue;
      const first = rows[0]! < 0 ? best : products[rows[0]!]!;
      found.push({ path, score: (first + best) / 2, at });
    }
    return found;
  }

  /** The vector of the beginning of a note. */
  vectorOf(path: NotePath, vectors: Vectors): Float32Array | null {
    const [first] = this.#notes.get(path)?.contents ?? UNKNOWN;
    return first === undefined ? null : vectors.get(first);
  }

  /** What stands for a note as a whole: its title and beginning. */
  beginningOf(path: NotePath): string | null {
    const entry = this.#graph.get(path);
    const text = entry === null ? null : this.#readText(path);
    return entry === null || text === null ? null : (passagesOf({ title: entry.title, text })[0]?.text ?? null);
  }

  take(most: number, isWanted: (content: string) => boolean = () => true): WaitingText[] {
    const taken: WaitingText[] = [];
    while (taken.length < most) {
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
      const missing = (this.#read(path) ?? []).filter(({ content }) => !this.#index.has(content) && isWanted(content));
      taken.push(...missing.slice(0, Math.max(1, most)));
      // What is left of it has its turn next.
      if (missing.length > taken.length) this.#rest.add(path);
    }
    return taken;
  }

  putBack(texts: readonly WaitingText[]): void {
    for (const { content } of texts) {
      const path = this.#taken.get(content);
      if (path !== undefined && this.#taken.delete(content) && this.#graph.get(path) !== null) this.#first.add(path);
    }
  }

  /** They have vectors, or never will. */
  done(contents: readonly string[]): void {
    for (const content of contents) this.#taken.delete(content);
  }

  /** Puts a note with what is known of it; what is not known waits. */
  #put(entry: NoteEntry): void {
    const { path } = entry;
    if (!this.#notes.has(path)) this.#point(path, UNKNOWN);
    this.#first.delete(path);
    this.#rest.delete(path);
    const contents = this.#index.documents.get(documentKey(entry));
    if (contents === undefined) {
      // What it was before answers until it is read.
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
    if (this.#notes.get(path)?.contents !== contents) this.#notes.set(path, { contents, rows: null, of: null, layout: 0 });
  }

  /** The passages of a note as it is now, known from now on; null where it is gone. */
  #read(path: NotePath): readonly (WaitingText & { readonly at: number })[] | null {
    const entry = this.#graph.get(path);
    const text = entry === null || entry.isHidden ? null : this.#readText(path);
    if (entry === null || text === null) return null;
    const passages = passagesOf({ title: entry.title, text }).map((passage, at) => ({
      at,
      text: passage.text,
      content: contentKey(passage.text),
    }));
    const contents = passages.map(({ content }) => content);
    // A text that is not the one of the hash, as it is just being saved, is not kept under it.
    if (Buffer.byteLength(text) === entry.stamp.size) this.#index.describe(documentKey(entry), contents);
    this.#point(path, contents);
    if (passages.some(({ at, content }) => at > 0 && !this.#index.has(content))) this.#rest.add(path);
    return passages;
  }
}

/** Looked up once, and again where something was missing or rows were given up. */
function rowsOf(known: Known, vectors: Vectors): Int32Array {
  if (known.rows === null || known.of !== vectors || known.layout !== vectors.layout) {
    known.rows = Int32Array.from(known.contents, (content) => vectors.rowOf(content));
    [known.of, known.layout] = [vectors, vectors.layout];
  } else if (known.rows.includes(-1)) {
    for (const [at, content] of known.contents.entries()) known.rows[at] = vectors.rowOf(content);
  }
  return known.rows;
}

function documentKey({ hash, title }: NoteEntry): string {
  return contentKey(`passages ${PASSAGES_VERSION}\n${hash}\n${title}`);
}
