import { RouxError } from '../../../errors.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { isPropertyList, isPropertyMap, sameValue } from '../../../note/frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import { compareText } from '../../../note/text.ts';

/**
 * Returns whether the properties of a task have all these values. Keys may be dotted paths into maps; `null` matches missing values; a list
 * matches if it contains the value.
 */
export function matchesProperties(properties: Properties, wanted: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(wanted).every(([key, value]) => matches(valueOf(properties, key), value as PropertyValue));
}

function matches(found: PropertyValue | undefined, wanted: PropertyValue): boolean {
  if (found === undefined) return wanted === null;
  if (sameValue(found, wanted)) return true;
  return isPropertyList(found) && !isPropertyList(wanted) && found.some((one) => sameValue(one, wanted));
}

/** A literal key wins over the same text as a path into maps. */
function valueOf(properties: Properties, key: string): PropertyValue | undefined {
  if (Object.hasOwn(properties, key)) return properties[key];
  let value: PropertyValue | undefined = properties;
  for (const part of key.split('.')) {
    if (!isPropertyMap(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

export const SORTS = ['readiness', 'depth', 'recent', 'created'] as const;
export type Sort = (typeof SORTS)[number];

/** The sort key of a task: ascending numbers, then the id. */
export interface OrderKey {
  readonly numbers: readonly number[];
  readonly id: string;
}

/** Returns the sort key of a task. `readiness`: actionable ones first as graph_next ranks them, then open, blocked and resolved ones. */
export function keyOf(task: Task, sort: Sort): OrderKey {
  const { note, depth } = task;
  switch (sort) {
    case 'readiness': {
      const group = task.isActionable ? 0 : note.isResolved ? 3 : task.isBlocked ? 2 : 1;
      return { numbers: [group, -note.priority, -depth, note.updatedMs], id: note.id };
    }
    case 'depth':
      return { numbers: [depth], id: note.id };
    case 'recent':
      return { numbers: [-note.updatedMs], id: note.id };
    case 'created':
      return { numbers: [note.createdMs], id: note.id };
  }
}

export function compareKeys(a: OrderKey, b: OrderKey): number {
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareText(a.id, b.id);
}

/** Encodes a sort key as a cursor. It is not a position, so later insertions and deletions do not shift pages. */
export function toCursor(key: OrderKey, sort: Sort): string {
  const numbers = key.numbers.map((number) => (Number.isSafeInteger(number) ? number.toString(36) : `=${number}`));
  return [String(SORTS.indexOf(sort)), ...numbers, key.id].join('~');
}

export function readCursor(cursor: string, sort: Sort): OrderKey {
  const [order, ...parts] = cursor.split('~');
  const count = sort === 'readiness' ? 4 : 1;
  const numbers = parts.slice(0, count).map((part) => (part.startsWith('=') ? Number(part.slice(1)) : Number.parseInt(part, 36)));
  const id = parts.slice(count).join('~');
  if (order !== String(SORTS.indexOf(sort)) || numbers.length < count || numbers.some(Number.isNaN) || id === '') {
    throw new RouxError('validation_error', 'cursor is not one of this query; repeat the query with the same sort, or leave it out.', {
      cursor,
    });
  }
  return { numbers, id };
}
