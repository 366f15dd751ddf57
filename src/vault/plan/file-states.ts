import { shortHash } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import { byBatch } from '../links/former-paths.ts';

/** A file, as the last event of its path says. */
export interface RecordedFile {
  readonly kind: 'file';
  /** First digits of its sha-256. */
  readonly hash: string;
  /** The note's id at that time. */
  readonly node: string;
  /** When it was written, in milliseconds. */
  readonly time: number;
}

type RecordedState = RecordedFile | { readonly kind: 'gone'; readonly movedTo: string | null };

const MAX_STATES = 20_000;

/** What the history says of each path: which file is there, or where it went. Knows the paths of the newest events only. */
export class FileStates {
  readonly #states = new Map<string, RecordedState>();

  /** Takes over what events say, in their order. */
  learn(events: readonly HistoryEvent[]): void {
    for (const written of byBatch(events)) {
      // Names that files left first: others may have taken them in the same write.
      for (const event of written) {
        for (const { field, before } of event.changes) {
          if (field === 'path' && typeof before === 'string' && before !== event.path)
            this.#set(before, { kind: 'gone', movedTo: event.path });
        }
      }
      for (const { path, hash, node, timestamp } of written) {
        this.#set(path, hash === undefined ? { kind: 'gone', movedTo: null } : { kind: 'file', hash, node, time: Date.parse(timestamp) });
      }
    }
    for (const path of this.#states.keys()) {
      if (this.#states.size <= MAX_STATES) break;
      this.#states.delete(path);
    }
  }

  /** Takes over older events: what is known already is newer. */
  learnOlder(events: readonly HistoryEvent[]): void {
    const known = [...this.#states];
    this.learn(events);
    for (const [path, state] of known) this.#set(path, state);
  }

  /** Returns the file that the history has at a path, or null where it has none there or does not know. */
  fileAt(path: string): RecordedFile | null {
    const state = this.#states.get(path);
    return state?.kind === 'file' ? state : null;
  }

  holds(path: string, hash: string): boolean {
    return this.fileAt(path)?.hash === shortHash(hash);
  }

  isGone(path: string): boolean {
    return this.#states.get(path)?.kind === 'gone';
  }

  /** Returns where the file that was at a path is now, by the moves since; the path itself where it did not move, null where it was deleted. */
  placeOf(path: string): string | null {
    const seen = new Set<string>();
    let place: string | null = path;
    for (let state = this.#states.get(path); state?.kind === 'gone'; state = place === null ? undefined : this.#states.get(place)) {
      place = state.movedTo;
      if (place === null || seen.has(place)) return null;
      seen.add(place);
    }
    return place;
  }

  /** Returns the paths at which the history has a file with this content, or with this note's id. */
  pathsOf({ hash, node }: { readonly hash: string | null; readonly node: string }): readonly string[] {
    const short = hash === null ? null : shortHash(hash);
    return [...this.#states].flatMap(([path, state]) =>
      state.kind === 'file' && (state.hash === short || state.node === node) ? [path] : [],
    );
  }

  #set(path: string, state: RecordedState): void {
    this.#states.delete(path);
    this.#states.set(path, state);
  }
}
