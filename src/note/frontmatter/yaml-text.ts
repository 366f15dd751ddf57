import { isCollection, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';
import type { PropertyValue } from '../note.ts';
import { lineStart } from '../text.ts';
import { isForbiddenKey, isPropertyMap, sameValue } from './property-value.ts';
import type { PropertyMap } from './property-value.ts';
import { listEntries, mapEntries } from './yaml-entry.ts';
import type { YamlEntry } from './yaml-entry.ts';
import { defaultYamlStyle } from './yaml-print.ts';
import type { YamlStyle } from './yaml-print.ts';
import { toPropertyValue, yamlLimits, yamlOptions } from './yaml-values.ts';
import { withoutStacks } from './yaml-bounds.ts';

/** A YAML text with its parsed document and style, for editing. */
export interface YamlText {
  readonly text: string;
  readonly document: Document;
  readonly style: YamlStyle;
}

/** Returns whether edits may set or remove a key; readers drop the others. */
export function isEditableKey(key: string | null): key is string {
  return key !== null && !isForbiddenKey(key);
}

/** Parses a YAML text for editing, with positions. */
export function parseYamlText(text: string, eol: string): YamlText {
  // YAML has no lone CR line ends; a LF has the same length, so offsets remain valid.
  const document = withoutStacks(() =>
    parseDocument(text.replace(/\r(?!\n)/g, '\n'), { ...yamlOptions, keepSourceTokens: true, prettyErrors: false }),
  );
  return { text, document, style: styleOf(text, document, eol) };
}

/** Returns the value of a node as readers see it. */
export function nodeValue(yaml: YamlText, node: Node | null): PropertyValue {
  return node === null ? null : toPropertyValue(node.toJS(yaml.document, { maxAliasCount: yamlLimits.aliases }));
}

/** Returns the wanted pairs for which a map has no entry. A key that is itself a list or a map has a name in the values read, and its entry stays. */
export function pairsToAdd(yaml: YamlText, map: YAMLMap, entries: readonly YamlEntry[], wanted: PropertyMap): [string, PropertyValue][] {
  const known = new Set(entries.map(({ key }) => key));
  const values = known.has(null) ? nodeValue(yaml, map) : {};
  const isThere = (key: string, value: PropertyValue): boolean =>
    isPropertyMap(values) && Object.hasOwn(values, key) && sameValue(values[key], value);
  return Object.entries(wanted).filter(([key, value]) => !known.has(key) && !isThere(key, value));
}

/** Returns the names of the aliases of lists and maps, in order. */
export function aliasesOf({ document }: YamlText): readonly string[] {
  const names: string[] = [];
  visit(document, {
    Alias(_, node) {
      if (isCollection(node.resolve(document))) names.push(node.source);
    },
  });
  return names;
}

/** Determines the style of a block from what is most common in it. */
function styleOf(text: string, document: Document, eol: string): YamlStyle {
  const count = { double: 0, single: 0, flow: 0, block: 0 };
  let listIndent: number | null = null;
  let mapIndent: number | null = null;
  visit(document, {
    Scalar(_, node) {
      if (node.type === 'QUOTE_DOUBLE') count.double += 1;
      if (node.type === 'QUOTE_SINGLE') count.single += 1;
    },
    Seq(_, node) {
      if (node.items.length > 0) count[node.flow === true ? 'flow' : 'block'] += 1;
    },
    Map(_, node) {
      if (node.flow === true) return;
      for (const entry of mapEntries(node, text)) {
        const column = entry.start - lineStart(text, entry.start);
        const inner = firstColumn(entry.node, text);
        if (inner === null || inner < column) continue;
        if (isSeq(entry.node)) listIndent ??= inner - column;
        else if (inner > column) mapIndent ??= inner - column;
      }
    },
  });
  return {
    eol,
    quote: count.single > count.double ? "'" : '"',
    list: count.flow > 0 && count.block === 0 ? 'flow' : defaultYamlStyle.list,
    listIndent: listIndent ?? defaultYamlStyle.listIndent,
    mapIndent: mapIndent ?? defaultYamlStyle.mapIndent,
    json: isJson(document),
  };
}

/** Returns the column of the entries of a block collection. */
function firstColumn(node: Node | null, text: string): number | null {
  const entries =
    isMap(node) && node.flow !== true ? mapEntries(node, text) : isSeq(node) && node.flow !== true ? listEntries(node, text) : [];
  const first = entries[0];
  return first === undefined ? null : first.start - lineStart(text, first.start);
}

function isJson(document: Document): boolean {
  const root = document.contents;
  if (!isMap(root) || root.flow !== true || root.items.length === 0) return false;
  return root.items.every((pair) => isScalar(pair.key) && pair.key.type === 'QUOTE_DOUBLE');
}
