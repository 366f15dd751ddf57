import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { NoteOnDisk } from '../../../vault/sync/read-note-now.ts';
import { timeOf } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { freshPath, isStoredFor, storeContent, storedFile } from '../../typed-content.ts';
import { bodyOf } from '../../view.ts';
import { unfoldContent } from './content-block.ts';
import { isTaskNote, planProperties, refuseTaskFields, takeTags } from './given-properties.ts';
import { checkedProperties, checkedValues, mergeTags, replaceBody } from './replacement.ts';
import type { Replacement } from './replacement.ts';
import type { Update } from './shapes.ts';

/** What an update of a note comes to: the files that it changes (the note, and the file beside it that holds binary content), and what is to be told. */
export interface PlannedUpdate {
  readonly files: readonly FileChange[];
  readonly warnings: readonly string[];
  /** The session has not read what it replaces. */
  readonly isBlind: boolean;
}

/** Plans an update of a note on its file as it is now. Called under the lock. */
export function planUpdate(context: OperationContext, entry: NoteEntry, given: Update): PlannedUpdate {
  const onDisk = given.content === undefined ? null : context.vault.glance(entry.path);
  const { update: unfolded, values } = unfoldContent(context, entry, { update: given, body: onDisk === null ? '' : bodyOf(onDisk) });
  const update = takeTags(unfolded, entry.properties);
  if (isTaskNote(context, entry)) refuseTaskFields(taskFieldsOf(update));
  const { content, attachments, replacement } = planContent(context, entry, { update, onDisk });
  const changes: NoteChange[] = [
    ...setOrUnset('type', update.type),
    ...(update.tags === undefined ? [] : planTags(entry, mergeTags(context, entry, update))),
    ...planProperties(
      context,
      { path: entry.path, type: update.type ?? entry.type, properties: entry.properties },
      checkedProperties(context, entry, update),
    ),
    ...checkedValues(context, entry, update, values).map(([key, value]) => ({ op: 'set' as const, key: [key], value })),
    ...setOrUnset('format', update.format),
    ...setOrUnset('encoding', update.encoding),
    ...content,
    ...(update.parts === undefined || update.parts.length === 0 ? [] : [{ op: 'patch' as const, parts: update.parts }]),
  ];
  const told = { warnings: replacement?.warnings ?? [], isBlind: replacement?.isBlind === true };
  if (changes.length === 0) return { files: attachments, ...told };
  const touch: NoteChange = { op: 'touch', at: timeOf(context) };
  // What was compared is what is replaced.
  const expect = replacement === null ? update.expect : { ...update.expect, etag: update.expect?.etag ?? replacement.etag };
  const change: FileChange = {
    kind: 'change',
    path: entry.path,
    changes: [...changes, touch],
    ...(expect === undefined ? {} : { expect }),
  };
  return { files: [change, ...attachments], ...told };
}

/** Why a task is blocked is told among its properties. */
function taskFieldsOf({ type, format, encoding, properties = {} }: Update): readonly string[] {
  const given = Object.entries({ type, format, encoding }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [
    ...given,
    ...Object.keys(properties)
      .filter((name) => name !== 'blocked' && name !== 'aliases')
      .map((name) => `properties.${name}`),
  ];
}

function setOrUnset(key: string, value: PropertyValue | undefined): readonly NoteChange[] {
  return value === undefined ? [] : [{ op: 'set', key: [key], value }];
}

function planTags(entry: NoteEntry, clean: readonly string[]): readonly NoteChange[] {
  if (clean.length === 0) return [{ op: 'unset', key: ['tags'] }];
  // The same tags in another notation (`tags: a, b`) are no change.
  const now = entry.properties['tags'];
  const isSame = Array.isArray(now) && JSON.stringify(now) === JSON.stringify(clean);
  return isSame ? [] : [{ op: 'set', key: ['tags'], value: clean }];
}

interface PlannedContent {
  readonly content: readonly NoteChange[];
  readonly attachments: readonly FileChange[];
  readonly replacement: (Replacement & { readonly etag: string }) | null;
}

function planContent(
  context: OperationContext,
  entry: NoteEntry,
  { update, onDisk: now }: { readonly update: Update; readonly onDisk: NoteOnDisk | null },
): PlannedContent {
  const { content, format, encoding, expect } = update;
  const before = entry.properties['encoding'];
  if (content === undefined) {
    if (encoding !== undefined && encoding !== before) {
      throw new RouxError('INVALID_PARAMS', 'encoding: it says how content is written, so it can only change together with content.', {
        field: 'encoding',
      });
    }
    return { content: [], attachments: [], replacement: null };
  }
  if (before !== undefined && encoding === undefined) {
    throw new RouxError(
      'INVALID_ENCODING',
      `${entry.path} holds typed content (encoding ${JSON.stringify(before)}); say the encoding of the new content.`,
      {
        encoding: before,
      },
    );
  }
  const typed = encoding ?? (format === undefined && entry.properties['format'] === undefined ? undefined : 'utf-8');
  const kind = format ?? (typeof entry.properties['format'] === 'string' ? entry.properties['format'] : 'markdown');
  // New bytes go to a new file, the old one to the trash: at every moment the note shows one or the other, whole.
  const stored =
    typed === undefined
      ? { body: content, attachment: null }
      : storeContent(context.vault, { content, encoding: typed, format: kind }, freshPath(entry.path, context.vault.ports.newId()));
  const old = before === 'base64' ? attachmentOf(context, entry) : null;
  const replacement =
    now === null
      ? null
      : { ...replaceBody(context, entry, now, { content: stored.body, isExpected: expect?.etag !== undefined }), etag: now.hash };
  return {
    content: [{ op: 'body', text: replacement?.body ?? stored.body }],
    attachments: [
      ...(stored.attachment === null ? [] : [stored.attachment]),
      ...(old === null ? [] : [{ kind: 'remove' as const, path: old, to: 'trash' as const }]),
    ],
    replacement,
  };
}

/** The file with the note's bytes, where roux made it and no other note shows it: anything else that a note embeds stays. */
function attachmentOf(context: OperationContext, entry: NoteEntry): string | null {
  const { vault } = context;
  const path = storedFile(vault, entry.path);
  if (path === null || !isStoredFor(vault, path, entry.path)) return null;
  return vault.graph.backlinks(path).every(({ from }) => from === entry.path) ? path : null;
}
