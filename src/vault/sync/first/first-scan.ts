import { setImmediate, setTimeout } from 'node:timers/promises';
import { linkKey } from '../../../note/path.ts';
import type { Differences } from '../compare-folders.ts';
import type { Inventory } from '../inventory.ts';
import type { Counters } from '../put-notes.ts';

/** How far the first scan is. */
export interface Reading {
  readonly read: number;
  /** Null while the folders are being listed or the cache is loaded. */
  readonly total: number | null;
  /** Whether no folder has been looked at yet: what is saved now will be noticed. */
  readonly isBefore: boolean;
}

/** Names checked in one step, which takes less than a millisecond. */
const NAMES_PER_STEP = 500;

/** How long all searches together may let the scan rest. */
const MAX_REST_MS = 2_000;

/** The first reading of all notes, which may take a while. */
export class FirstScan {
  readonly #inventory: Inventory;
  readonly #counters: Counters;
  #paths: Differences['fresh'] | null = null;
  #readBefore = 0;
  #isBefore = true;
  #isDone = false;
  #isFromNothing = true;
  /** The work during which the scan rests. */
  readonly #pausedFor = new Set<Promise<unknown>>();
  #restLeft = MAX_REST_MS;

  constructor(inventory: Inventory, counters: Counters) {
    [this.#inventory, this.#counters] = [inventory, counters];
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Records that folders are looked at from now on. */
  look(): void {
    this.#isBefore = false;
  }

  /** Records which notes are to be read; later calls change nothing. */
  begin(paths: Differences['fresh']): void {
    if (this.#isDone || this.#paths !== null) return;
    this.#paths = paths;
    this.#readBefore = this.#counters.filesRead;
  }

  /** Adds a note that is not known yet to those that are to be read. */
  add(path: string, how: { readonly linkedTo?: string }): void {
    if (this.#paths?.has(path) === false && this.#inventory.note(path) === null) this.#paths.set(path, how);
  }

  end(): void {
    this.#isDone = true;
    this.#paths = null;
  }

  /** Returns how many notes are read; null once all are. */
  progress(): Reading | null {
    if (this.#isDone) return null;
    if (this.#paths === null) return { read: 0, total: null, isBefore: this.#isBefore };
    const total = this.#paths.size;
    return { read: Math.min(total, this.#counters.filesRead - this.#readBefore), total, isBefore: false };
  }

  /** Records that notes as they were at the last start are in the graph, of which any may have changed. */
  startFromCache(): void {
    this.#isFromNothing = false;
  }

  /** Whether the notes that are not read yet are known, and no other state of one is in the graph. */
  get knowsUnread(): boolean {
    return this.#paths !== null && this.#isFromNothing;
  }

  /** Yields the notes that are not read yet, each with the target of a link. */
  *unread(): Generator<readonly [path: string, linkedTo: string | undefined]> {
    for (const [path, { linkedTo }] of this.#paths ?? []) if (this.#inventory.note(path) === null) yield [path, linkedTo];
  }

  /** Lets the scan rest during some work. */
  async pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    this.#pausedFor.add(working);
    try {
      return await working;
    } finally {
      this.#pausedFor.delete(working);
    }
  }

  /** Yields to other work, and rests until all that it is paused for has ended: not for long, since the scan must end. */
  async rest(): Promise<void> {
    while (this.#pausedFor.size > 0 && this.#restLeft > 0) {
      const start = performance.now();
      await Promise.race([Promise.allSettled(this.#pausedFor), setTimeout(this.#restLeft, undefined, { ref: false })]);
      this.#restLeft -= performance.now() - start;
    }
    await setImmediate();
  }

  /** Finds the notes that are not read yet, among those whose file names have one of these keys. */
  *findUnread(keys: ReadonlySet<string>): Generator<void, readonly string[]> {
    const found: string[] = [];
    let looked = 0;
    for (const path of this.#paths?.keys() ?? []) {
      if (keys.has(linkKey(path)) && this.#inventory.note(path) === null) found.push(path);
      if (++looked % NAMES_PER_STEP === 0) yield;
    }
    return found;
  }
}
