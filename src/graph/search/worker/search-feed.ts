import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../../../errors.ts';
import type { NotePath } from '../../../note/path.ts';
import type { Log } from '../../../ports.ts';
import type { GraphChange, GraphView, NoteEntry } from '../../view.ts';
import { grown, KnownAnswers } from '../match/known-answers.ts';
import type { Answers } from '../match/known-answers.ts';
import { heldWidth } from '../inverted/text-index.ts';
import type { SearchDocument, TermQuery } from '../inverted/text-index.ts';
import { toSearchDocument } from '../search-document.ts';
import type { SearchView } from '../search.ts';
import { rankedNotes } from './ranked-notes.ts';
import type { RankedNotes } from './ranked-notes.ts';
import type { SearchHost } from './search-host.ts';
import { packNotes } from './search-snapshot.ts';

/** Storage for the index. */
export interface SnapshotStore {
  load(): Promise<Uint8Array | null>;
  /** Called when what is stored is missing, of no use or not of the present notes. */
  outdated(): void;
  /** Takes the index in pieces, each valid until the next one is asked for. Stores nothing if they end with an error, which it throws. */
  save(pieces: AsyncIterable<Uint8Array>): Promise<void>;
}

/** Notes changed while the index was saved. */
class Outdated extends Error {}

interface FeedOptions {
  readonly graph: GraphView;
  readText(path: NotePath, hash: string): string | null;
  readonly log: Log;
  readonly snapshot?: SnapshotStore;
  readonly host: () => SearchHost;
}

/** A note whose text is in the index or on its way there. */
interface IndexedNote {
  readonly key: number;
  readonly path: NotePath;
  /** The note as it is indexed: mostly that of the graph, of which nothing is copied. */
  readonly state: Pick<NoteEntry, 'hash' | 'isHidden'>;
}

/** Characters per batch sent to the index, and batches on their way at once. */
const BATCH_CHARACTERS = 49_152;
const MAX_PENDING_BATCHES = 2;
/**
 * Time in which changes are gathered before they are sent, unless somebody searches: waking the thread for each costs more than indexing
 * the note.
 */
const GATHER_MS = 100;

/**
 * Keeps a text index in step with the graph. Changes wait here, and are read and sent in batches, no faster than the index processes them.
 */
export class SearchFeed {
  readonly #options: FeedOptions;
  #host: SearchHost | null = null;
  #isBuilt = false;
  /** Whether all notes missing from the index are waiting or sent. */
  #isSeeded = false;
  /** Settles when the stored index is loaded or known to be missing. */
  #seeding: Promise<void> | null = null;
  #isPumping = false;
  #gathering: NodeJS.Timeout | null = null;
  #isEnded = false;
  /** Changed notes that are not sent yet, by path; null for removed ones. */
  readonly #waiting = new Map<NotePath, NoteEntry | null>();
  readonly #indexed = new Map<NotePath, IndexedNote>();
  readonly #byKey: (IndexedNote | undefined)[] = [];
  /** 1 for each key of a note that is there and visible. */
  #shown: Uint8Array = new Uint8Array(0);
  readonly #answers = new KnownAnswers();
  #sent = 0;
  #sentCharacters = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get state(): SearchView['state'] {
    if (this.#isEnded) return 'off';
    return this.#isBuilt ? 'ready' : 'building';
  }

  get isOff(): boolean {
    return this.#isEnded;
  }

