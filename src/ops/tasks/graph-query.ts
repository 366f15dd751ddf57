import * as z from 'zod';
import type { Task, TaskProject } from '../../graph/tasks/task.ts';
import type { Properties, PropertyValue } from '../../note/note.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { takeWhileFits } from '../shorten.ts';
import { claimRules, heldByOthers, includeClaimed, isClaimedBy, otherHolderOf } from './view/claims.ts';
import type { ClaimRules } from './view/claims.ts';
import { hasEvidenceType } from './view/evidence-notes.ts';
import { isBelow, requireProject, requireTask } from './view/find-task.ts';
import { findBranchTasks } from './view/branch-tasks.ts';
import type { BranchTask } from './view/branch-tasks.ts';
import { compareKeys, keyOf, matchesProperties, readCursor, SORTS, toCursor } from './view/query.ts';
import type { OrderKey, Sort } from './view/query.ts';
import { toBlocked, toState, valuesOf } from './view/shapes.ts';

/** Maximum characters of a page. */
const MAX_CHARACTERS = 36_000;
const MAX_BRANCH_TASKS = 100;

const filterInput = z.strictObject({
  resolved: z.boolean().optional().describe('Done or dropped'),
  properties: z.record(z.string(), z.unknown()).optional().describe('Equal values'),
  text: z.string().optional().describe('In the summary, any case'),
  ancestor: z.string().min(1).optional().describe('Below this task'),
  has_evidence_type: z.string().min(1).optional().describe('Such as test'),
  is_leaf: z.boolean().optional().describe('Without subtasks'),
  is_actionable: z.boolean().optional().describe('Can be started now'),
  is_blocked: z.boolean().optional().describe('Waits for a task, or is marked so'),
  claimed_by: z.string().nullable().optional().describe('Agent; null: unclaimed'),
});

const input = z.strictObject({
  project: z.string().min(1).optional().describe('If there are several'),
  filter: filterInput.optional().describe('All must hold'),
  sort: z.enum(SORTS).default('readiness').describe('readiness: what can be started first'),
  limit: z.int().min(1).max(100).default(20).describe('Tasks'),
  branches: z.boolean().default(false).describe('Also tasks of other git branches'),
  cursor: z.string().min(1).optional().describe('next_cursor as answered'),
  include_claimed: includeClaimed,
});

type Filter = z.output<typeof filterInput>;

interface Row {
  readonly id: string;
  readonly summary: string;
  readonly resolved: boolean;
  readonly blocked?: true;
  readonly blocked_reason?: string;
  readonly state?: PropertyValue;
  readonly parent?: string;
  readonly depth: number;
  readonly properties: Properties;
  /** Who else holds it. */
  readonly held_by?: string;
}

/** One page of tasks. */
export interface Page {
  readonly nodes: readonly Row[];
  readonly total: number;
  readonly next_cursor?: string;
  /** With `branches`: tasks that other branches did, or that only they have. */
  readonly branches?: readonly BranchTask[];
  /** How many tasks were left out. */
  readonly hint?: string;
}

export const graphQuery = defineOperation({
  name: 'graph_query',
  toolset: 'tasks',
  title: 'Query tasks',
  summary: 'Finds tasks of a project by state, properties, text, place or claim.',
  effect: 'read',
  isIdempotent: true,
  input,
  // A note that is not indexed yet may be a task that others depend on.
  early: () => 'refuse',
  async run(context, { project: reference, filter = {}, sort, limit, cursor, include_claimed, branches }): Promise<Page> {
    await context.vault.refresh('changed');
    const ancestor = filter.ancestor === undefined ? null : requireTask(context.vault, filter.ancestor, reference);
    const project = requireProject(context.vault, reference ?? ancestor?.note.project);
    const after = cursor === undefined ? null : readCursor(cursor, sort);
    const rules = claimRules(context);
    // What others hold cannot be started now (T-07).
    const isLeftOut = (task: Task): boolean => filter.is_actionable === true && !include_claimed && otherHolderOf(task, rules) !== null;
    const { page, total, leftOut } =
      isOnlyActionable(filter) && sort === 'readiness'
        ? readRanked(project, { after, limit, isLeftOut })
        : search(context, project, { filter, ancestor, sort, after, limit, isLeftOut });
    const rows = page.slice(0, limit).map((task) => toRow(context, task, rules));
    const elsewhere = branches ? (await findBranchTasks(context)).filter((task) => task.project === project.name) : [];
    const told = takeWhileFits(elsewhere.slice(0, MAX_BRANCH_TASKS), MAX_CHARACTERS / 3, { least: 0 });
    const nodes = takeWhileFits(rows, MAX_CHARACTERS - JSON.stringify(told).length);
    const last = page[nodes.length - 1];
    return {
      nodes,
      total,
      ...(last === undefined || page.length === nodes.length ? {} : { next_cursor: toCursor(keyOf(last, sort), sort) }),
      ...(branches ? { branches: told } : {}),
      ...(leftOut === 0 ? {} : { hint: `${leftOut} more held by others: include_claimed: true shows them.` }),
    };
  },
});

