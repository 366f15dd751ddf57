import { composeNote } from '../../../note/compose.ts';
import { baseName } from '../../../note/path.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { OperationContext } from '../../operation.ts';
import { storeContent } from '../../typed-content.ts';
import { timeOf } from '../../write-meta.ts';
import { cleanTags, listOrNothing } from './write-input.ts';

/** A note that a tool makes. */
export interface NewNote {
  readonly path: string;
  readonly title: string;
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly tags?: readonly string[];
  readonly properties?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly content: string;
  readonly format?: string | undefined;
  readonly encoding?: 'utf-8' | 'base64' | undefined;
}

/** The files of a new note: the note, and the file beside it that holds binary content. */
export function newNoteFiles(context: OperationContext, note: NewNote): readonly FileChange[] {
  const { path, title, format, encoding, content, properties = {} } = note;
  const isTyped = format !== undefined || encoding !== undefined;
  const { body, attachment } = isTyped
    ? storeContent({ content, encoding: encoding ?? 'utf-8', format: format ?? 'markdown' }, path)
    : { body: content, attachment: null };
  const at = timeOf(context);
  const text = composeNote({
    properties: {
      id: note.id,
      type: note.type,
      // A title of nothing but spaces names nothing: then the file name is the title.
      title: title.trim() === '' || title === baseName(path) ? undefined : title,
      tags: listOrNothing(cleanTags(note.tags ?? [])),
      rev: 1,
      properties: Object.keys(properties).length === 0 ? undefined : properties,
      created_at: at,
      updated_at: at,
      created_by: context.agent,
      format,
      encoding,
    },
    body,
  });
  return [{ kind: 'create', path, text }, ...(attachment === null ? [] : [attachment])];
}
