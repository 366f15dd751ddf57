import type { Properties, PropertyValue } from '../note.ts';
import { compareText } from '../text.ts';

export type PropertyMap = { readonly [key: string]: PropertyValue };

/** Returns whether a value is a map, so neither a list nor a scalar. */
export function isPropertyMap(value: PropertyValue | undefined): value is PropertyMap {
  return typeof value === 'object' && value !== null && !isPropertyList(value);
}

/** Whether a value is a list. */
export function isPropertyList(value: PropertyValue | undefined): value is readonly PropertyValue[] {
  return Array.isArray(value);
}

/** Splits a text of the `tags` property into tags, which are separated by spaces and commas (docs/format.md, Frontmatter). */
export function splitTags(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((tag) => tag !== '');
}

/** Returns whether two values are equal, ignoring the order of keys in maps. */
export function sameValue(a: PropertyValue | undefined, b: PropertyValue | undefined): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (isPropertyList(a)) return isPropertyList(b) && a.length === b.length && a.every((value, index) => sameValue(value, b[index]));
  if (!isPropertyMap(a) || !isPropertyMap(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]));
}

/** Returns a text that is equal for equal values (`sameValue`), for lookups. */
export function valueKey(value: PropertyValue): string {
  if (isPropertyList(value)) return `[${value.map(valueKey).join(',')}]`;
  if (isPropertyMap(value)) {
    const entries = Object.keys(value).toSorted(compareText);
    return `{${entries.map((key) => `${JSON.stringify(key)}:${valueKey(value[key] as PropertyValue)}`).join(',')}}`;
  }
  // Infinities have no JSON form and would become null.
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Returns a scalar as a name on one line, or null: numbers count, since people write `title: 1984`. */
export function nameOf(value: PropertyValue | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
  return text === '' ? null : text;
}

/** Returns the type that a `type` key gives a note, or null: a link or a list there is a property like any other (A-04). */
export function typeNameOf(value: PropertyValue | undefined): string | null {
  const name = nameOf(value);
  return name === null || /^\[\[[^\n]*\]\]$/.test(name) ? null : name;
}

/** Copies a map, without a prototype. */
export function copyMap(map: PropertyMap): Record<string, PropertyValue> {
  const copy = emptyMap();
  for (const [key, value] of Object.entries(map)) copy[key] = value;
  return copy;
}

/** Returns whether a key could reach a prototype in careless code. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/** Creates a map without a prototype, like every map of values, so that no key of a note can reach one. */
export function emptyMap(): Record<string, PropertyValue> {
  return Object.create(null) as Record<string, PropertyValue>;
}

/** Returns the revision of a note, an integer from 1; null when it has none or an invalid one. */
export function revOf(properties: Properties): number | null {
  const rev = properties['rev'];
  return typeof rev === 'number' && Number.isSafeInteger(rev) && rev > 0 ? rev : null;
}
