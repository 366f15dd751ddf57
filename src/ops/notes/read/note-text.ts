import * as z from 'zod';
import { toNotePath } from '../../../note/path.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { toReadRecord } from '../../view.ts';
import { readPastNote } from './past-note.ts';

/** Returns the whole text of the note for a reference. */
export const noteText = defineOperation({
  name: 'note_text',
  toolset: null,
  title: 'Text of a note',
  summary: 'The whole text of the note that a reference leads to, with its title and path; now, or as it was.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ id: z.string(), as_of: z.string().optional() }),
  early: ({ id, as_of: at }) => (at === undefined ? { notes: [id] } : null),
  async run(context, { id, as_of: at }) {
    if (at !== undefined) {
      const { entry, onDisk, asOf } = await readPastNote(context, id, at);
      return { path: entry.path, title: entry.title, text: onDisk.note.text, as_of: asOf };
    }
    const { path, title } = await requireNote(context, id);
    return { path, title, text: (await wholeText(context, path)) ?? '' };
  },
});

/** Returns the whole text of the note at exactly this path. */
export const noteAt = defineOperation({
  name: 'note_at',
  toolset: null,
  title: 'Note at a path',
  summary: 'The whole text of the note at exactly this path; null when there is none.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ path: z.string() }),
  early: ({ path }) => ({ notes: [path] }),
  run(context, { path }) {
    const known = toNotePath(path);
    return known === null ? null : wholeText(context, known);
  },
});

async function wholeText({ vault, readLog }: OperationContext, path: string): Promise<string | null> {
  const found = await vault.notes.read(path);
  if (found === null) return null;
  if (found.isPartial) {
    const chunks: string[] = [];
    for await (const chunk of vault.notes.readInChunks(path)) chunks.push(chunk);
    return chunks.join('');
  }
  const record = toReadRecord(found);
  readLog?.add(path, record, [0, record.body.length]);
  return found.note.text;
}
