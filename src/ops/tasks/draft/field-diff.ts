import { isPropertyList, isPropertyMap, sameValue } from '../../../note/frontmatter/property-value.ts';
import { STAMP_KEYS } from '../../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { FieldChange } from '../../../vault/plan/plan.ts';

/** Fields that say only that something was written. */
const BOOKKEEPING: ReadonlySet<string> = new Set([...STAMP_KEYS, 'id', 'type', 'created_at', 'created_by']);

/**
 * What differs between two states of a task, field by field: properties by their own names,
 * and of a list that only grew what was added, so that a long one is not repeated with every event.
 */
export function diffFields(before: Properties, after: Properties): readonly FieldChange[] {
  const fields: FieldChange[] = [];
  for (const key of keysOf(before, after)) {
    if (BOOKKEEPING.has(key)) continue;
    const [old, now] = [before[key], after[key]];
    // That a new task is open goes without saying.
    if (sameValue(old, now) || (key === 'resolved' && old === undefined && now === false)) continue;
    if (key === 'properties' && (isPropertyMap(old) || isPropertyMap(now))) {
      const [from, to] = [isPropertyMap(old) ? old : {}, isPropertyMap(now) ? now : {}];
      for (const name of keysOf(from, to)) {
        if (!sameValue(from[name], to[name]))
          fields.push({ field: `properties.${name}`, before: from[name] ?? null, after: to[name] ?? null });
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

function keysOf(a: Properties, b: Properties): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}
