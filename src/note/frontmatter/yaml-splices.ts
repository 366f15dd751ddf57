import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Node, YAMLMap, YAMLSeq } from 'yaml';
import type { PropertyValue } from '../note.ts';
import { isFirstOnLine, lineEnd, lineStart, nextLine } from '../text.ts';
import type { Splice } from '../text.ts';
import { diffLists } from './list-diff.ts';
import { isPropertyList, isPropertyMap, sameValue } from './property-value.ts';
import type { PropertyMap } from './property-value.ts';
import { listEntries, mapEntries } from './yaml-entry.ts';
import type { YamlEntry } from './yaml-entry.ts';
import { flowListSplices, flowMapSplices } from './yaml-flow-splices.ts';
import { printBlock, printFlow, printListLines, printPairLines, quoted } from './yaml-print.ts';
import type { YamlStyle } from './yaml-print.ts';
import { isEditableKey, nodeValue, pairsToAdd } from './yaml-text.ts';
import type { YamlText } from './yaml-text.ts';

/** Returns minimal splices that give a YAML text the wanted values; null when its top level is not a map. */
export function yamlSplices(yaml: YamlText, wanted: PropertyMap): Splice[] | null {
  const root = yaml.document.contents;
  if (root === null || (isScalar(root) && root.value === null && root.source === '')) {
    return appendLines(
      yaml,
      yaml.text.length,
      Object.entries(wanted).flatMap(([key, value]) => printPairLines(key, value, 0, yaml.style)),
    );
  }
  if (!isMap(root)) return null;
  if (root.flow === true) return flowMapSplices(yaml, root, wanted, flowValueSplices);
  return blockMapSplices(yaml, root, wanted, true);
}

function blockMapSplices(yaml: YamlText, map: YAMLMap, wanted: PropertyMap, isRoot: boolean): Splice[] | null {
  const { text } = yaml;
  const entries = mapEntries(map, text);
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return null;
  const column = first.start - lineStart(text, first.start);
  const splices: Splice[] = [];
  for (const [index, entry] of entries.entries()) {
    if (!isEditableKey(entry.key)) continue;
    const value = wanted[entry.key];
    if (value === undefined) {
      const next = entries[index + 1];
      const isNextKept = next !== undefined && (next.key === null || wanted[next.key] !== undefined);
      const removal = removeEntry(text, entry, isNextKept ? next : undefined);
      if (removal === null) return null;
      splices.push(removal);
    } else {
      for (const each of valueSplices(yaml, entry, value, { kind: 'key', column: entry.start - lineStart(text, entry.start) }))
        splices.push(each);
    }
  }
  const added = pairsToAdd(yaml, map, entries, wanted);
  if (added.length > 0) {
    const lines = added.flatMap(([key, value]) => printPairLines(key, value, column, yaml.style));
    const end = nextLine(text, lineEnd(text, last.end));
    for (const each of appendLines(yaml, isRoot ? Math.max(end, lastFilledLine(text)) : end, lines)) splices.push(each);
  }
  return splices;
}

function blockListSplices(yaml: YamlText, list: YAMLSeq, wanted: readonly PropertyValue[]): Splice[] | null {
  const { text } = yaml;
  const entries = listEntries(list, text);
  const first = entries[0];
  if (first === undefined) return null;
  const column = first.start - lineStart(text, first.start);
  const splices: Splice[] = [];
  let after: number | null = null;
  let inserted: PropertyValue[] = [];
  const flush = (): void => {
    if (inserted.length === 0) return;
    const lines = printListLines(inserted, column, yaml.style);
    if (after !== null) for (const each of appendLines(yaml, after, lines)) splices.push(each);
    else
      splices.push({
        start: first.start,
        end: first.start,
        text: lines.map((line) => `${line.slice(column)}${yaml.style.eol}${' '.repeat(column)}`).join(''),
      });
    inserted = [];
  };
  const values = entries.map((entry) => nodeValue(yaml, entry.node));
  for (const step of diffLists(values, wanted, sameValue)) {
    if (step.kind === 'insert') {
      inserted.push(wanted[step.to] as PropertyValue);
      continue;
    }
    flush();
    const entry = entries[step.from] as YamlEntry;
    if (step.kind === 'remove') {
      const removal = removeEntry(text, entry, entries[step.from + 1]);
      if (removal === null || (step.from === 0 && !isFirstOnLine(text, entry.start))) return null;
      splices.push(removal);
    } else if (step.kind === 'replace') {
      for (const each of valueSplices(yaml, entry, wanted[step.to] as PropertyValue, { kind: 'dash', column })) splices.push(each);
    }
    after = nextLine(text, lineEnd(text, entry.end));
  }
  flush();
  return splices;
}

/** Splices for the value of one key or dash in block form. */
function valueSplices(yaml: YamlText, entry: YamlEntry, wanted: PropertyValue, owner: { kind: 'key' | 'dash'; column: number }): Splice[] {
  const { node } = entry;
  if (entry.hasMark && sameValue(nodeValue(yaml, node), wanted)) return [];
  return innerSplices(yaml, node, wanted) ?? wrapInList(yaml, entry, wanted) ?? replaceBlockValue(yaml, entry, wanted, owner);
}

/** Splices for a value inside brackets. */
function flowValueSplices(yaml: YamlText, entry: YamlEntry, wanted: PropertyValue): Splice[] {
  if (sameValue(nodeValue(yaml, entry.node), wanted)) return [];
  const inner = innerSplices(yaml, entry.node, wanted) ?? wrapInList(yaml, entry, wanted);
  if (inner !== null) return inner;
  const text = scalarInStyle(entry.node, wanted, yaml.style) ?? printFlow(wanted, yaml.style);
  if (entry.hasMark && entry.valueStart < entry.end) return [{ start: entry.valueStart, end: entry.end, text }];
  return [{ start: entry.end, end: entry.end, text: `${entry.hasMark ? '' : ':'} ${text}` }];
}

