import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { baseName, foldKey } from '../../../note/path.ts';
import { publishedGraph } from '../../../vault/scope/published-view.ts';
import type { PublishedView } from '../../../vault/scope/published-view.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { listDocuments, sitemap } from './documents/lists.ts';
import { noteDocument } from './documents/note-document.ts';
import { renderDocument, siteAssetNames } from './documents/frame.ts';
import { PublishedBlocks } from './blocks/published-blocks.ts';
import { planPublication } from './plan-publication.ts';
import type { PublishReport } from './plan-publication.ts';
import { HOME_NAMES, renderFile, renderPage } from './render-pages.ts';
import type { RenderedPage } from './render-pages.ts';
import { selectNotes } from './select-notes.ts';
import { buildSite } from './site.ts';
import type { Site } from './site.ts';
import { layOutSite } from './site-map.ts';
import { indexWords } from './word-index.ts';

/** A file of a site that is written. */
export interface SiteFile {
  readonly file: string;
  readonly text: string;
}

/** A site that is not written yet. */
export interface SiteFiles {
  /** The name of the site. */
  readonly title: string;
  /** The files, each made when it is asked for. */
  readonly texts: Iterable<SiteFile>;
  /** Attachments: their paths in the vault, and where they go. */
  readonly attachments: ReadonlyMap<string, string>;
  /** Whether some page needs what draws diagrams. */
  readonly hasDiagrams: boolean;
}

/** More notes than this would not fit into memory with their pages. */
const MAX_PUBLISHED_NOTES = 50_000;
/** Properties that are published without being named. Bookkeeping of roux never is. */
const DEFAULT_PROPERTIES: readonly string[] = ['aliases', 'description', 'tags', 'title'];
const NEVER: ReadonlySet<string> = new Set([
  'id',
  'rev',
  'publish',
  'created_by',
  'updated_at',
  'created_at',
  'parent',
  'depends_on',
  'properties',
]);

const patterns = z.array(z.string().min(1).max(500)).max(100).default([]);

/** Makes a static site of chosen notes. It is made of a view of the vault that has these notes and nothing else. */
export const publishNotes = defineOperation({
  name: 'publish_notes',
  toolset: null,
  title: 'Publish notes',
  summary: 'A static site of chosen notes, as files, and what of them it would leave out.',
  effect: 'read',
  isOfWholeVault: true,
  isIdempotent: true,
  input: z.strictObject({
    paths: patterns,
    except: patterns,
    all: z.boolean().default(false),
    marked: z.boolean().default(false),
    properties: z.array(z.string().min(1).max(200)).max(100).default([]),
    home: z.string().max(1_000).optional(),
    title: z.string().max(200).optional(),
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    /** The files of the program of the site; without them only the report is made. */
    assets: siteAssetNames.optional(),
  }),
  async run(context, choice): Promise<{ readonly report: PublishReport; readonly site: SiteFiles | null }> {
    const { vault, config } = context;
    await vault.refresh('changed');
    const selection = selectNotes(vault, config, choice);
    const size = selection.notes.length + selection.pages.length;
    if (size > MAX_PUBLISHED_NOTES) throw tooMany(size);
    const properties = new Set([...DEFAULT_PROPERTIES, ...choice.properties]);
    const { view, published, report } = planPublication(vault, selection, (key) => properties.has(key) && !NEVER.has(key));
    const home = findHome(report.notes, choice.home);
    if (choice.assets === undefined || report.notes.length === 0) return { report, site: null };
    const blocks = new PublishedBlocks(vault, view, published);
    const rendered = await renderPages(context, { view, blocks, report });
    const site = buildSite(rendered, home);
    const pages = [...rendered.values()];
    const nodes = await layOutSite(
      publishedGraph(
        vault,
        pages.map(({ note, tags, shown }) => ({ note, tags, targets: shown.notes })),
      ),
      vault.ports,
      context.signal,
    );
    const title = choice.title ?? titleOf(site);
    const baseUrl = choice.base_url === undefined ? null : choice.base_url.replace(/\/?$/, '/');
    const frame = { title, baseUrl, assets: choice.assets, hasTags: site.tags.size > 0 };
    return {
      report: { ...report, attachments: [...site.files.keys()].sort(), problems: blocks.problems },
      site: {
        title,
        texts: textsOf(site, { frame, pages, nodes }),
        attachments: site.files,
        hasDiagrams: pages.some(({ shown }) => shown.hasDiagrams),
      },
    };
  },
});

