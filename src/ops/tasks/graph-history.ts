import * as z from 'zod';
import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import { STAMP_KEYS } from '../../note/frontmatter/reserved-keys.ts';
import { historyCursor } from '../../vault/plan/history.ts';
import type { FieldChange } from '../../vault/plan/plan.ts';
import { defineOperation } from '../operation.ts';
import { cleanReference } from '../reference.ts';
import { takeWhileFits, withFit } from '../shorten.ts';
import { findTask, projectInput, taskNotFound } from './view/find-task.ts';

const input = z.strictObject({
  node_id: z.string().min(1).describe('Id or title'),
  limit: z.int().min(1).max(100).default(20).describe('Events'),
  cursor: z.string().min(1).optional().describe('next_cursor of the answer before'),
  project: projectInput,
});

/** Characters of an answer besides its events. */
const OVERHEAD_CHARACTERS = 100;

/** Fields that only repeat the time of the event. */
const NOISE: ReadonlySet<string> = new Set([...STAMP_KEYS, 'properties._claimed_at']);

export const graphHistory = defineOperation({
  name: 'graph_history',
  toolset: 'tasks',
  title: 'Task history',
  summary: 'The history of a task, newest first.',
  effect: 'read',
  isIdempotent: true,
  input,
  async run(context, { node_id, limit, cursor, project }) {
    await context.vault.refresh('changed');
    const task = findTask(context.vault, node_id, project);
    // A merged or deleted task has a history too.
    const node = task?.note.id ?? cleanReference(node_id);
    const { events, nextCursor } = await context.vault.history.ofNote({ node, limit, ...(cursor === undefined ? {} : { cursor }) });
    if (task === null && events.length === 0 && cursor === undefined) throw taskNotFound(context.vault, node_id, project);
    const shownEvents = events.map(({ timestamp, agent, action, changes, foreign }) => ({
      timestamp,
      agent,
      action,
      // The line was not written in this folder by this user, so it cannot be trusted.
      ...(foreign === true ? { foreign } : {}),
      changes: changes
        .filter(({ field }) => !NOISE.has(field))
        .map((change) => (change.field === 'evidence' ? shorten(change, agent) : change)),
    }));
    return withFit({ events: shownEvents, ...(nextCursor === null ? {} : { next_cursor: nextCursor }) }, (characters) => {
      const shown = takeWhileFits(shownEvents, characters - OVERHEAD_CHARACTERS);
      const last = shown.length === shownEvents.length ? nextCursor : historyCursor(events[shown.length - 1]);
      return { events: [...shown], ...(last === null ? {} : { next_cursor: last }) };
    });
  },
});

/** Omits agent and time from evidence if they equal those of the event. */
function shorten(change: FieldChange, agent: string): FieldChange {
  if (change.before !== null || !isPropertyList(change.after)) return change;
  const after = change.after.map((one) => {
    if (!isPropertyMap(one) || one['agent'] !== agent) return one;
    return Object.fromEntries(Object.entries(one).filter(([key]) => key !== 'agent' && key !== 'timestamp'));
  });
  return { ...change, after };
}
