import { errorMessage } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import { extensionOf } from '../../note/path.ts';
import type { ImageReader, Log } from '../../ports.ts';
import type { FileReader } from '../../store/folder/file-system.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { Lease } from '../embeddings/lease.ts';
import type { Throttle } from '../embeddings/throttle.ts';
import { stampOf, textKey } from './text-cache.ts';
import type { FileText, KnownText, ReadFile, TextCache, TextFailure } from './text-cache.ts';
import type { PdfThread } from './worker/pdf-thread.ts';

/** What the texts of attachments are made with. */
export interface AttachmentTextsOptions {
  readonly files: FileReader;
  readonly graph: Pick<GraphView, 'attachments' | 'isAttachment'>;
  readonly cache: TextCache;
  /** Opens the thread that reads PDFs. Called once, for the first one. */
  readonly openThread: () => Promise<PdfThread>;
  /** Reads pictures, if the user has named a command for that. */
  readonly images: ImageReader | null;
  readonly lease: Lease;
  readonly throttle: Throttle;
  readonly log: Log;
  /** Whether files are read here: not in one-shot commands. */
  readonly canRead: boolean;
  isHidden(path: string): boolean;
}

/** How many files are searched, wait or have no text. */
export interface TextCounts {
  readonly read: number;
  readonly waiting: number;
  /** Files of which only a part is searched. */
  readonly cut: readonly string[];
  readonly failed: readonly { readonly path: string; readonly why: TextFailure }[];
}

/** Extensions of pictures that a command may read. */
const IMAGES: ReadonlySet<string> = new Set('avif bmp gif jpeg jpg png tif tiff webp'.split(' '));
/** How often a file is tried whose reading failed for a reason that may be the machine's, in starts of the program. */
const MAX_ATTEMPTS = 3;
/** Delay before the first file is read: a start has more urgent work. */
const START_DELAY_MS = 2_000;
/** Delay before a changed file is read, which may be in the middle of a copy. */
const CHANGE_DELAY_MS = 1_000;
/** How often a process that does not read looks whether another one still does. */
const LEASE_POLL_MS = 10_000;
const SAVE_MS = 10_000;
/** How long the list that another process saves is trusted. */
const RELOAD_MS = 1_000;
/** How long the states of files are trusted: not all file systems tell of every change. */
const LOOK_MS = 60_000;

/** The texts of PDFs and pictures, read one after another in the background by one process of the vault. */
export class AttachmentTexts {
  readonly #options: AttachmentTextsOptions;
  /** The state of each file that can have a text; null until it is needed. */
  #present: Map<string, string> | null = null;
  #read: Map<string, ReadFile> | null = null;
  #lookedAt = -Infinity;
  #loadedAt = -Infinity;
  #savedAt = -Infinity;
  /** Files that were tried in this process, in the state in which they were. */
  readonly #tried = new Map<string, string>();
  #thread: Promise<PdfThread> | null = null;
  #isUnsaved = false;
  #isStarted = false;
  #isRunning = false;
  #hasNewWork = false;
  readonly #end = new AbortController();

  constructor(options: AttachmentTextsOptions) {
    this.#options = options;
  }

  /** Whether a command reads pictures. */
  get hasPictures(): boolean {
    return this.#options.images !== null;
  }

