import { ifAllowed } from '../folder/system-error.ts';
import type { StoreEvent } from '../store.ts';
import type { HistoryEvent } from './history-event.ts';
import type { Segments } from './segments.ts';

const POLL_MS = 50;

/** Finds the writes of other processes in the history, without the writer lock. */
export class ExternalChanges {
  readonly #events: Segments<HistoryEvent>;
  /** Batches of this process whose events were not read yet. */
  readonly #ownBatches = new Set<string>();

  constructor(events: Segments<HistoryEvent>) {
    this.#events = events;
  }

  addOwn(batch: string): void {
    this.#ownBatches.add(batch);
  }

  /** Returns the paths that other processes wrote since the last call; null when that is unknown. */
  poll(): readonly string[] | null {
    // Without permission to read the history it is unknown what others have written.
    const { lines, isComplete } = ifAllowed(() => this.#events.poll(), { lines: [], isComplete: false });
    const others = lines.filter(({ batch }) => batch === undefined || !this.#ownBatches.has(batch));
    for (const { batch } of lines) if (batch !== undefined) this.#ownBatches.delete(batch);
    return isComplete ? [...new Set(others.flatMap(pathsOfEvent))] : null;
  }
}

/** Yields the events after a sequence number, then new ones as they are appended, until the signal aborts. */
export async function* followEvents(events: Segments<HistoryEvent>, since: number, signal: AbortSignal): AsyncGenerator<StoreEvent> {
  let seen = since;
  while (!signal.aborted) {
    // After the first round only the last two segments can have new lines.
    for (const name of events.names().slice(seen === since ? 0 : -2)) {
      for (const event of await events.read(name)) {
        if (event.seq <= seen) continue;
        seen = event.seq;
        yield toStoreEvent(event);
      }
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Returns the paths that an event is about: the current one, and previous ones after a move. */
export function pathsOfEvent(event: HistoryEvent): readonly string[] {
  const moved = event.changes.flatMap((change) => (change.field === 'path' && typeof change.before === 'string' ? [change.before] : []));
  return [event.path, ...moved];
}

/** Returns the paths where roux left no file after an event; none for an edit from outside that it only recorded, nor for a foreign line. */
export function pathsLeftBy(event: HistoryEvent): readonly string[] {
  if (event.batch === undefined || event.foreign === true) return [];
  const [path = event.path, ...moved] = pathsOfEvent(event);
  return event.hash === undefined ? [path, ...moved] : moved;
}

function toStoreEvent(event: HistoryEvent): StoreEvent {
  const moved = event.changes.find((change) => change.field === 'path' && typeof change.before === 'string');
  const oldPath = typeof moved?.before === 'string' ? { oldPath: moved.before } : {};
  return { seq: event.seq, path: event.path, hash: event.hash ?? null, op: event.action, ...oldPath };
}
