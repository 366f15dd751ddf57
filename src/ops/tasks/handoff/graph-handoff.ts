import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { defineOperation } from '../../operation.ts';
import { commitDraft } from '../draft/commit-draft.ts';
import { claimRules, refuseOfOthers } from '../view/claims.ts';
import { projectInput, requireTask } from '../view/find-task.ts';
import { writeHandoff } from './handoff.ts';
import type { HandoffLists } from './handoff.ts';

const MAX_CHARACTERS = 8_000;

const lines = z.string().trim().max(MAX_CHARACTERS).optional();

/** Hands a task over. What the next holder has to know is written into its note, and the claim of the caller ends. */
export const graphHandoff = defineOperation({
  name: 'graph_handoff',
  toolset: 'tasks',
  title: 'Hand over',
  summary: 'Gives an unfinished task up: whoever claims it next is told this, once.',
  effect: 'write',
  overwrites: true,
  isIdempotent: false,
  input: z.strictObject({
    node_id: z.string().min(1).describe('Id or title'),
    done: lines.describe('One thing a line'),
    left: lines.describe('What is to do'),
    decisions: lines.describe('With reasons'),
    pitfalls: lines.describe('To avoid'),
    evidence: lines.describe('Commits, paths'),
    project: projectInput,
  }),
  async run(context, { node_id, project, done, left, decisions, pitfalls, evidence }) {
    const lists: HandoffLists = {
      done: toLines(done),
      left: toLines(left),
      decisions: toLines(decisions),
      pitfalls: toLines(pitfalls),
      evidence: toLines(evidence),
    };
    return await commitDraft(context, 'graph_handoff', (draft) => {
      const task = requireTask(context.vault, node_id, project);
      const { id, summary, isResolved } = task.note;
      if (Object.values(lists).every(({ length }) => length === 0))
        throw new RouxError('validation_error', 'Say what the next holder has to know: done, left, decisions, pitfalls or evidence.');
      if (isResolved) throw new RouxError('validation_error', `"${summary}" is resolved: nothing is left to hand over.`, { node_id: id });
      refuseOfOthers(task, claimRules(context));
      const handed = draft.edit(task);
      writeHandoff(context, draft, handed, lists);
      for (const ref of lists.evidence) draft.addEvidence(handed, { type: 'note', ref });
      draft.setClaim(handed, null);
      return { node_id: id, rev: handed.rev };
    });
  },
});

/** Splits a text into its lines, without the bullets that it may have. */
function toLines(text = ''): readonly string[] {
  return text
    .split(/[\r\n]/)
    .map((line) => line.trim().replace(/^[-*+](?: +|$)/, ''))
    .filter((line) => line !== '');
}
