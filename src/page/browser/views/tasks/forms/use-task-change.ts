import { useRef } from 'preact/hooks';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { changeTask, TaskChangedError } from '../acts/change-task.ts';
import type { TaskChange } from '../acts/change-task.ts';
import { inTurn, quote, reportDone } from '../acts/outcome.ts';
import type { BoardTask, Detail } from '../board.ts';

/** A change that a form sends. `seen`: the task as the user was last shown it. */
export interface FormChange extends Pick<TaskChange, 'update'> {
  /** What is reported when it is done, after the summary of the task. */
  readonly done: string;
  readonly isStillRight?: (detail: Detail, seen: BoardTask) => boolean;
  /** Says what others changed, instead of who it was and how the task is now. */
  readonly describeConflict?: (detail: Detail) => string;
}

/**
 * Returns a function that changes the task of a form, and returns why it could not, or null. After a conflict the user knows what others
 * did, so sending the form again is based on that, unless the task is done. `task`: as it was when the form was opened.
 */
export function useTaskChange(task: BoardTask): (change: FormChange) => Promise<string | null> {
  const seen = useRef(task);
  return ({ update, done, isStillRight = isHeldAsSeen, describeConflict }) =>
    inTurn(async () => {
      const { id, rev } = seen.current;
      const summary = quote(task.summary);
      try {
        const { batches } = await changeTask({ id, rev, update, isStillRight: (detail) => isStillRight(detail, seen.current) });
        reportDone(`${summary} ${done}`, { summary, batches });
        return null;
      } catch (error) {
        if (!(error instanceof TaskChangedError)) return describeFailedChange(error, true);
        if (describeConflict === undefined && error.detail.task.state === 'done') return error.message;
        seen.current = error.detail.task;
        return `${describeConflict?.(error.detail) ?? error.message} Send it again if it is still right.`;
      }
    });
}

function isHeldAsSeen({ task }: Detail, seen: BoardTask): boolean {
  return task.state !== 'done' && task.holder === seen.holder;
}
