import type { NoteEntry } from '../graph/view.ts';

/** A point in time; one without a time of day is midnight, local time. */
export class DateValue {
  /** Milliseconds since 1970 UTC. */
  readonly ms: number;
  readonly hasTime: boolean;

  constructor(ms: number, hasTime: boolean) {
    this.ms = ms;
    this.hasTime = hasTime;
  }
}

/** A span of time: months differ in length, so they are kept for themselves. */
export class Duration {
  readonly months: number;
  readonly ms: number;

  constructor(months: number, ms: number) {
    this.months = months;
    this.ms = ms;
  }
}

/** A link as it is written, to a note, an attachment, an address of the web or nothing. */
export class Link {
  /** The path part, before `#`. */
  readonly linkpath: string;
  /** From the first `#` on, or `''`. */
  readonly subpath: string;
  readonly display: string | null;
  /** The path of the file that holds it, from where it resolves. */
  readonly from: string;
  /** The path of the file that it leads to, null for none; undefined until somebody asks. */
  target: string | null | undefined;

  constructor(link: { linkpath: string; subpath?: string; display?: string | null; from: string; target?: string | null }) {
    this.linkpath = link.linkpath;
    this.subpath = link.subpath ?? '';
    this.display = link.display ?? null;
    this.from = link.from;
    this.target = link.target;
  }
}

/** A file of the vault; `entry` is null for what is no note. */
export class FileValue {
  readonly path: string;
  readonly entry: NoteEntry | null;

  constructor(path: string, entry: NoteEntry | null) {
    this.path = path;
    this.entry = entry;
  }
}

/** A regular expression. */
export class Pattern {
  readonly regex: RegExp;
  /** At how many places it has a choice (`choicesOf`). */
  readonly choices: number;

  constructor(regex: RegExp, choices: number) {
    this.regex = regex;
    this.choices = choices;
  }
}

/** Values by key. */
export class MapValue {
  readonly entries: ReadonlyMap<string, Value>;

  constructor(entries: ReadonlyMap<string, Value>) {
    this.entries = entries;
  }
}

/** What an expression can give. */
export type Value = null | boolean | number | string | DateValue | Duration | Link | FileValue | Pattern | MapValue | readonly Value[];

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'date' | 'duration' | 'link' | 'file' | 'regexp' | 'object' | 'list';

/** The type of a value, as `isType` names it. */
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

/** Whether a value is a list. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether a value counts as true: what is there and not empty, zero or false. */
export function isTruthy(value: Value): boolean {
  if (typeof value !== 'object') return Boolean(value);
  return value !== null && !(isList(value) && value.length === 0);
}

/** Whether there is nothing in a value. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === '') return true;
  if (typeof value === 'number') return Number.isNaN(value);
  if (isList(value)) return value.length === 0;
  return value instanceof MapValue && value.entries.size === 0;
}
