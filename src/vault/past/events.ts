import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';

/** The events after a number, newest first. A segment is read at a time; those before that number are not. */
export function* eventsAfter(history: Segments<HistoryEvent>, seq: number): Generator<HistoryEvent> {
  // Numbers of lines that were not written here say nothing about where older ones are.
  const isBefore = (event: HistoryEvent): boolean => event.foreign !== true && event.seq <= seq;
  // What is new is mostly little: then the end of the history is enough.
  const tail = history.tail().toSorted((a, b) => b.seq - a.seq);
  if (tail.some(isBefore)) {
    for (const event of tail) if (event.seq > seq) yield event;
    return;
  }
  for (const segment of history.names().toReversed()) {
    const found = history.read(segment).toSorted((a, b) => b.seq - a.seq);
    for (const event of found) if (event.seq > seq) yield event;
    if (found.some(isBefore)) return;
  }
}
