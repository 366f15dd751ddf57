import { baseName } from '../../../note/path.ts';
import type { DraftTask } from './draft-task.ts';
import type { Draft } from './draft.ts';

/** Appends evidence in the name of the caller, now. */
export function addEvidence(draft: Draft, task: DraftTask, evidence: { readonly type: string; readonly ref: string }): void {
  const value = { type: evidence.type, ref: evidence.ref, agent: draft.author.agent, timestamp: draft.author.at };
  task.change({ op: 'append', key: ['evidence'], value });
}

/** Summaries of tasks by their paths, quoted, for messages. */
export function namesOf(draft: Draft, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `"${draft.at(path)?.summary ?? baseName(path)}"`);
}
