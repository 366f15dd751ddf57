import type { SitePage } from '../site.ts';
import { escapeHtml } from '../../../../render/syntax/html-tokens.ts';
import { relativeAddress } from '../site-addresses.ts';
import type { Document } from './frame.ts';

/** With more properties than this, the table is folded. */
const MAX_UNFOLDED_PROPERTIES = 8;

/** Returns the page of a note, which is complete without the program of the site. */
export function noteDocument(page: SitePage): Document {
  const { file, title, description, folder, isNote, html, hasDiagrams, outline, notices } = page;
  const hasOwnTitle = outline[0]?.level === 1 && outline[0].text === title && html.startsWith('<h1');
  const main = `<div class="note-view${isNote ? '' : ' file-view'}">
<article class="note">
<header class="note-head">
${folder === '' ? '' : `<p class="note-folder quiet" dir="auto">${escapeHtml(folder)}</p>\n`}<h1 dir="auto">${escapeHtml(title)}</h1>
${tags(page)}${properties(page)}</header>
<div id="site-fold"></div>
${notices.map((notice) => `<p class="notice">${escapeHtml(notice)}</p>\n`).join('')}<div class="${hasOwnTitle ? 'prose without-title' : 'prose'}">
${html}
</div>
</article>
${contents(hasOwnTitle ? outline.slice(1) : outline)}${isNote ? foot(page) : ''}
</div>`;
  return { file, title, description, main, hasDiagrams, isListed: true };
}

function tags({ file, tags: used }: SitePage): string {
  if (used.length === 0) return '';
  const links = used.map((tag) => `<a class="tag" href="${escapeHtml(relativeAddress(file, tag.file))}">#${escapeHtml(tag.name)}</a>`);
  return `<p class="note-facts">${links.join(' ')}</p>\n`;
}

function properties({ properties: shown }: SitePage): string {
  if (shown.length === 0) return '';
  const rows = shown.map(({ key, values, more }) => {
    const cells = values.map((value) => `<span class="property-value" dir="auto">${value}</span>`).join('\n');
    return `<tr><th scope="row" dir="auto">${escapeHtml(key)}</th><td>${cells}${more === undefined ? '' : ` and ${more} more`}</td></tr>`;
  });
  return `<details class="properties"${shown.length <= MAX_UNFOLDED_PROPERTIES ? ' open' : ''}>
<summary>${shown.length === 1 ? '1 property' : `${shown.length} properties`}</summary>
<table><tbody>
${rows.join('\n')}
</tbody></table>
</details>
`;
}

function contents(outline: SitePage['outline']): string {
  if (outline.length < 2) return '';
  const top = Math.min(...outline.map(({ level }) => level));
  const items = outline.map(
    ({ level, text, id }) =>
      `<li data-level="${Math.min(level - top, 4)}"><a href="#note-${encodeURIComponent(id)}" dir="auto">${escapeHtml(text === '' ? 'Untitled' : text)}</a></li>`,
  );
  return `<div class="note-aside site-outline">
<nav class="outline no-print" aria-label="On this page">
<h2>On this page</h2>
<ol>
${items.join('\n')}
</ol>
</nav>
</div>
`;
}

function foot(page: SitePage): string {
  const graph = `${relativeAddress(page.file, 'graph.html')}?around=${encodeURIComponent(page.path)}`;
  return `<footer class="note-foot">
${backlinks(page)}<p class="no-print"><a href="${graph}">Show in the graph</a></p>
</footer>`;
}

function backlinks({ file, backlinks: sources }: SitePage): string {
  if (sources.length === 0) return '';
  const items = sources.map(({ page, path, title, lines, more }) => {
    const shown = lines.map(
      ({ text, start, end }) =>
        `<p class="backlink-line" dir="auto">${escapeHtml(text.slice(0, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>${escapeHtml(text.slice(end))}</p>`,
    );
    const link = `<a class="backlink-title" href="${escapeHtml(relativeAddress(file, page))}" data-note="${escapeHtml(path)}" dir="auto">${escapeHtml(title)}</a>`;
    return `<li>${link}${shown.join('')}${more === 0 ? '' : `<p class="quiet">and ${more} more</p>`}</li>`;
  });
  const count = sources.length;
  return `<section class="note-section" aria-labelledby="backlinks">
<h2 id="backlinks">${count === 1 ? 'One note links here' : `${count} notes link here`}</h2>
<ul class="backlinks">
${items.join('\n')}
</ul>
</section>
`;
}
