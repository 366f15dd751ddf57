import { decodeDestination, splitLinkText } from '../../note/markdown/link-text.ts';
import type { RenderSource } from '../job.ts';
import { element, text } from '../tree.ts';
import type { TreeNode, TreeProperties } from '../tree.ts';
import { decodeEntities, tokenizeHtml } from './html-tokens.ts';
import type { HtmlToken } from './html-tokens.ts';
import { remoteKind, targetOf } from './links.ts';
import { mediaElementOf, mediaProperties } from './media.ts';

/** HTML elements that a note may use. */
const ELEMENTS: ReadonlySet<string> = new Set(
  'a abbr b blockquote br caption center cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead tr u ul var wbr'.split(
    ' ',
  ),
);
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'wbr']);
/** Elements that are removed with their content. */
const DROPPED: ReadonlySet<string> = new Set(
  'applet button canvas embed form frame frameset head iframe link math meta noembed noframes noscript object option param plaintext script select source style svg template textarea title track xmp'.split(
    ' ',
  ),
);
const PLAYERS: ReadonlySet<string> = new Set(['audio', 'video']);
/** Removed elements without an end tag. */
const VOID_DROPPED: ReadonlySet<string> = new Set(['embed', 'frame', 'link', 'meta', 'param', 'source', 'track']);
const MAX_DEPTH = 40;

/** A player, until its sources are known. */
const PLAYER = 'roux-player';

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
export function foldHtml(node: TreeNode, source: RenderSource): void {
  if (node.children === undefined) return;
  for (const child of node.children) foldHtml(child, source);
  if (node.children.some(({ type }) => type === RAW)) node.children = fold(node.children, source);
}

interface Open {
  readonly name: string;
  readonly node: TreeNode;
}

function fold(children: readonly TreeNode[], source: RenderSource): TreeNode[] {
  const root = element('div', {}, []);
  const open: Open[] = [{ name: '', node: root }];
  const add = (node: TreeNode): void => void open.at(-1)?.node.children?.push(node);
  for (const child of children) {
    if (child.type !== RAW) add(child);
    else for (const piece of tokenizeHtml(child.value ?? '')) addToken(piece, { source, open, add });
  }
  return withoutDropped(root).children ?? [];
}

interface Folding {
  readonly source: RenderSource;
  readonly open: Open[];
  readonly add: (node: TreeNode) => void;
}

function addToken(piece: HtmlToken, { source, open, add }: Folding): void {
  if (piece.kind === 'text') return add(text(decodeEntities(piece.text)));
  const { name } = piece;
  if (piece.kind === 'close') {
    const at = open.findLastIndex((one) => one.name === name);
    // Index 0 is the parent, which a tag cannot close.
    if (at > 0) open.length = at;
    return;
  }
  const inPlayer = open.findLast((one) => PLAYERS.has(one.name))?.node;
  if (inPlayer !== undefined) {
    // Of what is inside a player, only its sources count: the rest is for browsers without one.
    if (name === 'source') inPlayer.children?.push(...showMedia('video', piece.attributes, source));
    if (name === 'source' || !DROPPED.has(name)) return;
  }
  if (name === 'iframe') {
    const link = remoteLink(piece.attributes.get('src'), name);
    if (link !== null) add(link);
  }
  if (name === 'img') {
    for (const node of showMedia(name, piece.attributes, source)) add(node);
    return;
  }
  if (PLAYERS.has(name)) {
    if (open.length > MAX_DEPTH) return;
    const player = element(PLAYER, {}, showMedia(name, piece.attributes, source));
    add(player);
    if (!piece.isSelfClosing) open.push({ name, node: player });
    return;
  }
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
  if (/^(?:div|h[1-6]|p|t[dh])$/.test(name)) take('align', /^(?:left|right|center)$/);
  if (name === 'td' || name === 'th') {
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

/** Shows the file of a tag with a `src`, or a link in its place: content from elsewhere is never fetched. */
function showMedia(name: string, attributes: ReadonlyMap<string, string>, source: RenderSource): TreeNode[] {
  const src = attributes.get('src');
  const link = remoteLink(src, name);
  if (src === undefined || link !== null) return link === null ? [] : [link];
  const { linkpath, subpath } = splitLinkText(decodeDestination(src) ?? '');
  const target = targetOf(source, linkpath);
  const kind = target.kind === 'attachment' ? mediaElementOf(target.path) : null;
  if (target.kind !== 'attachment' || kind === null || (kind === 'img') !== (name === 'img')) return [];
  const [width, height] = ['width', 'height'].map((side) => /^(\d{1,4})(?:px)?$/.exec(attributes.get(side)?.trim() ?? '')?.[1]);
  const label = attributes.get('alt') ?? attributes.get('title') ?? (kind === 'img' ? '' : target.path.replace(/^.*\//, ''));
  const properties = mediaProperties(kind, target.path, { label, subpath });
  return [element(kind, { ...properties, ...(kind === 'audio' ? {} : { width, height }) }, [])];
}

/** Returns a link in place of remote content, which is never fetched, or null. */
function remoteLink(source: string | undefined, name: string): TreeNode | null {
  if (source === undefined || !/^https?:/i.test(source)) return null;
  const kind = name === 'img' ? 'Picture' : name === 'iframe' ? (remoteKind(source) ?? 'Page') : 'Recording';
  const label = text(`${kind}: ${source}`);
  return element('a', { href: source, className: ['external'], rel: ['noopener', 'noreferrer'], target: '_blank' }, [label]);
}

function withoutDropped(node: TreeNode): TreeNode {
  if (node.children === undefined) return node;
  node.children = node.children
    .filter(({ tagName }) => tagName !== 'roux-dropped')
    // The first source of a player is played.
    .flatMap((child) =>
      child.tagName === PLAYER ? (child.children ?? []).filter(({ type }) => type === 'element').slice(0, 1) : [withoutDropped(child)],
    );
  return node;
}
