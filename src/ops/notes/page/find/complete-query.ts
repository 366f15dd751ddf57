import { foldText } from '../../../../graph/search/words/fold-text.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { folderOf } from '../../../../note/path.ts';
import { listPropertyNames } from '../../query/unknown-names.ts';
import { shorten } from '../../../shorten.ts';
import { cacheByVersion } from '../cache-by-version.ts';

/** A completion of the last word of a query. */
export interface Completion {
  /** The completed query. */
  readonly query: string;
  /** The part that is shown in the list. */
  readonly label: string;
  /** Number of matching notes, if known. */
  readonly count?: number;
}

const MAX_COMPLETIONS = 8;
const MAX_LABEL_CHARACTERS = 120;

/** Names for completions, cached until the graph changes. */
export interface Known {
  readonly tags: readonly Named[];
  readonly types: readonly Named[];
  readonly folders: readonly Named[];
  readonly properties: readonly Named[];
  readonly values: Map<string, readonly Named[]>;
}

export interface Named {
  readonly name: string;
  readonly key: string;
  readonly count?: number;
}

const OPERATORS: readonly string[] = ['tag:', 'path:', 'type:', 'file:', 'line:', 'section:', 'task:', 'task-todo:', 'task-done:'];

/** Completes the end of a query: `tag:`, `path:`, `type:`, `[key` and `[key:value`, and names of operators. */
export function completeQuery(vault: Vault, query: string): readonly Completion[] {
  const part = lastPart(query);
  const bracket = /\[[^[\]]*$/u.exec(part)?.index ?? part.length;
  const word = /(?<![^\s()])[^\s()]*$/u.exec(part)?.index ?? part.length;
  const tail = part.slice(Math.min(bracket, word));
  const before = query.slice(0, query.length - tail.length);
  const known = knownNames(vault);
  const property = /^(-?)\[([^:[\]]*)(?::([^\]]*))?$/su.exec(tail);
  if (property !== null) {
    const [, sign = '', name = '', value] = property;
    if (value === undefined) return choose(known.properties, name, (found) => `${before}${sign}[${found}:`);
    return choose(valuesOf(vault, known, name.trim()), value, (found) => `${before}${sign}[${name}:${quoteIn(found)}]`);
  }
  const [, sign = '', operator = '', typed = ''] = /^(-?)(tag|path|type):"?(.*)$/su.exec(tail) ?? [];
  const names = operator === 'tag' ? known.tags : operator === 'type' ? known.types : operator === 'path' ? known.folders : null;
  if (names !== null) return choose(names, typed.replace(/^#/, ''), (found) => `${before}${sign}${operator}:${quote(found)} `);
  if (!/^-?[a-z]{2,8}$/.test(tail)) return [];
  return OPERATORS.filter((each) => each.startsWith(tail.replace(/^-/, '')) && each !== tail).map((each) => ({
    query: `${before}${tail.startsWith('-') ? '-' : ''}${each}`,
    label: each,
  }));
}

/** Returns the text after the last white space outside of brackets and quotes. */
function lastPart(query: string): string {
  const open = query.lastIndexOf('[');
  if (open > query.lastIndexOf(']')) return query.slice(query[open - 1] === '-' ? open - 1 : open);
  return /(?<![^\s"])[^\s"]*(?:"[^"]*)?$/u.exec(query)?.[0] ?? '';
}

function choose(names: readonly Named[], typed: string, complete: (name: string) => string): readonly Completion[] {
  const key = foldText(typed.trim());
  const starting = names.filter((each) => each.key.startsWith(key));
  const others =
    starting.length >= MAX_COMPLETIONS || key === '' ? [] : names.filter((each) => !each.key.startsWith(key) && each.key.includes(key));
  return [...starting, ...others].slice(0, MAX_COMPLETIONS).map(({ name, count }) => ({
    query: complete(name),
    label: shorten(name, MAX_LABEL_CHARACTERS),
    ...(count === undefined ? {} : { count }),
  }));
}

function quote(value: string): string {
  return /[\s()"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value;
}

function quoteIn(value: string): string {
  return /[\s[\]"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value;
}

/** Values and keys that are suggested. */
const MAX_VALUES = 200;
const MAX_KEYS = 20;

/** Returns the values of a property, the most frequent first. */
export function valuesOf({ graph }: Vault, known: Known, name: string): readonly Named[] {
  const before = known.values.get(name);
  if (before !== undefined) return before;
  const counts = new Map<string, number>();
  for (const entry of graph.entries()) {
    const value = graph.facets.propertyOf(entry, name);
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each !== 'string' && typeof each !== 'number' && typeof each !== 'boolean') continue;
      const text = String(each);
      if (text.length <= MAX_LABEL_CHARACTERS) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const values = [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, MAX_VALUES)
    .map(([value, count]) => named(value, count));
  if (known.values.size >= MAX_KEYS) known.values.clear();
  known.values.set(name, values);
  return values;
}

/** Returns the names that notes use. */
export function knownNames(vault: Vault): Known {
  return vault.derived(openKnown)();
}

function openKnown(vault: Vault): () => Known {
  return cacheByVersion(vault.graph, () => listKnown(vault));
}

function listKnown({ graph }: Vault): Known {
  const folders = new Map<string, number>();
  for (const { path } of graph.entries()) {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return {
    tags: graph.facets.tags().map(({ tag, count }) => named(tag, count)),
    types: graph.facets.types().map(({ type, count }) => named(type, count)),
    folders: [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([folder, count]) => named(folder, count)),
    properties: [...listPropertyNames(graph)].sort().map((name) => named(name)),
    values: new Map(),
  };
}

function named(name: string, count?: number): Named {
  return { name, key: foldText(name), ...(count === undefined ? {} : { count }) };
}
