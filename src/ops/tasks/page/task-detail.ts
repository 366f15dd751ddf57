import * as z from 'zod';
import { findDeadlocks } from '../../../graph/tasks/deadlock.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { defineOperation, toDryRun } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { cleanReference, lookUpOriginal } from '../../reference.ts';
import { asText, takeWhileFits, shorten } from '../../shorten.ts';
import { graphHistory } from '../graph-history.ts';
import { graphUpdate } from '../graph-update.ts';
import { toHandoff } from '../handoff/handoff.ts';
import { claimRules } from '../view/claims.ts';
import type { ClaimRules } from '../view/claims.ts';
import { toCriteria } from '../view/criteria.ts';
import { hasEvidence, newestOlderEvidence, olderEvidence } from '../view/evidence-notes.ts';
import { projectName, tasksOf } from '../../../vault/task-graph.ts';
import { ancestorsOf, childrenOf, requireTask } from '../view/find-task.ts';
import { readContextLinks, readEvidence, readRev, valuesOf } from '../view/shapes.ts';
import { toBoardTask, toNamed } from './task-board.ts';
import { claimOf, MAX_SUMMARY_CHARACTERS, stateOf } from './task-state.ts';

const MAX_CHILDREN = 200;
const MAX_NEIGHBORS = 100;
const MAX_EVIDENCE = 100;
const MAX_LINKS = 50;
const MAX_TEXT_CHARACTERS = 2_000;
const MAX_PROPERTIES_CHARACTERS = 8_000;
const MAX_EVENTS = 30;
const MAX_FIELDS = 20;

/** Returns one task with its dependencies, dependents, evidence and history. */
export const taskDetail = defineOperation({
  name: 'task_detail',
  toolset: null,
  title: 'Task',
  summary: 'A task with its place, what it waits for and what waits for it, evidence with the notes it names, and its history.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ task: z.string().min(1).max(2_000) }),
  async run(context, { task: reference }) {
    const { vault } = context;
    await vault.refresh('changed');
    const task = requireTask(vault, reference);
    const rules = claimRules(context);
    const tasks = tasksOf(vault);
    const values = valuesOf(vault.graph, task);
    const project = tasks.project(task.note.project);
    const children = childrenOf(task);
    const dependents = tasks.dependents(task.note.path);
    const circle = findDeadlocks(project?.tasks ?? [task], (path) => tasks.get(path)).find((group) => group.includes(task)) ?? [];
    const evidence = readEvidence(values);
    const older = newestOlderEvidence(vault, task, MAX_EVIDENCE - evidence.length);
    return {
      task: toBoardTask(context, tasks, task, { rules, isStuck: circle.length > 0 }),
      rev: readRev(values),
      project: {
        name: task.note.project,
        title: shorten(project === null ? '' : projectName(vault.graph, project), MAX_SUMMARY_CHARACTERS),
      },
      summary: shorten(task.note.summary, MAX_TEXT_CHARACTERS),
      ancestors: ancestorsOf(task).map(toNamed),
      children: children.slice(0, MAX_CHILDREN).map((child) => toNeighbor(child, rules)),
      child_count: children.length,
      depends_on: task.dependencies.slice(0, MAX_NEIGHBORS).map(({ path, text }) => {
        const target = path === null ? null : tasks.get(path);
        return target === null ? { missing: shorten(text, MAX_SUMMARY_CHARACTERS) } : toNeighbor(target, rules);
      }),
      depended_by: dependents.slice(0, MAX_NEIGHBORS).map((each) => toNeighbor(each, rules)),
      neighbors_omitted: Math.max(0, task.dependencies.length - MAX_NEIGHBORS) + Math.max(0, dependents.length - MAX_NEIGHBORS),
      circle: circle.slice(0, MAX_NEIGHBORS).map(toNamed),
      evidence: [...older, ...evidence].slice(-MAX_EVIDENCE).map((each) => ({
        ...each,
        type: shorten(each.type, 100),
        agent: shorten(each.agent, 100),
        ref: shorten(each.ref, MAX_TEXT_CHARACTERS),
        ...toNote(context, each.ref),
      })),
      ...olderEvidence(context, task),
      ...toCriteria(context, task.note.path),
      ...toHandoff(context, task),
      context_links: readContextLinks(values)
        .slice(0, MAX_LINKS)
        .map((link) => ({ text: shorten(link, MAX_TEXT_CHARACTERS), ...toNote(context, link) })),
      properties: Object.fromEntries(
        takeWhileFits(
          Object.entries(task.note.properties).filter(([key]) => !key.startsWith('_')),
          MAX_PROPERTIES_CHARACTERS,
          { least: 0 },
        ),
      ),
      created_at: task.note.createdAt,
      updated_at: task.note.updatedAt,
      created_by: typeof values['created_by'] === 'string' ? shorten(values['created_by'], 100) : 'external',
      history: await historyOf(context, task),
    };
  },
});

