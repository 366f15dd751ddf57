import type { Result } from '../../operations.ts';

type BoardAnswer = Result<'task_board'>;
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
export const COLUMNS: readonly TaskState[] = ['blocked', 'claimed', 'ready', 'done'];

/** Formats a count with its noun: "1 task", "3 tasks". */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