  start(): void {
    if (this.#seeding !== null || this.#isEnded) return;
    this.#seeding = this.#seed();
    void this.#seeding.then(() => this.#build());
  }

  /** Waits for a stored index that is being loaded, which is faster than answering without it. */
  async loaded(): Promise<void> {
    if (!this.#isSeeded) await this.#seeding;
  }

  follow(changes: readonly GraphChange[]): void {
    if (this.#host === null) return;
    for (const { before, after } of changes) {
      if (before !== null && before.path !== after?.path) this.#waiting.set(before.path, null);
      if (after !== null) this.#waiting.set(after.path, after);
    }
    if (!this.#isBuilt || this.#gathering !== null) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = null;
      void this.#pump();
    }, GATHER_MS);
    this.#gathering.unref();
  }

  /** Returns whether more than this many characters are still to be indexed, so that an answer would be late or incomplete. */
  isBehind(characters: number): boolean {
    if (!this.#isSeeded || this.#isEnded) return true;
    let waiting = this.#sentCharacters;
    for (const entry of this.#waiting.values()) waiting += entry?.stamp.size ?? 0;
    return waiting > characters;
  }

  /** Ranks including all changes so far. */
  async rank(query: TermQuery): Promise<RankedNotes> {
    const host = this.#host;
    if (host === null || this.#isEnded) throw new Error('There is no search index.');
    while (this.#waiting.size > 0) this.#send(host, this.#nextBatch()).catch((error: unknown) => this.#fail(error));
    const hits = await this.#guard(host.rank(query));
    return rankedNotes(hits, heldWidth(query.words.length), { pathOf: (key) => this.#byKey[key]?.path, shown: this.#shown });
  }

  /** Returns what is known of a test of notes in the index. */
  answersOf(test: string): Answers {
    return this.#answers.of(test, this.#byKey.length);
  }

  /** Stores the index. Returns false if notes changed meanwhile, so that it is to be tried again. */
  async save(): Promise<boolean> {
    const { snapshot } = this.#options;
    if (snapshot === undefined || this.#host === null || !this.#isBuilt || this.#isEnded) return true;
    await this.#pump();
    try {
      await snapshot.save(this.#pieces(this.#host));
      return true;
    } catch (error) {
      if (error instanceof Outdated) return false;
      throw error;
    }
  }

  async *#pieces(host: SearchHost): AsyncGenerator<Uint8Array> {
    const indexed = [...this.#indexed.values()];
    const notes = packNotes({
      paths: indexed.map(({ path }) => path),
      hashes: indexed.map(({ state }) => state.hash),
      keys: indexed.map(({ key }) => key),
    });
    try {
      if (yield* host.save(notes)) return;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    throw new Outdated();
  }

  async close(): Promise<void> {
    const host = this.#host;
    this.#isEnded = true;
    clearTimeout(this.#gathering ?? undefined);
    this.#waiting.clear();
    await host?.close();
  }

  /** Loads the stored index and determines what changed since. */
  async #seed(): Promise<void> {
    const { graph, host, snapshot } = this.#options;
    try {
      this.#host = host();
      const bytes = (await snapshot?.load().catch(() => null)) ?? null;
      const stored = bytes === null ? null : await this.#host.load(bytes);
      for (const [at, path] of (stored?.paths ?? []).entries()) {
        const entry = graph.get(path);
        // Keeps its key until the graph reports that its text changed or it was removed.
        const hash = stored?.hashes[at] ?? '';
        this.#register({
          key: stored?.keys[at] ?? 0,
          path: entry?.path ?? (path as NotePath),
          state: entry?.hash === hash ? entry : { hash, isHidden: entry?.isHidden === true },
        });
        if (entry === null) this.#waiting.set(path as NotePath, null);
      }
      for (const entry of graph.entries({ includeHidden: true }))
        if (this.#indexed.get(entry.path)?.state.hash !== entry.hash && !this.#waiting.has(entry.path))
          this.#waiting.set(entry.path, entry);
      if (stored === null || this.#waiting.size > 0) snapshot?.outdated();
      this.#isSeeded = true;
    } catch (error) {
      this.#fail(error);
    }
  }

  async #build(): Promise<void> {
    await this.#pump();
    if (this.#isEnded) return;
    this.#isBuilt = true;
    this.#options.log.info(`Search index: ${this.#indexed.size} notes.`);
  }

  /** Sends waiting changes in batches until none is left. */
  async #pump(): Promise<void> {
    const host = this.#host;
    if (host === null || this.#isPumping) return;
    this.#isPumping = true;
    try {
      let before: Promise<void> = Promise.resolve();
      while (this.#waiting.size > 0 && !this.#isEnded) {
        const sending = this.#send(host, this.#nextBatch());
        // Two batches are on their way, and only one is awaited.
        sending.catch(() => undefined);
        if (this.#sent >= MAX_PENDING_BATCHES) await before;
        before = sending;
        await setImmediate();
      }
      await before;
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isPumping = false;
      // Changes that arrived while the last batch was awaited.
      if (this.#waiting.size > 0 && !this.#isEnded) void this.#pump();
    }
  }

  #nextBatch(): { documents: SearchDocument[]; gone: number[]; characters: number } {
    const documents: SearchDocument[] = [];
    const gone: number[] = [];
    let characters = 0;
    for (const [path, entry] of this.#waiting) {
      this.#waiting.delete(path);
      const indexed = this.#indexed.get(path);
      const text = entry === null ? null : this.#options.readText(path, entry.hash);
      if (entry !== null && text !== null) {
        const kept = this.#register({ key: indexed?.key ?? this.#byKey.length, path, state: entry });
        documents.push(toSearchDocument(kept.key, { entry, text }));
        characters += text.length;
      } else if (indexed !== undefined) {
        this.#indexed.delete(path);
        this.#byKey[indexed.key] = undefined;
        this.#shown[indexed.key] = 0;
        gone.push(indexed.key);
      }
      if (characters >= BATCH_CHARACTERS) break;
    }
    return { documents, gone, characters };
  }

  async #send(
    host: SearchHost,
    batch: { documents: readonly SearchDocument[]; gone: readonly number[]; characters: number },
  ): Promise<void> {
    this.#sent += 1;
    this.#sentCharacters += batch.characters;
    try {
      const removed = batch.gone.length > 0 ? host.remove(batch.gone) : null;
      await Promise.all([removed, batch.documents.length > 0 ? host.put(batch.documents) : null]);
    } finally {
      this.#sent -= 1;
      this.#sentCharacters -= batch.characters;
    }
  }

  #register(indexed: IndexedNote): IndexedNote {
    this.#indexed.set(indexed.path, indexed);
    this.#byKey[indexed.key] = indexed;
    if (indexed.key >= this.#shown.length) this.#shown = grown(this.#shown, indexed.key + 1);
    this.#shown[indexed.key] = indexed.state.isHidden ? 0 : 1;
    this.#answers.forget(indexed.key);
    return indexed;
  }

  async #guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Gives up the index; search reads the notes instead. */
  #fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting.clear();
    this.#options.log.warn(`The search index stopped, search reads the notes instead: ${errorMessage(error)}`);
    void this.#host?.close().catch(() => undefined);
  }
}
