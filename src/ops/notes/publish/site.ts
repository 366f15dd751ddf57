import { folderOf } from '../../../note/path.ts';
import { compareNames, wholeEnd } from '../../../note/text.ts';
import { headingKey } from '../../../note/body/heading-path.ts';
import { escapeHtml } from '../../../render/syntax/html-tokens.ts';
import type { ShownValue } from '../page/properties.ts';
import type { RenderedPage } from './render-pages.ts';
import { relativeAddress, SiteAddresses } from './site-addresses.ts';
import { toSiteHtml } from './site-html.ts';
import type { SiteLinks, TextBlock } from './site-html.ts';

/** A line of a page that links to another one; offsets are those of the link. */
interface LinkLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A page that links to another one. */
interface SiteBacklink {
  readonly page: string;
  readonly path: string;
  readonly title: string;
  readonly lines: readonly LinkLine[];
  /** Number of lines that are left out. */
  readonly more: number;
}

/** A note of the site. Files are from the root of the site on; the HTML has relative addresses. */
export interface SitePage {
  readonly file: string;
  /** The path of the note in the vault. */
  readonly path: string;
  readonly title: string;
  readonly folder: string;
  readonly isNote: boolean;
  readonly description: string;
  readonly html: string;
  readonly hasDiagrams: boolean;
  readonly outline: RenderedPage['outline'];
  readonly notices: readonly string[];
  /** Values as HTML. */
  readonly properties: readonly { readonly key: string; readonly values: readonly string[]; readonly more?: number }[];
  readonly tags: readonly SiteTag[];
  readonly backlinks: readonly SiteBacklink[];
}

/** A tag with its page and the paths of its notes. */
export interface SiteTag {
  readonly name: string;
  readonly file: string;
  readonly notes: readonly string[];
}

/** A whole site. Pages, tags and files are by path, by folded name and by path. */
export interface Site {
  readonly pages: ReadonlyMap<string, SitePage>;
  readonly tags: ReadonlyMap<string, SiteTag>;
  readonly files: ReadonlyMap<string, string>;
  /** The path of the note that is the first page; null: a list is. */
  readonly home: string | null;
}

const MAX_BACKLINK_LINES = 5;
const MAX_LINE_CHARACTERS = 300;

/** Gives rendered notes their places in a site, and their links the addresses of these places. */
export function buildSite(rendered: ReadonlyMap<string, RenderedPage>, home: string | null): Site {
  const addresses = new SiteAddresses();
  const pageFiles = new Map([...rendered.keys()].map((path) => [path, path === home ? 'index.html' : addresses.note(path)]));
  const files = new Map<string, string>();
  const tags = new Map<string, { name: string; file: string; notes: string[] }>();
  for (const { note, shown, tags: own } of rendered.values()) {
    for (const file of shown.files) if (!files.has(file)) files.set(file, addresses.file(file));
    for (const name of own) {
      const known = tags.get(name.toLowerCase());
      if (known === undefined) tags.set(name.toLowerCase(), { name, file: addresses.tag(name), notes: [note.path] });
      else known.notes.push(note.path);
    }
  }
  const backlinks = collectBacklinks(rendered, pageFiles);
  const pages = new Map<string, SitePage>();
  for (const [path, page] of rendered) {
    const file = pageFiles.get(path) ?? '';
    const links = linksOf(file, { rendered, pageFiles, files, tags, own: page });
    pages.set(path, {
      file,
      path,
      title: page.note.title,
      folder: folderOf(path),
      isNote: page.isNote,
      description: page.description,
      html: toSiteHtml(page.html, links),
      hasDiagrams: page.shown.hasDiagrams,
      outline: page.outline,
      notices: page.notices,
      properties: page.properties.map(({ values, ...rest }) => ({ ...rest, values: values.map((value) => valueHtml(value, links)) })),
      tags: page.tags.flatMap((name) => tags.get(name.toLowerCase()) ?? []),
      backlinks: (backlinks.get(path) ?? []).toSorted((a, b) => compareNames(a.title, b.title)),
    });
  }
  return { pages, tags, files, home };
}

interface Places {
  readonly rendered: ReadonlyMap<string, RenderedPage>;
  readonly pageFiles: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, SiteTag>;
  readonly own: RenderedPage;
}

function linksOf(from: string, { rendered, pageFiles, files, tags, own }: Places): SiteLinks {
  const relative = (to: string | undefined): string | null => (to === undefined ? null : relativeAddress(from, to));
  return {
    note(path, hash) {
      const page = rendered.get(path);
      const file = relative(pageFiles.get(path));
      return file === null || page === undefined ? null : `${page === own ? '' : file}${fragmentOf(page, hash)}` || file;
    },
    file: (path) => relative(files.get(path)),
    tag: (tag) => relative(tags.get(tag.toLowerCase())?.file),
    fragment: (hash) => fragmentOf(own, hash) || '#main',
  };
}

/** Returns the fragment of a heading or block as a page has it; '' if it has none. Links name headings in any of their spellings. */
function fragmentOf({ shown: { ids } }: RenderedPage, hash: string): string {
  if (hash === '') return '';
  const id = [`note-${hash}`, `note-${headingKey(hash).replaceAll(' ', '-')}`, hash].find((each) => ids.has(each));
  return id === undefined ? '' : `#${encodeURIComponent(id)}`;
}

function collectBacklinks(
  rendered: ReadonlyMap<string, RenderedPage>,
  pageFiles: ReadonlyMap<string, string>,
): ReadonlyMap<string, SiteBacklink[]> {
  const found = new Map<string, SiteBacklink[]>();
  for (const { note, shown } of rendered.values()) {
    for (const target of shown.notes) {
      if (target === note.path) continue;
      const lines = shown.blocks.flatMap((block) => {
        const link = block.links.find(({ path }) => path === target);
        return link === undefined ? [] : [around(block, link)];
      });
      const source = {
        page: pageFiles.get(note.path) ?? '',
        path: note.path,
        title: note.title,
        lines: lines.slice(0, MAX_BACKLINK_LINES),
        more: Math.max(0, lines.length - MAX_BACKLINK_LINES),
      };
      const sources = found.get(target);
      if (sources === undefined) found.set(target, [source]);
      else sources.push(source);
    }
  }
  return found;
}

/** Returns the part of a block around a link. */
function around({ text }: TextBlock, { start, end }: { readonly start: number; readonly end: number }): LinkLine {
  const from =
    text.length <= MAX_LINE_CHARACTERS ? 0 : Math.max(0, Math.min(start - MAX_LINE_CHARACTERS / 3, text.length - MAX_LINE_CHARACTERS));
  const first = Math.floor(from);
  const [lead, tail] = [first > 0 ? '…' : '', first + MAX_LINE_CHARACTERS < text.length ? '…' : ''];
  const part = text.slice(wholeEnd(text, first), wholeEnd(text, first + MAX_LINE_CHARACTERS));
  const place = (at: number): number => Math.max(0, Math.min(part.length, at - first)) + lead.length;
  return { text: `${lead}${part}${tail}`, start: place(start), end: place(end) };
}

function valueHtml({ text, note, kind }: ShownValue, links: SiteLinks): string {
  const shown = escapeHtml(text);
  const href = note !== undefined ? links.note(note, '') : kind === 'url' ? text : null;
  if (href === null) return shown;
  return note === undefined
    ? `<a class="external" href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer">${shown}</a>`
    : `<a href="${escapeHtml(href)}" data-note="${escapeHtml(note)}">${shown}</a>`;
}