/** Splices within a collection that stays the same kind; null when the value has to be replaced whole. */
function innerSplices(yaml: YamlText, node: Node | null, wanted: PropertyValue): Splice[] | null {
  if (isMap(node) && isPropertyMap(wanted) && node.items.length > 0 && Object.keys(wanted).length > 0) {
    return node.flow === true ? flowMapSplices(yaml, node, wanted, flowValueSplices) : blockMapSplices(yaml, node, wanted, false);
  }
  if (isSeq(node) && isPropertyList(wanted) && wanted.length > 0) {
    if (node.flow === true) return flowListSplices(yaml, node, wanted, flowValueSplices);
    return node.items.length > 0 ? blockListSplices(yaml, node, wanted) : null;
  }
  return null;
}

/** Splices that make a map, or an alias of one, the first of several entries; null if that is not wanted. */
function wrapInList({ text, ...yaml }: YamlText, { node, valueStart, end }: YamlEntry, wanted: PropertyValue): Splice[] | null {
  if ((!isMap(node) && !isAlias(node)) || !isPropertyList(wanted) || wanted.length < 2) return null;
  const value = nodeValue({ text, ...yaml }, node);
  if (!isPropertyMap(value) || !sameValue(value, wanted[0] ?? null)) return null;
  const others = wanted.slice(1);
  if (isAlias(node) || node.flow === true) {
    const added = others.map((each) => `, ${printFlow(each, yaml.style)}`).join('');
    return [
      { start: valueStart, end: valueStart, text: '[' },
      { start: end, end, text: `${added}]` },
    ];
  }
  const start = mapEntries(node, text)[0]?.start;
  if (start === undefined || !isFirstOnLine(text, start)) return null;
  const splices: Splice[] = [{ start, end: start, text: '- ' }];
  for (let line = nextLine(text, lineEnd(text, start)); line < end; line = nextLine(text, lineEnd(text, line)))
    if (text.slice(line, lineEnd(text, line)).trim() !== '') splices.push({ start: line, end: line, text: '  ' });
  const lines = printListLines(others, start - lineStart(text, start), yaml.style);
  return [...splices, ...appendLines({ text, ...yaml }, nextLine(text, lineEnd(text, end)), lines)];
}

function replaceBlockValue(
  yaml: YamlText,
  entry: YamlEntry,
  wanted: PropertyValue,
  owner: { kind: 'key' | 'dash'; column: number },
): Splice[] {
  const { text, style } = yaml;
  const inStyle = scalarInStyle(entry.node, wanted, style);
  const printed = inStyle === null ? printBlock(wanted, owner, style) : { inline: inStyle, lines: [] };
  const head = entry.hasMark ? '' : ':';
  const below = printed.lines.map((line) => style.eol + line).join('');
  const markLineEnd = lineEnd(text, entry.mark);
  const lastLineEnd = lineEnd(text, entry.end);
  if (entry.valueStart > markLineEnd) {
    // The old value starts on a later line: a comment after the key stays, the lines below are removed.
    const inline = printed.inline === '' ? '' : ` ${printed.inline}`;
    return [
      { start: entry.mark, end: entry.mark, text: head + inline },
      { start: markLineEnd, end: entry.end, text: below },
    ];
  }
  const isFilled = entry.valueStart < entry.end;
  const isSpaced = isFilled && entry.valueStart > entry.mark;
  const start = isSpaced && printed.inline !== '' ? entry.valueStart : entry.mark;
  const inline = printed.inline === '' || isSpaced ? printed.inline : ` ${printed.inline}`;
  const splices: Splice[] = [{ start, end: Math.max(start, entry.end), text: head + inline }];
  if (below !== '') splices.push({ start: lastLineEnd, end: lastLineEnd, text: below });
  return splices;
}

/** Text that replaces text keeps its quotes. */
function scalarInStyle(node: Node | null, wanted: PropertyValue, style: YamlStyle): string | null {
  if (typeof wanted !== 'string' || !isScalar(node) || wanted.includes('\n')) return null;
  if (node.type === 'QUOTE_DOUBLE') return quoted(wanted, '"');
  if (node.type === 'QUOTE_SINGLE') return style.json ? quoted(wanted, '"') : quoted(wanted, "'");
  return null;
}

/** Removes an entry's lines; after a dash on the same line, only the text up to the next entry. */
function removeEntry(text: string, entry: YamlEntry, next: YamlEntry | undefined): Splice | null {
  if (isFirstOnLine(text, entry.start)) {
    return { start: lineStart(text, entry.start), end: nextLine(text, lineEnd(text, entry.end)), text: '' };
  }
  return next === undefined ? null : { start: entry.start, end: next.start, text: '' };
}

/** Inserts lines at the start of a line, or after a last line without a line end. */
function appendLines(yaml: YamlText, at: number, lines: readonly string[]): Splice[] {
  if (lines.length === 0) return [];
  const { eol } = yaml.style;
  const isAtLineStart = at === 0 || lineStart(yaml.text, at) === at;
  const text = isAtLineStart ? lines.map((line) => line + eol).join('') : lines.map((line) => eol + line).join('');
  return [{ start: at, end: at, text }];
}

/** Returns the start of the line after the last non-blank line. */
function lastFilledLine(text: string): number {
  return nextLine(text, lineEnd(text, text.trimEnd().length));
}
