import { RouxError } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import { foldKey, normalizeId } from '../../note/path.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import type { HistoryPage } from '../vault.ts';

/** The names that a note had, walking back in time: its id, its path, those of notes merged into it. */
class Trail {
  readonly #names = new Set<string>();

  constructor(names: readonly string[]) {
    for (const name of names) this.#names.add(foldKey(normalizeId(name)));
  }

  /** Whether an event is about the note; from a rename or merge on, older events are looked for under the older names too. */
  follows(event: HistoryEvent): boolean {
    if (!this.#has(event.node) && !this.#has(event.path)) return false;
    this.#add(event.node);
    for (const change of event.changes) {
      if (change.field === 'path' && typeof change.before === 'string' && event.action !== 'created') {
        // What lay under the new name before was another note.
        if (typeof change.after === 'string') this.#names.delete(foldKey(normalizeId(change.after)));
        this.#add(change.before);
      } else if (change.field === 'merged_from') {
        for (const name of [change.before, change.after].flat()) if (typeof name === 'string') this.#add(name);
      }
    }
    return true;
  }

  #has(name: string): boolean {
    return this.#names.has(foldKey(normalizeId(name)));
  }

  #add(name: string): void {
    this.#names.add(foldKey(normalizeId(name)));
  }
}

/** One page of a note's audit trail, newest first. The cursor is a sequence number, so pages neither lose nor repeat an event. */
export function readHistory(
  history: Segments<HistoryEvent>,
  graph: GraphView,
  query: { node: string; limit: number; cursor?: string },
): HistoryPage {
  const before = parseCursor(query.cursor);
  const found = graph.lookup(query.node);
  const entry = found.kind === 'found' ? found.entry : null;
  const trail = new Trail(entry === null ? [query.node] : [entry.id, entry.path]);
  const events: HistoryEvent[] = [];
  for (const segment of history.names().toReversed()) {
    const lines = history.read(segment).toSorted((a, b) => b.seq - a.seq);
    for (const event of lines) {
      if (!trail.follows(event) || (before !== null && event.seq >= before)) continue;
      if (events.length === query.limit) return { events, nextCursor: String(events.at(-1)?.seq) };
      events.push(event);
    }
  }
  return { events, nextCursor: null };
}

function parseCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (!/^\d{1,15}$/.test(cursor))
    throw new RouxError(
      'INVALID_PARAMS',
      `${JSON.stringify(cursor)} is no cursor of a history page; give the one that the last page returned.`,
      { cursor },
    );
  return Number(cursor);
}
