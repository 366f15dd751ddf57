import type { HistoryEvent } from '../../../../src/store/records/history-event.ts';
import type { Segments } from '../../../../src/store/records/segments.ts';

/** An event with these fields; the others have values of no meaning. */
export function historyEvent(fields: Partial<HistoryEvent> & { readonly seq: number }): HistoryEvent {
  const path = fields.path ?? 'a.md';
  return { timestamp: '2026-01-01T00:00:00.000Z', node: path, path, agent: 'ada', action: 'updated', changes: [], ...fields };
}

/** A move of a file, likewise. */
export function moveEvent(seq: number, from: string, to: string, fields: Partial<HistoryEvent> = {}): HistoryEvent {
  return historyEvent({ seq, path: to, action: 'renamed', changes: [{ field: 'path', before: from, after: to }], ...fields });
}

/** A history of these segments, oldest first, that is only read. `reads`: the names of the segments that were read, in order. */
export function memoryHistory(...segments: readonly (readonly HistoryEvent[])[]): Segments<HistoryEvent> & { readonly reads: string[] } {
  const names = segments.map((_, index) => String(index));
  const reads: string[] = [];
  const all = segments.flat();
  const unused = (): never => {
    throw new Error('this history is only read');
  };
  return {
    reads,
    lastSeq: Math.max(0, ...all.map(({ seq }) => seq)),
    names: () => names,
    read(name) {
      reads.push(name);
      return Promise.resolve(segments[Number(name)] ?? []);
    },
    readAtOnce: (name) => segments[Number(name)] ?? [],
    tail: () => all,
    stateOf: () => null,
    poll: unused,
    append: unused,
    repair: unused,
  };
}
