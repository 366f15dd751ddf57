import { ApiError, callWithWarnings } from '../../../api.ts';
import { confirm } from '../../../parts/dialog.tsx';
import { describeFailedChange } from '../../../parts/failed-change.ts';
import { formatClock, formatEnd, you } from '../board.ts';
import type { BoardTask, Detail } from '../board.ts';
import { changeTask, TaskChangedError } from './change-task.ts';
import type { TaskChange } from './change-task.ts';
import { focusCard } from './focus-card.ts';
import { inTurn, quote, reportDone, reportRefused } from './outcome.ts';
import { openForm } from './open-form.ts';
import { trackClaim } from './renew.ts';

/** What a user can do with a task. Those that need to know more open a form. */
export type Act = 'start' | 'release' | 'resolve' | 'block' | 'unblock' | 'reopen' | 'edit' | 'raise' | 'lower';

/** Performs an act. Reports the outcome; never throws. */
export function perform(act: Act, task: BoardTask): Promise<void> {
  switch (act) {
    case 'resolve':
    case 'block':
    case 'edit':
      openForm.value = { kind: act, task };
      return Promise.resolve();
    case 'start':
      return start(task);
    case 'release':
      return release(task);
    case 'unblock':
      return change(task, { blocked: false }, `${quote(task.summary)} is no longer marked as blocked.`, isOpen);
    case 'reopen':
      return change(task, { resolved: false }, `${quote(task.summary)} is open again.`, (detail) => detail.task.state === 'done');
    case 'raise':
      return setPriority(task, (task.priority ?? 0) + 1);
    case 'lower':
      return setPriority(task, (task.priority ?? 0) - 1);
  }
}

export function setPriority(task: BoardTask, priority: number): Promise<void> {
  const text = `${quote(task.summary)} has priority ${priority} now.`;
  return change(task, { properties: { priority } }, text, (detail) => (detail.task.priority ?? 0) === (task.priority ?? 0));
}

/** Claims a task for the user. If somebody else was seen to hold it, asks before taking it over. */
async function start(task: BoardTask): Promise<void> {
  const { id, summary, holder } = task;
  if (holder === you.value) return;
  if (holder !== undefined && !(await confirmEnd(task, 'Take it over?', 'Take it over'))) return;
  await claim(
    task,
    'claim',
    (until) => `${quote(summary)} is in progress. It is yours until ${formatClock(until)}, and longer while this page is open.`,
  );
  if (holder !== undefined && document.activeElement === document.body) focusCard(id);
}

async function release(task: BoardTask): Promise<void> {
  if (task.holder === undefined) return;
  if (task.holder !== you.value && !(await confirmEnd(task, 'Release it?', 'Release it'))) return;
  await claim(task, 'release', () => `${quote(task.summary)} is released.`);
}

function claim(task: BoardTask, action: 'claim' | 'release', describe: (until: string) => string): Promise<void> {
  const { id, summary, holder } = task;
  return inTurn(async () => {
    try {
      const { result, batches } = await callWithWarnings('claim_task', {
        task: id,
        action,
        ...(holder === undefined ? {} : { held_by: holder }),
      });
      if (action === 'claim' && result.until !== undefined) trackClaim(id, { summary, until: result.until });
      reportDone(describe(result.until ?? ''), { summary: quote(summary), batches });
    } catch (error) {
      reportRefused(describeRefusal(error, task));
    }
  });
}

/** Says who holds a task that could not be claimed or released. */
function describeRefusal(error: unknown, { summary }: BoardTask): string {
  const details =
    error instanceof ApiError ? (error.details as { readonly holder?: string; readonly until?: string } | undefined) : undefined;
  if (details?.holder === undefined) return describeFailedChange(error, true);
  return `Nothing was changed: ${details.holder} holds ${quote(summary)} ${formatEnd(details.until)}.`;
}

function confirmEnd({ summary, holder = '', until }: BoardTask, question: string, action: string): Promise<boolean> {
  return confirm({
    title: `${holder} is working on this. ${question}`,
    body: `${quote(summary)} is claimed by ${holder} ${formatEnd(until)}. A connected agent is told with its next call, and may go on until then.`,
    action,
    isDangerous: true,
  });
}

/** Returns whether a task is not done. */
function isOpen({ task }: Detail): boolean {
  return task.state !== 'done';
}

function change(task: BoardTask, update: TaskChange['update'], text: string, isStillRight: TaskChange['isStillRight']): Promise<void> {
  return inTurn(async () => {
    try {
      const { batches } = await changeTask({ id: task.id, rev: task.rev, update, isStillRight });
      reportDone(text, { summary: quote(task.summary), batches });
    } catch (error) {
      reportRefused(error instanceof TaskChangedError ? error.message : describeFailedChange(error, true));
    }
  });
}
