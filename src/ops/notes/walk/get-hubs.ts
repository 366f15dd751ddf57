import * as z from 'zod';
import { defineOperation } from '../../operation.ts';

/** Lists the most linked notes. */
export const getHubs = defineOperation({
  name: 'get_hubs',
  toolset: 'vault',
  title: 'Most linked notes',
  summary: 'The most linked or linking notes.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    metric: z.enum(['in_degree', 'out_degree']).default('in_degree').describe('in: links to it'),
    limit: z.int().min(1).max(50).default(10).describe('Notes'),
  }),
  async run(context, { metric, limit }) {
    await context.vault.refresh('changed');
    const { graph } = context.vault;
    const notes = graph.walk.hubs({ metric, limit }).map(({ entry, score }) => ({ id: entry.id, title: entry.title, score }));
    const ghosts =
      metric === 'out_degree'
        ? []
        : graph.mostWanted(limit).map((ghost) => ({ id: ghost.linkpath, title: ghost.linkpath, score: ghost.sources.length, ghost: true }));
    return [...notes, ...ghosts].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, limit);
  },
});
