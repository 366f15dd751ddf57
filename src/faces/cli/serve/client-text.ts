import { isDeepStrictEqual } from 'node:util';
import { applyEdits, createScanner, getNodeValue, parseTree } from 'jsonc-parser';
import type { Edit, Node } from 'jsonc-parser';

/** The result of adding a server to a client's configuration. */
export type ClientEdit =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'same' }
  /** The user has to decide; `reason` is a clause. */
  | { readonly kind: 'left'; readonly reason: string };

/** The name of the server in every client. */
const NAME = 'roux';

const LINE_END = /\r\n|\n|\r/;

/**
 * Adds a server to a client's configuration (JSON, with or without comments). All other bytes stay the same. In doubt, nothing is changed.
 */
export function addServer(text: string, server: { readonly key: string; readonly entry: Readonly<Record<string, unknown>> }): ClientEdit {
  const { key, entry } = server;
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const document = text.slice(mark.length);
  const root = readTree(document);
  if (typeof root === 'string') return { kind: 'left', reason: root };
  if (root.type !== 'object') return { kind: 'left', reason: 'it holds no JSON object' };
  const found = childrenNamed(root, key);
  if (found.length > 1) return { kind: 'left', reason: `it has "${key}" more than once` };
  const [servers] = found;
  const edited = (object: Node, property: Property): ClientEdit => ({
    kind: 'edited',
    text: mark + insertProperty({ text: document, root, object, ...property }),
  });
  if (servers === undefined) return edited(root, { name: key, value: { [NAME]: entry } });
  if (servers.type !== 'object') return { kind: 'left', reason: `"${key}" in it is no object` };
  const own = childrenNamed(servers, NAME);
  if (own.length > 1) return { kind: 'left', reason: `it has "${NAME}" more than once` };
  if (own[0] === undefined) return edited(servers, { name: NAME, value: entry });
  // The tree's objects have no prototype, so that a deep comparison with plain objects would fail.
  const value: unknown = JSON.parse(JSON.stringify(getNodeValue(own[0])));
  if (isDeepStrictEqual(value, entry)) return { kind: 'same' };
  return { kind: 'left', reason: `it has an entry "${NAME}" already, which is not the one below: look at what that starts` };
}

interface Property {
  readonly name: string;
  readonly value: unknown;
}

/** Parses a document, or returns why it cannot be parsed, as a clause. */
function readTree(text: string): Node | string {
  if (isDeep(text)) return 'it is nested too deeply';
  const errors: unknown[] = [];
  const root = parseTree(text, errors as never, { allowTrailingComma: true });
  return root === undefined || errors.length > 0 ? 'it is not valid JSON, also with comments allowed' : root;
}

/** The parser recurses for each level. */
const MAX_DEPTH = 100;
const OPENING: readonly number[] = [1, 3];
const CLOSING: readonly number[] = [2, 4];
const END = 17;

function isDeep(text: string): boolean {
  const scanner = createScanner(text, true);
  let level = 0;
  for (let token: number = scanner.scan(); token !== END && level <= MAX_DEPTH; token = scanner.scan()) {
    if (OPENING.includes(token)) level += 1;
    if (CLOSING.includes(token)) level -= 1;
  }
  return level > MAX_DEPTH;
}

function childrenNamed(object: Node, name: string): readonly Node[] {
  return (object.children ?? []).flatMap(({ children = [] }) =>
    children[0]?.value === name && children[1] !== undefined ? [children[1]] : [],
  );
}

/** A property and where to insert it. */
interface Insertion extends Property {
  readonly text: string;
  readonly root: Node;
  readonly object: Node;
}

/** Inserts a property at the end of an object, after the comments that belong to the previous one, in the file's layout. */
function insertProperty({ text, root, object, name, value }: Insertion): string {
  const end = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const from = last === undefined ? object.offset + 1 : last.offset + last.length;
  const gap = readGap(text.slice(from, end), last === undefined);
  const place = from + gap.place;
  const edits: Edit[] = last === undefined || gap.hasComma ? [] : [{ offset: from, length: 0, content: ',' }];
  const after = gap.hasComma ? ',' : '';
  const isOnOneLine = (node: Node): boolean =>
    (node.children ?? []).length > 0 && !LINE_END.test(text.slice(node.offset, node.offset + node.length));
  if (isOnOneLine(object) || isOnOneLine(root)) {
    const space = last === undefined ? '' : ' ';
    edits.push({ offset: place, length: 0, content: `${space}${JSON.stringify(name)}: ${JSON.stringify(value)}${after}` });
    return applyEdits(text, edits);
  }
  const eol = lineEndBefore(text, place);
  const outer = indentAt(text, object.offset);
  const unit = unitOf(text, root);
  const inner = last !== undefined && isFirstOnLine(text, last.offset) ? indentAt(text, last.offset) : outer + unit;
  const lines = JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${inner}`);
  const closing = LINE_END.test(text.slice(place, end)) ? '' : `${eol}${outer}`;
  edits.push({ offset: place, length: 0, content: `${eol}${inner}${JSON.stringify(name)}: ${lines}${after}${closing}` });
  return applyEdits(text, edits);
}

/**
 * Parses what is between the last value of an object and its closing brace: a comma, comments and space. `place` is the offset after the
 * comma and the comments on its line.
 */
function readGap(gap: string, isEmpty: boolean): { hasComma: boolean; place: number } {
  let hasComma = false;
  let place = 0;
  let isSameLine = true;
  for (const { 0: token, index } of gap.matchAll(/\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)|,|\r\n|\n|\r/g)) {
    if (token === ',') [hasComma, isSameLine] = [true, true];
    else if (LINE_END.test(token[0] ?? '')) isSameLine = false;
    // In an empty object, the new property goes after all comments.
    if (token === ',' || (token.startsWith('/') && (isSameLine || isEmpty))) place = index + token.length;
  }
  return { hasComma, place };
}

function lineEndBefore(text: string, offset: number): string {
  const before = text
    .slice(0, offset)
    .match(/\r\n|\n|\r/g)
    ?.at(-1);
  return before ?? LINE_END.exec(text)?.[0] ?? '\n';
}

/** Returns the indentation of the line that contains the offset. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
}

function isFirstOnLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, offset), offset));
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

/** Returns the indentation unit of the file; two spaces if it shows none. */
function unitOf(text: string, root: Node): string {
  const [first] = root.children ?? [];
  const outer = indentAt(text, root.offset);
  const inside = first === undefined ? text.slice(root.offset, root.offset + root.length) : '';
  const inner =
    first !== undefined && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : (/[\r\n]([ \t]+)\//.exec(inside)?.[1] ?? '');
  return inner.length > outer.length && inner.startsWith(outer) ? inner.slice(outer.length) : '  ';
}
