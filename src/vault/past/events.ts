import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';

/** Yields all events of a history, newest first. Reads one segment at a time. */
export async function* eventsBackward(history: Segments<HistoryEvent>): AsyncGenerator<HistoryEvent> {
  for (const segment of history.names().toReversed()) yield* newestFirst(await history.read(segment));
}

/** Yields the events after a number, newest first. Reads one segment at a time, and none before that number. */
export async function* eventsAfter(history: Segments<HistoryEvent>, seq: number): AsyncGenerator<HistoryEvent> {
  // Numbers of foreign lines say nothing about where older ones are.
  const isBefore = (event: HistoryEvent): boolean => event.foreign !== true && event.seq <= seq;
  // Mostly little is new: then the end of the history is enough.
  const tail = history.tail();
  if (tail.some(isBefore)) {
    for (const event of newestFirst(tail)) if (event.seq > seq) yield event;
    return;
  }
  for (const segment of history.names().toReversed()) {
    const events = await history.read(segment);
    for (const event of newestFirst(events)) if (event.seq > seq) yield event;
    if (events.some(isBefore)) return;
  }
}

function newestFirst(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return events.toSorted((a, b) => b.seq - a.seq);
}

/** Groups events by write, in their order. */
export function byBatch(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const groups: HistoryEvent[][] = [];
  for (const event of events) {
    const [first] = groups.at(-1) ?? [];
    const isSameWrite = event.batch !== undefined && first?.batch === event.batch && first.foreign === event.foreign;
    if (isSameWrite) groups.at(-1)?.push(event);
    else groups.push([event]);
  }
  return groups;
}
