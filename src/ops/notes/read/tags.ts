import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { toNoteName } from '../../view.ts';

/** Lists all tags with their numbers of notes. */
export const listTags = defineOperation({
  name: 'tags',
  toolset: null,
  title: 'Tags',
  summary: 'All tags with the number of notes that carry them.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  run: ({ vault }) => vault.graph.facets.tags(),
});

/** Lists the notes with a tag. */
export const taggedNotes = defineOperation({
  name: 'tagged_notes',
  toolset: null,
  title: 'Tagged notes',
  summary: 'All notes with this tag or one nested below it.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ tag: z.string() }),
  run: ({ vault }, { tag }) => vault.graph.facets.byTag(tag).map(toNoteName),
});
