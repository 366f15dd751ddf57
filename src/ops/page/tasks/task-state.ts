import type { Task } from '../../../graph/tasks/task.ts';
import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import { shorten } from '../../shorten.ts';
import { claimEnd, holderOf } from '../../tasks/view/claims.ts';
import type { ClaimRules } from '../../tasks/view/claims.ts';

/** Where a task stands for people: what is stuck comes before who holds it; `open` waits for its own parts and for nothing else. */
export type TaskState = 'ready' | 'claimed' | 'blocked' | 'open' | 'done';

/** One thing that a task waits for. */
export type Reason =
  /** Another task that is not done. */
  | { readonly kind: 'task'; readonly id: string; readonly summary: string; readonly state: TaskState; readonly holder?: string }
  /** A link that leads to no task. */
  | { readonly kind: 'missing'; readonly text: string }
  /** Somebody said so. */
  | { readonly kind: 'hand'; readonly text: string }
  /** It waits for itself, by way of others. */
  | { readonly kind: 'circle' };

/** Characters of a summary in lists, and of a reason. */
export const MAX_SUMMARY_CHARACTERS = 300;
/** So many reasons are told of one task. */
const MAX_REASONS = 5;

export function stateOf(task: Task, rules: ClaimRules): TaskState {
  if (task.note.isResolved) return 'done';
  if (task.isBlocked) return 'blocked';
  if (holderOf(task, rules) !== null) return 'claimed';
  return task.isActionable ? 'ready' : 'open';
}

/** Who holds an open task, and until when (ISO 8601); nothing where nobody does. */
export function holdingOf(task: Task, rules: ClaimRules): { holder?: string; until?: string } {
  const holder = task.note.isResolved ? null : holderOf(task, rules);
  return holder === null ? {} : { holder: shorten(holder, 100), until: claimEnd(task, rules) };
}

/** Why an open task cannot be worked on, the surest reason first; nothing for all others. `isStuck`: it is in a circle. */
export function reasonsOf(
  tasks: TaskGraph,
  task: Task,
  rules: ClaimRules,
  isStuck: boolean,
): { why?: readonly Reason[]; why_more?: number } {
  if (!task.isBlocked && !isStuck) return {};
  const all: Reason[] = [];
  if (isStuck) all.push({ kind: 'circle' });
  if (task.note.blocked !== null) all.push({ kind: 'hand', text: shorten(task.note.blocked, MAX_SUMMARY_CHARACTERS) });
  for (const { path, text } of task.dependencies) {
    const target = path === null ? null : tasks.get(path);
    if (target === null) all.push({ kind: 'missing', text: shorten(text, MAX_SUMMARY_CHARACTERS) });
    else if (!target.note.isResolved) {
      const { holder } = holdingOf(target, rules);
      const named = { id: target.note.id, summary: shorten(target.note.summary, MAX_SUMMARY_CHARACTERS), state: stateOf(target, rules) };
      all.push({ kind: 'task', ...named, ...(holder === undefined ? {} : { holder }) });
    }
  }
  const more = all.length - MAX_REASONS;
  return { why: all.slice(0, MAX_REASONS), ...(more > 0 ? { why_more: more } : {}) };
}
