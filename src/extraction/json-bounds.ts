import { RouxError } from '../errors.ts';
import { isRecord } from '../is-record.ts';

/** Bounds of a JSON value. */
export interface JsonBounds {
  /** Nesting depth of maps and lists. */
  readonly depth: number;
  /** UTF-16 units of all keys and texts, plus one for each value. */
  readonly size: number;
}

/** Keys with a special meaning on JavaScript objects. Frontmatter cannot hold them either. */
export const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Throws for a value that is not JSON (dates, functions, infinite numbers), nested too deeply, too large, or has prototype keys. The error
 * names the path of the field. Terminates even for values that contain themselves, or the same value many times.
 */
export function checkJson(value: unknown, bounds: JsonBounds, { mayNamePrototype = false } = {}): void {
  let size = 0;
  const spend = (count: number, field: string): void => {
    size += count;
    if (size > bounds.size) throw tooLarge(field, `is where the whole is more than ${bounds.size} characters`, bounds.size);
  };
  const visit = (part: unknown, field: string, depth: number): void => {
    if (typeof part === 'string') return spend(1 + part.length, field);
    spend(1, field);
    if (part === null || typeof part === 'boolean' || (typeof part === 'number' && Number.isFinite(part))) return;
    if (typeof part !== 'object') throw invalid(field, `is no JSON: ${typeof part}`);
    if (depth >= bounds.depth) throw tooLarge(field, `nests maps and lists more than ${bounds.depth} deep`, bounds.depth);
    if (Array.isArray(part)) {
      for (const [index, each] of part.entries()) visit(each, `${field}[${index}]`, depth + 1);
      return;
    }
    const prototype: unknown = Object.getPrototypeOf(part);
    if (!isRecord(part) || (prototype !== null && prototype !== Object.prototype)) throw invalid(field, 'is no JSON: an object of a class');
    for (const key of Object.keys(part)) {
      const below = joinField(field, key);
      if (!mayNamePrototype && PROTOTYPE_KEYS.has(key)) throw invalid(below, 'is a name that no attribute may have');
      spend(1 + key.length, below);
      visit(part[key], below, depth + 1);
    }
  };
  visit(value, '', 0);
}

/** Appends a key, shortened if it is long, to a path such as `nodes[3].name`. */
export function joinField(path: string, key: string): string {
  const name = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return path === '' ? name : `${path}.${name}`;
}

/** Creates the error for an invalid field; details `{ field }`. */
export function invalid(field: string, why: string): RouxError {
  return new RouxError('INVALID_ARGUMENT', `${field === '' ? 'The extraction' : `"${field}" of the extraction`} ${why}.`, { field });
}

/** Creates the error for a field over a limit; details `{ field, limit }`. */
export function tooLarge(field: string, why: string, limit: number): RouxError {
  const place = field === '' ? 'The extraction' : `"${field}" of the extraction`;
  return new RouxError('TOO_LARGE', `${place} ${why}; send less in one item.`, { field, limit });
}
