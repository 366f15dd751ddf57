import { shortHash } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import { groupByBatch } from '../history/events.ts';

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

/**
 * What the history says of each path: which file is there, or where it went. Knows the paths of the newest events only. Lines that were not
 * written here are claims: one counts only where the disk confirms it (`confirm`), as after a pull that brought notes with their history.
 */
export class FileStates {
  readonly #states = new Map<string, RecordedState>();
  /** What foreign lines say of paths about which no own line is newer. */
  readonly #claims = new Map<string, RecordedState>();

  /** Takes over what events say, in their order. */
  learn(events: readonly HistoryEvent[]): void {
    for (const written of groupByBatch(events)) {
      const isClaim = written[0]?.foreign === true;
      // Names that files left first: others may have taken them in the same write.
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

  /** Takes over older events: what is known already is newer. */
  learnOlder(events: readonly HistoryEvent[]): void {
    const [states, claims] = [[...this.#states], [...this.#claims]];
    this.learn(events);
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
   * Takes a foreign line for true where the disk shows what it says of a path: that it holds this file, or that the file which was there is at
   * another path now. That somebody else deleted a file cannot be seen on the disk. `now`: the hash of what is at the path, null where nothing
   * is; `hashAt`: the same for any path. Returns whether there was such a line.
   */
  confirm(path: string, now: string | null, hashAt: (path: string) => string | null): boolean {
    const left = new Set<string>();
    let place = path;
    for (let claim = this.#claims.get(path); now === null && claim?.kind === 'gone'; claim = this.#claims.get(place)) {
      if (claim.movedTo === null || left.has(place)) return false;
      left.add(place);
      place = claim.movedTo;
    }
    const hash = place === path ? now : hashAt(place);
    const claim = this.#claims.get(place);
    const isClaimed = hash !== null && claim?.kind === 'file' && claim.hash === shortHash(hash);
    if (hash === null || !(isClaimed || (left.size > 0 && this.holds(place, hash)))) return false;
    for (const each of [...left, ...(isClaimed ? [place] : [])]) {
      const state = this.#claims.get(each);
      if (state !== undefined) this.#set(each, state, false);
    }
    return true;
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
