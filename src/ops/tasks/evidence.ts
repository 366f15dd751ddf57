import type { Draft } from './draft.ts';
import type { DraftTask } from './draft-task.ts';

/** Appends evidence in the name of the caller, now. */
export function addEvidence(draft: Draft, task: DraftTask, evidence: { readonly type: string; readonly ref: string }): void {
  const value = { type: evidence.type, ref: evidence.ref, agent: draft.author.agent, timestamp: draft.author.at };
  task.change({ op: 'append', key: ['evidence'], value });
}
