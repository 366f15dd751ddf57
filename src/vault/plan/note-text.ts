import { RouxError } from '../../errors.ts';
import type { NoteChange } from '../../note/change.ts';
import { applyChanges } from '../../note/edit.ts';
import { revOf } from '../../note/frontmatter/property-value.ts';
import { readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { decodeNote } from '../../note/parse.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { Step } from '../../store/transaction/intent.ts';
import type { Reapply } from '../../store/transaction/under-lock.ts';

/** The text of a note that is to be changed; refused when its bytes are no UTF-8, because writing them back would destroy them. */
export function textToChange(path: string, bytes: Uint8Array): string {
  const { text, problem } = decodeNote(bytes);
  if (problem !== undefined || Buffer.compare(Buffer.from(text), bytes) !== 0) {
    throw new RouxError('INVALID_PARAMS', `${path} is not valid UTF-8 text, so roux does not change it; convert it to UTF-8 first.`, {
      path,
    });
  }
  return text;
}

/** The frontmatter `rev` of a text, or null. */
export function revIn(text: string): number | null {
  // Most notes of a vault count nothing, and a rename asks a thousand of them.
  if (!text.includes('rev')) return null;
  return revOf(readFrontmatter(text).data);
}

/** Makes the changes of a note again on newer bytes of it, for the store, which knows no notes. */
export const reapplyChanges: Reapply = ({ path, bytes, changes, isRepeat }) => {
  const text = textToChange(path, bytes);
  // What is in a journal was written by this function's counterpart; the store has checked that.
  const wanted = changes as readonly NoteChange[];
  const after = applyChanges(path, text, isRepeat ? wanted.map(onlyOnce) : wanted).text;
  return after === text ? null : Buffer.from(after);
};

/** After a crash nobody can tell whether an addition was made before a person saved again: it is made at most once. */
function onlyOnce(change: NoteChange): NoteChange {
  if (change.op === 'patch') return { ...change, isRepeat: true };
  return change.op === 'append' || change.op === 'add-line' ? { ...change, unique: true } : change;
}

/** The text that a step left, or null when it cannot be told any more. */
export function textAfter(step: Extract<Step, { kind: 'replace' | 'move' }>, path: string, before: Buffer): string | null {
  if (step.changes === null) return null;
  const after = reapplyChanges({ path, bytes: before, changes: step.changes, isRepeat: false }) ?? before;
  return hashOf(after) === step.after ? Buffer.from(after).toString('utf8') : null;
}
