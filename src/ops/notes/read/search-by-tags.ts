import * as z from 'zod';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { defineOperation } from '../../operation.ts';
import { LIST_CONTENT, toNodeList } from '../../view.ts';

/** Notes by tag. */
export const searchByTags = defineOperation({
  name: 'search_by_tags',
  toolset: 'vault',
  title: 'Notes by tag',
  summary: 'Notes with any or all of these tags; a tag includes those nested below it.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    tags: z.array(z.string()).min(1),
    mode: z.enum(['any', 'all']).default('any'),
    limit: z.int().min(1).max(100).default(20),
    include_content: z.boolean().default(true),
  }),
  async run(context, { tags, mode, limit, include_content: includeContent }) {
    await context.vault.refresh('changed');
    const found = byTags(context.vault.graph, { tags, mode });
    if (found.length > limit)
      context.warn(`${found.length} notes match; the first ${limit} are shown. list_nodes with tag and offset lists all.`);
    const listed = found.slice(0, limit).map((entry) => ({ entry }));
    return toNodeList(context, listed, { contentLength: LIST_CONTENT, includeContent });
  },
});

/** The notes that carry any or all of the tags, by path. */
export function byTags(graph: GraphView, query: { readonly tags: readonly string[]; readonly mode: 'any' | 'all' }): readonly NoteEntry[] {
  const lists = [...new Set(query.tags)].map((tag) => graph.byTag(tag));
  const counts = new Map<NoteEntry['path'], { entry: NoteEntry; count: number }>();
  for (const entry of lists.flat()) {
    const seen = counts.get(entry.path);
    if (seen === undefined) counts.set(entry.path, { entry, count: 1 });
    else seen.count += 1;
  }
  return [...counts.values()]
    .filter(({ count }) => query.mode === 'any' || count === lists.length)
    .map(({ entry }) => entry)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
