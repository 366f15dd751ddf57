import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { toNoteName } from '../../view.ts';

/** The links of one note, from it or to it. */
export const noteLinks = defineOperation({
  name: 'note_links',
  toolset: null,
  title: 'Links of a note',
  summary: 'Every link from a note in the order of its text (out), or every link to it (in).',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ id: z.string(), direction: z.enum(['out', 'in']) }),
  async run(context, { id, direction }) {
    const { path } = await requireNote(context, id);
    const { graph } = context.vault;
    return direction === 'out' ? graph.links(path) : graph.backlinks(path);
  },
});

/** Links that lead nowhere. */
export const unresolvedLinks = defineOperation({
  name: 'unresolved_links',
  toolset: null,
  title: 'Unresolved links',
  summary: 'Links that lead nowhere, with the notes that hold them.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  run: ({ vault }) => vault.graph.unresolved(),
});

/** Notes that links leave out. */
export const looseNotes = defineOperation({
  name: 'loose_notes',
  toolset: null,
  title: 'Loose notes',
  summary: 'Notes without links in or out (orphans), or without links out (dead_ends).',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ kind: z.enum(['orphans', 'dead_ends']) }),
  run({ vault }, { kind }) {
    const notes = kind === 'orphans' ? vault.graph.orphans() : vault.graph.deadEnds();
    return notes.map(toNoteName);
  },
});
