import type { GraphLink, GraphView, LinkTarget } from '../graph/view.ts';
import type { PropertyValue } from '../note/note.ts';
import { foldKey } from '../note/path.ts';
import { readDate } from './dates.ts';
import { readLink } from './links.ts';
import { PatternClock, maxEffort } from './pattern-clock.ts';
import { queryError } from './query-error.ts';
import { FileValue, Link, MapValue } from './values.ts';
import type { Pattern, Value } from './values.ts';

/** Limits of a query: steps for one row and for all of them, and characters of one text. */
export const runLimits = { rowSteps: 200_000, steps: 10_000_000, characters: 200_000 } as const;

/** A regular expression that looks at no more characters than this at worst runs without a clock, which would cost more than it does. */
const MAX_UNTIMED_EFFORT = 20_000;

/** Where values come from. */
export interface QuerySource {
  readonly graph: GraphView;
  /** Returns the size and times of a file without reading it; null if it does not exist. */
  timesOf(path: string): { readonly size: number; readonly createdMs: number; readonly modifiedMs: number } | null;
  /** Milliseconds since 1970 UTC, the same for the whole query. */
  readonly now: number;
  /** A number in [0, 1). */
  random(): number;
}

/** An expression as a function. */
export type Compiled = (run: Run) => Value;

/** Obsidian's own properties that are lists even if a single value is written. */
const LISTS: ReadonlySet<string> = new Set(['tags', 'aliases', 'cssclasses']);

/** A query in progress: the current row, and the steps taken so far. */
export class Run {
  readonly source: QuerySource;
  /** The file that `this` means; null if there is none. */
  readonly context: FileValue | null;
  /** The current row. */
  file: FileValue;
  /** The values of `value`, `index` and `acc` in a list function, and of `values` in a summary. */
  value: Value = null;
  index: Value = null;
  acc: Value = null;
  values: Value = null;
  #patterns: PatternClock | null = null;
  readonly #formulas = new Map<Compiled, Value>();
  readonly #linkers = new Map<string, ReadonlySet<string>>();
  #steps = 0;
  #rowEnd: number = runLimits.rowSteps;

  constructor(source: QuerySource, context: FileValue | null) {
    this.source = source;
    this.context = context;
    this.file = context ?? new FileValue('', null);
  }

