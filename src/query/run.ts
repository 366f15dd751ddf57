import type { GraphLink, GraphView, LinkTarget } from '../graph/view.ts';
import type { PropertyValue } from '../note/note.ts';
import { foldKey } from '../note/path.ts';
import { readDate } from './dates.ts';
import { readLink } from './links.ts';
import { PatternClock, worstEffort } from './pattern-clock.ts';
import { queryError } from './query-error.ts';
import { FileValue, Link, MapValue } from './values.ts';
import type { Pattern, Value } from './values.ts';

/** What a query may take: steps on one row and on all of them, and characters in one text. */
export const runLimits = { rowSteps: 200_000, steps: 10_000_000, characters: 200_000 } as const;

/** What a regular expression may cost at worst, in characters looked at, to be used without a clock, which costs more than most do. */
const PLAIN_EFFORT = 20_000;

/** Where values come from. */
export interface QuerySource {
  readonly graph: GraphView;
  /** Size and times of a file, without reading it. */
  timesOf(path: string): { readonly size: number; readonly createdMs: number; readonly modifiedMs: number } | null;
  /** Milliseconds since 1970 UTC: one moment for the whole query. */
  readonly now: number;
  /** A number in [0, 1). */
  random(): number;
}

/** An expression as a function. */
export type Compiled = (run: Run) => Value;

/** Properties that hold a list also where one value is written alone (Obsidian's own). */
const LISTS: ReadonlySet<string> = new Set(['tags', 'aliases', 'cssclasses']);

/** One query under way: the row that is looked at, and what is left of the effort. */
export class Run {
  readonly source: QuerySource;
  /** What `this` stands for; null where there is nothing. */
  readonly context: FileValue | null;
  /** The row. */
  file: FileValue;
  /** What `value`, `index` and `acc` stand for in a list function, and `values` in a summary. */
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