/** Computes what resolving a task would change, without writing. */
export const resolvePreview = defineOperation({
  name: 'resolve_preview',
  toolset: null,
  title: 'What resolving does',
  summary: 'Which tasks become ready when a task is resolved, and what would be warned of. Writes nothing.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ task: z.string().min(1).max(2_000) }),
  async run(context, { task: reference }) {
    const { vault } = context;
    await vault.refresh('changed');
    const warnings: string[] = [];
    const dry: OperationContext = { ...toDryRun(context), warn: (message) => void warnings.push(message) };
    // Passes a reason; whether one is required is reported separately.
    const update = { node_id: reference, resolved: true, resolved_reason: 'done' };
    const { newly_actionable: ready = [] } = await graphUpdate.run(dry, { updates: [update] });
    const task = requireTask(vault, reference);
    return {
      ...toNeighbor(task, claimRules(context)),
      rev: readRev(valuesOf(vault.graph, task)),
      becomes_ready: ready.slice(0, MAX_NEIGHBORS).map(({ id, summary }) => ({ id, summary: shorten(summary, MAX_SUMMARY_CHARACTERS) })),
      becomes_ready_count: ready.length,
      evidence: hasEvidence(valuesOf(vault.graph, task)) ? 'there' : context.config.tasks.requireEvidence ? 'needed' : 'none',
      warnings,
    };
  },
});

/** Returns the changes of a task, newest first, with shortened fields. */
async function historyOf(context: OperationContext, task: Task) {
  const page = await graphHistory.run(context, { node_id: task.note.id, limit: MAX_EVENTS });
  return {
    events: page.events.map(({ timestamp, agent, action, changes }) => ({
      timestamp,
      agent: shorten(agent, 100),
      action,
      changes: changes.slice(0, MAX_FIELDS).map(({ field, before, after }) => ({
        field: shorten(field, 100),
        before: asText(before, MAX_SUMMARY_CHARACTERS),
        after: asText(after, MAX_SUMMARY_CHARACTERS),
      })),
    })),
    has_more: page.next_cursor !== undefined,
  };
}

function toNeighbor(task: Task, rules: ClaimRules) {
  return { ...toNamed(task), state: stateOf(task, rules), ...claimOf(task, rules) };
}

/** Returns the note that a reference names, if any. */
function toNote({ vault }: OperationContext, reference: string): { path?: string; title?: string } {
  const cleaned = cleanReference(reference);
  if (cleaned === '' || cleaned.length > MAX_TEXT_CHARACTERS || /^[a-z][a-z0-9+.-]*:\/\//i.test(cleaned)) return {};
  const [linkpath = ''] = cleaned.split('#');
  const found = lookUpOriginal(vault, linkpath.trim());
  return found.kind === 'found' ? { path: found.entry.path, title: shorten(found.entry.title, MAX_SUMMARY_CHARACTERS) } : {};
}
