import type { StoreEvent } from '../store.ts';
import type { HistoryEvent } from './history-event.ts';
import type { Segments } from './segments.ts';

const PAUSE_MS = 50;

/** What was written after a sequence number, and then whatever is, until the signal. */
export async function* followEvents(events: Segments<HistoryEvent>, since: number, signal: AbortSignal): AsyncGenerator<StoreEvent> {
  let seen = since;
  while (!signal.aborted) {
    // A segment whose lines are all known is read once more at most: the last one.
    for (const name of events.names().slice(seen === since ? 0 : -2)) {
      for (const event of events.read(name)) {
        if (event.seq <= seen) continue;
        seen = event.seq;
        yield toStoreEvent(event);
      }
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The paths that an event is about. */
export function pathsOfEvent(event: HistoryEvent): readonly string[] {
  const moved = event.changes.flatMap((change) => (change.field === 'path' && typeof change.before === 'string' ? [change.before] : []));
  return [event.path, ...moved];
}

/** The paths at which nothing is left after an event that roux wrote; none for an edit that it saw. */
export function pathsLeftBy(event: HistoryEvent): readonly string[] {
  if (event.batch === undefined) return [];
  const [path = event.path, ...moved] = pathsOfEvent(event);
  return event.hash === undefined ? [path, ...moved] : moved;
}

function toStoreEvent(event: HistoryEvent): StoreEvent {
  const moved = event.changes.find((change) => change.field === 'path' && typeof change.before === 'string');
  const oldPath = typeof moved?.before === 'string' ? { oldPath: moved.before } : {};
  return { seq: event.seq, path: event.path, hash: event.hash ?? null, op: event.action, ...oldPath };
}
