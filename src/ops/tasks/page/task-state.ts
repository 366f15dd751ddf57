import type { Task } from '../../../graph/tasks/task.ts';
import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import { shorten } from '../../shorten.ts';
import { claimEnd, holderOf } from '../view/claims.ts';
import type { ClaimRules } from '../view/claims.ts';

/** The state of a task; being blocked takes precedence over being claimed. `open`: it waits only for its subtasks. */
export type TaskState = 'ready' | 'claimed' | 'blocked' | 'open' | 'done';

/** Why a task is blocked. */
export type Reason =
  /** An unfinished task. */
  | { readonly kind: 'task'; readonly id: string; readonly summary: string; readonly state: TaskState; readonly holder?: string }
  /** An unresolved link. */
  | { readonly kind: 'missing'; readonly text: string }
  /** A reason that a person or agent gave. */
  | { readonly kind: 'hand'; readonly text: string }
  /** A cycle of dependencies. */
  | { readonly kind: 'circle' };

/** Limit of a summary or reason. */
export const MAX_SUMMARY_CHARACTERS = 300;
/** Reasons that are listed. */
const MAX_REASONS = 5;

export function stateOf(task: Task, rules: ClaimRules): TaskState {
  if (task.note.isResolved) return 'done';
  if (task.isBlocked) return 'blocked';
  if (holderOf(task, rules) !== null) return 'claimed';
  return task.isActionable ? 'ready' : 'open';
}

/** Returns who claimed an open task, and until when (ISO 8601) if that session is not connected; empty if nobody did. */
export function claimOf(task: Task, rules: ClaimRules): { holder?: string; until?: string } {
  const holder = task.note.isResolved ? null : holderOf(task, rules);
  if (holder === null) return {};
  const until = claimEnd(task, rules);
  return { holder: shorten(holder, 100), ...(until === null ? {} : { until }) };
}

/** Returns why an open task is blocked, most certain reasons first; empty for other tasks. `isStuck`: it is part of a cycle. */
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
      const { holder } = claimOf(target, rules);
      const named = { id: target.note.id, summary: shorten(target.note.summary, MAX_SUMMARY_CHARACTERS), state: stateOf(target, rules) };
      all.push({ kind: 'task', ...named, ...(holder === undefined ? {} : { holder }) });
    }
  }
  const more = all.length - MAX_REASONS;
  return { why: all.slice(0, MAX_REASONS), ...(more > 0 ? { why_more: more } : {}) };
}