  /** Turns to another row, or with null to what concerns all of them. */
  turnTo(file: FileValue | null): void {
    if (file !== null) this.file = file;
    this.#rowEnd = file === null ? runLimits.steps : this.#steps + runLimits.rowSteps;
    if (this.#formulas.size > 0) this.#formulas.clear();
  }

  /** Counts effort; `INVALID_PARAMS` when it is too much. */
  charge(steps: number): void {
    this.#steps += steps;
    if (this.#steps > runLimits.steps)
      throw queryError('The query takes too many steps; narrow it with tag or path, or make the expression simpler.');
    if (this.#steps > this.#rowEnd)
      throw queryError(`The expression takes too many steps on one file (${this.file.path}); make its lists and texts smaller.`);
  }

  /** A text that was made; `INVALID_PARAMS` when it is too long. */
  text(text: string): string {
    this.checkLength(text.length);
    return text;
  }

  /** Counts the making of a text or list; `INVALID_PARAMS` when it would be too long. */
  checkLength(length: number): void {
    this.limitLength(length);
    this.charge(1 + Math.floor(length / 32));
  }

  /** Counts looking through so much of a text: it is compared, trimmed or read. */
  look(length: number): void {
    this.charge(1 + Math.floor(length / 64));
  }

  /** Counts looking for a text in another one: at worst, every place is compared with all of it. */
  search(text: string, wanted: string): void {
    if (wanted.length <= text.length) this.charge(1 + Math.floor((text.length / 32) * Math.max(1, wanted.length / 16)));
  }

  /** `INVALID_PARAMS` when a text or list is too long that is being made. */
  limitLength(length: number): void {
    if (length > runLimits.characters)
      throw queryError(
        `The expression makes a text or list of ${length} characters or elements on ${this.file.path}; at most ${runLimits.characters} are made.`,
      );
  }

  /** Uses a regular expression on a text, within the time that the query has for them. */
  match<T>({ regex, choices }: Pattern, text: string, use: (regex: RegExp) => T): T {
    this.checkLength(text.length);
    // One with `g` or `y` remembers where it was.
    regex.lastIndex = 0;
    const effort = worstEffort(choices, text.length);
    if (effort <= PLAIN_EFFORT) {
      this.charge(1 + Math.floor(effort / 16));
      return use(regex);
    }
    this.charge(400);
    this.#patterns ??= new PatternClock();
    return this.#patterns.use(regex, this.file.path, use);
  }

  /** A formula on this row, computed once. */
  formula(compiled: Compiled): Value {
    const known = this.#formulas.get(compiled);
    if (known !== undefined) return known;
    const value = compiled(this);
    this.#formulas.set(compiled, value);
    return value;
  }

  /** A property of a note; null where there is none. */
  property(file: FileValue, key: string): Value {
    if (file.entry === null) return null;
    this.charge(3);
    const raw = this.source.graph.propertyOf(file.entry, key);
    if (raw === undefined || raw === null) return null;
    this.look(sizeOf(raw) * 8);
    if (typeof raw === 'string' && LISTS.has(key)) return raw.split(/[\s,]+/).filter((tag) => tag !== '');
    return toValue(raw, file.path);
  }

  /** Whether a note has a property, be it empty. */
  hasProperty(file: FileValue, key: string): boolean {
    return file.entry !== null && this.source.graph.propertyOf(file.entry, key) !== undefined;
  }

  /** All properties of a note. */
  properties(file: FileValue): MapValue {
    const properties = file.entry?.properties ?? {};
    this.checkLength(Object.keys(properties).length);
    return new MapValue(new Map(Object.entries(properties).map(([key, value]) => [key, toValue(value, file.path)])));
  }

  /** The path that a link leads to; null for none. */
  targetOf(link: Link): string | null {
    if (link.target !== undefined) return link.target;
    this.charge(2);
    const found = link.linkpath === '' ? null : pathOf(this.source.graph.resolve({ linkpath: link.linkpath, from: link.from }));
    link.target = found;
    return found;
  }

  /** The file of a path; null where there is none. */
  fileAt(path: string): FileValue | null {
    const entry = this.source.graph.get(path);
    return entry !== null || this.source.graph.isAttachment(path) ? new FileValue(path, entry) : null;
  }

  /** The file that a value names: a file itself, a link, a path or the name of a note. */
  toFile(value: Value): FileValue | null {
    if (value instanceof FileValue) return value;
    if (typeof value === 'string') this.look(value.length);
    if (typeof value === 'string') return this.fileAt(value) ?? this.toFile(readLink(value, this.file.path));
    const target = value instanceof Link ? this.targetOf(value) : null;
    return target === null ? null : this.fileAt(target);
  }

  /** The links of a file, in the order of the text. */
  links(file: FileValue, { isEmbed }: { readonly isEmbed: boolean }): readonly Link[] {
    const links = this.source.graph.links(file.path).filter((link) => link.isEmbed === isEmbed);
    this.checkLength(links.length * 8);
    return links.map(toLink);
  }

  /** Whether a file links to what a value names; embeds are links. */
  hasLink(file: FileValue, other: Value): boolean {
    const target = this.toFile(other);
    if (target !== null) return this.#linkersOf(target.path).has(file.path);
    const wanted = other instanceof Link ? other : typeof other === 'string' ? readLink(other, file.path) : null;
    if (wanted === null || wanted.linkpath === '') return false;
    const key = foldKey(wanted.linkpath);
    this.charge(2);
    return this.source.graph.links(file.path).some((link) => link.target.kind === 'unresolved' && foldKey(link.linkpath) === key);
  }

  /** Paths of the notes that link to a file. */
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

  /** The notes that link to a file. */
  backlinks(file: FileValue): readonly FileValue[] {
    const paths = [...this.#linkersOf(file.path)];
    this.checkLength(paths.length * 8);
    return paths.map((path) => new FileValue(path, this.source.graph.get(path)));
  }
}

/** How much of a property has to be looked at to read it: elements, or a text that may be a link. */
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

/** A property as expressions see it: whole wikilinks are links, and what looks like a date is one. */
export function toValue(raw: PropertyValue, from: string): Value {
  if (typeof raw === 'string') {
    if (raw.charCodeAt(0) === 91 && raw.startsWith('[[') && raw.endsWith(']]')) return readLink(raw, from);
    return readDate(raw) ?? raw;
  }
  if (typeof raw !== 'object' || raw === null) return raw;
  if (Array.isArray(raw)) return (raw as readonly PropertyValue[]).map((each) => toValue(each, from));
  return new MapValue(new Map(Object.entries(raw).map(([key, each]) => [key, toValue(each, from)])));
}
