import type { History } from '../disk/history.ts';
import { RouxError } from '../errors.ts';
import type { HistoryEvent } from './plan.ts';

/** Which writes to undo: one batch, or those of an agent since a time (without one: of its last session). */
export type UndoQuery = { readonly batch: string } | { readonly agent: string; readonly since?: string };

/** Between two sessions of an agent lies a pause of at least this. */
const PAUSE_MS = 30 * 60 * 1000;

/** The batches that an undo means, newest first. */
export async function batchesToUndo(history: History<HistoryEvent>, query: UndoQuery): Promise<readonly string[]> {
  if ('batch' in query) return [query.batch];
  const batches = new Set<string>();
  const since = query.since === undefined ? null : Date.parse(query.since);
  if (since !== null && Number.isNaN(since))
    throw new RouxError('INVALID_PARAMS', `${JSON.stringify(query.since)} is no time; give one like 2026-01-31T09:00:00Z.`);
  let last: number | null = null;
  search: for (const segment of (await history.segments()).toReversed()) {
    for (const event of (await history.read(segment)).toSorted((a, b) => b.seq - a.seq)) {
      if (event.agent !== query.agent || event.batch === undefined) continue;
      const time = Date.parse(event.timestamp);
      if (since === null ? last !== null && last - time > PAUSE_MS : time < since) break search;
      last = time;
      batches.add(event.batch);
    }
  }
  if (batches.size === 0)
    throw new RouxError('NODE_NOT_FOUND', `The history has no writes of ${JSON.stringify(query.agent)} to undo.`, { agent: query.agent });
  return [...batches];
}
