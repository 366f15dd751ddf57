import { RouxError } from '../errors.ts';
import { isRecord } from '../is-record.ts';

/** What a value of JSON may take. */
export interface JsonBounds {
  /** Maps and lists in one another. */
  readonly depth: number;
  /** UTF-16 units of all keys and texts, and one for each value. */
  readonly size: number;
}

/** Keys that mean something else on objects of the program, and that no frontmatter keeps. */
export const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Refuses what is no JSON (dates, functions, numbers without an end), nests too deep, is too large, or has keys of the prototype; with
 * the path of the field. Ends also on values that hold themselves, and on ones that hold the same one many times.
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

/** `nodes[3].name`; keys may be of any length, and are shown short. */
export function joinField(path: string, key: string): string {
  const name = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return path === '' ? name : `${path}.${name}`;
}

/** The error for a field that is not as it has to be; details `{ field }`. */
export function invalid(field: string, why: string): RouxError {
  return new RouxError('INVALID_ARGUMENT', `${field === '' ? 'The extraction' : `"${field}" of the extraction`} ${why}.`, { field });
}

/** The error for a field that is over a limit; details `{ field, limit }`. Nothing is cut: the caller sends less. */
export function tooLarge(field: string, why: string, limit: number): RouxError {
  const place = field === '' ? 'The extraction' : `"${field}" of the extraction`;
  return new RouxError('TOO_LARGE', `${place} ${why}; send less in one item.`, { field, limit });
}
