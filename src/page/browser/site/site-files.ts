import { parseServerHtml } from '../parts/server-html.tsx';

/** A note of the site. */
export interface SiteNote {
  /** Its path in the vault. */
  readonly path: string;
  /** Its page, from the root of the site on. */
  readonly file: string;
  readonly title: string;
  readonly folder: string;
}

/** What `data/notes.json` lists. */
export interface SiteList {
  readonly notes: readonly SiteNote[];
  readonly byPath: ReadonlyMap<string, SiteNote>;
  /** The parts of the index of words. */
  readonly parts: ReadonlySet<string>;
}

/** Bounds the cache of pages. */
const MAX_CACHED_PAGES = 200;

/** The root of the site. */
export const root = new URL(document.documentElement.dataset['root'] || './', location.href);
const pages = new Map<string, Promise<DocumentFragment>>();
let list: Promise<SiteList> | null = null;

/** Returns the address of a file of the site. */
export function fileUrl(file: string): string {
  return new URL(file.split('/').map(encodeURIComponent).join('/'), root).href;
}

/** Fetches a file of data. Rejects if it is missing, or if the site is opened from a folder, where browsers fetch nothing. */
export async function fetchJson<T>(file: string): Promise<T> {
  const response = await fetch(fileUrl(file), { credentials: 'omit' });
  if (!response.ok) throw new Error(`The site answered with status ${response.status}.`);
  return (await response.json()) as T;
}

/** Fetches the list of the notes, once. */
export function fetchList(): Promise<SiteList> {
  list ??= readList();
  list.catch(() => (list = null));
  return list;
}

async function readList(): Promise<SiteList> {
  type Listed = {
    readonly notes: readonly [string, string, string][];
    readonly parts: readonly string[];
  };
  const { notes: rows, parts } = await fetchJson<Listed>('data/notes.json');
  const notes = rows.map(([path, file, title]): SiteNote => ({
    path,
    file,
    title,
    folder: path.slice(0, Math.max(0, path.lastIndexOf('/'))),
  }));
  return {
    notes,
    byPath: new Map(notes.map((note) => [note.path, note])),
    parts: new Set(parts),
  };
}

/** Fetches the page of a note. Links and pictures in it have absolute addresses. */
export function fetchPage(file: string): Promise<DocumentFragment> {
  const known = pages.get(file);
  if (known !== undefined) return known;
  if (pages.size >= MAX_CACHED_PAGES) pages.clear();
  const page = readPage(file);
  pages.set(file, page);
  page.catch(() => pages.delete(file));
  return page;
}

async function readPage(file: string): Promise<DocumentFragment> {
  const url = fileUrl(file);
  const response = await fetch(url, { credentials: 'omit' });
  if (!response.ok) throw new Error(`The site answered with status ${response.status}.`);
  const page = parseServerHtml(await response.text());
  for (const [selector, name] of [
    ['.prose a[href]', 'href'],
    ['.prose :is(img, audio, video, source)[src]', 'src'],
  ] as const) {
    for (const element of page.querySelectorAll(selector)) element.setAttribute(name, new URL(element.getAttribute(name) ?? '', url).href);
  }
  return page;
}
