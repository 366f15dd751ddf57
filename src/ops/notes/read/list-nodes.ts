import * as z from 'zod';
import type { GraphView } from '../../../graph/view.ts';
import { defineOperation } from '../../operation.ts';
import { firstThatFit } from '../../shorten.ts';
import { byTags } from './search-by-tags.ts';

/** What one page of ids and titles may take of an answer. */
const MAX_PAGE = 37_000;

/** Ids and titles of notes, page by page. */
export const listNodes = defineOperation({
  name: 'list_nodes',
  toolset: 'vault',
  title: 'List notes',
  summary: 'Ids and titles by tag, folder path or type. orphans: notes without links; ghosts: link targets without a note.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    tag: z.string().optional(),
    path: z.string().optional(),
    type: z.string().optional(),
    orphans: z.boolean().default(false),
    ghosts: z.boolean().default(false),
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).default(0),
  }),
  async run(context, { limit, offset, ...filter }) {
    await context.vault.refresh('changed');
    const all = filter.ghosts ? ghostsOf(context.vault.graph) : notesOf(context.vault.graph, filter);
    const nodes = firstThatFit(all.slice(offset, offset + limit), MAX_PAGE);
    const next = offset + nodes.length;
    return { nodes, total: all.length, ...(next < all.length && nodes.length > 0 ? { next_offset: next } : {}) };
  },
});

interface Filter {
  readonly tag?: string | undefined;
  readonly path?: string | undefined;
  readonly type?: string | undefined;
  readonly orphans: boolean;
}

function notesOf(graph: GraphView, { tag, path, type, orphans }: Filter) {
  const under = path?.replaceAll('\\', '/').replace(/^\/+|\/+$/g, '');
  const notes = orphans
    ? graph.orphans()
    : tag !== undefined
      ? byTags(graph, { tags: [tag], mode: 'any' })
      : type !== undefined
        ? graph.byType(type)
        : [...graph.entries(under === undefined || under === '' ? {} : { under })];
  const tagged = orphans && tag !== undefined ? new Set(byTags(graph, { tags: [tag], mode: 'any' }).map((entry) => entry.path)) : null;
  return notes
    .filter((entry) => under === undefined || under === '' || entry.path.startsWith(`${under}/`))
    .filter((entry) => type === undefined || entry.type === type)
    .filter((entry) => tagged === null || tagged.has(entry.path))
    .map((entry) => ({ id: entry.id, title: entry.title }));
}

function ghostsOf(graph: GraphView) {
  return graph.unresolved().map(({ linkpath }) => ({ id: linkpath, title: linkpath }));
}
