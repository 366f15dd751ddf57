import { decodeDestination, linkLabel, splitLinkText } from '../../note/markdown/link-text.ts';
import { parseMarkdown } from '../../note/markdown/markdown-tree.ts';
import { readWikilink } from '../../note/markdown/wikilink.ts';
import { mapChildren, markdownElement, spanOf, text } from '../tree.ts';
import type { TreeNode } from '../tree.ts';
import type { LinkTarget, RenderSource } from '../job.ts';
import { isPageFile, liveFile } from './live-blocks.ts';
import { markMath } from './math.ts';
import { mediaElementOf, mediaProperties, pageOf, splitSize } from './media.ts';

/** Renders an embed of a note. Returns null if it is to be shown as a link. */
export type ShowEmbed = (path: string, subpath: string) => TreeNode | null;

const EXTERNAL = /^(?:https?|mailto):/i;

/** Turns the links and embeds of a note into links of the page, by the targets in `source.links`. */
export function markLinks(root: TreeNode, { source, markdownText, showEmbed, isPublished }: Omit<Context, 'definitions'>): void {
  const definitions = new Map<string, TreeNode>();
  collectDefinitions(root, definitions);
  mapChildren(root, (children, parent) => {
    const shown = children
      .filter(({ type }) => type !== 'definition')
      .map((child) => showLink(child, { source, markdownText, definitions, showEmbed, isPublished }));
    return parent.type === 'paragraph' ? shown : shown.flatMap((child) => (child.type === 'paragraph' ? liftBlocks(child) : [child]));
  });
}

interface Context {
  readonly source: RenderSource;
  readonly markdownText: string;
  readonly definitions: ReadonlyMap<string, TreeNode>;
  readonly showEmbed: ShowEmbed;
  /** As in `RenderJob`. */
  readonly isPublished: boolean;
}

/** Type of a node for a block inside a paragraph. */
const BLOCK = 'roux-embed-block';

function showLink(node: TreeNode, context: Context): TreeNode {
  switch (node.type) {
    case 'wikiLink': {
      const span = spanOf(node);
      if (span === null) return text(textOfWikilink(node));
      const { link, alias, kind } = readWikilink(context.markdownText, span);
      return kind === 'embed'
        ? showWikiEmbed(link, alias, context)
        : showInternal(link, alias === undefined ? [text(linkLabel(link))] : labelNodes(alias), context);
    }
    case 'link':
      return showMarkdownLink(node.url ?? '', node.children ?? [], context);
    case 'image':
      return showPicture(node.url ?? '', node.alt ?? '', context);
    case 'linkReference':
    case 'imageReference': {
      const url = context.definitions.get(node.identifier ?? '')?.url;
      if (url === undefined) return node;
      return node.type === 'linkReference'
        ? showMarkdownLink(url, node.children ?? [], context)
        : showPicture(url, node.alt ?? '', context);
    }
    default:
      return node;
  }
}

function showMarkdownLink(url: string, children: TreeNode[], context: Context): TreeNode {
  const link = decodeDestination(url);
  if (link !== null) return showInternal(link, children, context);
  return EXTERNAL.test(url) ? external(url, children) : markdownElement('span', { className: ['refused-link'] }, children);
}

