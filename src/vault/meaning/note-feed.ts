import { setImmediate } from 'node:timers/promises';
import { passagesOf, PASSAGES_VERSION } from '../../graph/meaning/passages.ts';
import type { GraphChange, GraphView, NoteEntry } from '../../graph/view.ts';
import type { NotePath } from '../../note/path.ts';
import { contentKey } from './content-key.ts';
import type { Space } from './spaces.ts';
import type { TextSource, WaitingText } from './text-queue.ts';
import type { VectorIndex } from './vector-index.ts';

/** Notes that are looked up at one go. */
const SLICE = 500;
/** With more vectors than that, further ones are those of beginnings only: they are all in memory. */
const MOST_VECTORS = 150_000;

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

  all(): NotePath[] {
    return this.#order.filter((path) => this.#paths.has(path));
  }
}

/**
 * The notes of a vault as texts that wait: their beginnings first, those that were touched last before the others, then their sections. What
 * was kept of a note is known by its hash, so that it is read only when its turn comes.
 */
export class NoteFeed implements TextSource {
  readonly #graph: GraphView;
  readonly #readText: (path: NotePath) => string | null;
  readonly #space: Space;
  readonly #index: VectorIndex;
  readonly #notes = new Set<NotePath>();
  readonly #first = new Stack();
  readonly #rest = new Stack();
  /** What was taken, by hash: which note it is of. */
  readonly #taken = new Map<string, NotePath>();

  constructor(options: { graph: GraphView; readText: (path: NotePath) => string | null; space: Space; index: VectorIndex }) {
    this.#graph = options.graph;
    this.#readText = options.readText;
    this.#space = options.space;
    this.#index = options.index;
  }

  /** Takes all notes, in slices. */
  async fill(): Promise<void> {
    const entries = [...this.#graph.entries()].sort((a, b) => Number(a.stamp.mtimeNs - b.stamp.mtimeNs));
    for (const [at, { path }] of entries.entries()) {
      if (at % SLICE === SLICE - 1) await setImmediate();
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

  /** Looks again for vectors of the notes that wait: another process may have kept some. */
  async lookAgain(): Promise<void> {
    const waiting = [...this.#rest.all(), ...this.#first.all()];
    for (const [at, path] of waiting.entries()) {
      if (at % SLICE === SLICE - 1) await setImmediate();
      const entry = this.#graph.get(path);
      if (entry !== null && !entry.isHidden) this.#put(entry);
    }
  }

  /** Notes whose beginning has a vector, of all. */
  get notes(): { readonly embedded: number; readonly all: number } {
    return { embedded: this.#notes.size - this.#first.size - this.#taken.size, all: this.#notes.size };
  }

  get waiting(): number {
    return this.#first.size + this.#rest.size + this.#taken.size;
  }

  /** The hashes under which notes of now are known. */
  documents(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const path of this.#notes) {
      const entry = this.#graph.get(path);
      if (entry !== null) found.add(documentKey(entry));
    }
    return found;
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
    while (taken.length === 0 && this.#index.size < MOST_VECTORS) {
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
    this.#notes.add(path);
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
    this.#point(path, []);
  }

  #point(path: NotePath, contents: readonly string[]): void {
    for (const [at, content] of contents.entries()) this.#space.point(passageKey(path, at), content);
    for (let at = contents.length; this.#space.contentOf(passageKey(path, at)) !== null; at += 1) this.#space.delete(passageKey(path, at));
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

/** The key of a passage in the space of notes. */
export function passageKey(path: NotePath, at: number): string {
  return `${path}\n${at}`;
}

/** The note of a key, and which of its passages it is. */
export function passageOf(key: string): { readonly path: NotePath; readonly at: number } {
  const end = key.lastIndexOf('\n');
  return { path: key.slice(0, end) as NotePath, at: Number(key.slice(end + 1)) };
}

function documentKey({ hash, title }: NoteEntry): string {
  return contentKey(`passages ${PASSAGES_VERSION}\n${hash}\n${title}`);
}
