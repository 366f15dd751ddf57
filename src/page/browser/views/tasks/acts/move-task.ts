import type { BoardTask } from '../board.ts';
import { perform } from './acts.ts';
import { moveInto } from './offered.ts';
import type { Column } from './offered.ts';
import { quote, reportRefused } from './outcome.ts';

/** Moves a task from its column into another one, or reports why it cannot be moved there. */
export function moveTask(task: BoardTask, column: Column): void {
  const move = moveInto(column, task);
  if (move.kind === 'act') void perform(move.act, task);
  else reportRefused(`${quote(task.summary)} ${move.why}`);
}
