import { element, text } from '../tree.ts';
import type { TreeNode, TreeProperties } from '../tree.ts';
import { decodeEntities, tokenizeHtml } from './html-tokens.ts';
import type { HtmlToken } from './html-tokens.ts';

/** HTML elements that a note may use. */
const ELEMENTS: ReadonlySet<string> = new Set(
  'a abbr b blockquote br caption center cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead tr u ul var wbr'.split(
    ' ',
  ),
);
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'wbr']);
/** Elements that are removed with their content. */
const DROPPED: ReadonlySet<string> = new Set(
  'applet audio button canvas embed form frame frameset head iframe link math meta noembed noframes noscript object option param plaintext script select source style svg template textarea title track video xmp'.split(
    ' ',
  ),
);
/** Removed elements without an end tag. */
const VOID_DROPPED: ReadonlySet<string> = new Set(['embed', 'frame', 'link', 'meta', 'param', 'source', 'track']);
const MAX_DEPTH = 40;

/** Type of a node with raw HTML of the note, before `foldHtml` builds its elements. */
export const RAW = 'roux-raw';

/** Passes raw HTML of the Markdown tree on to `foldHtml`. */
export function rawHandler(_state: unknown, node: { readonly value: string }): TreeNode {
  return { type: RAW, value: node.value };
}

/**
 * Builds elements from the raw HTML among the children of a node, including Markdown between the tags. Every tag creates at most one node:
 * the tree construction of browsers is avoided, because its output can grow faster than its input. Open elements end with their parent.
 * Drops unknown tags, and active elements with their content.
 */
export function foldHtml(node: TreeNode, depth = 0): void {
  if (node.children === undefined) return;
  for (const child of node.children) foldHtml(child, depth + 1);
  if (node.children.some(({ type }) => type === RAW)) node.children = fold(node.children);
}

interface Open {
  readonly name: string;
  readonly node: TreeNode;
}

function fold(children: readonly TreeNode[]): TreeNode[] {
  const root = element('div', {}, []);
  const open: Open[] = [{ name: '', node: root }];
  const add = (node: TreeNode): void => void open.at(-1)?.node.children?.push(node);
  for (const child of children) {
    if (child.type !== RAW) add(child);
    else for (const piece of tokenizeHtml(child.value ?? '')) addToken(piece, open, add);
  }
  return withoutDropped(root).children ?? [];
}

function addToken(piece: HtmlToken, open: Open[], add: (node: TreeNode) => void): void {
  if (piece.kind === 'text') return add(text(decodeEntities(piece.text)));
  const { name } = piece;
  if (piece.kind === 'close') {
    const at = open.findLastIndex((one) => one.name === name);
    // Index 0 is the parent, which a tag cannot close.
    if (at > 0) open.length = at;
    return;
  }
  const link = name === 'iframe' || name === 'img' ? remoteLink(piece.attributes.get('src'), name) : null;
  if (link !== null) add(link);
  const isKnown = ELEMENTS.has(name) || DROPPED.has(name);
  if (!isKnown || open.length > MAX_DEPTH) return;
  const node = element(DROPPED.has(name) ? 'roux-dropped' : name, propertiesOf(name, piece.attributes), []);
  add(node);
  if (!VOID.has(name) && !VOID_DROPPED.has(name) && !piece.isSelfClosing) open.push({ name, node });
}

/** Returns the allowed attributes: no ids, classes, styles or handlers. */
function propertiesOf(name: string, attributes: ReadonlyMap<string, string>): TreeProperties {
  const properties: TreeProperties = {};
  const take = (attribute: string, pattern: RegExp, property = attribute): void => {
    const value = attributes.get(attribute);
    if (value !== undefined && pattern.test(value)) properties[property] = value;
  };
  take('title', /^/);
  take('lang', /^[a-zA-Z-]{1,35}$/);
  take('dir', /^(?:ltr|rtl|auto)$/);
  if (name === 'td' || name === 'th') {
    take('align', /^(?:left|right|center)$/);
    take('colspan', /^\d{1,2}$/, 'colSpan');
    take('rowspan', /^\d{1,2}$/, 'rowSpan');
  }
  if (name === 'ol') take('start', /^\d{1,6}$/);
  if (name === 'details' && attributes.has('open')) properties['open'] = true;
  if (name === 'a') {
    take('href', /^(?:https?|mailto):/i);
    if (properties['href'] !== undefined)
      Object.assign(properties, { className: ['external'], rel: ['noopener', 'noreferrer'], target: '_blank' });
  }
  return properties;
}

/** Returns a link in place of remote content, which is never fetched, or null. */
function remoteLink(source: string | undefined, name: string): TreeNode | null {
  if (source === undefined || !/^https?:/i.test(source)) return null;
  const label = text(`${name === 'img' ? 'Picture' : 'Page'}: ${source}`);
  return element('a', { href: source, className: ['external'], rel: ['noopener', 'noreferrer'], target: '_blank' }, [label]);
}

function withoutDropped(node: TreeNode): TreeNode {
  if (node.children === undefined) return node;
  node.children = node.children.filter(({ tagName }) => tagName !== 'roux-dropped').map(withoutDropped);
  return node;
}
