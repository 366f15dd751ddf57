import * as z from 'zod';
import type { GraphView, Listed, NoteEntry } from '../../../graph/view.ts';
import { warnOfUnknownTags } from '../../names/near-names.ts';
import { defineOperation } from '../../operation.ts';
import { fieldsInput, LIST_CONTENT_CHARACTERS, toNodeList, warnOfMore } from '../../lists/node-list.ts';

/** Finds notes by tag. */
export const searchByTags = defineOperation({
  name: 'search_by_tags',
  toolset: 'vault',
  title: 'Notes by tag',
  summary: 'Notes with any or all of these tags or nested ones.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    tags: z.array(z.string()).min(1).describe('a finds a/b too'),
    mode: z.enum(['any', 'all']).default('any').describe('Any or all of the tags'),
    limit: z.int().min(1).max(100).default(20).describe('Notes'),
    offset: z.int().min(0).default(0).describe('Notes to skip'),
    include_content: z.boolean().default(true).describe('false: no text of notes'),
    fields: fieldsInput.describe('As in search'),
  }),
  async run(context, { tags, mode, limit, offset, include_content: includeContent, fields }) {
    await context.vault.refresh('changed');
    const found = withTags(context.vault.graph, { tags, mode });
    warnOfUnknownTags(context, tags);
    const listed = found.slice(offset, offset + limit).map((entry) => ({ entry }));
    const shown = toNodeList(context, listed, { contentLength: LIST_CONTENT_CHARACTERS, includeContent, fields });
    warnOfMore(context, { kind: 'notes match', total: found.size, offset, shown: shown.length });
    return shown;
  },
});

/**
 * Returns the notes with any or all of the tags, sorted by path. With a single tag the list is lazy: only the requested slice costs
 * anything.
 */
export function withTags(graph: GraphView, query: { readonly tags: readonly string[]; readonly mode: 'any' | 'all' }): Listed {
  const [tag, ...more] = new Set(query.tags);
  if (tag !== undefined && more.length === 0) return graph.listed({ tag });
  const entries = byTags(graph, query);
  return { size: entries.length, slice: (from, to) => entries.slice(from, to) };
}

/** Returns the notes with any or all of the tags, sorted by path. */
export function byTags(graph: GraphView, query: { readonly tags: readonly string[]; readonly mode: 'any' | 'all' }): readonly NoteEntry[] {
  const lists = [...new Set(query.tags)].map((tag) => graph.facets.byTag(tag));
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
