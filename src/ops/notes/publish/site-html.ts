import { decodeEntities, escapeHtml, tokenizeHtml } from '../../../render/syntax/html-tokens.ts';

/** A block of a page as text, with the notes that it links to. */
export interface TextBlock {
  readonly text: string;
  readonly isHeading: boolean;
  readonly links: readonly { readonly path: string; readonly start: number; readonly end: number }[];
}

/** What the rendered HTML of a note shows. */
export interface ShownText {
  readonly blocks: readonly TextBlock[];
  /** Paths of the notes that it links to or embeds, and of the files. */
  readonly notes: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  /** Ids of its elements, to which links can lead. */
  readonly ids: ReadonlySet<string>;
  readonly hasDiagrams: boolean;
}

const BLOCKS: ReadonlySet<string> = new Set(
  'blockquote caption dd details div dl dt figcaption h1 h2 h3 h4 h5 h6 hr li ol p pre section summary table td th tr ul'.split(' '),
);
/** The page of a tag. */
const TAG = '/tag/';
/** The page of a base. */
const PAGE = '/note/';

/** Reads from the rendered HTML of a note what its readers see. */
export function readShownText(html: string): ShownText {
  const [notes, files, tags, ids] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  const blocks: TextBlock[] = [];
  let [text, isHeading, hidden, hasDiagrams] = ['', false, 0, false];
  let links: { path: string; start: number; end: number }[] = [];
  let open: { path: string; start: number } | null = null;
  const closeLink = (): void => {
    if (open !== null) links.push({ ...open, end: text.length });
    open = null;
  };
  const flush = (): void => {
    closeLink();
    if (text.trim() !== '') blocks.push({ text, isHeading, links });
    [text, links, isHeading] = ['', [], false];
  };
  for (const token of tokenizeHtml(html)) {
    if (token.kind === 'text') {
      if (hidden === 0) text += decodeEntities(token.text).replaceAll(/\s+/g, ' ');
      continue;
    }
    // The source of a formula.
    if (token.name === 'annotation') hidden += token.kind === 'open' ? 1 : -1;
    if (token.name === 'br') text += ' ';
    if (BLOCKS.has(token.name)) flush();
    if (token.kind === 'close') {
      if (token.name === 'a') closeLink();
      continue;
    }
    if (/^h[1-6]$/.test(token.name)) isHeading = true;
    const { attributes } = token;
    if (attributes.get('class') === 'diagram') hasDiagrams = true;
    const [note, file, id] = [attributes.get('data-note'), attributes.get('data-file'), attributes.get('id')];
    const href = attributes.get('href') ?? '';
    if (id !== undefined) ids.add(id);
    if (file !== undefined) files.add(file);
    if (note !== undefined) {
      notes.add(note);
      open = { path: note, start: text.length };
    }
    if (href.startsWith(TAG)) tags.add(decode(href.slice(TAG.length)));
  }
  flush();
  return { blocks, notes, files, tags, ids, hasDiagrams };
}

/** Addresses in the site, relative to the page; null for what is not published. */
export interface SiteLinks {
  note(path: string, hash: string): string | null;
  file(path: string): string | null;
  tag(tag: string): string | null;
  /** The fragment of a heading or block of this page. */
  fragment(hash: string): string;
}

/** Elements without content, which have no end tag. */
const VOID: ReadonlySet<string> = new Set('area br col embed hr img input source track wbr'.split(' '));
/** What the live page knows blocks by, to change the note. */
const LIVE_ATTRIBUTES = ['data-file', 'data-line', 'data-mark', 'data-context'];
const EXTERNAL = /^(?:https?|mailto):/i;

/** Replaces the addresses of the live page in rendered HTML by those of the site. A link that leads to nothing published becomes its text. */
export function toSiteHtml(html: string, links: SiteLinks): string {
  let result = '';
  let isLinkOpen = false;
  for (const token of tokenizeHtml(html)) {
    if (token.kind === 'text') {
      result += token.text.replaceAll('<', '&lt;');
      continue;
    }
    const { name } = token;
    if (token.kind === 'close') {
      if (name === 'a' && !isLinkOpen) continue;
      if (name === 'a') isLinkOpen = false;
      result += VOID.has(name) ? '' : `</${name}>`;
      continue;
    }
    const attributes = new Map(token.attributes);
    if (name === 'a') {
      const href = siteAddress(attributes, links);
      if (href === null) continue;
      attributes.set('href', href);
      isLinkOpen = true;
    } else if (attributes.has('data-file')) {
      const src = links.file(attributes.get('data-file') ?? '');
      if (src !== null) attributes.set('src', src);
      if (name === 'img') attributes.set('loading', 'lazy');
    }
    for (const key of LIVE_ATTRIBUTES) attributes.delete(key);
    const written = [...attributes].map(([key, value]) => ` ${key}="${escapeHtml(value)}"`).join('');
    result += `<${name}${written}${token.isSelfClosing ? '/' : ''}>`;
  }
  return result;
}

function siteAddress(attributes: ReadonlyMap<string, string>, links: SiteLinks): string | null {
  const href = attributes.get('href') ?? '';
  const hash = href.includes('#') ? decode(href.slice(href.indexOf('#') + 1)) : '';
  const [note, file] = [attributes.get('data-note'), attributes.get('data-file')];
  if (note !== undefined) return links.note(note, hash);
  if (file !== undefined) return links.file(file);
  if (href.startsWith('#')) return links.fragment(hash);
  if (href.startsWith(PAGE)) return links.note(decode(href.slice(PAGE.length).replace(/#.*$/, '')), '');
  if (href.startsWith(TAG)) return links.tag(decode(href.slice(TAG.length)));
  return EXTERNAL.test(href) ? href : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A truncated escape sequence.
    return text;
  }
}
