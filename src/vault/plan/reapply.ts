import type { NoteChange } from '../../note/change.ts';
import { applyChanges } from '../../note/edit.ts';
import type { Reapply } from '../../store/transaction/under-lock.ts';
import { textToChange } from './note-text.ts';

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
  return change.op === 'append' || change.op === 'add-line' ? { ...change, unique: true } : change;
}
