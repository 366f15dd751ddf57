import * as z from 'zod';
import { defineOperation } from '../../../operation.ts';

const MAX_PATHS = 2_000;

/** Finds the notes that the graph lights up. */
export const findWords = defineOperation({
  name: 'find_words',
  toolset: null,
  title: 'Notes that have words',
  summary: 'The paths of the notes that a query finds by its words, best first.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'search',
  input: z.strictObject({ query: z.string().max(2_000), limit: z.int().min(1).max(MAX_PATHS).default(MAX_PATHS) }),
  async run({ vault, signal }, { query, limit }) {
    if (query.trim() === '') return { paths: [], total: 0, is_lower_bound: false };
    const { hits, total, isLowerBound } = await vault.search.search({ query, mode: 'keyword', limit, snippetLength: 0, signal });
    return { paths: hits.map(({ path }): string => path), total, is_lower_bound: isLowerBound };
  },
});
