import type { YAMLMap, YAMLSeq } from 'yaml';
import type { PropertyValue } from '../note.ts';
import { isFirstOnLine, lineStart } from '../text.ts';
import type { Splice } from '../text.ts';
import { diffLists } from './list-diff.ts';
import { sameValue } from './property-value.ts';
import type { PropertyMap } from './property-value.ts';
import { listEntries, mapEntries } from './yaml-entry.ts';
import type { YamlEntry } from './yaml-entry.ts';
import { printFlow, printKey } from './yaml-print.ts';
import { isEditableKey, nodeValue, pairsToAdd } from './yaml-text.ts';
import type { YamlText } from './yaml-text.ts';

/** Computes the splices of a value inside brackets. */
export type FlowValueSplices = (yaml: YamlText, entry: YamlEntry, wanted: PropertyValue) => Splice[];

/** Splices of a `{…}` map; null when it has to be replaced whole. */
export function flowMapSplices(yaml: YamlText, map: YAMLMap, wanted: PropertyMap, valueSplices: FlowValueSplices): Splice[] | null {
  const entries = mapEntries(map, yaml.text);
  const splices: Splice[] = [];
  const removed = new Set<number>();
  for (const [index, entry] of entries.entries()) {
    if (!isEditableKey(entry.key)) continue;
    const value = wanted[entry.key];
    if (value === undefined) removed.add(index);
    else splices.push(...valueSplices(yaml, entry, value));
  }
  const added = pairsToAdd(yaml, map, entries, wanted).map(
    ([key, value]) => `${printKey(key, yaml.style, 'flow')}: ${printFlow(value, yaml.style)}`,
  );
  const edits = entryEdits(yaml.text, map, entries, removed, new Map([[entries.length, added]]));
  return [...splices, ...edits];
}

export function flowListSplices(
  yaml: YamlText,
  list: YAMLSeq,
  wanted: readonly PropertyValue[],
  valueSplices: FlowValueSplices,
): Splice[] | null {
  const entries = listEntries(list, yaml.text);
  const splices: Splice[] = [];
  const removed = new Set<number>();
  const inserted = new Map<number, string[]>();
  let next = 0;
  const values = entries.map((entry) => nodeValue(yaml, entry.node));
  for (const step of diffLists(values, wanted, sameValue)) {
    if (step.kind === 'insert') {
      const texts = inserted.get(next) ?? [];
      inserted.set(next, [...texts, printFlow(wanted[step.to] as PropertyValue, yaml.style)]);
      continue;
    }
    next = step.from + 1;
    if (step.kind === 'remove') removed.add(step.from);
    else if (step.kind === 'replace')
      splices.push(...valueSplices(yaml, entries[step.from] as YamlEntry, wanted[step.to] as PropertyValue));
  }
  return [...splices, ...entryEdits(yaml.text, list, entries, removed, inserted)];
}

/** Removals and insertions with their commas; `inserted` maps the index of the following entry to new texts. */
function entryEdits(
  text: string,
  collection: YAMLMap | YAMLSeq,
  entries: readonly YamlEntry[],
  removed: ReadonlySet<number>,
  inserted: ReadonlyMap<number, readonly string[]>,
): Splice[] {
  const kept = entries.filter((_, index) => !removed.has(index));
  const all = [...inserted].sort(([a], [b]) => a - b).flatMap(([, texts]) => texts);
  if (removed.size === 0 && all.length === 0) return [];
  const first = entries[0];
  const separator = separatorOf(text, entries);
  if (first === undefined || kept.length === 0) {
    // No entry remains: the whole content is new.
    const [start, end] = collection.range ?? [0, 2, 2];
    return [{ start: start + 1, end: end - 1, text: all.join(separator) }];
  }
  const splices: Splice[] = [];
  for (let index = 0; index < entries.length; index += 1) {
    if (!removed.has(index)) continue;
    let last = index;
    while (removed.has(last + 1)) last += 1;
    const before = entries[index - 1];
    const after = entries[last + 1];
    const end = entries[last]?.end ?? 0;
    if (before !== undefined) splices.push({ start: before.end, end, text: '' });
    else if (after !== undefined) splices.push({ start: first.start, end: after.start, text: '' });
    index = last;
  }
  for (const [at, texts] of inserted) {
    if (texts.length === 0) continue;
    let before = at - 1;
    while (before >= 0 && removed.has(before)) before -= 1;
    const entry = entries[before];
    if (entry !== undefined) splices.push({ start: entry.end, end: entry.end, text: texts.map((added) => separator + added).join('') });
    else splices.push({ start: first.start, end: first.start, text: texts.map((added) => added + separator).join('') });
  }
  return splices;
}

/** Returns the comma between entries, with a line end if each entry has its own line. */
function separatorOf(text: string, entries: readonly YamlEntry[]): string {
  const last = entries.at(-1);
  if (last === undefined || !isFirstOnLine(text, last.start)) return ', ';
  const start = lineStart(text, last.start);
  if (start === 0) return ', ';
  const eol = text.slice(text[start - 2] === '\r' && text[start - 1] === '\n' ? start - 2 : start - 1, start);
  return `,${eol}${text.slice(start, last.start)}`;
}