  /** Moves to another row; with null, to what concerns all rows. */
  turnTo(file: FileValue | null): void {
    if (file !== null) this.file = file;
    this.#rowEnd = file === null ? runLimits.steps : this.#steps + runLimits.rowSteps;
    if (this.#formulas.size > 0) this.#formulas.clear();
  }

  /** Counts steps. Throws `INVALID_PARAMS` if there are too many. */
  charge(steps: number): void {
    this.#steps += steps;
    if (this.#steps > runLimits.steps) throw queryError('The query takes too many steps; narrow it, or make its expressions simpler.');
    if (this.#steps > this.#rowEnd)
      throw queryError(`The expression takes too many steps on one file (${this.file.path}); make its lists and texts smaller.`);
  }

  /** Counts a text that was made, and returns it. Throws `INVALID_PARAMS` if it is too long. */
  text(text: string): string {
    this.checkLength(text.length);
    return text;
  }

  /** Counts making a text or list of this length. Throws `INVALID_PARAMS` if it would be too long. */
  checkLength(length: number): void {
    this.limitLength(length);
    this.charge(1 + Math.floor(length / 32));
  }

  /** Counts comparing, trimming or reading a text of this length. */
  chargeRead(length: number): void {
    this.charge(1 + Math.floor(length / 64));
  }

  /** Counts searching for a text in another one, which at worst compares it at every offset. */
  chargeSearch(text: string, wanted: string): void {
    if (wanted.length <= text.length) this.charge(1 + Math.floor((text.length / 32) * Math.max(1, wanted.length / 16)));
  }

  /** Throws `INVALID_PARAMS` if a text or list being made is too long. */
  limitLength(length: number): void {
    if (length > runLimits.characters)
      throw queryError(
        `The expression makes a text or list of ${length} characters or elements on ${this.file.path}; at most ${runLimits.characters} are made.`,
      );
  }

  /** Runs a regular expression on a text, within the query's limits. */
  match<T>({ regex, choices }: Pattern, text: string, use: (regex: RegExp) => T): T {
    this.checkLength(text.length);
    // With the flag `g` or `y` it continues where it last stopped.
    regex.lastIndex = 0;
    const effort = maxEffort(choices, text.length);
    if (effort <= MAX_UNTIMED_EFFORT) {
      this.charge(1 + Math.floor(effort / 16));
      return use(regex);
    }
    this.charge(400);
    this.#patterns ??= new PatternClock();
    return this.#patterns.use(regex, this.file.path, use);
  }

  /** Returns the value of a formula on this row, computed once. */
  formula(compiled: Compiled): Value {
    const known = this.#formulas.get(compiled);
    if (known !== undefined) return known;
    const value = compiled(this);
    this.#formulas.set(compiled, value);
    return value;
  }

  /** Returns a property of a note; null if it has none of this name. */
  property(file: FileValue, key: string): Value {
    if (file.entry === null) return null;
    this.charge(3);
    const raw = this.source.graph.facets.propertyOf(file.entry, key);
    if (raw === undefined || raw === null) return null;
    this.chargeRead(sizeOf(raw) * 8);
    if (typeof raw === 'string' && LISTS.has(key)) return raw.split(/[\s,]+/).filter((tag) => tag !== '');
    return toValue(raw, file.path);
  }

  /** Whether a note has a property, even an empty one. */
  hasProperty(file: FileValue, key: string): boolean {
    return file.entry !== null && this.source.graph.facets.propertyOf(file.entry, key) !== undefined;
  }

  /** Returns all properties of a note. */
  properties(file: FileValue): MapValue {
    const properties = file.entry?.properties ?? {};
    this.checkLength(Object.keys(properties).length);
    return new MapValue(new Map(Object.entries(properties).map(([key, value]) => [key, toValue(value, file.path)])));
  }

  /** Returns the path that a link leads to; null if it is unresolved. */
  targetOf(link: Link): string | null {
    if (link.target !== undefined) return link.target;
    this.charge(2);
    const found = link.linkpath === '' ? null : pathOf(this.source.graph.resolve({ linkpath: link.linkpath, from: link.from }));
    link.target = found;
    return found;
  }

  /** Returns the file with this path; null if there is none. */
  fileAt(path: string): FileValue | null {
    const entry = this.source.graph.get(path);
    return entry !== null || this.source.graph.isAttachment(path) ? new FileValue(path, entry) : null;
  }

  /** Returns the file that a value refers to: a file, a link, a path or the name of a note. Null if there is none. */
  toFile(value: Value): FileValue | null {
    if (value instanceof FileValue) return value;
    if (typeof value === 'string') this.chargeRead(value.length);
    if (typeof value === 'string') return this.fileAt(value) ?? this.toFile(readLink(value, this.file.path));
    const target = value instanceof Link ? this.targetOf(value) : null;
    return target === null ? null : this.fileAt(target);
  }

  /** Returns the links of a file, in the order of the text. */
  links(file: FileValue, { isEmbed }: { readonly isEmbed: boolean }): readonly Link[] {
    const links = this.source.graph.links(file.path).filter((link) => link.isEmbed === isEmbed);
    this.checkLength(links.length * 8);
    return links.map(toLink);
  }

  /** Whether a file links to what a value refers to. Embeds count as links. */
  hasLink(file: FileValue, other: Value): boolean {
    const target = this.toFile(other);
    if (target !== null) return this.#linkersOf(target.path).has(file.path);
    const wanted = other instanceof Link ? other : typeof other === 'string' ? readLink(other, file.path) : null;
    if (wanted === null || wanted.linkpath === '') return false;
    const key = foldKey(wanted.linkpath);
    this.charge(2);
    return this.source.graph.links(file.path).some((link) => link.target.kind === 'unresolved' && foldKey(link.linkpath) === key);
  }

  /** Returns the paths of the notes that link to a file. */
  #linkersOf(path: string): ReadonlySet<string> {
    this.charge(1);
    const known = this.#linkers.get(path);
    if (known !== undefined) return known;
    const links = this.source.graph.backlinks(path);
    this.charge(links.length);
    const linkers = new Set<string>(links.map((link) => link.from));
    this.#linkers.set(path, linkers);
    return linkers;
  }

  /** Returns the notes that link to a file. */
  backlinks(file: FileValue): readonly FileValue[] {
    const paths = [...this.#linkersOf(file.path)];
    this.checkLength(paths.length * 8);
    return paths.map((path) => new FileValue(path, this.source.graph.get(path)));
  }
}

/** Estimates the cost of reading a property: its elements, or a text that may be a link. */
function sizeOf(raw: Exclude<PropertyValue, null>): number {
  if (typeof raw !== 'object') return typeof raw === 'string' ? raw.length / 64 : 0;
  return Array.isArray(raw) ? raw.length : Object.keys(raw).length;
}

function toLink({ from, linkpath, subpath, target }: GraphLink): Link {
  return new Link({ linkpath, subpath, from, target: pathOf(target) });
}

function pathOf(target: LinkTarget): string | null {
  return target.kind === 'unresolved' ? null : target.path;
}

/** Converts a property to a value. A text that is a wikilink becomes a link, one that is a date becomes a date. */
export function toValue(raw: PropertyValue, from: string): Value {
  if (typeof raw === 'string') {
    if (raw.charCodeAt(0) === 91 && raw.startsWith('[[') && raw.endsWith(']]')) return readLink(raw, from);
    return readDate(raw) ?? raw;
  }
  if (typeof raw !== 'object' || raw === null) return raw;
  if (Array.isArray(raw)) return (raw as readonly PropertyValue[]).map((each) => toValue(each, from));
  return new MapValue(new Map(Object.entries(raw).map(([key, each]) => [key, toValue(each, from)])));
}