async function renderPages(
  context: OperationContext,
  { view, blocks, report }: { readonly view: PublishedView; readonly blocks: PublishedBlocks; readonly report: PublishReport },
): Promise<ReadonlyMap<string, RenderedPage>> {
  const rendered = new Map<string, RenderedPage>();
  const add = (path: string, page: RenderedPage | null): void => {
    context.signal.throwIfAborted();
    if (page !== null) rendered.set(path, page);
    context.progress(rendered.size, report.notes.length + report.pages.length, 'pages');
  };
  try {
    for (const { path } of report.notes) add(path, await renderPage(view, path, blocks));
    for (const path of report.pages) add(path, await renderFile(path, blocks));
  } finally {
    await blocks.close();
  }
  return rendered;
}

function* textsOf(
  site: Site,
  {
    frame,
    pages,
    nodes,
  }: {
    readonly frame: Parameters<typeof renderDocument>[0];
    readonly pages: readonly RenderedPage[];
    readonly nodes: Awaited<ReturnType<typeof layOutSite>>;
  },
): Generator<SiteFile> {
  for (const page of site.pages.values()) yield { file: page.file, text: renderDocument(frame, noteDocument(page)) };
  for (const document of listDocuments(site, frame)) yield { file: document.file, text: renderDocument(frame, document) };
  const notes = [...site.pages.values()].map(({ path, file, title }) => [path, file, title]);
  const words = indexWords(pages);
  yield { file: 'data/notes.json', text: JSON.stringify({ notes, parts: [...words.keys()] }) };
  yield { file: 'data/graph.json', text: JSON.stringify(nodes) };
  for (const [part, index] of words) yield { file: `data/words/${part}.json`, text: JSON.stringify(index) };
  if (frame.baseUrl !== null) yield { file: 'sitemap.xml', text: sitemap(frame.baseUrl, site.pages.values()) };
}

/** Returns the path of the note that is the first page: the named one, else the outermost one with a usual name; null for none. */
function findHome(notes: PublishReport['notes'], named: string | undefined): string | null {
  if (named !== undefined) {
    const wanted = foldKey(named.replace(/\.md$/i, ''));
    const found = notes.find(({ path, title }) =>
      [path.replace(/\.md$/i, ''), title, baseName(path)].some((name) => foldKey(name) === wanted),
    );
    if (found === undefined) throw new RouxError('NODE_NOT_FOUND', `None of the published notes is ${JSON.stringify(named)}.`);
    return found.path;
  }
  const rankOf = (path: string): number => HOME_NAMES.indexOf(foldKey(baseName(path)));
  const depthOf = (path: string): number => path.split('/').length;
  const outermost = notes.reduce((least, { path }) => Math.min(least, depthOf(path)), Infinity);
  const candidates = notes.filter(({ path }) => rankOf(path) !== -1 && depthOf(path) === outermost);
  return candidates.sort((a, b) => rankOf(a.path) - rankOf(b.path))[0]?.path ?? null;
}

/** Returns the name of a site that was given none: the title of its first page. The vault's folder is not named. */
function titleOf({ pages, home }: Site): string {
  const title = home === null ? undefined : pages.get(home)?.title;
  return title === undefined || HOME_NAMES.includes(foldKey(title)) ? 'Notes' : title;
}

function tooMany(count: number): RouxError {
  const message = `${count} notes are too many for one site; choose at most ${MAX_PUBLISHED_NOTES}.`;
  return new RouxError('INVALID_PARAMS', message);
}
