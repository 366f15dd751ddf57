import { isPropertyList, isPropertyMap, sameValue } from '../../../note/frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';

/** Whether the properties of a task have all these values. Keys may be dotted into maps; `null` also fits what is absent; a list fits what it contains. */
export function matchesProperties(properties: Properties, wanted: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(wanted).every(([key, value]) => matches(valueOf(properties, key), value as PropertyValue));
}

function matches(found: PropertyValue | undefined, wanted: PropertyValue): boolean {
  if (found === undefined) return wanted === null;
  if (sameValue(found, wanted)) return true;
  return isPropertyList(found) && !isPropertyList(wanted) && found.some((one) => sameValue(one, wanted));
}

/** A key as it stands wins over the same text read as a way into maps. */
function valueOf(properties: Properties, key: string): PropertyValue | undefined {
  if (Object.hasOwn(properties, key)) return properties[key];
  let value: PropertyValue | undefined = properties;
  for (const part of key.split('.')) {
    if (!isPropertyMap(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}
