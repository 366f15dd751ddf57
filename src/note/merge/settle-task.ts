import type { Properties, PropertyValue } from '../note.ts';
import type { MergedProperties, Sides } from '../frontmatter/property-merge.ts';
import { changeProperties, valueAt } from '../frontmatter/property-edit.ts';
import { isPropertyList } from '../frontmatter/property-value.ts';
import { hasTaskKeys, UPDATED_KEYS } from '../frontmatter/reserved-keys.ts';

/**
 * Settles what both sides of a merge gave different values in a task, so that nobody has to: the side that changed the task last wins, and
 * the value of the other side becomes evidence. A task that both sides created under one name is the one with the older id. `resolved` stays
 * a conflict, since only a person knows whether the task is done.
 */
export function settleTask(merged: MergedProperties, { base, ours, theirs }: Sides<Properties>): MergedProperties {
  const isTask = [ours, theirs].every((side) => hasTaskKeys(side) || side['type'] === 'task-evidence');
  const settled = merged.conflicts.filter((key) => key !== 'resolved');
  if (!isTask || settled.length === 0) return merged;
  const isOurs = base['id'] === undefined && ours['id'] !== theirs['id'] ? idOf(ours) < idOf(theirs) : updatedMs(ours) >= updatedMs(theirs);
  const [winner, other] = isOurs ? [ours, theirs] : [theirs, ours];
  let { values } = merged;
  const lost: string[] = [];
  for (const conflict of settled) {
    const key = keysOf(conflict, ours, theirs);
    const [value, otherValue] = [valueAt(winner, key), valueAt(other, key)];
    // A changed value takes precedence over a removal.
    if (value !== undefined) values = changeProperties(values, { op: 'set', key, value });
    if (value !== undefined && otherValue !== undefined && !SILENT.has(conflict)) lost.push(`${conflict}: ${asText(otherValue)}`);
  }
  if (lost.length > 0 && (values['evidence'] === undefined || isPropertyList(values['evidence']))) {
    const timestamp = UPDATED_KEYS.map((key) => other[key]).find((time) => typeof time === 'string') ?? '';
    for (const ref of lost) {
      const value = { type: 'merge', ref: `The other branch said ${ref}`, agent: 'git', timestamp };
      values = changeProperties(values, { op: 'append', key: ['evidence'], value, unique: true });
    }
  }
  return { values, conflicts: merged.conflicts.filter((key) => key === 'resolved') };
}

/** Keys of which the other value says nothing. */
const SILENT: ReadonlySet<string> = new Set(['id', 'created_by']);

/** Returns the path of a conflict, whose keys may contain dots themselves. */
function keysOf(conflict: string, ours: Properties, theirs: Properties): readonly string[] {
  if (Object.hasOwn(ours, conflict) || Object.hasOwn(theirs, conflict)) return [conflict];
  const dot = conflict.indexOf('.');
  const [head, rest] = [conflict.slice(0, dot), conflict.slice(dot + 1)];
  const inner = [ours[head], theirs[head]].map((value) =>
    typeof value === 'object' && value !== null && !isPropertyList(value) ? value : {},
  );
  return [head, ...(dot < 0 ? [] : keysOf(rest, (inner[0] ?? {}) as Properties, (inner[1] ?? {}) as Properties))];
}

function idOf(side: Properties): string {
  return typeof side['id'] === 'string' ? side['id'] : '';
}

function updatedMs(side: Properties): number {
  return Math.max(0, ...UPDATED_KEYS.map((key) => (typeof side[key] === 'string' ? Date.parse(side[key]) || 0 : 0)));
}

function asText(value: PropertyValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
