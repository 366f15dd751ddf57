import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { commitDraft } from '../draft/commit-draft.ts';
import type { Draft } from '../draft/draft.ts';
import { claimEnd, claimRules, describeEnd, holderOf, otherHolderOf } from '../view/claims.ts';
import { requireTask } from '../view/find-task.ts';
import { takeHandoff } from '../handoff/handoff.ts';
import { claimOf, MAX_SUMMARY_CHARACTERS } from './task-state.ts';

/**
 * Claims a task for the user of the page, renews that claim, or releases one. The claim of anybody else ends only if `held_by` names them,
 * so that the claim of a moment before is never overwritten unseen; the `CONFLICT` says who holds the task, and until when.
 */
export const claimTask = defineOperation({
  name: 'claim_task',
  toolset: null,
  title: 'Claim a task',
  summary: 'Claims a task, renews the claim or releases it. The claim of somebody else ends only if the call names them.',
  effect: 'write',
  overwrites: true,
  isIdempotent: true,
  input: z.strictObject({
    task: z.string().min(1).max(2_000),
    action: z.enum(['claim', 'renew', 'release']),
    /** The holder whose claim may end. */
    held_by: z.string().min(1).max(2_000).optional(),
  }),
  run: async (context, { task: reference, action, held_by: heldBy }) => {
    await commitDraft(context, 'claim_task', (draft) => {
      const task = requireTask(context.vault, reference);
      if (action === 'claim') claim(context, draft, task, heldBy);
      else if (action === 'renew') renew(context, draft, task);
      else release(context, draft, task, heldBy);
    });
    return claimOf(requireTask(context.vault, reference), claimRules(context));
  },
});

function claim(context: OperationContext, draft: Draft, task: Task, heldBy: string | undefined): void {
  const { id: node_id, summary, isResolved } = task.note;
  if (isResolved) throw new RouxError('CONFLICT', `${quote(summary)} is done already.`, { node_id });
  if (task.isBlocked)
    throw new RouxError('CONFLICT', `${quote(summary)} is blocked. It can be started when nothing blocks it.`, { node_id });
  refuseOther(context, task, heldBy);
  const rules = claimRules(context);
  if (holderOf(task, rules) !== null && otherHolderOf(task, rules) === null) return;
  draft.claim(task);
  takeHandoff(context, draft, draft.edit(task));
}

/** Does nothing while more than half of the time is left, so that several tabs of a person renew a claim once. */
function renew(context: OperationContext, draft: Draft, task: Task): void {
  const { claim: known, isResolved } = task.note;
  const { nowMs, ttlMs } = claimRules(context);
  if (known?.by !== context.agent || isResolved) refuseOther(context, task, undefined);
  else if (known.atMs + ttlMs / 2 <= nowMs) draft.claim(task);
}

function release(context: OperationContext, draft: Draft, task: Task, heldBy: string | undefined): void {
  refuseOther(context, task, heldBy);
  if (task.note.claim !== null) draft.setClaim(draft.edit(task), null);
}

/** Throws if somebody holds the task who is neither the caller nor `heldBy`. */
function refuseOther(context: OperationContext, task: Task, heldBy: string | undefined): void {
  const rules = claimRules(context);
  const holder = otherHolderOf(task, rules);
  if (holder === null || shorten(holder, 100) === heldBy) return;
  const until = claimEnd(task, rules);
  const message = `${quote(task.note.summary)} is in progress: ${shorten(holder, 100)} holds it ${describeEnd(task, rules)}.`;
  throw new RouxError('CONFLICT', message, {
    node_id: task.note.id,
    holder: shorten(holder, 100),
    ...(until === null ? {} : { until }),
  });
}

function quote(summary: string): string {
  return `“${shorten(summary, MAX_SUMMARY_CHARACTERS)}”`;
}
