import { compareNames } from '../../../../note/text.ts';
import type { Site, SitePage } from '../site.ts';
import { escapeHtml } from '../../../../render/syntax/html-tokens.ts';
import { relativeAddress } from '../site-addresses.ts';
import { siteUrl } from './frame.ts';
import type { Document, SiteFrame } from './frame.ts';

/** Returns the pages of the site that list notes: all of them, tags, the graph, and the one for unknown addresses. */
export function* listDocuments({ pages, tags, home }: Site, { title, baseUrl }: SiteFrame): Generator<Document> {
  const listed = [...pages.values()];
  const list = { title: 'All notes', description: '', hasDiagrams: false, isListed: false };
  yield { ...list, file: 'notes.html', main: `<h1>All notes</h1>\n${byFolder('notes.html', listed)}` };
  if (home === null) {
    yield { ...list, file: 'index.html', title, main: `<h1 dir="auto">${escapeHtml(title)}</h1>\n${byFolder('index.html', listed)}` };
  }
  const graph =
    '<h1 class="visually-hidden">Graph</h1>\n<div id="site-graph"><noscript><p>The graph needs JavaScript.</p></noscript></div>';
  yield { ...list, file: 'graph.html', title: 'Graph', main: graph };
  yield {
    ...list,
    file: '404.html',
    title: 'Page not found',
    main: `<section class="empty"><h1>Page not found</h1>
<p>Nothing has this address. It may have been renamed or withdrawn.</p>
<p><a href="${baseUrl === null ? 'index.html' : escapeHtml(new URL(baseUrl).pathname)}">Go to ${escapeHtml(title)}</a></p></section>`,
  };
  if (tags.size === 0) return;
  const sorted = [...tags.values()].sort((a, b) => compareNames(a.name, b.name));
  const items = sorted.map(
    ({ name, file, notes }) =>
      `<li><a class="tag" href="${relativeAddress('tags.html', file)}">#${escapeHtml(name)}</a> <span class="quiet">${notes.length}</span></li>`,
  );
  yield { ...list, file: 'tags.html', title: 'Tags', main: `<h1>Tags</h1>\n<ul class="notes">\n${items.join('\n')}\n</ul>` };
  for (const { name, file, notes } of sorted) {
    const shown = notes.flatMap((path) => pages.get(path) ?? []);
    yield { ...list, file, title: `#${name}`, main: `<h1 dir="auto">#${escapeHtml(name)}</h1>\n${noteItems(file, shown)}` };
  }
}

function byFolder(file: string, pages: readonly SitePage[]): string {
  const folders = new Map<string, SitePage[]>();
  for (const page of pages) {
    const inside = folders.get(page.folder);
    if (inside === undefined) folders.set(page.folder, [page]);
    else inside.push(page);
  }
  return [...folders]
    .sort(([a], [b]) => compareNames(a, b))
    .map(([folder, inside]) => `${folder === '' ? '' : `<h2 dir="auto">${escapeHtml(folder)}</h2>\n`}${noteItems(file, inside)}`)
    .join('\n');
}

function noteItems(file: string, pages: readonly SitePage[]): string {
  const items = [...pages]
    .sort((a, b) => compareNames(a.title, b.title))
    .map(
      (page) =>
        `<li><a href="${escapeHtml(relativeAddress(file, page.file))}" data-note="${escapeHtml(page.path)}" dir="auto">${escapeHtml(page.title)}</a></li>`,
    );
  return `<ul class="notes">\n${items.join('\n')}\n</ul>`;
}

/** Returns the list of pages for search engines. */
export function sitemap(baseUrl: string, pages: Iterable<SitePage>): string {
  const urls = [...pages].map(({ file }) => `<url><loc>${escapeHtml(siteUrl(baseUrl, file))}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}
