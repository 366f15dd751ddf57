import type { FileState } from '../../store/folder/file-system.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { runAtOnce } from '../../store/slices.ts';
import type { ExternalEdits } from '../plan/external-edits.ts';
import { eventsAfter, groupByBatch, inSlices, lastSeqOf, isCreation, pathBefore } from './events.ts';

/** What the history counts of one file. */
interface Count {
  /** Changes since it was made, or since the history knows it. A file that moves keeps its count. */
  readonly changes: number;
  /** First digits of its sha-256 after the last of them; null once it is gone. */
  readonly hash: string | null;
  /** The same after the last write by roux; null where there was none. */
  readonly ownHash: string | null;
  /** Who wrote its text. */
  readonly authors: readonly string[];
  /** When the history had it first, in milliseconds. */
  readonly since?: number;
}

/** Before the first event of a file, if that makes it, and if it was there before. */
const NEW: Count = { changes: -1, hash: null, ownHash: null, authors: [] };
const UNKNOWN: Count = { changes: 0, hash: null, ownHash: null, authors: [] };

/** The history up to a point. */
interface Counted {
  readonly segments: readonly { readonly name: string; readonly state: FileState | null }[];
  readonly lastSeq: number;
}

/**
 * Returns the count of a file with this content, sha-256 in hex; null for one that is too large to be compared. A content that the history
 * does not know is one change more.
 */
export type CountOf = (hash: string | null) => number;

/**
 * Counts the changes of each file by the history: the `rev` of notes that have none. The whole history is read once, on first use, then only
 * what was appended.
 */
