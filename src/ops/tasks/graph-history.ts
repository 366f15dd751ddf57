import * as z from 'zod';
import { CLAIM_KEYS } from '../../graph/tasks/task-note.ts';
import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import { STAMP_KEYS } from '../../note/frontmatter/reserved-keys.ts';
import { historyCursor } from '../../vault/plan/history.ts';
import type { FieldChange } from '../../vault/plan/plan.ts';
import type { ClaimEvent } from '../../vault/claims/claims-text.ts';
import { sharedClaimsOf } from '../../vault/claims/shared-claims.ts';
import { tasksOf } from '../../vault/task-graph.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Task } from '../../graph/tasks/task.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { cleanReference } from '../reference.ts';
import { takeWhileFits, withFit } from '../shorten.ts';
import { readSince } from '../call/since.ts';
import { HANDOFF_AT, HANDOFF_BY } from './handoff/handoff.ts';
import { isNamed } from './view/claims.ts';
import { findTask, requireProject, taskNotFound } from './view/find-task.ts';
import { nameTasks, readNoteEvents, readTaskEvents } from './view/history-pages.ts';
import type { EventPage, EventQuery } from './view/history-pages.ts';

const input = z.strictObject({
  node_id: z.string().min(1).optional().describe('Id or title; without it all tasks'),
  project: z.string().min(1).optional().describe('Of this project'),
  agent: z.string().min(1).max(200).optional().describe('Of this agent'),
  since: z.string().max(100).optional().describe('2026-01-31 or with a time'),
  limit: z.int().min(1).max(100).default(20).describe('Events'),
  cursor: z.string().min(1).optional().describe('next_cursor as answered'),
});

/** Characters of an answer besides its events. */
const OVERHEAD_CHARACTERS = 100;

/** Changes of a claim that are listed. */
const MAX_CLAIM_EVENTS = 20;

/** Fields that only repeat the time of the event, say nothing to a reader, or say what another field of it says. */
const NOISE: ReadonlySet<string> = new Set([
  ...STAMP_KEYS,
  `properties.${CLAIM_KEYS.at}`,
  `properties.${CLAIM_KEYS.session}`,
  `properties.${HANDOFF_BY}`,
  `properties.${HANDOFF_AT}`,
]);

export const graphHistory = defineOperation({
  name: 'graph_history',
  toolset: 'tasks',
  title: 'Task history',
  summary: 'Who did what since when: of a task, a project or an agent, newest first.',
  effect: 'read',
  isIdempotent: true,
  input,
  async run(context, { node_id, since, ...given }) {
    const { vault } = context;
    await vault.refresh('changed');
    const isOfAll = node_id === undefined;
    const project = isOfAll && given.project !== undefined ? requireProject(vault, given.project).name : given.project;
    const query = { ...given, project, since: since === undefined ? undefined : readSince(since) };
    const { page, own } = isOfAll ? { page: await readTaskEvents(vault, query), own: null } : await readOneTask(context, node_id, query);
    const { events, nextCursor } = page;
    const claims = given.cursor !== undefined ? {} : listClaims(context, own, query);
    // The history of one task says with which other task an event began, since that was merged into it.
    const nameTask = await nameTasks(
      vault,
      events.filter(({ node }) => node !== own),
    );
    const shownEvents = events.map((event) => ({
      timestamp: event.timestamp,
      agent: event.agent,
      action: event.action,
      ...(event.node === own ? {} : nameTask(event)),
      // The line was not written in this folder by this user, so it cannot be trusted.
      ...(event.foreign === true ? { foreign: event.foreign } : {}),
      changes: event.changes
        .filter(({ field }) => !NOISE.has(field))
        .map((change) => (change.field === 'evidence' ? shorten(change, event.agent) : change)),
    }));
    return withFit({ events: shownEvents, ...claims, ...(nextCursor === null ? {} : { next_cursor: nextCursor }) }, (characters) => {
      const shown = takeWhileFits(shownEvents, characters - OVERHEAD_CHARACTERS - JSON.stringify(claims).length);
      const last = shown.length === shownEvents.length ? nextCursor : historyCursor(events[shown.length - 1]);
      return { events: [...shown], ...claims, ...(last === null ? {} : { next_cursor: last }) };
    });
  },
});

/**
 * Returns the latest changes of claims, newest first, where claims are in no note and so in no history of one (T-05): of a task, or of those
 * that the query means.
 */
function listClaims({ vault }: OperationContext, own: string | null, { project, agent, since, limit }: EventQuery) {
  const isWanted = (event: ClaimEvent): boolean =>
    (own === null ? isIn(vault, event.task, project) : event.task === own) &&
    (agent === undefined || isNamed(event.agent, agent)) &&
    (since === undefined || Date.parse(event.at) >= since);
  const events = (sharedClaimsOf(vault)?.events() ?? []).filter(isWanted);
  const claims = events.slice(0, Math.min(limit, MAX_CLAIM_EVENTS)).map(({ task, at, agent: by, before, after, released }) => ({
    timestamp: at,
    agent: by,
    action: 'updated' as const,
    ...(own === null ? { node_id: task, summary: summaryOf(vault, task) } : {}),
    changes: [
      { field: `properties.${CLAIM_KEYS.by}`, before: before?.by ?? null, after: after?.by ?? null },
      ...(released === undefined ? [] : [{ field: 'released', before: null, after: released }]),
    ],
  }));
  return claims.length === 0 ? {} : { claims };
}

function taskOf(vault: Vault, id: string): Task | null {
  const found = vault.graph.lookup(id);
  return found.kind === 'found' ? tasksOf(vault).get(found.entry.path) : null;
}

/** Whether a task that this vault shows is in a project, or in any. */
function isIn(vault: Vault, id: string, project: string | undefined): boolean {
  const task = taskOf(vault, id);
  return task !== null && (project === undefined || task.note.project === project);
}

function summaryOf(vault: Vault, id: string): string {
  return taskOf(vault, id)?.note.summary ?? id;
}

/** Reads the history of one task, also of one that was merged or deleted. `own`: its name in the history. */
async function readOneTask(
  { vault }: OperationContext,
  reference: string,
  { project, ...query }: EventQuery,
): Promise<{ readonly page: EventPage; readonly own: string }> {
  const task = findTask(vault, reference, project);
  const own = task?.note.id ?? cleanReference(reference);
  const page = await readNoteEvents(vault, own, query);
  if (task === null && page.events.length === 0 && query.cursor === undefined) throw taskNotFound(vault, reference, project);
  return { page, own };
}

/** Omits agent and time from evidence if they equal those of the event. */
function shorten(change: FieldChange, agent: string): FieldChange {
  if (change.before !== null || !isPropertyList(change.after)) return change;
  const after = change.after.map((one) => {
    if (!isPropertyMap(one) || one['agent'] !== agent) return one;
    return Object.fromEntries(Object.entries(one).filter(([key]) => key !== 'agent' && key !== 'timestamp'));
  });
  return { ...change, after };
}
