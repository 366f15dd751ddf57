import { RouxError } from '../errors.ts';
import type { NoteChange } from './change.ts';
import { editProperties } from './frontmatter/property-edit.ts';
import type { PropertyChange } from './frontmatter/property-edit.ts';
import { revOf } from './frontmatter/property-value.ts';
import { readFrontmatter } from './frontmatter/read-frontmatter.ts';
import { STAMP_KEYS } from './frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from './note.ts';

/**
 * Returns the changes that count a write: `rev` grows by one, `updated_at` is the time. A note without a `rev` was written by people and gets
 * neither, but an `updated_at` that it has is set. `from`: the count so far of a note that is to get both. Under either key a person may have
 * a property of their own, such as `rev: B` or `updated_at: last week`; that stays as it is.
 */
export function stampChanges(data: Properties, at: string, from?: number): readonly PropertyChange[] {
  const before = revOf(data) ?? (hasOwnRev(data) ? undefined : from);
  const isDated = (before ?? from) !== undefined || isGiven(data['updated_at']);
  return [
    ...(before === undefined ? [] : [{ op: 'set' as const, key: ['rev'], value: before + 1 }]),
    ...(!isDated || hasOwnTime(data) ? [] : [{ op: 'set' as const, key: ['updated_at'], value: at }]),
  ];
}

/** Returns whether `rev` is a person's property and not the count of writes. */
export function hasOwnRev(data: Properties): boolean {
  return isGiven(data['rev']) && revOf(data) === null;
}

function isGiven(value: PropertyValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Returns whether `updated_at` is a person's property and not a time. */
function hasOwnTime({ updated_at: value }: Properties): boolean {
  return isGiven(value) && (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(Date.parse(value)));
}

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
    ...(data['updated_at'] === undefined || hasOwnTime(data) ? [] : [{ op: 'set' as const, key: ['updated_at'], value: at }]),
  ];
}
