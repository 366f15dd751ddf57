import * as z from 'zod';
import { warnOfMissingNotes } from '../../names/near-names.ts';
import { defineOperation } from '../../operation.ts';
import { findNote } from '../../reference.ts';

/** Finds the shortest chain of links between two notes. */
export const findPath = defineOperation({
  name: 'find_path',
  toolset: 'vault',
  title: 'Path between notes',
  summary: 'Shortest chain of links between two notes.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    source: z.string().describe('Id, path, title or alias'),
    target: z.string().describe('Id, path, title or alias'),
    direction: z.enum(['out', 'both']).default('both').describe('out: along links only'),
  }),
  async run(context, { source, target, direction }) {
    const from = await findNote(context, source);
    const to = await findNote(context, target);
    if (from === null || to === null) {
      warnOfMissingNotes(context, [...(from === null ? [source] : []), ...(to === null ? [target] : [])]);
      return null;
    }
    const { graph } = context.vault;
    const path = graph.walk.findPath({ source: from.path, target: to.path, direction });
    if (path === null) {
      const both = direction === 'out' ? ' in this direction; direction "both" follows links backwards too' : '';
      context.warn(`No chain of links connects ${from.path} with ${to.path}${both}.`);
    }
    return path === null ? null : { path: path.map((step) => graph.get(step)?.id ?? step), length: path.length - 1 };
  },
});
