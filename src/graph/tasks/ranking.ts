import { compareText } from '../../note/text.ts';

/** Where a task stands among the actionable ones: what the order looks at, and nothing else. */
export interface Rank {
  readonly priority: number;
  readonly depth: number;
  readonly updatedMs: number;
  readonly id: string;
  readonly path: string;
}

/** Priority first (higher), then depth (deeper), then what waited longest, then id; the path keeps copies of one id apart. */
export function compareRank(a: Rank, b: Rank): number {
  return (
    b.priority - a.priority || b.depth - a.depth || a.updatedMs - b.updatedMs || compareText(a.id, b.id) || compareText(a.path, b.path)
  );
}

/** When a task was changed last. */
export interface Recency {
  readonly updatedMs: number;
  readonly id: string;
  readonly path: string;
}

/** Latest change first, then id, then path. */
export function compareRecency(a: Recency, b: Recency): number {
  return b.updatedMs - a.updatedMs || compareText(a.id, b.id) || compareText(a.path, b.path);
}
