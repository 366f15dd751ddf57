import type { Properties, PropertyValue } from '../note.ts';
import { emptyMap } from './property-value.ts';

/** A string value in the YAML; `start` and `end` are inside its quotes. */
export interface YamlString {
  /** Its path: keys and list indexes, dotted. */
  readonly property: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly quote: '"' | "'" | '';
}

/** The values of a block, and its strings that may contain links. */
export interface PlainYaml {
  readonly data: Properties;
  readonly strings: readonly YamlString[];
}

const MAX_CHARACTERS = 16 * 1024;

/** Tabs, lone carriage returns and other control characters. */
const unusual = /[^\P{Cc}\r\n]|[\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)|\p{Cs}/u;

/** Characters that end a plain scalar of a flow list, or require the library. */
const notInFlowPlain = '"\'[]{},';
const plainBlock = /^(?:[^-?:,[\]{}#&*!|>'"%@`\s]|-(?! |$))/;
const plainFlow = /^(?:[^-?:,[\]{}#&*!|>'"%@`\s]|-(?! |$)[^,[\]{}])/;

/**
 * Parses common YAML: maps and lists in block form, plain or quoted scalars on one line, flat flow lists. Returns null for anything else,
 * and wherever the library could read it differently: this is only a shortcut.
 */
export function readPlainYaml(yaml: string): PlainYaml | null {
  if (yaml.length > MAX_CHARACTERS || unusual.test(yaml)) return null;
  return new PlainReader(yaml).read();
}

const MAX_DEPTH = 8;
const MAX_KEYS = 500;
const keyPattern =
  /^([A-Za-z_\u00c0-\u1fff\u3040-\u9fff\uac00-\ud7a3](?:[\w ./\u00c0-\u1fff\u3040-\u9fff\uac00-\ud7a3-]{0,100}[\w./\u00c0-\u1fff\u3040-\u9fff\uac00-\ud7a3-])?):(?= |$)/;
const unusualKey = /^(?:null|true|false|__proto__|constructor|prototype)$/i;

interface Line {
  readonly indent: number;
  readonly start: number;
  readonly end: number;
}

/** Thrown inside this file only, to leave the recursion. */
class Unusual extends Error {}
const leave = new Unusual();

class PlainReader {
  readonly #yaml: string;
  readonly #lines: Line[];
  readonly #strings: YamlString[] = [];
  #at = 0;
  #keys = 0;

  constructor(yaml: string) {
    this.#yaml = yaml;
    this.#lines = linesOf(yaml);
  }

  read(): PlainYaml | null {
    try {
      const first = this.#lines[0];
      if (!first) return { data: emptyMap(), strings: [] };
      if (first.indent !== 0) return null;
      const data = this.#readMap(0, '', 0);
      return this.#at === this.#lines.length ? { data, strings: this.#strings } : null;
    } catch (error) {
      if (error === leave) return null;
      throw error;
    }
  }

  #readMap(indent: number, path: string, depth: number): Properties {
    const map = emptyMap();
    if (depth > MAX_DEPTH) throw leave;
    for (let line = this.#lines[this.#at]; line && line.indent >= indent; line = this.#lines[this.#at]) {
      if (line.indent > indent) throw leave;
      const key = this.#keyAt(line.start, line.end);
      this.#keys += 1;
      if (key === null || key in map || unusualKey.test(key) || this.#keys > MAX_KEYS) throw leave;
      this.#at += 1;
      map[key] = this.#readValue(line, line.start + key.length + 1, path === '' ? key : `${path}.${key}`, depth);
    }
    return map;
  }

  #readValue(line: Line, from: number, path: string, depth: number): PropertyValue {
    const start = this.#skipSpaces(from, line.end);
    const next = this.#lines[this.#at];
    if (start < line.end) {
      if (next && next.indent > line.indent) throw leave;
      return this.#readScalar(start, line.end, path);
    }
    if (!next) return null;
    const isList = this.#isListLine(next);
    if (isList && next.indent >= line.indent) return this.#readList(next.indent, path, depth + 1);
    return next.indent > line.indent ? this.#readMap(next.indent, path, depth + 1) : null;
  }

  #readList(indent: number, path: string, depth: number): readonly PropertyValue[] {
    const list: PropertyValue[] = [];
    if (depth > MAX_DEPTH) throw leave;
    for (let line = this.#lines[this.#at]; line && line.indent >= indent; line = this.#lines[this.#at]) {
      if (line.indent === indent && !this.#isListLine(line)) break;
      if (line.indent > indent) throw leave;
      const start = this.#skipSpaces(line.start + 1, line.end);
      const inner = { indent: indent + start - line.start, start, end: line.end };
      if (start >= line.end || this.#isListLine(inner)) throw leave;
      const property = `${path}.${list.length}`;
      if (this.#keyAt(start, line.end) !== null) {
        this.#lines[this.#at] = inner;
        list.push(this.#readMap(inner.indent, property, depth + 1));
      } else {
        this.#at += 1;
        const next = this.#lines[this.#at];
        if (next && next.indent > indent) throw leave;
        list.push(this.#readScalar(start, line.end, property));
      }
    }
    return list;
  }

  #readScalar(start: number, end: number, property: string): PropertyValue {
    const first = this.#yaml[start];
    if (first === '[') return this.#readFlow(start, end, property);
    if (first === '"' || first === "'") return this.#readQuoted(start, end, property, first);
    return this.#readPlain(start, end, property, plainBlock);
  }

  /** Parses a flow list in one pass: `start` is at its bracket, and the closing one must be the last character. */
  #readFlow(start: number, end: number, property: string): readonly PropertyValue[] {
    const list: PropertyValue[] = [];
    const last = end - 1;
    if (last === start || this.#yaml[last] !== ']') throw leave;
    let at = this.#skipSpaces(start + 1, last);
    if (at === last) return list;
    for (;;) {
      const quote = this.#yaml[at];
      const path = `${property}.${list.length}`;
      if (quote === '"' || quote === "'") {
        const stop = this.#yaml.indexOf(quote, at + 1) + 1;
        if (stop === 0 || stop > last) throw leave;
        list.push(this.#readQuoted(at, stop, path, quote));
        at = this.#skipSpaces(stop, last);
      } else {
        const stop = this.#endOfFlowPlain(at, last);
        let trimmed = stop;
        while (trimmed > at && this.#yaml.charCodeAt(trimmed - 1) === 0x20) trimmed -= 1;
        list.push(this.#readPlain(at, trimmed, path, plainFlow));
        at = stop;
      }
      if (at === last) return list;
      if (this.#yaml[at] !== ',') throw leave;
      at = this.#skipSpaces(at + 1, last);
    }
  }

  #endOfFlowPlain(from: number, end: number): number {
    let at = from;
    while (at < end && !notInFlowPlain.includes(this.#yaml.charAt(at))) at += 1;
    return at;
  }

  #readQuoted(start: number, end: number, property: string, quote: '"' | "'"): string {
    const source = this.#yaml.slice(start + 1, end - 1);
    if (end - start < 2 || this.#yaml[end - 1] !== quote) throw leave;
    if (quote === '"' ? /["\\]/.test(source) : /(?:^|[^'])'(?:'')*(?!')/.test(source)) throw leave;
    const value = quote === "'" ? source.replaceAll("''", "'") : source;
    this.#keep({ property, value, start: start + 1, end: end - 1, quote });
    return value;
  }

  #readPlain(start: number, end: number, property: string, pattern: RegExp): PropertyValue {
    const source = this.#yaml.slice(start, end);
    if (!pattern.test(source) || /: | #|:$/.test(source)) throw leave;
    const value = plainValue(source);
    if (typeof value === 'string') this.#keep({ property, value, start, end, quote: '' });
    return value;
  }

  #keep(string: YamlString): void {
    if (string.value.includes('[[') || string.value.includes('](')) this.#strings.push(string);
  }

  #keyAt(start: number, end: number): string | null {
    return keyPattern.exec(this.#yaml.slice(start, end))?.[1] ?? null;
  }

  #isListLine(line: Line): boolean {
    return this.#yaml[line.start] === '-' && (line.start + 1 === line.end || this.#yaml[line.start + 1] === ' ');
  }

  #skipSpaces(from: number, end: number): number {
    let at = from;
    while (at < end && this.#yaml.charCodeAt(at) === 0x20) at += 1;
    return at;
  }
}

/** Parses a plain scalar of the core schema; rare number formats are left to the library. */
function plainValue(source: string): PropertyValue {
  const first = source.charCodeAt(0);
  if ((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e) {
    if (/^[-+]?\d+$/.test(source)) {
      const number = Number(source);
      if (!Number.isSafeInteger(number)) throw leave;
      return number === 0 ? 0 : number;
    }
    if (/^[-+]?(?:\.\d+|\d+\.\d*)$/.test(source)) return Number(source);
    if (/^(?:0[xo]|[-+]?\.(?:inf|nan)|[-+]?[\d.]+[eE])/i.test(source)) throw leave;
    return source;
  }
  if (source.length > 5) return source;
  if (/^(?:~|null|Null|NULL)$/.test(source)) return null;
  if (/^(?:true|True|TRUE)$/.test(source)) return true;
  return /^(?:false|False|FALSE)$/.test(source) ? false : source;
}

/** Returns the lines without blank ones, comments and trailing spaces. */
function linesOf(yaml: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < yaml.length;) {
    const feed = yaml.indexOf('\n', from);
    const stop = feed === -1 ? yaml.length : feed;
    let start = from;
    let end = stop > from && yaml.charCodeAt(stop - 1) === 0x0d ? stop - 1 : stop;
    while (end > start && yaml.charCodeAt(end - 1) === 0x20) end -= 1;
    while (start < end && yaml.charCodeAt(start) === 0x20) start += 1;
    if (start < end && yaml.charCodeAt(start) !== 0x23) lines.push({ indent: start - from, start, end });
    from = stop + 1;
  }
  return lines;
}
