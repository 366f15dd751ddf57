import * as z from 'zod';
import { listAnchoredNotes } from '../../../../vault/code/anchored-notes.ts';
import { findNotesAbout } from '../../../../vault/code/notes-about.ts';
import { defineOperation } from '../../../operation.ts';
import { showNoteAbout } from './note-code.ts';

/** Notes that are listed. */
const MAX_NOTES = 200;

/** Returns the notes about a path of the repository around the vault. */
export const codePage = defineOperation({
  name: 'code_page',
  toolset: null,
  title: 'Notes about a path of code',
  summary: 'The notes about a file or folder of the repository around the vault, by applies_to; all of them for its top.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().max(4_096).default('') }),
  async run(context, { path }) {
    const { vault } = context;
    if (path === '') {
      const notes = listAnchoredNotes(vault).filter(({ anchors }) => anchors.length > 0);
      const shown = notes.slice(0, MAX_NOTES).map(({ entry, anchors }) =>
        showNoteAbout(
          context,
          entry.path,
          anchors.map(({ text }) => text),
        ),
      );
      return { path: '', is_there: true, notes: shown, total: notes.length };
    }
    const found = await findNotesAbout(vault, path);
    const notes = found?.notes ?? [];
    return {
      path: found?.path ?? path,
      is_there: found?.isThere ?? false,
      notes: notes.slice(0, MAX_NOTES).map(({ note, anchors }) => showNoteAbout(context, note.entry.path, anchors)),
      total: notes.length,
    };
  },
});
