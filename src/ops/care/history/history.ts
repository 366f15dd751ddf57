import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { undoCheck } from '../../call/guards.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { describeDuplicateSingletons } from '../duplicates.ts';

/** Returns the changes of a note. */
export const noteHistory = defineOperation({
  name: 'history',
  toolset: null,
  title: 'History of a note',
  summary: 'Who changed a note, when and how, newest first, through renames and merges.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ id: z.string(), limit: z.int().min(1).max(10_000).default(20), cursor: z.string().optional() }),
  async run(context, { id, limit, cursor }) {
    const { history, graph } = context.vault;
    const page = await history.ofNote({ node: id, limit, ...(cursor === undefined ? {} : { cursor }) });
    if (page.events.length === 0 && cursor === undefined && !graph.isAttachment(id)) await requireNote(context, id);
    return page;
  },
});

/** Undoes writes. */
export const undo = defineOperation({
  name: 'undo',
  toolset: null,
  title: 'Undo',
  summary: 'Take back one batch, or what an agent wrote since a time, or last, up to a pause of half an hour.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ batch: z.string().optional(), agent: z.string().optional(), since: z.string().optional() }),
  async run(context, { batch, agent, since }) {
    const meta = { ...writeMeta(context, 'undo'), check: await undoCheck(context) };
    if (batch !== undefined) return context.vault.writes.undo(meta, { batch });
    if (agent !== undefined) return context.vault.writes.undo(meta, { agent, ...(since === undefined ? {} : { since }) });
    throw new RouxError('INVALID_PARAMS', 'undo: name a batch, as the history gives it, or an agent.');
  },
});

/** Restores deleted files. */
export const restore = defineOperation({
  name: 'restore',
  toolset: null,
  title: 'Restore',
  summary: 'Bring files back from the trash: a batch, a ref of the trash, or a path.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ ref: z.string() }),
  async run(context, { ref }) {
    const done = await context.vault.writes.restore(writeMeta(context, 'restore'), ref);
    const duplicates = describeDuplicateSingletons(
      context,
      done.files.map(({ path }) => path),
    );
    return duplicates.length === 0 ? done : { ...done, warnings: [...done.warnings, ...duplicates] };
  },
});

/** Lists what can be restored. */
export const listTrash = defineOperation({
  name: 'trash',
  toolset: null,
  title: 'Trash',
  summary: 'Files that can be restored, the last removed first.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  run: ({ vault }) => vault.writes.trash(),
});
