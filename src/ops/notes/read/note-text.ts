import * as z from 'zod';
import { toNotePath } from '../../../note/path.ts';
import { defineOperation } from '../../operation.ts';
import { requireNote } from '../../reference.ts';

/** The whole text of a note that a reference leads to. */
export const noteText = defineOperation({
  name: 'note_text',
  toolset: null,
  title: 'Text of a note',
  summary: 'The whole text of the note that a reference leads to, with its title and path.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ id: z.string() }),
  async run(context, { id }) {
    const { path, title } = await requireNote(context, id);
    return { path, title, text: (await context.vault.read(path))?.note.text ?? '' };
  },
});

/** The whole text of the note at exactly this path. */
export const noteAt = defineOperation({
  name: 'note_at',
  toolset: null,
  title: 'Note at a path',
  summary: 'The whole text of the note at exactly this path; null when there is none.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ path: z.string() }),
  async run({ vault }, { path }) {
    const known = toNotePath(path);
    return known === null ? null : ((await vault.read(known))?.note.text ?? null);
  },
});
