import * as z from 'zod';
import { tasksOf } from '../../../vault/task-graph.ts';
import { findGone } from '../../imports/find-imported.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { commitOrRehearse } from '../draft/commit-draft.ts';
import type { DraftTask } from '../draft/draft-task.ts';
import type { Draft } from '../draft/draft.ts';
import { NewTasks } from '../draft/new-tasks.ts';
import { claimRules, describeEnd, nameHolder, otherHolderOf } from '../view/claims.ts';
import { findTask } from '../view/find-task.ts';
import { applyIssue } from './apply-issue.ts';
import type { Applied, Applying } from './apply-issue.ts';
import { addressOf, issueInput, keyOf, taskIdOf, toBody, toTitle } from './issue.ts';
import type { Issue } from './issue.ts';
import { findLinkedTasks, ISSUE_PROPERTY } from './sync-state.ts';
import type { LinkedTasks, SyncState } from './sync-state.ts';

/** Issues of one write. */
export const MAX_ISSUES = 500;

const input = z.strictObject({
  issues: z.array(issueInput).max(MAX_ISSUES),
  /** The project for new tasks, created if there is none. */
  project: z.string().min(1).max(200),
  /** GitHub's side wins where both changed a field, and tasks that were deleted here are created again. */
  force: z.boolean().default(false),
  /** Only compute what would change. */
  is_rehearsal: z.boolean().default(false),
});

/** What a pull did, or would do, to the task of one issue. */
export interface PulledIssue {
  readonly issue: string;
  readonly title: string;
  /** `skipped`: its task was deleted or unlinked here; it is not created again. */
  readonly change: 'new' | 'updated' | 'resolved' | 'reopened' | 'skipped' | 'none';
  readonly assignees: readonly string[];
  readonly task?: string;
  readonly fields?: readonly string[];
  readonly conflicts?: readonly string[];
  /** Issues that it belongs below or waits for and that have no task to link to. */
  readonly missing?: readonly string[];
}

export interface PulledIssues {
  /** Without those that change nothing. */
  readonly issues: readonly PulledIssue[];
  /** What `undo` takes; null if nothing was written. */
  readonly batch: string | null;
}

/** Makes tasks of open issues, and brings the tasks of known ones up to date with them: all of these, or none. */
export const pullIssues = defineOperation({
  name: 'pull_issues',
  toolset: null,
  title: 'Pull issues',
  summary: 'Makes tasks of issues, and brings known ones up to date.',
  effect: 'write',
  overwrites: true,
  isIdempotent: true,
  input,
  async run(context, call): Promise<PulledIssues> {
    await context.vault.refresh('changed');
    const deleted = call.force ? new Set<string>() : await findDeletedTasks(context, call.issues);
    const writing = { operation: 'pull_issues', isRehearsal: call.is_rehearsal };
    const { result, batch } = await commitOrRehearse(context, writing, (draft) => new Pull(context, draft, call).run(deleted));
    const issues = result.filter(({ change, conflicts = [] }) => change !== 'none' || conflicts.length > 0);
    return { issues, batch };
  },
});

/** Returns the ids of the tasks of these issues that were deleted or merged by a call, so that a pull does not bring them back. */
async function findDeletedTasks({ vault }: OperationContext, issues: readonly Issue[]): Promise<ReadonlySet<string>> {
  const linked = findLinkedTasks(vault);
  const ids = issues.filter((issue) => issue.is_open && !linked.byId.has(issue.id)).map(taskIdOf);
  const gone = await findGone(vault, ids);
  return new Set(ids.filter((id) => gone.get(id) === 'deleted'));
}

/** One write of a pull. */
class Pull {
  readonly #context: OperationContext;
  readonly #draft: Draft;
  readonly #call: z.output<typeof input>;
  readonly #linked: LinkedTasks;
  readonly #newTasks: NewTasks;
  /** Drafts of tasks by their issues. */
  readonly #byIssue = new Map<string, DraftTask>();

  constructor(context: OperationContext, draft: Draft, call: z.output<typeof input>) {
    this.#context = context;
    this.#draft = draft;
    this.#call = call;
    this.#linked = findLinkedTasks(context.vault);
    this.#newTasks = new NewTasks(context, draft, call.project);
  }

