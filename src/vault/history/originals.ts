import { compareText } from '../../note/text.ts';
import { ifAllowed } from '../../store/folder/system-error.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { inSlices } from './events.ts';

const MAX_KNOWN_FILES = 10_000;

/** The original path of each id, by the lines written in this folder, and by all lines. */
interface Homes {
  readonly own: Map<string, string>;
  readonly all: Map<string, string>;
}

/**
 * Picks the original among files that share an id because people copied a note: the file the history knew first under the id, else
 * the shortest path, then the first alphabetically.
 */
export class Originals {
  readonly #history: Segments<HistoryEvent>;
  readonly #known = new Map<string, string>();
  #homes = noHomes();
  /** Sequence number of the last event in `#homes`; -1 before the history was read. */
  #readTo = -1;
  #reading: Promise<void> | null = null;

  constructor(history: Segments<HistoryEvent>) {
    this.#history = history;
  }

  /** Reads the history in slices, so that `find` need not hold the main thread for it. Does nothing when it was read up to its end. */
  async load(): Promise<void> {
    if (this.#history.lastSeq === this.#readTo) return;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { lastSeq } = this.#history;
    const homes = noHomes();
    for (const segment of this.#segments()) await inSlices(follow(homes, await this.#history.read(segment)));
    [this.#homes, this.#readTo] = [homes, lastSeq];
  }

  /** Follows events that were appended. Where some were missed, the history is read again. */
  applyEvents(events: readonly HistoryEvent[]): void {
    for (const event of events) {
      if (event.seq !== this.#readTo + 1) return;
      followEvent(this.#homes, event);
      this.#readTo = event.seq;
    }
  }

  /** Returns the original. `paths`: the files that have the id. */
  find(id: string, paths: readonly string[]): string {
    const sorted = paths.toSorted((a, b) => a.length - b.length || compareText(a, b));
    const key = [id, ...sorted].join('\n');
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    this.#readRest();
    // Foreign lines count only if no own line names the note; a path alone says even less about which file is the copy.
    const home = [this.#homes.own.get(id), this.#homes.all.get(id)].find((path) => path !== undefined && paths.includes(path));
    const original = home ?? sorted[0] ?? '';
    // Remembered so that the answer stays the same while the same files are there.
    this.#known.set(key, original);
    for (const oldest of this.#known.keys()) if (this.#known.size > MAX_KNOWN_FILES) this.#known.delete(oldest);
    return original;
  }

  /** Reads the history at once where it has grown since it was loaded. */
  #readRest(): void {
    const { lastSeq } = this.#history;
    if (lastSeq === this.#readTo) return;
    const homes = noHomes();
    for (const segment of this.#segments()) for (const event of this.#history.readAtOnce(segment)) followEvent(homes, event);
    [this.#homes, this.#readTo] = [homes, lastSeq];
  }

  #segments(): readonly string[] {
    return ifAllowed(() => this.#history.names(), []);
  }
}

function noHomes(): Homes {
  return { own: new Map(), all: new Map() };
}

function* follow(homes: Homes, events: readonly HistoryEvent[]): Generator<void, void> {
  for (const event of events) {
    yield;
    followEvent(homes, event);
  }
}

/** Follows the file that had each id first, through its moves. */
function followEvent({ own, all }: Homes, event: HistoryEvent): void {
  if (event.foreign !== true) followHome(own, event);
  followHome(all, event);
}

function followHome(homes: Map<string, string>, { node, path, hash, changes }: HistoryEvent): void {
  const home = homes.get(node);
  const cameFrom = changes.find(({ field }) => field === 'path')?.before;
  if (hash === undefined) {
    if (home === path) homes.delete(node);
  } else if (home === undefined || cameFrom === home) homes.set(node, path);
}
