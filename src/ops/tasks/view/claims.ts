import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import type { OperationContext } from '../../operation.ts';
import { sessionStatesOf } from '../sessions/session-states.ts';
import type { SessionState } from '../sessions/session-states.ts';

/** The argument of lists of what can be started: whether they show what others hold (T-07). */
export const includeClaimed = z
  .boolean()
  .default(false)
  .describe('With is_actionable: also what others hold, with held_by')
  .meta({ unlisted: true });

/** Who asks, and what decides whether a claim counts. */
export interface ClaimRules {
  readonly nowMs: number;
  /** How long a claim counts whose session is not known to be connected. */
  readonly ttlMs: number;
  readonly agent: string;
  /** The caller's connection; null if it does not stay connected. */
  readonly connection: string | null;
  readonly stateOf: (session: string) => SessionState;
}

export function claimRules(context: OperationContext): ClaimRules {
  const { vault, config, agent, connection: given } = context;
  const connection = given ?? null;
  const states = sessionStatesOf(vault);
  return {
    nowMs: vault.ports.clock.now(),
    ttlMs: config.tasks.claimTtlMinutes * 60_000,
    agent,
    connection,
    stateOf: (session) => (session === connection ? 'connected' : states.stateOf(session)),
  };
}

/** Returns when a task was claimed, in milliseconds; 0 without a claim. A time that is still to come would hold the task until then. */
export function claimedMs({ note: { claim } }: Task, { nowMs }: ClaimRules): number {
  const { atMs = 0, writtenMs = nowMs } = claim ?? {};
  return atMs <= nowMs ? atMs : Math.min(writtenMs, nowMs);
}

/** Returns the agent that holds a task; null if there is none, its session has ended or the claim has expired. */
export function holderOf(task: Task, rules: ClaimRules): string | null {
  const { claim } = task.note;
  if (claim === null) return null;
  const state = claim.session === null ? 'unknown' : rules.stateOf(claim.session);
  const isHeld = state === 'connected' || (state === 'unknown' && claimedMs(task, rules) + rules.ttlMs > rules.nowMs);
  return isHeld ? claim.by : null;
}

/** Returns the agent that holds a task unless that is the caller: another session of one name is another agent (T-01). */
export function otherHolderOf(task: Task, rules: ClaimRules): string | null {
  const { claim } = task.note;
  const isOwn = claim?.by === rules.agent && (claim.session === null || claim.session === rules.connection);
  return isOwn ? null : holderOf(task, rules);
}

/** Returns the field of a list that names who else holds a task; empty if nobody does. */
export function heldByOthers(task: Task, rules: ClaimRules): { held_by?: string } {
  const holder = task.note.isResolved ? null : otherHolderOf(task, rules);
  return holder === null ? {} : { held_by: nameHolder(holder, rules) };
}

/** Returns whether an agent holds a task, named as in its claim or as it calls itself behind a connection; null: whether nobody does. */
export function isClaimedBy(task: Task, agent: string | null, rules: ClaimRules): boolean {
  const holder = holderOf(task, rules);
  return holder === null || agent === null ? holder === agent : isNamed(holder, agent);
}

/** Returns whether a recorded name means an agent, by that name or as it calls itself behind a connection: `ada` is `ada (claude-code)`. */
export function isNamed(recorded: string, agent: string): boolean {
  return recorded === agent || recorded.startsWith(`${agent} (`);
}

/** Names a holder for the caller, who may have the same name. */
export function nameHolder(holder: string, rules: ClaimRules): string {
  return holder === rules.agent ? `${holder} (another session)` : holder;
}

/** Returns the claims that count on unresolved tasks of a project, oldest first. */
export function liveClaims(project: TaskProject, rules: ClaimRules): readonly { readonly task: Task; readonly holder: string }[] {
  const live = [...project.claimed].flatMap((task) => {
    const holder = holderOf(task, rules);
    return holder === null ? [] : [{ task, holder }];
  });
  return live.sort((a, b) => claimedMs(a.task, rules) - claimedMs(b.task, rules) || compareTasks(a.task, b.task));
}

/** Returns when the claim of a task expires, in ISO 8601; null if it counts as long as its session is connected. */
export function claimEnd(task: Task, rules: ClaimRules): string | null {
  const { claim } = task.note;
  if (claim?.session !== undefined && claim.session !== null && rules.stateOf(claim.session) === 'connected') return null;
  return new Date(claimedMs(task, rules) + rules.ttlMs).toISOString();
}

/** Says how long a claim counts, after "held by …". */
export function describeEnd(task: Task, rules: ClaimRules): string {
  const end = claimEnd(task, rules);
  return end === null ? 'while connected' : `until ${end}`;
}

/** Throws `CONFLICT` if somebody else holds a task: a claim is ended by its holder alone. */
export function refuseOfOthers(task: Task, rules: ClaimRules): void {
  const holder = otherHolderOf(task, rules);
  if (holder === null) return;
  const until = claimEnd(task, rules);
  const message = `"${task.note.summary}" is held by ${nameHolder(holder, rules)} ${describeEnd(task, rules)}; only its holder gives it up.`;
  throw new RouxError('CONFLICT', message, { node_id: task.note.id, holder, ...(until === null ? {} : { until }) });
}

/** Throws `CONFLICT` if an undo would remove a task that another agent holds, naming it. A claim in git's folder leaves no trace in its note. */
export function checkTaskUndo(context: OperationContext, removed: readonly string[]): void {
  const rules = claimRules(context);
  for (const path of removed) {
    const task = tasksOf(context.vault).get(path);
    const holder = task === null || task.note.isResolved ? null : otherHolderOf(task, rules);
    if (task === null || holder === null) continue;
    const message = `"${task.note.summary}" (${path}) is held by ${nameHolder(holder, rules)} ${describeEnd(task, rules)}. Undo it when its holder has given it up.`;
    throw new RouxError('CONFLICT', message, { path, node_id: task.note.id, holder });
  }
}
