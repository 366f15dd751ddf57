import type { Properties, PropertyValue } from '../note.ts';
import { copyMap, isPropertyList, isPropertyMap, revOf, sameValue, valueKey } from './property-value.ts';
import type { PropertyMap } from './property-value.ts';
import { CREATED_KEYS, UPDATED_KEYS } from './reserved-keys.ts';

/** Three states: the common base and both sides. */
export interface Sides<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/** The merged values; `conflicts` names keys of which one of two values was dropped. */
export interface MergedProperties {
  readonly values: Properties;
  readonly conflicts: readonly string[];
}

/**
 * Merges frontmatter key by key: lists as sets, maps key by key, the earlier or later of two times, the larger `rev` plus one. If both
 * sides gave a key different values, ours is used and the key is a conflict.
 */
export function mergeProperties(sides: Sides<Properties>): MergedProperties {
  const conflicts: string[] = [];
  const values = mergeMaps(sides, [], conflicts);
  const rev = mergedRev(sides);
  if (rev === null) return { values, conflicts };
  const counted = copyMap(values);
  counted['rev'] = rev;
  return { values: counted, conflicts: conflicts.filter((key) => key !== 'rev') };
}

function mergeMaps({ base, ours, theirs }: Sides<PropertyMap>, keys: readonly string[], conflicts: string[]): PropertyMap {
  const merged = copyMap({});
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const sides = { base: own(base, key), ours: own(ours, key), theirs: own(theirs, key) };
    const mark = /^_(?:claimed|handoff)_/.exec(key)?.[0];
    const value = mark === undefined ? mergeValues(sides, [...keys, key], conflicts) : pickMark({ base, ours, theirs }, mark, key);
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function mergeValues(
  { base, ours, theirs }: Sides<PropertyValue | undefined>,
  keys: readonly string[],
  conflicts: string[],
): PropertyValue | undefined {
  if (sameValue(ours, theirs) || sameValue(base, theirs)) return ours;
  if (sameValue(base, ours)) return theirs;
  if (isPropertyList(ours) && isPropertyList(theirs)) return mergeLists({ base: asList(base), ours: asList(ours), theirs: asList(theirs) });
  if (isPropertyMap(ours) && isPropertyMap(theirs)) {
    return mergeMaps({ base: isPropertyMap(base) ? base : {}, ours, theirs }, keys, conflicts);
  }
  const time = keys.length === 1 ? pickTime(keys[0] ?? '', ours, theirs) : null;
  if (time !== null) return time;
  conflicts.push(keys.join('.'));
  // A changed value takes precedence over a removal by the other side.
  return ours ?? theirs;
}

/** Properties that are written together, such as who claimed a task and when: all come from the side that changed them last. */
function pickMark({ base, ours, theirs }: Sides<PropertyMap>, mark: string, key: string): PropertyValue | undefined {
  const at = `${mark}at`;
  const isSame = (a: PropertyMap, b: PropertyMap): boolean =>
    sameValue(own(a, at), own(b, at)) && sameValue(own(a, `${mark}by`), own(b, `${mark}by`));
  if (isSame(base, theirs)) return own(ours, key);
  if (isSame(base, ours)) return own(theirs, key);
  const timeOf = (side: PropertyMap): number => {
    const time = own(side, at);
    return typeof time === 'string' ? Date.parse(time) || 0 : 0;
  };
  return own(timeOf(ours) >= timeOf(theirs) ? ours : theirs, key);
}

/** Returns ours without what they removed, followed by what they added. */
function mergeLists({ base, ours, theirs }: Sides<readonly PropertyValue[]>): readonly PropertyValue[] {
  const keys = (list: readonly PropertyValue[]): ReadonlySet<string> => new Set(list.map(valueKey));
  const [was, mine, other] = [keys(base), keys(ours), keys(theirs)];
  const kept = ours.filter((value) => other.has(valueKey(value)) || !was.has(valueKey(value)));
  return [...kept, ...theirs.filter((value) => !was.has(valueKey(value)) && !mine.has(valueKey(value)))];
}

function mergedRev({ base, ours, theirs }: Sides<Properties>): number | null {
  const [before, mine, other] = [base, ours, theirs].map(revOf);
  if (mine === null || mine === undefined || other === null || other === undefined) return null;
  // It never decreases, even if one side is a restored older state.
  return Math.max(mine, other) + (mine !== before && other !== before ? 1 : 0);
}

function pickTime(key: string, ours: PropertyValue | undefined, theirs: PropertyValue | undefined): PropertyValue | null {
  if (typeof ours !== 'string' || typeof theirs !== 'string') return null;
  if (!UPDATED_KEYS.includes(key) && !CREATED_KEYS.includes(key)) return null;
  const isOursLater = (Date.parse(ours) || 0) >= (Date.parse(theirs) || 0);
  return isOursLater === UPDATED_KEYS.includes(key) ? ours : theirs;
}

function asList(value: PropertyValue | undefined): readonly PropertyValue[] {
  return isPropertyList(value) ? value : [];
}

function own(map: PropertyMap, key: string): PropertyValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
