import type { NoteEntry } from '../graph/view.ts';

/** A point in time. Without a time of day it is midnight, local time. */
export class DateValue {
  /** Milliseconds since 1970 UTC. */
  readonly ms: number;
  readonly hasTime: boolean;

  constructor(ms: number, hasTime: boolean) {
    this.ms = ms;
    this.hasTime = hasTime;
  }
}

/** A span of time. Months are separate, since they differ in length. */
export class Duration {
  readonly months: number;
  readonly ms: number;

  constructor(months: number, ms: number) {
    this.months = months;
    this.ms = ms;
  }
}

/** A link to a note, an attachment, a URL or nothing. */
export class Link {
  /** The path part, before `#`. */
  readonly linkpath: string;
  /** The part from the first `#`, or `''`. */
  readonly subpath: string;
  readonly display: string | null;
  /** The path of the file that contains it, relative to which it resolves. */
  readonly from: string;
  /** The path of the file that it leads to, null if unresolved; undefined until it is first needed. */
  target: string | null | undefined;

  constructor(link: { linkpath: string; subpath?: string; display?: string | null; from: string; target?: string | null }) {
    this.linkpath = link.linkpath;
    this.subpath = link.subpath ?? '';
    this.display = link.display ?? null;
    this.from = link.from;
    this.target = link.target;
  }
}

/** A file of the vault; `entry` is null if it is not a note. */
export class FileValue {
  readonly path: string;
  readonly entry: NoteEntry | null;

  constructor(path: string, entry: NoteEntry | null) {
    this.path = path;
    this.entry = entry;
  }
}

export class Pattern {
  readonly regex: RegExp;
  /** The number of places where it has a choice (`countChoices`). */
  readonly choices: number;

  constructor(regex: RegExp, choices: number) {
    this.regex = regex;
    this.choices = choices;
  }
}

export class MapValue {
  readonly entries: ReadonlyMap<string, Value>;

  constructor(entries: ReadonlyMap<string, Value>) {
    this.entries = entries;
  }
}

/** The value of an expression. */
export type Value = null | boolean | number | string | DateValue | Duration | Link | FileValue | Pattern | MapValue | readonly Value[];

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'date' | 'duration' | 'link' | 'file' | 'regexp' | 'object' | 'list';

/** Returns the type of a value, as `isType` names it. */
export function typeOf(value: Value): TypeName {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value as TypeName;
    default:
      break;
  }
  if (value === null) return 'null';
  if (isList(value)) return 'list';
  if (value instanceof DateValue) return 'date';
  if (value instanceof Link) return 'link';
  if (value instanceof FileValue) return 'file';
  if (value instanceof Duration) return 'duration';
  return value instanceof Pattern ? 'regexp' : 'object';
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether a value counts as true: anything but null, false, zero, NaN, and empty texts and lists. */
export function isTruthy(value: Value): boolean {
  if (typeof value !== 'object') return Boolean(value);
  return value !== null && !(isList(value) && value.length === 0);
}

/** Whether a value is null, NaN, or an empty text, list or object. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === '') return true;
  if (typeof value === 'number') return Number.isNaN(value);
  if (isList(value)) return value.length === 0;
  return value instanceof MapValue && value.entries.size === 0;
}
