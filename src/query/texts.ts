import { dateJson, dateText, durationMs, durationText } from './dates.ts';
import { linkText } from './links.ts';
import type { Run } from './run.ts';
import { DateValue, Duration, FileValue, isList, Link, MapValue } from './values.ts';
import type { Value } from './values.ts';

/** The nesting depth up to which lists are written. */
const MAX_DEPTH = 20;

/** Converts a value to text, as `toString()` and `+` do. Null becomes the empty text. */
export function toText(run: Run, value: Value, depth = 0): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (value instanceof DateValue) return dateText(value);
  // Without brackets, so that searches match what the link shows.
  if (value instanceof Link) return value.display ?? value.linkpath + value.subpath;
  if (value instanceof FileValue) return value.path;
  if (value instanceof Duration) return durationText(value);
  if (isList(value)) {
    run.charge(1 + value.length);
    if (depth > MAX_DEPTH) return '…';
    const texts: string[] = [];
    let length = 0;
    for (const each of value) {
      const text = toText(run, each, depth + 1);
      length += text.length + 2;
      run.limitLength(length);
      texts.push(text);
    }
    return run.text(texts.join(', '));
  }
  return value instanceof MapValue ? run.text(JSON.stringify(toJson(run, value))) : String(value.regex);
}

/** A value in an answer. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Converts a value for an answer: dates in ISO 8601, links as in notes, durations in milliseconds (E-21), and null for numbers that JSON
 * lacks. Throws `INVALID_PARAMS` if it becomes too long, since a list shared in memory is written each time it occurs.
 */
export function toJson(run: Run, value: Value): Json {
  return typeof value === 'string' ? value : new JsonWriter(run).write(value, 0);
}

class JsonWriter {
  readonly #run: Run;
  #length = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  write(value: Value, depth: number): Json {
    const json = this.#write(value, depth);
    this.#count(typeof json === 'string' ? json : '');
    return json;
  }

  #count(text: string): void {
    this.#length += 1 + text.length;
    this.#run.limitLength(this.#length);
  }

  #write(value: Value, depth: number): Json {
    if (depth > MAX_DEPTH && (isList(value) || value instanceof MapValue)) return '…';
    if (isList(value)) {
      this.#run.charge(1 + value.length);
      return value.map((each) => this.write(each, depth + 1));
    }
    if (!(value instanceof MapValue)) return plainJson(value);
    this.#run.charge(1 + value.entries.size);
    return Object.fromEntries(
      [...value.entries].map(([key, each]) => {
        this.#count(key);
        return [key, this.write(each, depth + 1)];
      }),
    );
  }
}

function plainJson(value: Exclude<Value, readonly Value[] | MapValue>): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof DateValue) return dateJson(value);
  if (value instanceof Link) return linkText(value);
  if (value instanceof FileValue) return value.path;
  if (value instanceof Duration) return Math.round(durationMs(value));
  return String(value.regex);
}