  run(deleted: ReadonlySet<string>): readonly PulledIssue[] {
    // All tasks exist before any is linked to another.
    const issues = new Map(this.#call.issues.map((issue) => [issue.id, issue]));
    const found = [...issues.values()].map((issue) => ({ issue, ...this.#findOrCreate(issue, deleted) }));
    for (const { issue, task } of found) if (task !== null) this.#byIssue.set(keyOf(issue), task);
    const applying: Applying = {
      draft: this.#draft,
      isForced: this.#call.force,
      findTask: (key) => this.#taskOf(key),
      readNote: (task) => (task.task === null ? '' : (this.#context.vault.notes.readTextUnstable(task.path) ?? '')),
      rootOf: (task) => tasksOf(this.#context.vault).project(task.project)?.root?.note.path ?? null,
    };
    return found.map(({ issue, task, base }) => {
      const head = { issue: keyOf(issue), title: toTitle(issue), assignees: issue.assignees };
      if (task === null) return { ...head, change: issue.is_open ? 'skipped' : 'none' };
      const wasResolved = task.isResolved;
      const applied = applyIssue(applying, task, { issue, base });
      if (toBody(issue.body) === null) this.#draft.warn(`${keyOf(issue)}: its text is too long for a task and stays on GitHub.`);
      if (task.isResolved && !wasResolved) this.#warnOfClaim(task);
      if (!task.isResolved && (wasResolved || task.task === null)) this.#draft.reopenAbove(applying.rootOf(task));
      return { ...head, task: task.id, change: changeOf(task, wasResolved, this.#draft.author.at), ...shownParts(applied) };
    });
  }

  #findOrCreate(issue: Issue, deleted: ReadonlySet<string>): { readonly task: DraftTask | null; readonly base: SyncState } {
    const named = this.#linked.byIssue.get(keyOf(issue));
    const opened = issue.task === undefined ? null : findTask(this.#context.vault, issue.task);
    // The same name with another id is an issue of another repository that had the name before.
    const known =
      this.#linked.byId.get(issue.id) ?? this.#linked.byIssue.get(issue.previously ?? '') ?? (named?.state === null ? named : undefined);
    const task = known?.task ?? opened;
    if (task !== null) return { task: this.#draft.edit(task), base: known?.state ?? baseOf(issue) };
    const id = taskIdOf(issue);
    // A task with its id is one that the user unlinked.
    const isGone = deleted.has(id) || findTask(this.#context.vault, id) !== null;
    if (!issue.is_open || isGone) return { task: null, base: { id: issue.id } };
    const summary = toTitle(issue);
    const properties = { [ISSUE_PROPERTY]: keyOf(issue) };
    const created = this.#newTasks.create({ id, summary, properties, contextLinks: [addressOf(issue)] });
    return { task: created, base: { id: issue.id } };
  }

  #taskOf(key: string): DraftTask | null {
    const known = this.#linked.byIssue.get(key);
    return this.#byIssue.get(key) ?? (known === undefined ? null : this.#draft.edit(known.task));
  }

  #warnOfClaim({ task, summary }: DraftTask): void {
    if (task === null) return;
    const rules = claimRules(this.#context);
    const holder = otherHolderOf(task, rules);
    if (holder !== null) this.#draft.warn(`"${summary}" is held by ${nameHolder(holder, rules)} ${describeEnd(task, rules)}.`);
  }
}

function changeOf(task: DraftTask, wasResolved: boolean, at: string): PulledIssue['change'] {
  if (task.task === null) return 'new';
  if (task.isResolved !== wasResolved) return wasResolved ? 'reopened' : 'resolved';
  return task.toFile(at) === null ? 'none' : 'updated';
}

function shownParts({ fields, conflicts, missing }: Applied): Pick<PulledIssue, 'fields' | 'conflicts' | 'missing'> {
  return {
    ...(fields.length === 0 ? {} : { fields }),
    ...(conflicts.length === 0 ? {} : { conflicts }),
    ...(missing.length === 0 ? {} : { missing }),
  };
}

/** Returns what a task has in common with an issue that was opened for it: its state. Without a push, nothing is known. */
function baseOf({ id, task }: Issue): SyncState {
  return task === undefined ? { id } : { id, state: 'open' };
}
