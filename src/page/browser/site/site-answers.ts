import { ApiError } from '../api.ts';
import type { Result } from '../operations.ts';
import { fetchJson, fetchList, fetchPage, fileUrl } from './site-files.ts';
import type { SiteNote } from './site-files.ts';
import { notesAround } from './around.ts';
import { searchSite } from './site-search.ts';

type GraphMap = Result<'graph_map'>;
type Preview = Result<'preview_page'>;

/** Text of a preview, after which no further block begins. */
const MAX_PREVIEW_CHARACTERS = 1_200;
const NOTHING_MOVED = { id: '', x: '', y: '', community: '' };

/** Answers the operations that a published site has, from its files. Throws `ApiError`. */
export async function answerFromFiles(operation: string, args: object): Promise<unknown> {
  const given = args as {
    readonly path?: string;
    readonly heading?: string;
    readonly query?: string;
    readonly around?: string;
    readonly depth?: number;
  };
  try {
    switch (operation) {
      case 'preview_page':
        return await previewPage(given.path ?? '', given.heading ?? '');
      case 'graph_map':
        return await graphMap(given.around, given.depth ?? 1);
      case 'find_words':
        return await findWords(given.query ?? '');
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError('This part of the site could not be loaded.', { code: 'ERROR', status: 0 });
  }
  throw new ApiError('A published site does not have this.', { code: 'NOT_FOUND', status: 404 });
}

/** Returns the beginning of a page, or of the section or block with an id. */
async function previewPage(path: string, id: string): Promise<Preview> {
  const note = await findNote(path);
  const page = (await fetchPage(note.file)).querySelector('.prose');
  const target = id === '' ? null : [...(page?.querySelectorAll('[id]') ?? [])].find((element) => element.id === id);
  const from = target ?? page?.firstElementChild ?? null;
  const level = levelOf(from);
  const box = document.createElement('div');
  let isWhole = true;
  for (let block = from; block !== null; block = block.nextElementSibling) {
    const isNextSection =
      target !== undefined && target !== null && block !== from && (level === 0 || (levelOf(block) > 0 && levelOf(block) <= level));
    if (isNextSection) break;
    if ((box.textContent ?? '').length > MAX_PREVIEW_CHARACTERS) {
      isWhole = false;
      break;
    }
    box.append(block.cloneNode(true));
  }
  for (const element of box.querySelectorAll('[id]')) element.removeAttribute('id');
  return { path: path as Preview['path'], title: note.title, folder: note.folder, html: box.innerHTML, is_whole: isWhole };
}

/** Returns the level of a heading; 0 for any other element. */
function levelOf(element: Element | null): number {
  return Number(/^H([1-6])$/.exec(element?.tagName ?? '')?.[1] ?? 0);
}

async function findNote(path: string): Promise<SiteNote> {
  const note = (await fetchList()).byPath.get(path);
  if (note === undefined) throw new ApiError('This note is not published.', { code: 'NODE_NOT_FOUND', status: 404 });
  return note;
}

async function findWords(query: string): Promise<Result<'find_words'>> {
  const paths = (await searchSite(query)).map(({ note }) => note.path);
  return { paths, total: paths.length, is_lower_bound: false };
}

async function graphMap(around: string | undefined, depth: number): Promise<GraphMap> {
  const whole: GraphMap = {
    map: null,
    whole: true,
    layout: { state: 'ready', done: 1 },
    left_out: 0,
    nodes: await fetchJson<GraphMap['nodes']>('data/graph.json'),
    moved: NOTHING_MOVED,
    gone: [],
  };
  if (around === undefined) return whole;
  await findNote(around);
  return notesAround(whole, { path: around, depth });
}

/** Translates an address of the live page into that of a page of the site. The list of notes has to be loaded. */
export function siteAddress(href: string, byPath: ReadonlyMap<string, SiteNote>): string {
  const { pathname, search, hash } = new URL(href, 'https://site.invalid');
  if (pathname === '/graph') return fileUrl('graph.html') + search;
  if (pathname === '/') return fileUrl('index.html');
  const note = pathname.startsWith('/note/') ? byPath.get(decodeURIComponent(pathname.slice('/note/'.length))) : undefined;
  return note === undefined ? href : fileUrl(note.file) + hash;
}
