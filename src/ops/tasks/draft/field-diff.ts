import { isPropertyList, isPropertyMap, sameValue } from '../../../note/frontmatter/property-value.ts';
import { STAMP_KEYS } from '../../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { FieldChange } from '../../../vault/plan/plan.ts';

/** Fields that every write changes. */
const BOOKKEEPING: ReadonlySet<string> = new Set([...STAMP_KEYS, 'id', 'type', 'created_at', 'created_by']);

/**
 * Compares two states of a task field by field: properties by their names, and for an appended list only the added entries, so that a long
 * one is not repeated in every event.
 */
export function diffFields(before: Properties, after: Properties): readonly FieldChange[] {
  const fields: FieldChange[] = [];
  for (const key of keysOf(before, after)) {
    if (BOOKKEEPING.has(key)) continue;
    const [old, now] = [own(before, key), own(after, key)];
    // A new task is always open.
    if (sameValue(old, now) || (key === 'resolved' && old === undefined && now === false)) continue;
    if (key === 'properties' && (isPropertyMap(old) || isPropertyMap(now))) {
      const [from, to] = [isPropertyMap(old) ? old : {}, isPropertyMap(now) ? now : {}];
      for (const name of keysOf(from, to)) {
        const [was, is] = [own(from, name), own(to, name)];
        if (!sameValue(was, is)) fields.push({ field: `properties.${name}`, before: was ?? null, after: is ?? null });
      }
    } else fields.push({ field: key, ...diffValue(old, now) });
  }
  return fields;
}

function diffValue(before: PropertyValue | undefined, after: PropertyValue | undefined): { before: PropertyValue; after: PropertyValue } {
  if (isPropertyList(after) && (before === undefined || isPropertyList(before))) {
    const old = before ?? [];
    if (old.every((one, index) => sameValue(one, after[index]))) return { before: null, after: after.slice(old.length) };
  }
  return { before: before ?? null, after: after ?? null };
}

/** Own keys only: a key may be named `constructor`. */
function own(values: Properties, key: string): PropertyValue | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function keysOf(a: Properties, b: Properties): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}
