import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import type { OperationContext } from '../../operation.ts';

/** When a claim made before is worth nothing any more: by the clock and the configured time to live. */
export interface ClaimRules {
  readonly nowMs: number;
  readonly ttlMs: number;
}

export function claimRules(context: OperationContext): ClaimRules {
  return { nowMs: context.vault.ports.clock.now(), ttlMs: context.config.tasks.claimTtlMinutes * 60_000 };
}

/** Who holds a task, or null: nobody does, or the claim is past its time. */
export function holderOf(task: Task, rules: ClaimRules): string | null {
  const { claim } = task.note;
  return claim === null || claim.atMs + rules.ttlMs <= rules.nowMs ? null : claim.by;
}

/** The claims on unresolved tasks of a project that still hold, oldest first. */
export function liveClaims(project: TaskProject, rules: ClaimRules): readonly { readonly task: Task; readonly holder: string }[] {
  const live = [...project.claimed].flatMap((task) => {
    const holder = holderOf(task, rules);
    return holder === null ? [] : [{ task, holder }];
  });
  return live.sort((a, b) => (a.task.note.claim?.atMs ?? 0) - (b.task.note.claim?.atMs ?? 0) || compareTasks(a.task, b.task));
}

/** When the claim of a task ends, as ISO text. */
export function claimEnd(task: Task, rules: ClaimRules): string {
  return new Date((task.note.claim?.atMs ?? 0) + rules.ttlMs).toISOString();
}