export class WriteCounts {
  readonly #history: Segments<HistoryEvent>;
  readonly #pending: Pick<ExternalEdits, 'pendingAt'>;
  #counts = new Map<string, Count>();
  #counted: Counted | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** `pending`: edits from outside that are not in the history yet. */
  constructor(history: Segments<HistoryEvent>, pending: Pick<ExternalEdits, 'pendingAt'>) {
    [this.#history, this.#pending] = [history, pending];
  }

  /**
   * Returns what counts the changes of the file at a path. Called before the file is read: a write in between is then counted as a change that
   * the history does not know, and not twice.
   */
  async find(path: string): Promise<CountOf> {
    await this.#follow();
    return this.#countOf(path);
  }

  /**
   * Returns the same for one write: nobody else writes meanwhile, so the history is read once, and only if a note has no `rev`. `isLocked`:
   * the end of the history has just been read, so its last number says whether there is anything new.
   */
  forWrite({ isLocked }: { readonly isLocked: boolean }): WriteCounts['find'] {
    let read: Promise<void> | undefined;
    return async (path) => {
      const isCurrent = isLocked && this.#counted?.lastSeq === this.#history.lastSeq;
      await (read ??= isCurrent ? Promise.resolve() : this.#follow());
      return this.#countOf(path);
    };
  }

  /** Counts the events of a write that has just been made, under the lock: its history need not be read again. */
  add(events: readonly HistoryEvent[]): void {
    const counted = this.#counted;
    if (counted === null || counted.lastSeq + events.length !== this.#history.lastSeq) return;
    if (events.some(({ seq }) => seq <= counted.lastSeq)) return;
    runAtOnce(applySteps(this.#counts, events));
    this.#counted = { ...counted, lastSeq: this.#history.lastSeq };
  }

  /** Returns what `find` does, by what was read of the history so far; null if that is nothing. */
  findNow(path: string): CountOf | null {
    return this.#counted === null ? null : this.#countOf(path);
  }

  #countOf(path: string): CountOf {
    const recorded = this.#counts.get(path);
    return (hash) => {
      if (recorded !== undefined && recorded.hash !== null)
        return recorded.changes + (hash === null || recorded.hash === shortHash(hash) ? 0 : 1);
      const edited = this.#pending.pendingAt(path)?.before ?? null;
      return edited === null ? 0 : (this.#counts.get(edited.path)?.changes ?? 0) + 1;
    };
  }

  /** Returns since when the file at a path is known, in milliseconds, by what was read of the history so far; undefined if it has none of it. */
  sinceOf(path: string): number | undefined {
    return this.#counts.get(path)?.since;
  }

  /** Returns whether a file has another content than roux gave it last, by what was read of the history so far; false if roux never wrote it. */
  isEdited(path: string, hash: string): boolean {
    const own = this.#counts.get(path)?.ownHash ?? null;
    return own !== null && own !== shortHash(hash);
  }

  /** Returns who wrote the texts of notes, by their paths and names in the history: not who only set properties or moved a note. */
  async authorsOf(paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    await this.#follow();
    return new Map(paths.map((path) => [path, this.#counts.get(path)?.authors ?? []]));
  }

  #follow(): Promise<void> {
    // Sequential, so that a second call uses what the first one reads.
    const result = this.#last.then(() => this.#read());
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #read(): Promise<void> {
    // States from before reading: what is appended meanwhile is read again next time.
    const segments = this.#history.names().map((name) => ({ name, state: this.#history.stateOf(name) }));
    const before = this.#counted;
    const growth = before === null ? 'other' : growthOf(before.segments, segments);
    if (growth === 'none') return;
    if (before !== null && growth === 'appended') {
      const found: HistoryEvent[] = [];
      for await (const event of eventsAfter(this.#history, before.lastSeq)) found.push(event);
      // A write may have added its own meanwhile.
      const known = this.#counted?.lastSeq ?? 0;
      const added = found.filter(({ seq }) => seq > known).toReversed();
      runAtOnce(applySteps(this.#counts, added));
      this.#counted = { segments, lastSeq: Math.max(known, lastSeqOf(added)) };
      return;
    }
    const counts = new Map<string, Count>();
    let lastSeq = 0;
    for (const { name } of segments) {
      const events = await this.#history.read(name);
      await inSlices(applySteps(counts, events));
      lastSeq = Math.max(lastSeq, lastSeqOf(events));
    }
    [this.#counts, this.#counted] = [counts, { segments, lastSeq }];
  }
}

/** Returns how a history changed: lines were only appended to its last segment, or more than that. */
function growthOf(before: Counted['segments'], now: Counted['segments']): 'none' | 'appended' | 'other' {
  const isSameFile =
    before.length === now.length &&
    before.every(({ name, state }, at) => {
      const other = now[at];
      return other?.name === name && other.state !== null && state !== null && other.state.ino === state.ino;
    });
  if (!isSameFile) return 'other';
  const changed = now.filter(({ state }, at) => {
    const was = before[at]?.state;
    return was?.size !== state?.size || was?.mtimeNs !== state?.mtimeNs;
  });
  if (changed.length === 0) return 'none';
  return changed.length === 1 && changed[0] === now.at(-1) && Number(changed[0]?.state?.size) > Number(before.at(-1)?.state?.size)
    ? 'appended'
    : 'other';
}

/** Counts events in their order, one write a step. */
function* applySteps(counts: Map<string, Count>, events: readonly HistoryEvent[]): Generator<void, void> {
  for (const written of groupByBatch(events)) {
    yield;
    applyWrite(counts, written);
  }
}

function applyWrite(counts: Map<string, Count>, written: readonly HistoryEvent[]): void {
  // All paths are left before any is taken: files may have swapped their names.
  const before = new Map<string, Count>();
  for (const event of written) {
    const [from, known] = [pathBefore(event), counts.get(pathBefore(event))];
    if (known !== undefined && (from !== event.path || !before.has(event.path))) before.set(event.path, known);
  }
  for (const event of written) for (const path of [event.path, pathBefore(event)]) counts.delete(path);
  const changed = new Set<string>();
  for (const event of written) {
    const { path, hash = null, agent, timestamp } = event;
    const known = isCreation(event) && event.foreign !== true && !changed.has(path) ? NEW : (before.get(path) ?? UNKNOWN);
    const { authors, since = Date.parse(timestamp) } = known;
    const isAuthor = writesText(event) && !authors.includes(agent);
    // A write may have several events of one file.
    const count: Count = {
      changes: known.changes + (changed.has(path) ? 0 : 1),
      hash,
      ownHash: event.action === 'external' ? known.ownHash : hash,
      authors: isAuthor ? [...authors, agent] : authors,
      since,
    };
    counts.set(path, count);
    before.set(path, count);
    changed.add(path);
  }
}

function writesText(event: HistoryEvent): boolean {
  return isCreation(event) || event.changes.some(({ field }) => field === 'body');
}
