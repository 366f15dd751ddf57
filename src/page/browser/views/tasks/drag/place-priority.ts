import type { BoardTask } from '../board.ts';

/**
 * Returns the priority that brings a task to a place in a list that is ordered by priority, highest first; null if it is there already, or
 * the text that says why there is none. `others`: the list without the task.
 */
export function priorityAt(place: number, others: readonly BoardTask[], task: BoardTask): number | null | string {
  const above = others[place - 1]?.priority ?? 0;
  const below = others[place]?.priority ?? 0;
  const own = task.priority ?? 0;
  if (others.length === 0) return null;
  if (place === 0) return own > below ? null : below + 1;
  if (place === others.length) return own < above ? null : above - 1;
  if (above === below) return own === above ? 'was not moved: the tasks around that place have the same priority as it has.' : above;
  if (own < above && own > below) return null;
  // A whole number where there is one between.
  const middle = (above + below) / 2;
  return above - below >= 2 ? Math.floor(middle) : middle;
}
