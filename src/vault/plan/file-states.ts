import { shortHash } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import { groupByBatch } from '../history/events.ts';

/** A file according to the last event of its path. */
export interface RecordedFile {
  readonly kind: 'file';
  /** First digits of its sha-256. */
  readonly hash: string;
  /** The note's id at that time. */
  readonly node: string;
  /** Time of the write in milliseconds. */
  readonly time: number;
}

type RecordedState = RecordedFile | { readonly kind: 'gone'; readonly movedTo: string | null };

const MAX_STATES = 20_000;

/**
 * State of each path according to the history: which file it has, or where the file went. Covers the newest events only. Foreign lines are
 * claims: one counts only after the disk confirmed it (`confirm`), as after a pull that brought notes with their history.
 */
export class FileStates {
  readonly #states = new Map<string, RecordedState>();
  /** States from foreign lines, for paths without a newer own line. */
  readonly #claims = new Map<string, RecordedState>();

  /** Applies events in their order. */
  apply(events: readonly HistoryEvent[]): void {
    for (const written of groupByBatch(events)) {
      const isClaim = written[0]?.foreign === true;
      // Paths that files visited come first: others may have taken them in the same write.
      for (const event of written) {
        for (const { field, before } of event.changes) {
          if (field === 'path' && typeof before === 'string' && before !== event.path)
            this.#set(before, { kind: 'gone', movedTo: event.path }, isClaim);
        }
      }
      for (const { path, hash, node, timestamp } of written) {
        const state: RecordedState =
          hash === undefined ? { kind: 'gone', movedTo: null } : { kind: 'file', hash, node, time: Date.parse(timestamp) };
        this.#set(path, state, isClaim);
      }
    }
    for (const known of [this.#states, this.#claims]) for (const path of known.keys()) if (known.size > MAX_STATES) known.delete(path);
  }

  /** Applies older events; known states are newer and win. */
  applyOlder(events: readonly HistoryEvent[]): void {
    const [states, claims] = [[...this.#states], [...this.#claims]];
    this.apply(events);
    for (const [path, state] of states) this.#set(path, state, false);
    for (const [path, state] of claims) this.#set(path, state, true);
  }

  /** Returns the file that the history has at a path, or null where it has none there or does not know. */
  fileAt(path: string): RecordedFile | null {
    const state = this.#states.get(path);
    return state?.kind === 'file' ? state : null;
  }

  holds(path: string, hash: string): boolean {
    return this.fileAt(path)?.hash === shortHash(hash);
  }

  /**
   * Accepts a foreign line about a path if the disk confirms it: the path has the file, or the file that was there is at another path now.
   * A deletion by others cannot be confirmed. `now`: hash of the file at the path, null for none; `hashAt`: the same for any path. Returns
   * whether a line was accepted.
   */
  confirm(path: string, now: string | null, hashAt: (path: string) => string | null): boolean {
    const visited = new Set<string>();
    let place = path;
    for (let claim = this.#claims.get(path); now === null && claim?.kind === 'gone'; claim = this.#claims.get(place)) {
      if (claim.movedTo === null || visited.has(place)) return false;
      visited.add(place);
      place = claim.movedTo;
    }
    const hash = place === path ? now : hashAt(place);
    const claim = this.#claims.get(place);
    const isClaimed = hash !== null && claim?.kind === 'file' && claim.hash === shortHash(hash);
    if (hash === null || !(isClaimed || (visited.size > 0 && this.holds(place, hash)))) return false;
    for (const each of [...visited, ...(isClaimed ? [place] : [])]) {
      const state = this.#claims.get(each);
      if (state !== undefined) this.#set(each, state, false);
    }
    return true;
  }

  isRemoved(path: string): boolean {
    return this.#states.get(path)?.kind === 'gone';
  }

  /** Returns the present path of the file that was at a path, following moves; the same path if it did not move, null if it was deleted. */
  currentPathOf(path: string): string | null {
    const seen = new Set<string>();
    let place: string | null = path;
    for (let state = this.#states.get(path); state?.kind === 'gone'; state = place === null ? undefined : this.#states.get(place)) {
      place = state.movedTo;
      if (place === null || seen.has(place)) return null;
      seen.add(place);
    }
    return place;
  }

  /** Returns the paths at which the history has a file with this content or note id. */
  pathsOf({ hash, node }: { readonly hash: string | null; readonly node: string }): readonly string[] {
    const short = hash === null ? null : shortHash(hash);
    return [...this.#states].flatMap(([path, state]) =>
      state.kind === 'file' && (state.hash === short || state.node === node) ? [path] : [],
    );
  }

  #set(path: string, state: RecordedState, isClaim: boolean): void {
    this.#claims.delete(path);
    if (isClaim) {
      this.#claims.set(path, state);
      return;
    }
    this.#states.delete(path);
    this.#states.set(path, state);
  }
}
