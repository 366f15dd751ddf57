import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import { changeProperties, isPropertyChange, valueAt } from '../../../note/frontmatter/property-edit.ts';
import { isPropertyList, isPropertyMap, nameOf, valueKey } from '../../../note/frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { foldKey } from '../../../note/path.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { resolveWritableKey } from './given-properties.ts';
import { cleanTags } from './shapes.ts';
import type { GivenItems, Update } from './shapes.ts';

/** Maximum characters of values named in one warning. */
const MAX_NAMED_CHARACTERS = 500;

/** Planned changes, and warnings for the caller. */
interface PlannedItems {
  readonly changes: readonly NoteChange[];
  readonly warnings: readonly string[];
}

/** Plans to add items to lists of a note and to remove items; all others stay. */
export function planItems(
  context: OperationContext,
  entry: NoteEntry,
  { add = {}, remove = {}, properties, tags, isOfMany = false }: Update,
): PlannedItems {
  const changes: NoteChange[] = [];
  const warnings: string[] = [];
  // Those of an entry are no properties of its object, so that it cannot be spread.
  const { path, type, tags: tagsNow } = entry;
  let values = entry.properties;
  for (const [argument, given] of [
    ['add', add],
    ['remove', remove],
  ] as const) {
    for (const [name, items] of Object.entries(given)) {
      if (properties?.[name] !== undefined || (name === 'tags' && tags !== undefined))
        throw badItems(argument, name, 'it is among the properties too; send the whole list, or what to add and remove');
      const planned = planOne(context, { path, type, tags: tagsNow, properties: values }, { argument, name, items, isOfMany });
      changes.push(...planned.changes);
      warnings.push(...planned.warnings);
      values = planned.changes.filter(isPropertyChange).reduce(changeProperties, values);
    }
  }
  return { changes, warnings };
}

interface OneList {
  readonly argument: 'add' | 'remove';
  readonly name: string;
  readonly items: GivenItems;
  readonly isOfMany: boolean;
}

function planOne(
  context: OperationContext,
  entry: Pick<NoteEntry, 'path' | 'type' | 'tags' | 'properties'>,
  { argument, name, items, isOfMany }: OneList,
): PlannedItems {
  const key = resolveWritableKey(context, entry, { name, value: argument === 'remove' && items === null ? null : [], argument });
  const now = valueAt(entry.properties, key);
  const isTags = name === 'tags' && key.length === 1;
  if (items === null) {
    if (argument === 'remove') return { changes: now === undefined ? [] : [{ op: 'unset', key }], warnings: [] };
    throw badItems(argument, name, 'give a list of items');
  }
  // Every JSON value is a valid YAML value.
  const list = (isTags ? cleanTags(items.map(String)) : items) as readonly PropertyValue[];
  if (isPropertyMap(now)) throw badItems(argument, name, `the note holds a map there: ${shown([now])}. Edit it by hand`);
  if (argument === 'add') {
    if (key.length === 1 && name === 'type' && typeof now === 'string' && entry.type !== null)
      throw badItems(argument, name, `the type is ${JSON.stringify(now)}; give another one as the argument type`);
    const fresh = isTags ? list.filter((tag) => !isAmong(entry.tags, tag)) : list;
    return { changes: fresh.map((value) => ({ op: 'append', key, value, unique: true })), warnings: [] };
  }
  const isPresent = (value: PropertyValue): boolean =>
    now !== undefined && changeProperties(entry.properties, { op: 'take', key, value }) !== entry.properties;
  const missing = list.filter((value) => !isPresent(value));
  return {
    changes: list.filter(isPresent).map((value) => ({ op: 'take', key, value })),
    warnings: describeMissing(entry, { name, missing, now, isTags, isOfMany }),
  };
}

/** Items to remove that the list does not have. */
interface MissingItems extends Pick<OneList, 'name' | 'isOfMany'> {
  readonly missing: readonly PropertyValue[];
  readonly now: PropertyValue | undefined;
  readonly isTags: boolean;
}

function describeMissing(
  { path, tags }: Pick<NoteEntry, 'path' | 'tags'>,
  { name, missing, now, isTags, isOfMany }: MissingItems,
): readonly string[] {
  const inText = isTags ? missing.filter((tag) => isAmong(tags, tag)) : [];
  if (inText.length > 0) return [`${name} of ${path}: ${shown(inText)} is in the text of the note; remove it there with edits.`];
  if (missing.length === 0 || isOfMany) return [];
  const holds = now === undefined ? 'there is no such property' : `it holds ${shown([now])}`;
  return [`${name} of ${path}: ${shown(missing)} was not there to remove; ${holds}.`];
}

function isAmong(tags: readonly string[], tag: PropertyValue): boolean {
  return tags.some((other) => foldKey(other) === foldKey(nameOf(tag) ?? ''));
}

function badItems(argument: string, name: string, problem: string): RouxError {
  return new RouxError('INVALID_PARAMS', `${argument}.${name}: ${problem}.`, { field: `${argument}.${name}` });
}

/** Describes the items that a new value removes from a list or map; null if none. */
export function describeDropped(path: string, name: string, now: PropertyValue | undefined, next: PropertyValue | null): string | null {
  if (next === null || now === undefined) return null;
  if (isPropertyMap(now)) return isPropertyMap(next) ? null : `${name} of ${path}: the map ${shown([now])} was replaced.`;
  if (!isPropertyList(now) && !isPropertyList(next)) return null;
  const remaining = new Set((isPropertyList(next) ? next : [next]).map(itemKey));
  const dropped = (isPropertyList(now) ? now : [now]).filter((item) => item !== null && !remaining.has(itemKey(item)));
  return dropped.length === 0
    ? null
    : `${name} of ${path}: ${shown(dropped)} went, as ${isPropertyList(now) ? 'the list was replaced by one' : 'it was replaced by a list'} without; add {${JSON.stringify(name)}: […]} keeps what is there.`;
}

/** Returns the items in the notation that the note already has for them (`1984` as a number, `#tag` with its mark). */
export function retainNotation(texts: readonly string[], now: PropertyValue | undefined): readonly PropertyValue[] {
  if (!isPropertyList(now)) return texts;
  const plain = (value: PropertyValue): string | undefined => nameOf(value)?.replace(/^#+/, '');
  return texts.map((text) => now.find((item) => nameOf(item) === text) ?? now.find((item) => plain(item) === text) ?? text);
}

/** Items of text lists may be numbers: `1984` and `"1984"` are the same item. */
function itemKey(value: PropertyValue): string {
  return valueKey(typeof value === 'number' ? String(value) : value);
}

function shown(values: readonly (PropertyValue | Properties)[]): string {
  return shorten(values.map((value) => JSON.stringify(value)).join(', '), MAX_NAMED_CHARACTERS);
}
