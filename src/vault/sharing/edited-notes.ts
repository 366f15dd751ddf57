import { readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { toNotePath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { parseNote } from '../../note/parse.ts';
import { shortHash } from '../../store/records/history-event.ts';
import type { FieldChange } from '../../store/records/history-event.ts';
import type { EditedFile, NotesInFiles } from '../../store/shared/local/notes-in-files.ts';
import { changedProperties } from '../plan/external-edits.ts';

/** Larger files are compared by their bytes only. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

/** What the shared store needs to know of notes: their ids, and what a person changed in them. */
export const editedNotes: NotesInFiles = {
  idOf(path, bytes) {
    const head = headOf(path, bytes);
    return head === null ? null : parseNote(head.path, head.text).id;
  },
  describe({ path, former, before, after }) {
    const file = after ?? before;
    const node = (file === null ? null : editedNotes.idOf(path, file.bytes)) ?? path;
    return [{ node, path, action: 'external', changes: fieldsOf({ path, former, before, after }) }];
  },
};

function fieldsOf({ path, former, before, after }: EditedFile): readonly FieldChange[] {
  if (former === null || after === null) {
    return [{ field: 'file', before: former, after: after === null ? null : path }];
  }
  const fields: FieldChange[] = former === path ? [] : [{ field: 'path', before: former, after: path }];
  if (before === null || before.hash === after.hash) return fields;
  const [was, is] = [headOf(path, before.bytes), headOf(path, after.bytes)];
  const changed = was === null || is === null ? [] : changedProperties(readFrontmatter(was.text).data, readFrontmatter(is.text).data);
  const body = {
    field: 'body',
    before: { file: shortHash(before.hash) },
    after: { file: shortHash(after.hash), size: after.bytes.length },
  };
  return [...fields, ...(changed.length > 0 ? changed : [body])];
}

/** Returns the path and text of a file that is a note; null for other files. */
function headOf(path: string, bytes: Uint8Array): { readonly path: NotePath; readonly text: string } | null {
  const notePath = toNotePath(path);
  if (notePath === null || bytes.length > MAX_READ_BYTES) return null;
  return { path: notePath, text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') };
}
