import { RouxError } from '../../errors.ts';
import type { NoteChange } from '../change.ts';
import type { Properties, PropertyValue, Span } from '../note.ts';
import { foldKey } from '../path.ts';
import { applySplices, lineEnd, lineEnding, nextLine } from '../text.ts';
import { settleResolved } from './contested-value.ts';
import { copyMap, isForbiddenKey, isPropertyList, isPropertyMap, sameValue, splitTags } from './property-value.ts';
import type { PropertyMap } from './property-value.ts';
import { bodyStartOf, readFrontmatter } from './read-frontmatter.ts';
import { defaultYamlStyle, printBare, printPairLines } from './yaml-print.ts';
import { yamlSplices } from './yaml-splices.ts';
import { aliasesOf, parseYamlText } from './yaml-text.ts';

/** A change to the frontmatter only. */
export type PropertyChange = Extract<NoteChange, { op: 'set' | 'unset' | 'append' | 'take' }>;

/** Returns whether a change affects only the frontmatter. */
export function isPropertyChange(change: NoteChange): change is PropertyChange {
  return change.op === 'set' || change.op === 'unset' || change.op === 'append' || change.op === 'take';
}

/** Returns the frontmatter values after one change; the same object when nothing changes. */
export function changeProperties(values: Properties, change: PropertyChange): Properties {
  checkKey(change.key);
  const before = valueAt(values, change.key);
  switch (change.op) {
    case 'set':
      return sameValue(before, change.value) && before !== undefined ? values : withValue(values, change.key, change.value);
    case 'unset':
      return before === undefined ? values : withValue(values, change.key, undefined);
    case 'append': {
      const list = asList(before, change.key);
      if (change.unique === true && list.some((entry) => isSameEntry(entry, change.value, change.key))) return values;
      return withValue(values, change.key, [...list, change.value]);
    }
    case 'take': {
      const list = asList(before, change.key);
      const kept = list.filter((entry) => !isSameEntry(entry, change.value, change.key));
      if (kept.length === list.length) return values;
      return withValue(values, change.key, kept.length === 0 ? undefined : kept);
    }
  }
}

