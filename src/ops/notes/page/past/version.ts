import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import { restoreText } from '../../../../note/stamps.ts';
import { toNotePath } from '../../../../note/path.ts';
import { creationOf } from '../../../../vault/plan/file-change.ts';
import { revIn } from '../../../../vault/plan/note-text.ts';
import type { FileChange } from '../../../../vault/plan/plan.ts';
import { noteOf } from '../../../../vault/sync/read-note.ts';
import { currentTime, defineOperation, writeMeta } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { etagOf } from '../../../view.ts';
import { showProperties } from '../properties.ts';
import { renderNote } from '../render.ts';
import type { Vault } from '../../../../vault/vault.ts';
import type { WrittenFile } from '../../../../vault/history/write-diff.ts';

/** Names a version of a note: the text before or after one of its changes. */
interface VersionName {
  /** The id of the write, as `page_history` gives it. */
  readonly id: string;
  /** The path of the note in that write. */
  readonly path: string;
  readonly side: 'before' | 'after';
}

/** A version of a note, and the file that it is a version of. */
interface FoundVersion {
  readonly text: string;
  readonly file: WrittenFile;
  /** ISO 8601; the time of the change. */
  readonly timestamp: string;
}

const version = {
  id: z.string().min(1).max(100),
  path: z.string().min(1).max(4_096),
  side: z.enum(['before', 'after']),
};

/** Returns an earlier version of a note as a page. */
export const pageVersion = defineOperation({
  name: 'page_version',
  toolset: null,
  title: 'Version of a page',
  summary: 'A note as it was before or after one of its changes, rendered as sanitised HTML.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ ...version, offset: z.int().min(0).default(0) }),
  async run({ vault }, { offset, ...name }) {
    const { text, file, timestamp } = await findVersion(vault, name);
    const notePath = toNotePath(name.path);
    if (notePath === null) throw new RouxError('INVALID_PARAMS', 'Only notes are shown as they were.', { path: name.path });
    const note = noteOf(notePath, Buffer.from(text), { forIndex: false });
    const { html, nextOffset, notices } = await renderNote(vault, note, { offset });
    return {
      title: note.title,
      timestamp,
      html,
      notices,
      properties: showProperties(vault.graph, notePath, note.frontmatter.data),
      ...(nextOffset === null ? {} : { next_offset: nextOffset }),
      /** Where the note is now; null if it was deleted. */
      now: file.now,
      is_current: file.now !== null && (await vault.notes.read(file.now))?.note.text === text,
    };
  },
});

/** Writes an earlier version of a note again, or a deleted note. */
export const restoreVersion = defineOperation({
  name: 'restore_version',
  toolset: null,
  title: 'Restore a version',
  summary:
    'Gives a note the text that it had before or after one of its changes, or brings a deleted note back. A write that can be undone.',
  effect: 'write',
  overwrites: true,
  isIdempotent: false,
  input: z.strictObject({
    ...version,
    /** The etag of the note that the version replaces; absent for a deleted note. */
    if_match: z.string().min(8).max(64).optional(),
  }),
  async run(context, { if_match: etag, ...name }) {
    const { vault } = context;
    const { text, file } = await findVersion(vault, name);
    if (file.now === null) return bringBack(context, name.path, text);
    const path = toNotePath(file.now);
    if (path === null || etag === undefined)
      throw new RouxError('INVALID_PARAMS', 'if_match is needed to replace a note.', { path: file.now });
    const committed = await vault.writes.write(writeMeta(context, 'restore_version'), () => {
      const now = vault.notes.readUnstable(path);
      if (now === null) throw new RouxError('NODE_NOT_FOUND', 'This note is gone.', { path });
      if (!now.hash.startsWith(etag))
        throw new RouxError('CONFLICT', 'This note has changed since it was shown.', { path, etag: etagOf(now.hash) });
      if (now.note.text === text) return { files: [] };
      const rev = revIn(now.note.text);
      const changes =
        rev === null || revIn(text) === null ? [{ op: 'text' as const, text }] : restoreText(text, { rev, at: currentTime(context) });
      const files: readonly FileChange[] = [{ kind: 'change', path, changes, expect: { etag: now.hash } }];
      return { files, events: [{ path, action: 'restored' as const }] };
    });
    return { path: path as string, batch: committed.batch, warnings: committed.warnings };
  },
});

/** Brings a deleted note back: with the links that its removal changed if it is in the trash, else its text alone. */
async function bringBack(context: OperationContext, path: string, text: string) {
  const { vault } = context;
  const entry = vault.writes.trash().find((each) => each.path === path);
  const meta = writeMeta(context, 'restore_version');
  const { files, batch, warnings } =
    entry === undefined
      ? await vault.writes.write(meta, () => ({
          files: [creationOf(path, { bytes: Buffer.from(text) })],
          events: [{ path, action: 'restored' as const }],
        }))
      : await vault.writes.restore(meta, entry.ref);
  return { path: files[0]?.path ?? path, batch, warnings };
}

/** Finds a version of a note. Throws `NODE_NOT_FOUND` if it is no longer stored. */
async function findVersion(vault: Vault, { id, path, side }: VersionName): Promise<FoundVersion> {
  const found = await vault.history.writeDiff(id, { offset: 0, limit: 1, path });
  const file = found?.files[0];
  const text = file === undefined ? null : side === 'before' ? file.textBefore() : file.textAfter();
  if (found === null || file === undefined || text === null)
    throw new RouxError('NODE_NOT_FOUND', 'The text of this version is no longer stored.', { id, path });
  return { text, file, timestamp: found.activity.timestamp };
}
