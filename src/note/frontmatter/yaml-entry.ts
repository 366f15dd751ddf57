import { isAlias, isCollection, isMap, isScalar, isSeq } from 'yaml';
import type { CST, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';

/** A pair of a map or an entry of a list, with its offsets in the YAML text. */
export interface YamlEntry {
  readonly node: Node | null;
  /** Start of the key or dash (with its anchor or `?`), or of the entry itself inside brackets. */
  readonly start: number;
  /** Just after the colon or dash; after the key when there is no colon; `start` for an entry in brackets. */
  readonly mark: number;
  /** Whether there is a colon or dash, or none is needed. */
  readonly hasMark: boolean;
  /** Start of the value with its tag and anchor; `mark` when there is none. */
  readonly valueStart: number;
  /** End of the last character that belongs to the value, before comments and the line end. */
  readonly end: number;
  /** The key as text, null when it is not a scalar or this is a list entry. */
  readonly key: string | null;
}

/** Returns the pairs of a map, in order. */
export function mapEntries(map: YAMLMap, text: string): YamlEntry[] {
  return map.items.map((pair) => pairEntry(pair as Pair<Node | null, Node | null>, text));
}

/** Returns the entries of a list, in order. */
export function listEntries(list: YAMLSeq, text: string): YamlEntry[] {
  const tokens = (list.srcToken as CST.BlockSequence | CST.FlowCollection | undefined)?.items ?? [];
  if (list.flow === true) {
    const byOffset = new Map(tokens.map((token) => [token.value?.offset, token]));
    return list.items.map((entry) => {
      const node = isPair(entry) ? null : (entry as Node | null);
      const first = isPair(entry) ? pairEntry(entry, text) : null;
      const start = first?.start ?? firstProp(byOffset.get(node?.range?.[0]), node?.range?.[0] ?? 0);
      return { node, start, mark: start, hasMark: true, valueStart: start, end: first?.end ?? contentEnd(node, start, text), key: null };
    });
  }
  // Entries that are only comments have no dash and no node.
  const dashed = tokens.filter((token) => token.start.some((part) => part.type === 'seq-item-ind'));
  return list.items.map((entry, index) => {
    const node = entry as Node | null;
    const parts = dashed[index]?.start ?? [];
    const dash = parts.find((part) => part.type === 'seq-item-ind')?.offset ?? 0;
    const props = propTokens(parts.slice(parts.findIndex((part) => part.type === 'seq-item-ind') + 1));
    return toEntry(node, { start: dash, mark: dash + 1, hasMark: true, props, key: null }, text);
  });
}

function pairEntry(pair: Pair<Node | null, Node | null>, text: string): YamlEntry {
  const token = (pair as { srcToken?: CST.CollectionItem }).srcToken;
  const before = token?.start ?? [];
  const keyRange = pair.key?.range;
  const marked = before.find((part) => part.type === 'explicit-key-ind') ?? propTokens(before)[0];
  const colon = token?.sep?.find((part) => part.type === 'map-value-ind');
  const keyStart = keyRange?.[0] ?? colon?.offset ?? marked?.offset ?? 0;
  const start = Math.min(marked?.offset ?? keyStart, keyStart);
  const key = isScalar(pair.key) ? scalarKey(pair.key.value) : null;
  const mark = colon === undefined ? (keyRange?.[1] ?? start) : colon.offset + 1;
  const props = propTokens(token?.sep ?? []);
  return toEntry(pair.value, { start, mark, hasMark: colon !== undefined, props, key }, text);
}

/** Returns a key as in the map of values. */
function scalarKey(value: unknown): string | null {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : null;
}

function toEntry(
  node: Node | null,
  owner: { start: number; mark: number; hasMark: boolean; props: readonly CST.SourceToken[]; key: string | null },
  text: string,
): YamlEntry {
  const { start, mark, hasMark, key } = owner;
  const lastProp = owner.props.at(-1);
  const afterProps = lastProp === undefined ? mark : lastProp.offset + lastProp.source.length;
  const isWritten = node?.range !== undefined && node.range !== null && node.range[1] > node.range[0];
  const valueStart = owner.props[0]?.offset ?? (isWritten ? (node.range?.[0] ?? mark) : mark);
  return { node, start, mark, hasMark, valueStart, end: isWritten ? contentEnd(node, afterProps, text) : afterProps, key };
}

/** Returns the end of a node's content: block collections end with their last leaf, not with comments after it. */
function contentEnd(node: Node | null, fallback: number, text: string): number {
  const range = node?.range;
  if (node === null || range === undefined || range === null || range[1] === range[0]) return fallback;
  if (isCollection(node) && node.flow !== true) {
    const entries = isMap(node) ? mapEntries(node, text) : isSeq(node) ? listEntries(node, text) : [];
    return entries.at(-1)?.end ?? range[1];
  }
  let end = range[1];
  // A block scalar ends with its line end; keep that with the line.
  if (isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')) {
    if (text[end - 1] === '\n') end -= 1;
    if (text[end - 1] === '\r') end -= 1;
  }
  return end;
}

function propTokens(tokens: readonly CST.SourceToken[]): readonly CST.SourceToken[] {
  return tokens.filter((token) => token.type === 'anchor' || token.type === 'tag');
}

function firstProp(token: CST.CollectionItem | undefined, fallback: number): number {
  return propTokens(token?.start ?? [])[0]?.offset ?? fallback;
}

function isPair(entry: unknown): entry is Pair<Node | null, Node | null> {
  return typeof entry === 'object' && entry !== null && !isAlias(entry) && !isScalar(entry) && !isCollection(entry) && 'key' in entry;
}
