import { createHash } from 'node:crypto';
import type { NoteChange } from '../change.ts';
import { isPropertyMap } from '../frontmatter/property-value.ts';
import type { PropertyMap } from '../frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../note.ts';

/** The property of an entity's note that holds what is known of its observations, whose texts are returned word for word. */
export const OBSERVATION_INFO = 'observation_info';

/** The letter in front keeps YAML from reading a key as a number. */
const KEY = /^o-[0-9a-f]{12}$/;

/** Returns the key of an observation, which is made of its text: an edited observation is another one, of which nothing is known. */
export function observationKey(text: string): string {
  return `o-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}

/** Returns what the frontmatter says about observations, by key; null if it says nothing. */
export function readObservationInfo(properties: Properties): PropertyMap | null {
  const info = properties[OBSERVATION_INFO];
  return isPropertyMap(info) ? info : null;
}

/** Returns what is known of one observation; empty if nothing is. */
export function infoOf(info: PropertyMap | null, text: string): Properties {
  const own = info?.[observationKey(text)];
  return isPropertyMap(own) ? own : {};
}

/** Returns the change that sets one property of an observation; null removes it. */
export function setObservationInfo(text: string, property: string, value: PropertyValue): NoteChange {
  const key = [OBSERVATION_INFO, observationKey(text), property];
  return value === null ? { op: 'unset', key } : { op: 'set', key, value, keepsAliases: true };
}

/** Returns the changes that remove what is known of observations that are gone. `left`: those that the note has from now on. */
export function dropObservationInfo(info: PropertyMap | null, left: Iterable<string>): readonly NoteChange[] {
  if (info === null) return [];
  const keys = new Set([...left].map(observationKey));
  const gone = Object.keys(info).filter((key) => KEY.test(key) && !keys.has(key));
  return gone.map((key) => ({ op: 'unset', key: [OBSERVATION_INFO, key] }));
}
