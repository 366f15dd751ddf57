import { z } from 'zod';
import type { PropertyValue } from '../../../note/note.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number or a boolean' });

/** Properties of a new note. */
export const propertiesInput = z.record(z.string().min(1).max(200), scalar);

/** Properties to merge; null removes one. */
export const propertiesChange = z.record(
  z.string().min(1).max(200),
  z.union([z.string(), z.number(), z.boolean(), z.null()], { error: 'must be a string, a number, a boolean, or null to remove it' }),
);

export const encodingInput = z.enum(['utf-8', 'base64']);

/** Tags as they are kept: without `#`, each once, in the order given. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  const clean = tags.map((tag) => tag.trim().replace(/^#+/, '')).filter((tag) => tag !== '');
  return clean.filter((tag, index) => clean.findIndex((other) => other.toLowerCase() === tag.toLowerCase()) === index);
}

/** A list as a property, absent when it is empty. */
export function listOrNothing(values: readonly string[]): PropertyValue | undefined {
  return values.length === 0 ? undefined : values;
}
