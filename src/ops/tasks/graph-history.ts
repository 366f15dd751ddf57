import { z } from 'zod';
import { RouxError } from '../../errors.ts';
import { defineOperation } from '../operation.ts';
import { cleanReference } from '../reference.ts';
import { findTask } from './find-task.ts';

const input = z.strictObject({
  node_id: z.string().min(1),
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().min(1).optional(),
});

/** Fields that every write changes and that say nothing. */
const NOISE: ReadonlySet<string> = new Set(['rev', 'updated_at']);

export const graphHistory = defineOperation({
  name: 'graph_history',
  toolset: 'tasks',
  title: 'Task history',
  summary: 'Who changed a task, when and how, newest first.',
  effect: 'read',
  isIdempotent: true,
  input,
  async run(context, { node_id, limit, cursor }) {
    await context.vault.refresh('changed');
    const task = findTask(context.vault, node_id);
    // A task that was merged or deleted has a history too.
    const node = task?.note.id ?? cleanReference(node_id);
    const { events, nextCursor } = await context.vault.history({ node, limit, ...(cursor === undefined ? {} : { cursor }) });
    if (task === null && events.length === 0 && cursor === undefined) {
      throw new RouxError('node_not_found', `There is no task "${node_id}". Find ids with graph_query.`, { node_id });
    }
    return {
      events: events.map(({ timestamp, agent, action, changes }) => ({
        timestamp,
        agent,
        action,
        changes: changes.filter(({ field }) => !NOISE.has(field)),
      })),
      ...(nextCursor === null ? {} : { next_cursor: nextCursor }),
    };
  },
});