  /** Starts reading; called when the vault is complete. */
  async start(): Promise<void> {
    if (!this.#options.canRead || !(await this.#options.throttle.wait(START_DELAY_MS))) return;
    this.#isStarted = true;
    this.#run();
  }

  /** Follows changes of files. */
  follow(paths: readonly string[]): void {
    const files = paths.filter((path) => this.#canHaveText(path));
    if (files.length === 0) return;
    if (this.#present !== null) for (const path of files) this.#look(this.#present, path);
    if (this.#isStarted) void this.#options.throttle.wait(CHANGE_DELAY_MS).then(() => this.#run());
  }

  /** Follows a change of what is hidden. */
  rehide(): void {
    if (this.#isStarted) this.#run();
  }

  /** Returns the keys of the texts that there are, by path. */
  texts(): ReadonlyMap<string, string> {
    this.#reload();
    const texts = new Map<string, string>();
    for (const [path, { key }] of this.#shown()) if (key !== null) texts.set(path, key);
    return texts;
  }

  pages(key: string): readonly string[] | null {
    return this.#options.cache.pages(key);
  }

  /** Returns the text of a file; null if no text of it is read. */
  textOf(path: string): KnownText | null {
    if (!this.#canHaveText(path) || !this.isShown(path)) return null;
    this.#reload();
    const read = this.#list().get(path);
    if (read === undefined || read.stamp !== this.#files().get(path)) return { kind: 'waiting' };
    if (read.why !== undefined) return { kind: 'failed', why: read.why };
    const pages = read.key === null ? null : this.pages(read.key);
    return pages === null ? { kind: 'waiting' } : { kind: 'read', pages, isCut: read.isCut === true };
  }

  /** Returns whether a file is searched now: it is there and not hidden. */
  isShown(path: string): boolean {
    return this.#options.graph.isAttachment(path) && !this.#options.isHidden(path);
  }

  counts(isInside: (path: string) => boolean): TextCounts {
    this.#reload();
    const [cut, failed]: [string[], { path: string; why: TextFailure }[]] = [[], []];
    let read = 0;
    for (const [path, { why, isCut }] of this.#shown()) {
      if (!isInside(path)) continue;
      if (why !== undefined) failed.push({ path, why });
      else read += 1;
      if (isCut === true) cut.push(path);
    }
    const all = [...this.#files().keys()].filter((path) => isInside(path) && this.isShown(path)).length;
    return { read, waiting: all - read - failed.length, cut, failed };
  }

  /** Reports a call: reading pauses for a moment. */
  noteCall(): void {
    this.#options.throttle.noteCall();
  }

  async close(): Promise<void> {
    this.#options.throttle.close();
    this.#end.abort();
    const thread = await this.#thread?.catch(() => null);
    thread?.close();
    await this.#save().catch(() => undefined);
    await this.#options.lease.release().catch(() => undefined);
  }

  /** Yields the files whose present state was read. */
  *#shown(): Generator<readonly [string, ReadFile]> {
    for (const [path, stamp] of this.#files()) {
      const read = this.#list().get(path);
      if (read !== undefined && read.stamp === stamp && this.isShown(path)) yield [path, read];
    }
  }

  #canHaveText(path: string): boolean {
    const extension = extensionOf(path);
    return extension === 'pdf' || (this.#options.images !== null && IMAGES.has(extension));
  }

  #files(): Map<string, string> {
    if (this.#present !== null && performance.now() - this.#lookedAt < LOOK_MS) return this.#present;
    this.#lookedAt = performance.now();
    const present = (this.#present = new Map<string, string>());
    for (const path of this.#options.graph.attachments()) if (this.#canHaveText(path)) this.#look(present, path);
    return present;
  }

  #look(present: Map<string, string>, path: string): void {
    const { files, graph } = this.#options;
    const state = graph.isAttachment(path) ? files.stat(path) : null;
    if (state?.kind === 'file') present.set(path, stampOf(state));
    else present.delete(path);
  }

  #list(): Map<string, ReadFile> {
    return (this.#read ??= this.#options.cache.loadList());
  }

  /** Takes over what another process has read. */
  #reload(): void {
    if (this.#read !== null && (this.#isUnsaved || !this.#options.cache.isShared)) return;
    const now = performance.now();
    if (this.#read !== null && (now - this.#loadedAt < RELOAD_MS || this.#next() === null)) return;
    this.#loadedAt = now;
    this.#read = this.#options.cache.loadList();
    if (this.#isStarted && !this.#isRunning) this.#run();
  }

  /** Returns a file that waits. */
  #next(): { readonly path: string; readonly stamp: string } | null {
    for (const [path, stamp] of this.#files()) {
      const read = this.#list().get(path);
      const isDone = read?.stamp === stamp && (read.attempts === undefined || read.attempts >= MAX_ATTEMPTS);
      if (!isDone && this.#tried.get(path) !== stamp && this.isShown(path)) return { path, stamp };
    }
    return null;
  }

  #run(): void {
    this.#hasNewWork = true;
    if (this.#isRunning || this.#end.signal.aborted) return;
    this.#isRunning = true;
    this.#runUntilIdle()
      .catch((error: unknown) => this.#end.signal.aborted || this.#options.log.warn(`Attachments are not read: ${errorMessage(error)}`))
      .finally(() => {
        this.#isRunning = false;
        if (this.#hasNewWork) this.#run();
      });
  }

  async #runUntilIdle(): Promise<void> {
    const { lease, throttle } = this.#options;
    this.#hasNewWork = false;
    for (let next = this.#next(); next !== null && !this.#end.signal.aborted; next = this.#next()) {
      if (await lease.tryAcquire().catch(() => true)) {
        if (!(await throttle.waitForTurn())) return;
        await this.#readFile(next.path, next.stamp);
        if (performance.now() - this.#savedAt > SAVE_MS) await this.#save();
      } else {
        if (!(await throttle.wait(LEASE_POLL_MS))) return;
        this.#reload();
      }
    }
    this.#forgetRemoved();
    await this.#save();
    await lease.release();
  }

  async #readFile(path: string, stamp: string): Promise<void> {
    const { files, cache } = this.#options;
    this.#tried.set(path, stamp);
    // Most vaults have no file to read.
    const { MAX_FILE_BYTES, readBytes } = await import('./read-bytes.ts');
    const size = files.stat(path)?.size ?? 0;
    if (size > MAX_FILE_BYTES) return this.#record(path, { stamp, key: null, why: 'too large' });
    const bytes = await readBytes(files, path).catch(() => null);
    // What is in the middle of a change is read when the change is reported.
    if (bytes === null) return this.#record(path, { stamp, key: null, why: 'unreadable', attempts: this.#attemptsOf(path, stamp) });
    const isPdf = extensionOf(path) === 'pdf';
    const key = textKey(hashOf(bytes), isPdf ? 'pdf' : (this.#options.images?.id ?? ''));
    const known = [...this.#list().values()].find((other) => other.key === key);
    if (known !== undefined && cache.pages(key) !== null) return this.#record(path, { ...known, stamp });
    const text = isPdf ? await (await (this.#thread ??= this.#options.openThread())).read(bytes) : await this.#readImage(path, bytes);
    if (text.kind === 'read') {
      await cache.save(key, text.pages);
      return this.#record(path, { stamp, key, ...(text.isCut ? { isCut: true } : {}) });
    }
    const isFinal = text.why === 'encrypted' || text.why === 'broken';
    return this.#record(path, { stamp, key: null, why: text.why, ...(isFinal ? {} : { attempts: this.#attemptsOf(path, stamp) }) });
  }

  async #readImage(path: string, bytes: Uint8Array): Promise<FileText> {
    try {
      const text = await this.#options.images?.read(bytes, extensionOf(path), this.#end.signal);
      return { kind: 'read', pages: [text ?? ''], isCut: false };
    } catch (error) {
      this.#options.log.info(`A picture could not be read: ${errorMessage(error)}`);
      return { kind: 'failed', why: 'command' };
    }
  }

  #attemptsOf(path: string, stamp: string): number {
    const read = this.#list().get(path);
    return read?.stamp === stamp ? (read.attempts ?? 0) + 1 : 1;
  }

  #record(path: string, read: ReadFile): void {
    this.#list().set(path, read);
    this.#isUnsaved = true;
  }

  /** Drops the texts of files that are gone. */
  #forgetRemoved(): void {
    const list = this.#list();
    const gone = [...list].filter(([path]) => !this.#options.graph.isAttachment(path));
    for (const [path] of gone) list.delete(path);
    const needed = new Set([...list.values()].map(({ key }) => key));
    for (const [, { key }] of gone) if (key !== null && !needed.has(key)) this.#options.cache.remove(key);
    this.#isUnsaved ||= gone.length > 0;
  }

  async #save(): Promise<void> {
    if (!this.#isUnsaved) return;
    this.#isUnsaved = false;
    this.#savedAt = performance.now();
    await this.#options.cache.saveList(this.#list());
  }
}
