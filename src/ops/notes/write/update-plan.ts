import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { Expectation, FileChange } from '../../../vault/plan/plan.ts';
import { isInMap, propertyKey } from '../../node-properties.ts';
import { timeOf } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { freshPath, isStoredFor, storeContent, storedFile } from '../../typed-content.ts';
import { cleanTags } from './shapes.ts';

/** What an update changes besides the title. */
export interface Update {
  readonly content?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly encoding?: 'utf-8' | 'base64' | undefined;
  readonly expect?: Expectation | undefined;
}

/** The files that an update of a note changes: the note, and the file beside it that holds binary content. */
export function updateFiles(context: OperationContext, entry: NoteEntry, update: Update): readonly FileChange[] {
  const { content, attachments } = planContent(context, entry, update);
  const changes: NoteChange[] = [
    ...setOrUnset('type', update.type),
    ...(update.tags === undefined ? [] : planTags(entry, update.tags)),
    ...planProperties(entry, update.properties ?? {}),
    ...setOrUnset('format', update.format),
    ...setOrUnset('encoding', update.encoding),
    ...content,
  ];
  if (changes.length === 0) return attachments;
  const touch: NoteChange = { op: 'touch', at: timeOf(context) };
  return [
    { kind: 'change', path: entry.path, changes: [...changes, touch], ...(update.expect === undefined ? {} : { expect: update.expect }) },
    ...attachments,
  ];
}

function setOrUnset(key: string, value: PropertyValue | undefined): readonly NoteChange[] {
  return value === undefined ? [] : [{ op: 'set', key: [key], value }];
}

function planTags(entry: NoteEntry, tags: readonly string[]): readonly NoteChange[] {
  const clean = cleanTags(tags);
  if (clean.length === 0) return [{ op: 'unset', key: ['tags'] }];
  // The same tags in another notation (`tags: a, b`) are no change.
  const now = entry.properties['tags'];
  const isSame = Array.isArray(now) && JSON.stringify(now) === JSON.stringify(clean);
  return isSame ? [] : [{ op: 'set', key: ['tags'], value: clean }];
}

function planProperties(entry: NoteEntry, properties: NonNullable<Update['properties']>): readonly NoteChange[] {
  return Object.entries(properties).flatMap(([name, value]): readonly NoteChange[] => {
    const key = propertyKey(entry.properties, name);
    // The map stands over the top level in answers: what it holds of this name would hide what is written.
    const isHidden = key.length === 1 && isInMap(entry.properties, name);
    return [
      value === null ? { op: 'unset', key } : { op: 'set', key, value },
      ...(isHidden ? [{ op: 'unset' as const, key: ['properties', name] }] : []),
    ];
  });
}

function planContent(
  context: OperationContext,
  entry: NoteEntry,
  { content, format, encoding }: Update,
): { readonly content: readonly NoteChange[]; readonly attachments: readonly FileChange[] } {
  const before = entry.properties['encoding'];
  if (content === undefined) {
    if (encoding !== undefined && encoding !== before) {
      throw new RouxError('INVALID_PARAMS', 'encoding: it says how content is written, so it can only change together with content.', {
        field: 'encoding',
      });
    }
    return { content: [], attachments: [] };
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
  if (typed === undefined) return { content: [{ op: 'body', text: content }], attachments: [] };
  const kind = format ?? (typeof entry.properties['format'] === 'string' ? entry.properties['format'] : 'markdown');
  // New bytes go to a new file, the old one to the trash: at every moment the note shows one or the other, whole.
  const stored = storeContent({ content, encoding: typed, format: kind }, freshPath(entry.path, context.vault.ports.newId()));
  const old = before === 'base64' ? attachmentOf(context, entry) : null;
  return {
    content: [{ op: 'body', text: stored.body }],
    attachments: [
      ...(stored.attachment === null ? [] : [stored.attachment]),
      ...(old === null ? [] : [{ kind: 'remove' as const, path: old, to: 'trash' as const }]),
    ],
  };
}

/** The file with the note's bytes, where roux made it and no other note shows it: anything else that a note embeds stays. */
function attachmentOf(context: OperationContext, entry: NoteEntry): string | null {
  const { graph } = context.vault;
  const path = storedFile(graph, entry.path);
  if (path === null || !isStoredFor(path, entry.path)) return null;
  return graph.backlinks(path).every(({ from }) => from === entry.path) ? path : null;
}
