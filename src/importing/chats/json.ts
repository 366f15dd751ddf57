import { isRecord } from '../../is-record.ts';

type Values = Readonly<Record<string, unknown>>;

/** Returns the text under a key; `''` for anything else. */
export function textAt(value: Values, key: string): string {
  const text = value[key];
  return typeof text === 'string' ? text : '';
}

/** Returns the map under a key; an empty one for anything else. */
export function recordAt(value: Values, key: string): Values {
  const found = value[key];
  return isRecord(found) ? found : {};
}

/** Returns the maps of the list under a key. */
export function recordsAt(value: Values, key: string): readonly Values[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter((each) => isRecord(each)) : [];
}

/** Returns the list under a key; an empty one for anything else. */
export function listAt(value: Values, key: string): readonly unknown[] {
  const found = value[key];
  return Array.isArray(found) ? found : [];
}

/** Returns the value of a JSON text; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Indented, what is nested deeply grows by two spaces for each level on each line. */
const MAX_INDENTED_CHARACTERS = 100_000;

/** Returns JSON for people to read; `''` for an empty value. */
export function toPrettyJson(value: unknown): string {
  const isEmpty = value === null || value === undefined || (isRecord(value) && Object.keys(value).length === 0);
  if (isEmpty) return '';
  const json = JSON.stringify(value);
  return json.length > MAX_INDENTED_CHARACTERS ? json : JSON.stringify(value, null, 2);
}
