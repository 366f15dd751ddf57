import * as z from 'zod';
import { Entry, toFields } from '../../../graph/entry.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { BodyPart } from '../../../note/body/patch.ts';
import { isPropertyList, nameOf, splitTags } from '../../../note/frontmatter/property-value.ts';
import type { Note, PropertyValue } from '../../../note/note.ts';
import type { Origin } from '../../../note/origin.ts';
import type { Expectation } from '../../../vault/plan/plan.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const values = [z.string(), z.number(), z.boolean(), z.array(scalar)] as const;

/** Properties of a new note (E-28). */
export const propertiesInput = z.record(
  z.string().min(1).max(200),
  z.union(values, { error: 'must be a string, a number, a boolean or a list of these' }),
);

/**
 * Properties to merge; null removes one (E-28). Values are checked later against the note (`withoutUnchanged`): it may have values that
 * tools do not write, and an agent may send them back.
 */
export const propertiesChange = z.record(z.string(), z.unknown());

const NO_STAMP: NoteEntry['stamp'] = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n };

/** List items by property. */
export const itemsInput = z.record(
  z.string().min(1).max(200),
  z.union([z.array(scalar), scalar.transform((item) => [item])], { error: 'must be a list of strings, numbers and booleans' }),
);

/** Items to remove from lists, by property; null removes the property. */
export const itemsToRemove = z.record(z.string(), z.union([z.array(z.unknown()), z.null(), scalar.transform((item) => [item])]));

export const encodingInput = z.enum(['utf-8', 'base64']);

/** An argument of every tool that answers with the note it wrote. */
export const wholeInput = z.boolean().default(false).describe('Answer with the whole note');

/** Normalizes tags: without `#`, without duplicates, in the given order. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  const clean = tags.map((tag) => tag.trim().replace(/^#+/, '')).filter((tag) => tag !== '');
  return clean.filter((tag, index) => clean.findIndex((other) => other.toLowerCase() === tag.toLowerCase()) === index);
}

/** Reads a `tags` property: a list, or several tags in one text. */
export function tagsOf(value: PropertyValue | undefined): readonly string[] {
  const tags = typeof value === 'string' ? splitTags(value) : isPropertyList(value) ? value.flatMap((each) => nameOf(each) ?? []) : [];
  return cleanTags(tags);
}

/** Returns a list as a property value, or undefined if it is empty. */
export function listOrNothing(values: readonly string[]): PropertyValue | undefined {
  return values.length === 0 ? undefined : values;
}

/** A property value that tools accept: a scalar, or a flat list of scalars (E-28). */
export type GivenValue = string | number | boolean | readonly (string | number | boolean)[];

/** Properties of a call; null removes one. */
export type GivenProperties = Readonly<Record<string, GivenValue | null>>;

/** Properties of a call before validation. */
export type UncheckedProperties = Readonly<Record<string, unknown>>;

/** Items to add to or remove from a list; null is the whole list. */
export type GivenItems = readonly unknown[] | null;

/** The changes of an update. */
export interface Update {
  /** The new title, for a rename. */
  readonly title?: string | undefined;
  readonly content?: string | undefined;
  /** Changes of parts of the body, if `content` does not replace it. */
  readonly parts?: readonly BodyPart[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly properties?: GivenProperties | undefined;
  /** Items to add to lists, by property. */
  readonly add?: Readonly<Record<string, GivenItems>> | undefined;
  /** Items to remove from lists, by property. */
  readonly remove?: Readonly<Record<string, GivenItems>> | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly encoding?: 'utf-8' | 'base64' | undefined;
  /** Who the text comes from, if that is less than the caller. */
  readonly origin?: Origin | undefined;
  readonly expect?: Expectation | undefined;
  /** One of many notes with the same update: that one has nothing to remove is not worth a warning. */
  readonly isOfMany?: boolean;
}

/** Builds the graph entry of a note. */
export function entryFor(note: Note, hash: string, stamp: NoteEntry['stamp'] = NO_STAMP): NoteEntry {
  return new Entry(toFields(note, { stamp, hash }), { read: () => note.frontmatter.data });
}
