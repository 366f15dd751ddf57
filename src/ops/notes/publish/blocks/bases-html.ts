import { escapeHtml } from '../../../../render/syntax/html-tokens.ts';
import type { Cell, CellPart } from '../../page/bases/cells.ts';
import type { ShownGroup, ShownRow, ShownSummary } from '../../page/bases/show-rows.ts';
import type { ShownView } from '../../page/bases/show-view.ts';
import { fileHtml, noteLinkHtml } from './link-html.ts';
import type { PathOf } from './link-html.ts';

const DRAWN: ReadonlySet<string> = new Set(['table', 'cards', 'list']);

/** Writes views of a base: the first one, and the others folded below it. Links have the addresses of the live page. */
export class BaseHtml {
  readonly #pathOf: PathOf;

  constructor(pathOf: PathOf) {
    this.#pathOf = pathOf;
  }

  /** `title`: the name of the base with a link to its page, for a base in a note; '' for none. `omitted`: views that are not shown. */
  write(views: readonly ShownView[], { title, omitted }: { readonly title: string; readonly omitted: number }): string {
    const [first, ...others] = views;
    if (first === undefined) return '';
    const name = others.length === 0 ? '' : `<span class="bases-view-name" dir="auto">${escapeHtml(first.view.name)}</span> `;
    const folded = others.map(
      (shown) =>
        `<details class="bases-other"><summary><span dir="auto">${escapeHtml(shown.view.name)}</span> ${countHtml(shown)}</summary>\n${this.#view(shown)}</details>\n`,
    );
    const rest = omitted === 0 ? '' : `<p class="quiet">The first ${views.length} of ${views.length + omitted} views are shown.</p>\n`;
    return `<header class="block-head bases-head">${title}${name}${countHtml(first)}</header>\n${this.#view(first)}${folded.join('')}${rest}`;
  }