/** Returns the value at a path of keys into maps; undefined for none. */
export function valueAt(values: Properties, key: readonly string[]): PropertyValue | undefined {
  let value: PropertyValue | undefined = values;
  for (const part of key) {
    if (!isPropertyMap(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** Returns the error for a property whose name could reach a prototype. */
export function forbiddenKey(key: string): RouxError {
  return new RouxError(
    'INVALID_PARAMS',
    `A property cannot be called ${key}: programs could mistake it for their own. Choose another name.`,
    {
      property: key,
    },
  );
}

function checkKey(key: readonly string[]): void {
  if (key.length === 0) throw new RouxError('INVALID_PARAMS', 'A property change needs a key; name the property to change.');
  const forbidden = key.find(isForbiddenKey);
  if (forbidden !== undefined) throw forbiddenKey(forbidden);
}

function withValue(map: PropertyMap, key: readonly string[], value: PropertyValue | undefined, above: readonly string[] = []): PropertyMap {
  const [first = '', ...rest] = key;
  const copy = copyMap(map);
  if (rest.length === 0) {
    if (value === undefined) delete copy[first];
    else copy[first] = value;
    return copy;
  }
  const inner = Object.hasOwn(map, first) ? (map[first] ?? {}) : {};
  if (!isPropertyMap(inner)) {
    const name = [...above, first].join('.');
    throw new RouxError(
      'INVALID_FRONTMATTER',
      `The frontmatter property ${name} is not a map, so it cannot hold ${rest.join('.')}. Change ${name} first.`,
    );
  }
  const changed = withValue(inner, rest, value, [...above, first]);
  if (value === undefined && Object.keys(changed).length === 0) delete copy[first];
  else copy[first] = changed;
  return copy;
}

/**
 * Returns the entries of a list property. A single value is a list of one; a text of `tags` may have several (docs/format.md, Frontmatter).
 */
function asList(value: PropertyValue | undefined, key: readonly string[]): readonly PropertyValue[] {
  if (value === undefined || value === null) return [];
  if (isPropertyList(value)) return value;
  if (isTags(key) && typeof value === 'string') return splitTags(value);
  return [value];
}

function isSameEntry(a: PropertyValue, b: PropertyValue, key: readonly string[]): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return sameValue(a, b);
  if (isTags(key)) return tagKey(a) === tagKey(b);
  const link = linkText(a);
  return a === b || (link !== null && link === linkText(b));
}

function isTags(key: readonly string[]): boolean {
  return key.length === 1 && key[0] === 'tags';
}

function tagKey(tag: string): string {
  return foldKey(tag.trim().replace(/^#/, ''));
}

/** Returns the link text of a value that is one wikilink; null for others. */
function linkText(value: string): string | null {
  const match = /^\s*\[\[([^[\]|]+)(?:\|[^[\]]*)?\]\]\s*$/.exec(value);
  return match?.[1]?.trim() ?? null;
}

/**
 * Changes the frontmatter of a text, preserving all unaffected bytes. Throws `INVALID_FRONTMATTER` if the block has to change and cannot be
 * read, or cannot represent the change.
 */
export function editProperties(path: string, text: string, changes: readonly PropertyChange[]): string {
  const after = replaceProperties(path, text, (values) => changeAll(path, values, changes));
  const careful = changes.find((change) => change.op === 'set' && change.keepsAliases === true);
  if (careful !== undefined && after !== text) checkAliases(path, careful.key.join('.'), { before: text, after });
  return after;
}

/** Applies the changes. An error about what is there says in which of many notes. */
function changeAll(path: string, values: Properties, changes: readonly PropertyChange[]): Properties {
  try {
    return changes.reduce(changeProperties, values);
  } catch (error) {
    if (!(error instanceof RouxError) || error.code !== 'INVALID_FRONTMATTER') throw error;
    throw new RouxError(error.code, `${path}: ${error.message}`, { ...error.details, path });
  }
}

/** Throws `INVALID_FRONTMATTER` if an alias of a list or map was written out. */
function checkAliases(path: string, property: string, { before, after }: { readonly before: string; readonly after: string }): void {
  const [was, is] = [before, after].map((text) => {
    const { yaml } = readFrontmatter(text);
    const source = yaml === null ? '' : text.slice(yaml.start, yaml.end);
    return source.includes('*') ? aliasesOf(parseYamlText(source, '\n')) : [];
  });
  const lost = was?.find((name) => was.filter((each) => each === name).length > (is?.filter((each) => each === name).length ?? 0));
  if (lost === undefined) return;
  throw new RouxError(
    'INVALID_FRONTMATTER',
    `${property} of ${path} uses the YAML alias *${lost}, which cannot be edited in place. Replace the alias with its value by hand first.`,
    { path, property },
  );
}

/** Replaces the frontmatter values of a text by the result of a function, in the same way. */
export function replaceProperties(path: string, text: string, change: (values: Properties) => Properties): string {
  const before = readFrontmatter(text);
  const problem = before.problems.find(({ code }) => code !== 'frontmatter-dropped-key');
  if (problem !== undefined) {
    const line = problem.line === undefined ? '' : ` (line ${problem.line})`;
    const reason = problem.message.replace(/(?<![\s.:])[\s.:]+$/, '');
    throw new RouxError(
      'INVALID_FRONTMATTER',
      `The frontmatter of ${path} cannot be changed${line}: ${reason}. Correct it by hand first.`,
      {
        path,
        line: problem.line ?? null,
        problem: problem.code,
      },
    );
  }
  const wanted = change(before.data);
  if (wanted === before.data || sameValue(wanted, before.data)) return text;
  const body = text.slice(bodyStartOf(text, before.block));
  let after = before.yaml === null ? null : writeLines(text, before.yaml, { before: before.data, wanted });
  if (after === null || !readsAs(after, wanted, body)) after = writeProperties(text, before.yaml, wanted);
  if (after === null || !readsAs(after, wanted, body)) {
    const [long] = longNumbers(wanted);
    if (long !== undefined)
      throw new RouxError('INVALID_PARAMS', `${path}: ${long} has more digits than a number keeps; give it as text, in quotes.`, { path });
    throw new RouxError(
      'INVALID_FRONTMATTER',
      `The frontmatter of ${path} (from line 1) would grow too large, or is written so that this change would affect other parts of it. Edit it by hand.`,
      { path, line: 1 },
    );
  }
  // Changing the value resolves what a merge left open.
  return wanted['resolved'] === before.data['resolved'] ? after : settleResolved(after);
}

/** Returns the whole numbers of a value that lost digits, and would be read as text. */
function longNumbers(value: PropertyValue): readonly number[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(longNumbers);
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? [value] : [];
}

function writeProperties(text: string, yaml: { start: number; end: number } | null, wanted: Properties): string | null {
  const eol = lineEnding(text);
  if (yaml === null) {
    const at = bodyStartOf(text, null);
    const lines = Object.entries(wanted).flatMap(([key, value]) => printPairLines(key, value, 0, { ...defaultYamlStyle, eol }));
    return `${text.slice(0, at)}---${eol}${lines.map((line) => line + eol).join('')}---${eol}${text.slice(at)}`;
  }
  const source = text.slice(yaml.start, yaml.end);
  const splices = yamlSplices(parseYamlText(source, eol), wanted);
  if (splices === null) return null;
  return text.slice(0, yaml.start) + applySplices(source, splices) + text.slice(yaml.end);
}

/**
 * Replaces values that stand as roux prints them, without quotes on the line of their key, adds such lines, and adds entries to lists of such
 * values below their key, as `writeProperties` would; null if anything else changed. The caller reads the result again. Parsing YAML with
 * positions takes a tenth of a small write.
 */
function writeLines(
  text: string,
  yaml: { start: number; end: number },
  { before, wanted }: { before: Properties; wanted: Properties },
): string | null {
  let source = text.slice(yaml.start, yaml.end);
  const keys = Object.keys(before);
  if (keys.length === 0 || keys.some((key) => !Object.hasOwn(wanted, key))) return null;
  const eol = lineEnding(text);
  // The first list or map of a block shows how further ones are written.
  const isFlat = keys.every((key) => typeof before[key] !== 'object' || before[key] === null);
  let added = '';
  for (const [key, value] of Object.entries(wanted)) {
    const was = before[key];
    if (was !== undefined && sameValue(was, value)) continue;
    const entries = isPropertyList(value) && value.length > 0 ? value.map(printBare) : null;
    if (entries?.includes(null) === true || (was === undefined && printBare(key) === null)) return null;
    if (entries !== null && was !== undefined) {
      const longer = isPropertyList(was) ? withEntries(source, { key, was: was.map(printBare), entries, eol }) : null;
      if (longer === null) return null;
      source = longer;
      continue;
    }
    const printed = entries === null ? printBare(value) : isFlat ? entries.map((entry) => `${eol}  - ${entry}`).join('') : null;
    if (printed === null) return null;
    if (was !== undefined) {
      const place = valueAfter(source, key);
      // Quotes, comments and other ways to write it stay.
      if (place === null || source.slice(place.start, place.end) !== printBare(was)) return null;
      source = source.slice(0, place.start) + printed + source.slice(place.end);
    } else added += `${key}:${entries === null ? ' ' : ''}${printed}${eol}`;
  }
  const at = nextLine(source, lineEnd(source, source.trimEnd().length));
  return text.slice(0, yaml.start) + source.slice(0, at) + added + source.slice(at) + text.slice(yaml.end);
}

/** Adds entries to the end of a list, of which each stands after a dash on a line of its own; null where it does not, or others changed. */
function withEntries(
  source: string,
  { key, was, entries, eol }: { key: string; was: readonly (string | null)[]; entries: readonly (string | null)[]; eol: string },
): string | null {
  if (was.length === 0 || entries.length <= was.length || was.some((entry, index) => entry !== entries[index])) return null;
  const line = lineOf(source, key);
  if (line === null || source.slice(line, lineEnd(source, line)) !== `${key}:`) return null;
  let at = nextLine(source, lineEnd(source, line));
  const indent = / */y.exec(source.slice(at))?.[0] ?? '';
  for (const entry of was) {
    const end = lineEnd(source, at);
    if (source.slice(at, end) !== `${indent}- ${entry}`) return null;
    at = nextLine(source, end);
  }
  const added = entries.slice(was.length).map((entry) => `${indent}- ${entry}${eol}`);
  return source.slice(0, at) + added.join('') + source.slice(at);
}

/** Returns where a line begins with a key; null for none. */
function lineOf(source: string, key: string): number | null {
  const head = `${key}:`;
  const line = source.startsWith(head) ? 0 : source.indexOf(`\n${head}`) + 1;
  return source.startsWith(head, line) ? line : null;
}

/** Returns where the text after a key at the beginning of a line is, without the space around it; null for none. */
function valueAfter(source: string, key: string): Span | null {
  const line = lineOf(source, key);
  if (line === null) return null;
  const first = line + key.length + 1;
  const rest = source.slice(first, lineEnd(source, line));
  const value = rest.trim();
  const start = first + rest.indexOf(value);
  return value === '' ? null : { start, end: start + value.length };
}

/** Verifies an edit: the result has the wanted values and the same body. */
function readsAs(text: string, wanted: Properties, body: string): boolean {
  const after = readFrontmatter(text);
  return after.isReadable && sameValue(after.data, wanted) && text.slice(bodyStartOf(text, after.block)) === body;
}
