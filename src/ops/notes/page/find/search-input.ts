import * as z from 'zod';

/** What a search at the page asks for. */
export const searchInput = z.strictObject({
  query: z.string().max(2_000),
  limit: z.int().min(1).max(50).default(20),
  offset: z.int().min(0).max(10_000).default(0),
  mode: z
    .enum(['words', 'auto', 'meaning'])
    .default('words')
    .describe('auto: by meaning too, if the notes are embedded; meaning: waits for what it needs'),
  kind: z.enum(['note', 'task', 'memory', 'fact']).optional().describe('Only these; default: notes, then a few of the others'),
  folder: z.string().max(4_096).optional().describe('Only below this folder'),
  tag: z.string().max(1_000).optional().describe('Only with this tag, or one nested in it'),
  type: z.string().max(1_000).optional().describe('Only of this type'),
  since: z.int().min(1).max(36_500).optional().describe('Only changed in these last days'),
  sort: z.enum(['best', 'changed', 'title']).default('best'),
});

export type SearchInput = z.output<typeof searchInput>;