  #view(shown: ShownView): string {
    const { type } = shown.view;
    const notices = [
      ...(DRAWN.has(type) ? [] : [`roux does not draw views of the type “${type}”, so its notes are shown as a table.`]),
      ...(shown.total > 0 ? [] : [shown.depends_on_note ? 'This view is about the note that embeds it.' : 'No notes match this view.']),
      ...(shown.shown < shown.total ? [`The first ${countText(shown.shown)} of ${countText(shown.total)} rows are shown.`] : []),
      ...shown.notices,
    ].map((notice) => `<p class="quiet">${escapeHtml(notice)}</p>\n`);
    const rows = shown.total === 0 ? '' : type === 'cards' ? this.#cards(shown) : type === 'list' ? this.#list(shown) : this.#table(shown);
    return `${rows}${notices.join('')}`;
  }

  #table({ columns, groups, summaries, view, group_title: title }: ShownView): string {
    const rows = groups.flatMap((group) => group.rows);
    const heads = columns.map((column, at) => {
      const isNumber = rows.some(({ cells }) => isNumeric(cells[at]));
      return `<th scope="col"${isNumber ? ' class="numeric"' : ''} dir="auto">${escapeHtml(column.title)}</th>`;
    });
    const body = groups.map((group) => {
      const head =
        group.value === null
          ? ''
          : `<tr class="bases-group"><th colspan="${columns.length}" scope="rowgroup">${this.#groupTitle(group, title)}</th></tr>\n${this.#summaryRow(group.summaries, columns.length)}`;
      return `${head}${group.rows.map((row) => `<tr>${row.cells.map((cell) => this.#td(cell)).join('')}</tr>\n`).join('')}`;
    });
    const foot = summaries.length === 0 ? '' : `<tfoot>\n${this.#summaryRow(summaries, columns.length)}</tfoot>\n`;
    return `<div class="scroll bases-scroll" role="region" aria-label="Table ${escapeHtml(view.name)}" tabindex="0">
<table class="bases-table">
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${body.join('')}</tbody>
${foot}</table>
</div>
`;
  }

  #td(cell: Cell): string {
    return `<td${isNumeric(cell) ? ' class="numeric"' : ''}>${this.#cell(cell)}</td>`;
  }

  #summaryRow(summaries: readonly ShownSummary[], columns: number): string {
    if (summaries.length === 0) return '';
    const cells = Array.from({ length: columns }, (_, at) => {
      const own = summaries.filter(({ column }) => column === at);
      const shown = own.map(({ name, value }) => `<span><span class="quiet">${escapeHtml(name)}</span> ${this.#cell(value)}</span>`);
      return `<td${own.some(({ value }) => isNumeric(value)) ? ' class="numeric"' : ''}>${shown.join(' ')}</td>`;
    });
    return `<tr class="bases-summary">${cells.join('')}</tr>\n`;
  }

  #cards(shown: ShownView): string {
    const cards = (row: ShownRow): string => `<li class="bases-card">${this.#card(row, shown)}</li>\n`;
    return this.#sections(shown, ({ rows }) => `<ul class="bases-cards">\n${rows.map(cards).join('')}</ul>\n`);
  }

  #card(row: ShownRow, { columns, has_pictures: hasPictures }: ShownView): string {
    const [main, ...rest] = row.cells;
    const facts = rest.map((cell, at) =>
      cell.parts.length === 0
        ? ''
        : `<div><span class="quiet" dir="auto">${escapeHtml(columns[at + 1]?.title ?? '')}</span><div>${this.#cell(cell)}</div></div>`,
    );
    const title = main === undefined ? this.#rowLink(row) : this.#cell(main);
    const picture = hasPictures ? `<div class="bases-picture">${this.#picture(row)}</div>` : '';
    return `${picture}<div class="bases-card-text"><div class="bases-card-title">${title}</div>${facts.join('')}</div>`;
  }

  #picture({ picture, title }: ShownRow): string {
    if (picture === undefined || 'color' in picture) return '';
    if ('url' in picture)
      return `<a class="external quiet" href="${escapeHtml(picture.url)}" target="_blank" rel="noopener noreferrer">Picture</a>`;
    return `<img data-file="${escapeHtml(this.#pathOf(picture.file))}" alt="${escapeHtml(title)}">`;
  }

  #rowLink({ path, is_note: isNote, title }: ShownRow): string {
    return isNote ? noteLinkHtml(path, title) : fileHtml(this.#pathOf(path), title);
  }

  #list(shown: ShownView): string {
    const { markers } = shown.layout;
    const name = markers === 'number' ? 'ol' : 'ul';
    let first = 1;
    return this.#sections(shown, ({ rows }) => {
      const start = markers === 'number' ? ` start="${first}"` : '';
      first += rows.length;
      const items = rows.map((row) => `<li>${this.#item(row, shown)}</li>\n`).join('');
      return `<${name} class="bases-list" data-markers="${markers}"${start}>\n${items}</${name}>\n`;
    });
  }

  #item(row: ShownRow, { columns, layout }: ShownView): string {
    const [main, ...rest] = row.cells;
    const filled = rest.flatMap((cell, at) => (cell.parts.length === 0 ? [] : [{ cell, title: escapeHtml(columns[at + 1]?.title ?? '') }]));
    const title = main === undefined ? this.#rowLink(row) : this.#cell(main);
    if (!layout.is_indented)
      return `${title}${filled.map((each) => `<span title="${each.title}">${escapeHtml(layout.separator.trimEnd())} ${this.#cell(each.cell)}</span>`).join('')}`;
    const items = filled.map((each) => `<li><span class="quiet" dir="auto">${each.title}</span> ${this.#cell(each.cell)}</li>`);
    return filled.length === 0 ? title : `${title}<ul class="bases-properties">${items.join('')}</ul>`;
  }

  /** Writes each group with a heading, and the summaries below all. */
  #sections({ groups, summaries, columns, group_title: title }: ShownView, rows: (group: ShownGroup) => string): string {
    const sections = groups.map(
      (group) =>
        `<section>${group.value === null ? '' : `<h3 class="bases-group">${this.#groupTitle(group, title)}</h3>`}\n${rows(group)}</section>\n`,
    );
    const below = summaries.map(
      ({ column, name, value }) =>
        `<p class="quiet">${escapeHtml(columns[column]?.title ?? '')} ${escapeHtml(name)} ${this.#cell(value)}</p>\n`,
    );
    return `${sections.join('')}${below.join('')}`;
  }

  #groupTitle({ value, count }: ShownGroup, title: string | null): string {
    const shown = value === null || value.parts.length === 0 ? '<span class="quiet">empty</span>' : this.#cell(value);
    return `<span class="quiet" dir="auto">${escapeHtml(title ?? '')}</span> ${shown} <span class="quiet">${countText(count)}</span>`;
  }

  #cell({ parts, more }: Cell): string {
    const shown = parts.map((part) => `<span class="cell-part">${this.#part(part)}</span>`).join('');
    return more === undefined ? shown : `${shown}<span class="quiet">and ${more} more</span>`;
  }

  #part({ kind, text, target = text }: CellPart): string {
    const shown = escapeHtml(text);
    switch (kind) {
      case 'note':
        return noteLinkHtml(target, text);
      case 'file':
        return fileHtml(this.#pathOf(target), text);
      case 'unresolved':
        // A link that a formula of the base makes. Its folder is that of a note which is not published.
        return `<span dir="auto">${escapeHtml(text.startsWith(target) ? text.replace(/^.*\//, '') : text)}</span>`;
      case 'url':
        return `<a class="external" href="${escapeHtml(target)}" target="_blank" rel="noopener noreferrer">${shown}</a>`;
      case 'tag':
        return `<a class="tag" href="/tag/${encodeURIComponent(text)}" dir="auto">#${shown}</a>`;
      case 'checkbox':
        return `<input type="checkbox" disabled${text === 'true' ? ' checked' : ''} aria-label="${text === 'true' ? 'Yes' : 'No'}">`;
      case 'date':
        return `<time datetime="${shown}">${shown}</time>`;
      default:
        return `<span dir="auto">${shown}</span>`;
    }
  }
}

function isNumeric(cell: Cell | undefined): boolean {
  return cell?.parts.length === 1 && cell.parts[0]?.kind === 'number';
}

function countHtml({ total }: ShownView): string {
  return `<span class="quiet">${total === 1 ? '1 result' : `${countText(total)} results`}</span>`;
}

function countText(count: number): string {
  return count.toLocaleString('en');
}
