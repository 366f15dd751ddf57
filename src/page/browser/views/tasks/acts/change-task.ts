import { ApiError, callOperation, callWithWarnings } from '../../../api.ts';
import type { OperationResponse } from '../../../api.ts';
import type { Arguments } from '../../../operations.ts';
import { formatHolder, STATES } from '../board.ts';
import type { Detail } from '../board.ts';

type Update = Omit<Arguments<'graph_update'>['updates'][number], 'node_id' | 'expected_rev'>;

/** A change of a task, as long as what the user saw of it still holds. */
export interface TaskChange {
  readonly id: string;
  /** The revision that the user saw. */
  readonly rev: number;
  readonly update: Update;
  /** Returns whether the change still makes sense after somebody else has changed something else of the task. */
  readonly isStillRight: (detail: Detail) => boolean;
}

/** Somebody else changed a task meanwhile. The message says what it is now. */
export class TaskChangedError extends Error {
  readonly detail: Detail;

  constructor(detail: Detail) {
    super(describeNow(detail));
    this.detail = detail;
  }
}

/** The newest revisions of tasks that this page has written, by their ids. */
const ownRevs = new Map<string, number>();

/**
 * Changes a task at the revision that the user saw. If others changed it meanwhile but not what the user meant, changes it all the same;
 * otherwise throws `TaskChangedError` and changes nothing.
 */
export async function changeTask(change: TaskChange): Promise<OperationResponse<'graph_update'>> {
  const seen = Math.max(change.rev, ownRevs.get(change.id) ?? 0);
  try {
    return await send(change, seen);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'rev_mismatch') throw error;
  }
  const detail = await callOperation('task_detail', { task: change.id });
  if (!change.isStillRight(detail)) throw new TaskChangedError(detail);
  return await send(change, detail.rev);
}

async function send({ id, update }: TaskChange, rev: number): Promise<OperationResponse<'graph_update'>> {
  const response = await callWithWarnings('graph_update', { updates: [{ ...update, node_id: id, expected_rev: rev }] });
  for (const updated of response.result.updated) ownRevs.set(updated.node_id, updated.rev);
  return response;
}

/** Says who changed a task last, and how it is now. */
function describeNow({ task, history }: Detail): string {
  const [last] = history.events;
  const who = last === undefined || last.agent === 'external' ? 'Somebody else' : last.agent;
  const state = task.holder === undefined ? STATES[task.state].word.toLowerCase() : formatHolder(task);
  return `Nothing was changed: ${who} changed this task a moment ago. It is now ${state}.`;
}
