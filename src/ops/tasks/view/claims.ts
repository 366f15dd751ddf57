import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import type { OperationContext } from '../../operation.ts';

/** When claims expire: the current time and the configured time to live. */
export interface ClaimRules {
  readonly nowMs: number;
  readonly ttlMs: number;
}

export function claimRules(context: OperationContext): ClaimRules {
  return { nowMs: context.vault.ports.clock.now(), ttlMs: context.config.tasks.claimTtlMinutes * 60_000 };
}

/** Returns the agent that has claimed a task; null if there is none or the claim has expired. */
export function holderOf(task: Task, rules: ClaimRules): string | null {
  const { claim } = task.note;
  return claim === null || claim.atMs + rules.ttlMs <= rules.nowMs ? null : claim.by;
}

/** Returns the unexpired claims on unresolved tasks of a project, oldest first. */
export function liveClaims(project: TaskProject, rules: ClaimRules): readonly { readonly task: Task; readonly holder: string }[] {
  const live = [...project.claimed].flatMap((task) => {
    const holder = holderOf(task, rules);
    return holder === null ? [] : [{ task, holder }];
  });
  return live.sort((a, b) => (a.task.note.claim?.atMs ?? 0) - (b.task.note.claim?.atMs ?? 0) || compareTasks(a.task, b.task));
}

/** Returns when the claim of a task expires, in ISO 8601. */
export function claimEnd(task: Task, rules: ClaimRules): string {
  return new Date((task.note.claim?.atMs ?? 0) + rules.ttlMs).toISOString();
}