/** Returns what a page is that Obsidian shows within a note, or null for other pages. */
export function remoteKind(url: string): 'Video' | 'Post' | null {
  if (/^https?:\/\/(?:www\.|m\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be)\//i.test(url)) return 'Video';
  return /^https?:\/\/(?:www\.|mobile\.)?(?:twitter|x)\.com\//i.test(url) ? 'Post' : null;
}

/** What the text of a link may hold; anything else is shown as it is written. */
const LABEL_TYPES: ReadonlySet<string> = new Set(['delete', 'emphasis', 'inlineCode', 'roux-math', 'strong', 'text']);

/** Reads the formatting in the text of a wikilink. */
function labelNodes(alias: string): TreeNode[] {
  if (!/[*_`~$\\]/.test(alias)) return [text(alias)];
  const tree = parseMarkdown(alias) as unknown as TreeNode;
  markMath(tree, alias);
  const [paragraph, ...rest] = tree.children ?? [];
  const children = paragraph?.type === 'paragraph' && rest.length === 0 ? (paragraph.children ?? []) : [];
  return children.length > 0 && children.every(isLabel) ? children : [text(alias)];
}

function isLabel({ type, children = [] }: TreeNode): boolean {
  return LABEL_TYPES.has(type) && children.every(isLabel);
}

export function external(href: string, children: TreeNode[]): TreeNode {
  return markdownElement('a', { href, className: ['external'], rel: ['noopener', 'noreferrer'], target: '_blank' }, children);
}

/** Creates a link to a note or file, or an unresolved link. */
function showInternal(link: string, children: TreeNode[], { source, isPublished }: Context): TreeNode {
  const { linkpath, subpath } = splitLinkText(link);
  if (linkpath === '')
    return markdownElement('a', { href: `#${encodeURIComponent(lastPart(subpath))}`, className: ['internal'] }, children);
  const meaning = targetOf(source, linkpath);
  if (meaning.kind === 'note') return noteLink(meaning.path, subpath, children);
  if (meaning.kind === 'attachment') return fileLink(meaning.path, children, subpath);
  if (isPublished) return markdownElement('span', {}, children);
  // Its page says who links to it, and offers to create it. Browsers resolve dots, and take two slashes for one.
  const hasPage = linkpath.split('/').every((name) => !/^\.{0,2}$/.test(name));
  const href = hasPage ? `/note/${encodePath(linkpath)}` : `/search?q=${encodeURIComponent(linkpath)}`;
  return markdownElement('a', { href, className: ['unresolved'], title: 'No note has this name yet' }, children);
}

function noteLink(path: string, subpath: string, children: TreeNode[]): TreeNode {
  const hash = subpath === '' ? '' : `#${encodeURIComponent(lastPart(subpath))}`;
  return markdownElement('a', { href: `/note/${encodePath(path)}${hash}`, className: ['internal'], dataNote: path }, children);
}

function fileLink(path: string, children: TreeNode[], subpath = ''): TreeNode {
  if (isPageFile(path)) {
    const hash = subpath === '' ? '' : `#${encodeURIComponent(lastPart(subpath))}`;
    return markdownElement('a', { href: `/note/${encodePath(path)}${hash}`, className: ['internal'] }, children);
  }
  const page = pageOf(subpath);
  const href = `/api/file/${encodePath(path)}`;
  return markdownElement('a', { href, className: ['file'], dataFile: path, ...(page === null ? {} : { dataPage: page }) }, children);
}

function showWikiEmbed(link: string, alias: string | undefined, context: Context): TreeNode {
  const { linkpath, subpath } = splitLinkText(link);
  const meaning =
    linkpath === ''
      ? ({ kind: 'note', path: context.source.path, title: context.source.title } as const)
      : targetOf(context.source, linkpath);
  if (meaning.kind === 'unresolved' && context.isPublished) return text('');
  const name = alias ?? linkLabel(link);
  if (meaning.kind === 'attachment') {
    if (isPageFile(meaning.path)) {
      const [view, label] = [lastPart(subpath), linkLabel(`${meaning.path}${subpath}`)];
      const embed = liveFile(meaning.path, { view, context: context.source.path, link: fileLink(meaning.path, [text(label)], subpath) });
      return { type: BLOCK, children: [embed] };
    }
    const { said, size } = splitSize(alias ?? '');
    const shown = showFile(meaning.path, { label: said === '' ? linkLabel(linkpath) : said, size, subpath });
    if (shown !== null) return shown;
    const page = pageOf(subpath);
    const label = said === '' ? `${linkLabel(meaning.path)}${page === null ? '' : `, page ${page}`}` : said;
    return markdownElement('span', { className: ['embedded-file'] }, [fileLink(meaning.path, [text(label)], subpath)]);
  }
  const embedded = meaning.kind === 'note' ? context.showEmbed(meaning.path, subpath) : null;
  if (embedded === null) return showInternal(link, [text(name)], context);
  return { type: BLOCK, children: [embedded] };
}

function showPicture(url: string, label: string, context: Context): TreeNode {
  const { said: alt, size } = splitSize(label);
  const link = decodeDestination(url);
  if (link === null) {
    // Remote images are not fetched, because their server would learn who reads the note.
    const shown = alt.trim() === '' ? url : alt;
    return EXTERNAL.test(url)
      ? external(url, [text(`${remoteKind(url) ?? 'Picture'}: ${shown}`)])
      : markdownElement('span', { className: ['refused-link'] }, [text(shown)]);
  }
  const { linkpath, subpath } = splitLinkText(link);
  const meaning = targetOf(context.source, linkpath);
  const shown = meaning.kind === 'attachment' ? showFile(meaning.path, { label: alt, size, subpath }) : null;
  return shown ?? showWikiEmbed(link, alt === '' ? undefined : alt, context);
}

/** Shows a picture, sound or film. Returns null for other files. */
function showFile(path: string, options: { label: string; size: string; subpath: string }): TreeNode | null {
  const element = mediaElementOf(path);
  if (element === null) return null;
  const label = options.label === '' && element !== 'img' ? linkLabel(path) : options.label;
  return markdownElement(element, mediaProperties(element, path, { ...options, label }), []);
}

/** Splits a paragraph at the blocks in it. */
function liftBlocks(paragraph: TreeNode): TreeNode[] {
  const children = paragraph.children ?? [];
  if (!children.some(({ type }) => type === BLOCK)) return [paragraph];
  const parts: TreeNode[] = [];
  let inline: TreeNode[] = [];
  const flush = (): void => {
    const isEmpty = inline.every(({ type, value }) => type === 'break' || (type === 'text' && (value ?? '').trim() === ''));
    if (!isEmpty) parts.push({ ...paragraph, children: inline });
    inline = [];
  };
  for (const child of children) {
    if (child.type !== BLOCK) {
      inline.push(child);
      continue;
    }
    flush();
    for (const each of child.children ?? []) parts.push(each);
  }
  flush();
  return parts;
}

function collectDefinitions(node: TreeNode, found: Map<string, TreeNode>): void {
  // The first definition of a name wins, as in Markdown.
  if (node.type === 'definition' && node.identifier !== undefined && !found.has(node.identifier)) found.set(node.identifier, node);
  for (const child of node.children ?? []) collectDefinitions(child, found);
}

export function targetOf({ links }: RenderSource, linkpath: string): LinkTarget {
  return links.get(linkpath) ?? { kind: 'unresolved' };
}

/** Returns the last heading or block of a subpath. */
function lastPart(subpath: string): string {
  return subpath.slice(subpath.lastIndexOf('#') + 1);
}

export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function textOfWikilink(node: TreeNode): string {
  return typeof node.value === 'string' ? node.value : '';
}
