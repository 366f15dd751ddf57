import { setTimeout as wait } from 'node:timers/promises';
import { errorMessage } from '../../errors.ts';
import type { GraphChange, GraphView, NoteEntry } from '../../graph/view.ts';
import type { Log } from '../../ports.ts';
import { isTooLarge } from '../../store/folder/hash.ts';
import { MAX_TEXT_PACK_BYTES } from '../../store/records/compact/retained-texts.ts';
import type { RetainedText, RetainedTexts } from '../../store/records/compact/retained-texts.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { VaultStore } from '../../store/store.ts';
import type { RecentWrites } from '../sync/recent-writes.ts';

interface TextKeeperOptions {
  readonly texts: RetainedTexts;
  readonly graph: GraphView;
  readonly read: VaultStore['read'];
  readonly recentWrites: Pick<RecentWrites, 'find'>;
  readonly log: Log;
  /** Whether this process follows the vault and may write to `.roux`. */
  readonly isOn: boolean;
}

/** Delay after a change before the new text is read: shorter than the pause after which an edit from outside is recorded. */
const CHANGE_DELAY_MS = 300;
/** Delay before texts that were read are written, so that edits in a row share a pack. */
const WRITE_DELAY_MS = 1_000;
/** Larger notes are not retained. */
const MAX_NOTE_BYTES = 512 * 1024;
/** The texts that were never edited stop at this size on disk, so that there is room for those that are. */
const MAX_FIRST_COPY_BYTES = 128 * 1024 * 1024;
/** Rest after a pack, as a multiple of the time that it took. */
const REST = 3;

/**
 * Retains the present text of each note, in the background: when an edit from outside has replaced it, it is too late to read what was
 * there before.
 */
export class TextKeeper {
  readonly #options: TextKeeperOptions;
  readonly #changed = new Set<string>();
  /** Texts that were read and are not written yet, by hash, and their bytes in total. */
  readonly #unwritten = new Map<string, RetainedText>();
  #unwrittenBytes = 0;
  /** Holds their bytes, one text after the other: buffers of their own would be freed late and scattered, so that the system gets little back. */
  #room: Buffer | null = null;
  #reading: Promise<void> = Promise.resolve();
  #firstCopy: Promise<void> = Promise.resolve();
  #readTimer: NodeJS.Timeout | undefined;
  #writeTimer: NodeJS.Timeout | undefined;
  #hasStarted = false;
  readonly #closing = new AbortController();

  constructor(options: TextKeeperOptions) {
    this.#options = options;
  }

  /** Copies the texts that are not retained yet, the last changed first. */
  start(): void {
    if (!this.#options.isOn) return;
    this.#hasStarted = true;
    this.#firstCopy = this.#run(() => this.#copyAll());
  }

  /** Handles changes of the graph, whoever made them. */
  follow(changes: readonly GraphChange[]): void {
    // What changes before the start is copied then.
    if (!this.#hasStarted || this.#closing.signal.aborted) return;
    for (const { after } of changes) if (after !== null) this.#changed.add(after.path);
    if (this.#changed.size === 0) return;
    clearTimeout(this.#readTimer);
    this.#readTimer = setTimeout(() => void this.#readChanged(), CHANGE_DELAY_MS).unref();
  }

  /** Writes what was read. */
  async close(): Promise<void> {
    clearTimeout(this.#readTimer);
    if (this.#changed.size > 0) await this.#readChanged();
    this.#closing.abort();
    await this.#firstCopy;
    await this.#reading;
    clearTimeout(this.#writeTimer);
    await this.#run(() => this.#write());
  }

  #readChanged(): Promise<void> {
    const paths = [...this.#changed];
    this.#changed.clear();
    return (this.#reading = this.#reading.then(() =>
      this.#run(async () => {
        for (const path of paths) {
          const entry = this.#options.graph.get(path);
          if (entry !== null) await this.#copy(entry);
        }
        clearTimeout(this.#writeTimer);
        this.#writeTimer = setTimeout(() => void this.#run(() => this.#write()), WRITE_DELAY_MS).unref();
      }),
    ));
  }

  async #copyAll(): Promise<void> {
    const { texts, graph } = this.#options;
    await texts.load();
    const missing = [...graph.entries({ includeHidden: true })].filter(({ hash }) => !texts.has(hash));
    missing.sort((a, b) => Number(b.stamp.mtimeNs - a.stamp.mtimeNs));
    let start = performance.now();
    for (const entry of missing) {
      if (this.#closing.signal.aborted || texts.size() > MAX_FIRST_COPY_BYTES) break;
      await this.#copy(entry);
      if (this.#unwrittenBytes < MAX_TEXT_PACK_BYTES / 2) continue;
      await this.#write();
      await wait(REST * (performance.now() - start), undefined, { signal: this.#closing.signal }).catch(() => undefined);
      start = performance.now();
    }
    await this.#write();
    if (this.#closing.signal.aborted) return;
    const current = new Set([...graph.entries({ includeHidden: true })].map(({ hash }) => shortHash(hash)));
    await texts.prune((hash) => current.has(hash));
  }

  /** Reads the text of a note, unless it is retained already or changed meanwhile. */
  async #copy(entry: NoteEntry): Promise<void> {
    const { hash } = entry;
    if (entry.stamp.size > MAX_NOTE_BYTES || this.#options.texts.has(hash) || this.#unwritten.has(hash)) return;
    const found = this.#options.recentWrites.find(hash) ?? (await this.#read(entry));
    if (found === null) return;
    while (this.#unwrittenBytes + found.length > MAX_TEXT_PACK_BYTES) await this.#write();
    this.#room ??= Buffer.allocUnsafeSlow(MAX_TEXT_PACK_BYTES);
    const bytes = this.#room.subarray(this.#unwrittenBytes, this.#unwrittenBytes + found.length);
    bytes.set(found);
    this.#unwritten.set(hash, { hash, bytes });
    this.#unwrittenBytes += bytes.length;
  }

  async #read({ path, hash }: NoteEntry): Promise<Buffer | null> {
    const found = await this.#options.read(path, { large: 'leave', known: hash });
    return found === null || isTooLarge(found.state) || found.hash !== hash ? null : found.bytes;
  }

  async #write(): Promise<void> {
    const texts = [...this.#unwritten.values()];
    this.#unwritten.clear();
    this.#unwrittenBytes = 0;
    await this.#options.texts.add(texts);
  }

  /** Runs work that only costs the history a text if it fails. */
  async #run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.info(`The text of a note could not be retained for its history: ${errorMessage(error)}`);
    }
  }
}
