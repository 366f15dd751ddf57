import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { toNodeResponse } from '../../view.ts';
import { withTags } from './search-by-tags.ts';

/** Returns a random note. */
export const randomNode = defineOperation({
  name: 'random_node',
  toolset: 'vault',
  title: 'Random note',
  summary: 'Any note, or any with one of these tags.',
  effect: 'read',
  isIdempotent: false,
  input: z.object({ tags: z.array(z.string()).optional().describe('Any of these') }),
  async run(context, { tags }) {
    await context.vault.refresh('changed');
    const { graph, ports } = context.vault;
    const candidates = tags === undefined || tags.length === 0 ? graph.listed({}) : withTags(graph, { tags, mode: 'any' });
    // If the note was removed meanwhile, the next one is returned.
    const first = Math.min(candidates.size - 1, Math.floor(ports.random() * candidates.size));
    for (let step = 0; step < candidates.size; step += 1) {
      const at = (first + step) % candidates.size;
      const [drawn] = candidates.slice(at, at + 1);
      const onDisk = drawn === undefined ? null : await context.vault.notes.read(drawn.path);
      const entry = drawn === undefined ? null : graph.get(drawn.path);
      if (onDisk !== null && entry !== null) return toNodeResponse(context, { entry, onDisk });
    }
    return null;
  },
});