function isOnlyActionable(filter: Filter): boolean {
  return filter.is_actionable === true && Object.values(filter).filter((value) => value !== undefined).length === 1;
}

interface Found {
  readonly page: readonly Task[];
  readonly total: number;
  readonly leftOut: number;
}

/**
 * Reads the actionable tasks, which are already sorted, without scanning others. One more than the limit shows that there is a next page.
 */
function readRanked(project: TaskProject, { after, limit, isLeftOut }: Pick<Search, 'after' | 'limit' | 'isLeftOut'>): Found {
  const page: Task[] = [];
  const isPassed = (rank: Parameters<Parameters<TaskProject['ranked']>[0] & object>[0]): boolean =>
    after !== null && compareKeys({ numbers: [0, -rank.priority, -rank.depth, rank.updatedMs], id: rank.id }, after) <= 0;
  for (const task of project.ranked(isPassed)) {
    if (isLeftOut(task)) continue;
    page.push(task);
    if (page.length > limit) break;
  }
  const leftOut = [...project.claimed].filter((task) => task.isActionable && isLeftOut(task)).length;
  return { page, total: project.counts.actionable - leftOut, leftOut };
}

interface Search {
  readonly filter: Filter;
  readonly ancestor: Task | null;
  readonly sort: Sort;
  readonly after: OrderKey | null;
  readonly limit: number;
  readonly isLeftOut: (task: Task) => boolean;
}

function search(context: OperationContext, project: TaskProject, { filter, ancestor, sort, after, limit, isLeftOut }: Search): Found {
  const fits = toPredicate(context, filter, ancestor);
  const rest: { task: Task; key: OrderKey }[] = [];
  let [total, leftOut] = [0, 0];
  for (const task of project.tasks) {
    if (!fits(task)) continue;
    if (isLeftOut(task)) {
      leftOut += 1;
      continue;
    }
    total += 1;
    const key = keyOf(task, sort);
    if (after === null || compareKeys(key, after) > 0) rest.push({ task, key });
  }
  rest.sort((a, b) => compareKeys(a.key, b.key));
  return { page: rest.slice(0, limit + 1).map(({ task }) => task), total, leftOut };
}

function toPredicate(context: OperationContext, filter: Filter, ancestor: Task | null): (task: Task) => boolean {
  const rules = claimRules(context);
  const text = filter.text === undefined ? null : fold(filter.text);
  return (task) => {
    const { note } = task;
    if (filter.resolved !== undefined && note.isResolved !== filter.resolved) return false;
    if (filter.is_actionable !== undefined && task.isActionable !== filter.is_actionable) return false;
    if (filter.is_blocked !== undefined && task.isBlocked !== filter.is_blocked) return false;
    if (filter.is_leaf !== undefined && (task.openChildren === 0) !== filter.is_leaf) return false;
    if (filter.claimed_by !== undefined && !isClaimedBy(task, filter.claimed_by, rules)) return false;
    if (filter.has_evidence_type !== undefined && !hasEvidenceType(context.vault.graph, task, filter.has_evidence_type)) return false;
    if (text !== null && !fold(note.summary).includes(text)) return false;
    if (filter.properties !== undefined && !matchesProperties(note.properties, filter.properties)) return false;
    return ancestor === null || isBelow(task, ancestor);
  };
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function toRow(context: OperationContext, task: Task, rules: ClaimRules): Row {
  const { note } = task;
  return {
    id: note.id,
    summary: note.summary,
    resolved: note.isResolved,
    ...toBlocked(task),
    ...toState(valuesOf(context.vault.graph, task)),
    ...(task.parent === null ? {} : { parent: task.parent.note.id }),
    depth: task.depth,
    properties: note.properties,
    ...heldByOthers(task, rules),
  };
}
