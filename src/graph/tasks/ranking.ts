import { compareText } from '../../note/text.ts';

/** The sort key of an actionable task. */
export interface Rank {
  readonly priority: number;
  readonly depth: number;
  readonly updatedMs: number;
  readonly id: string;
  readonly path: string;
}

/** Compares by priority (higher first), depth (deeper first), time waited (longest first), id and, for copies of one id, path. */
export function compareRank(a: Rank, b: Rank): number {
  return (
    b.priority - a.priority || b.depth - a.depth || a.updatedMs - b.updatedMs || compareText(a.id, b.id) || compareText(a.path, b.path)
  );
}

/** The sort key of a task by last change. */
export interface Recency {
  readonly updatedMs: number;
  readonly id: string;
  readonly path: string;
}

/** Compares by change (latest first), id and path. */
export function compareRecency(a: Recency, b: Recency): number {
  return b.updatedMs - a.updatedMs || compareText(a.id, b.id) || compareText(a.path, b.path);
}
