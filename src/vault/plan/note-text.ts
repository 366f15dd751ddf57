import { RouxError } from '../../errors.ts';
import type { NoteChange } from '../../note/change.ts';
import { applyChanges } from '../../note/edit.ts';
import { revOf } from '../../note/frontmatter/property-value.ts';
import { readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { noProperties } from '../../note/frontmatter/yaml-values.ts';
import type { Properties } from '../../note/note.ts';
import { decodeNote } from '../../note/parse.ts';
import { hasOwnRev } from '../../note/stamps.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { Step } from '../../store/transaction/intent.ts';
import type { Reapply } from '../../store/transaction/under-lock.ts';

/** Decodes the text of a note to change. Throws `INVALID_PARAMS` for invalid UTF-8, because writing it back would destroy it. */
export function textToChange(path: string, bytes: Uint8Array): string {
  const { text, problem } = decodeNote(bytes);
  if (problem !== undefined || Buffer.compare(Buffer.from(text), bytes) !== 0) {
    throw new RouxError('INVALID_PARAMS', `${path} is not valid UTF-8 text, so roux does not change it; convert it to UTF-8 first.`, {
      path,
    });
  }
  return text;
}

/** Returns the frontmatter `rev` of a text, or null. */
export function revIn(text: string): number | null {
  return revOf(propertiesWithRev(text));
}

/** Returns whether a text has a `rev` that is a person's property, not the count of writes. */
export function hasOwnRevIn(text: string): boolean {
  return hasOwnRev(propertiesWithRev(text));
}

/** Returns the properties of a text if `rev` may be among them, else none: few notes have it, and a rename asks a thousand. */
function propertiesWithRev(text: string): Properties {
  const frontmatter = readFrontmatter(text);
  const { yaml } = frontmatter;
  return yaml !== null && text.slice(yaml.start, yaml.end).includes('rev') ? frontmatter.data : noProperties;
}

/** Applies the changes of a note again to newer bytes of it, for the store, which knows no notes. */
export const reapplyChanges: Reapply = ({ path, bytes, changes, isRepeat }) => {
  const text = textToChange(path, bytes);
  // The store has verified that this process or an earlier one wrote the journal.
  const wanted = changes as readonly NoteChange[];
  const after = applyChanges(path, text, isRepeat ? wanted.map(onlyOnce) : wanted).text;
  return after === text ? null : Buffer.from(after);
};

/** Makes an addition idempotent: after a crash it is unknown whether it was made before a person saved again. */
function onlyOnce(change: NoteChange): NoteChange {
  if (change.op === 'patch') return { ...change, isRepeat: true };
  return change.op === 'append' || change.op === 'add-line' ? { ...change, unique: true } : change;
}

/** Returns the text that a step left; null when it cannot be reconstructed. */
export function textAfter(step: Extract<Step, { kind: 'replace' | 'move' }>, path: string, before: Buffer): string | null {
  if (step.changes === null) return null;
  const after = reapplyChanges({ path, bytes: before, changes: step.changes, isRepeat: false }) ?? before;
  return hashOf(after) === step.after ? Buffer.from(after).toString('utf8') : null;
}
