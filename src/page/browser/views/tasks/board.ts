import { signal } from '@preact/signals';
import { canWrite, session } from '../../session.ts';
import type { Result } from '../../operations.ts';

export type BoardAnswer = Result<'task_board'>;
export type Project = BoardAnswer['projects'][number];
export type Board = NonNullable<BoardAnswer['board']>;
export type BoardTask = Board['tasks'][number];
export type TaskState = BoardTask['state'];
export type Reason = NonNullable<BoardTask['why']>[number];
export type TaskRef = Pick<BoardTask, 'id' | 'summary'>;
export type Blocker = Board['holding_up'][number];
export type Detail = Result<'task_detail'>;
export type Neighbor = Detail['children'][number];
export type Evidence = Detail['evidence'][number];
export type ResolvePreview = Result<'resolve_preview'>;

/** The label of each state, and a sign for those who cannot tell its color. */
export const STATES: Readonly<Record<TaskState, { readonly word: string; readonly sign: string }>> = {
  ready: { word: 'Ready', sign: '○' },
  claimed: { word: 'In progress', sign: '◐' },
  blocked: { word: 'Blocked', sign: '■' },
  open: { word: 'Has open subtasks', sign: '◌' },
  done: { word: 'Done', sign: '●' },
};

/** The columns of a board, in order. */
export const COLUMNS: readonly Exclude<TaskState, 'open'>[] = ['ready', 'claimed', 'blocked', 'done'];

/** The name under which the user holds tasks, as the server knows it; empty until a board was loaded. */
export const you = signal('');

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Formats the time of day of an ISO 8601 time. */
export function formatClock(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? at : clock.format(time);
}

/** Says how long a claim counts: "until 15:10", or as long as its session is connected. */
export function formatEnd(until: string | undefined): string {
  return until === undefined ? 'while connected' : `until ${formatClock(until)}`;
}

/** Says who holds a task until when: "in progress: ada, until 15:10". */
export function formatHolder({ holder = '', until }: Pick<BoardTask, 'holder' | 'until'>): string {
  return `in progress: ${holder}, ${formatEnd(until)}`;
}

/** Returns whether the user may change tasks here. */
export function canChangeTasks(): boolean {
  return canWrite() && session.value?.toolsets.includes('tasks') === true;
}
