import { RouxError } from '../errors.ts';
import type { NoteChange } from './change.ts';
import { editProperties } from './frontmatter/property-edit.ts';
import type { PropertyChange } from './frontmatter/property-edit.ts';
import { readFrontmatter } from './frontmatter/read-frontmatter.ts';
import { STAMP_KEYS } from './frontmatter/reserved-keys.ts';

/**
 * Returns the text of a note with the `rev` and `updated_at` of another state of it, so that a comparison shows only what somebody wrote.
 * Unchanged if the frontmatter cannot be edited.
 */
export function withStampsOf(path: string, text: string, other: string): string {
  const { data } = readFrontmatter(other);
  const changes = STAMP_KEYS.map((key): PropertyChange => {
    const value = data[key];
    return value === undefined ? { op: 'unset', key: [key] } : { op: 'set', key: [key], value };
  });
  try {
    return editProperties(path, text, changes);
  } catch (error) {
    if (error instanceof RouxError) return text;
    throw error;
  }
}

/** Returns the changes that restore a previous text as a new write: `rev` continues from this one, and an existing date is updated. */
export function restoreText(text: string, { rev, at }: { readonly rev: number; readonly at: string }): readonly NoteChange[] {
  const { data } = readFrontmatter(text);
  return [
    { op: 'text', text },
    { op: 'set', key: ['rev'], value: rev + 1 },
    ...(data['updated_at'] === undefined ? [] : [{ op: 'set' as const, key: ['updated_at'], value: at }]),
  ];
}
