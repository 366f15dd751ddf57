import { RouxError } from '../../../../errors.ts';
import { openSearch } from '../../../../graph/search/open-search.ts';
import type { Search } from '../../../../graph/search/open-search.ts';
import { extensionOf, fileName, folderOf } from '../../../../note/path.ts';
import type { NotePath } from '../../../../note/path.ts';
import { baseLimits, readBase } from '../../../../query/bases/read-bases.ts';
import type { Base, BaseView } from '../../../../query/bases/read-bases.ts';
import { escapeHtml } from '../../../../render/syntax/html-tokens.ts';
import { publishedFacts } from '../../../../vault/scope/published-facts.ts';
import type { PublishedFacts } from '../../../../vault/scope/published-facts.ts';
import type { Published, PublishedView } from '../../../../vault/scope/published-view.ts';
import { textOf } from '../../../../vault/read-files.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { findView, showView } from '../../page/bases/show-view.ts';
import { BaseHtml } from './bases-html.ts';
import { showCanvas } from './show-canvas.ts';
import type { Block } from './fill-blocks.ts';
import { fileHtml, nameOf, noteLinkHtml } from './link-html.ts';
import { searchText } from './search-text.ts';

/** Where a base is shown. */
interface Place {
  /** The path of the file; null for a block of code. */
  readonly path: string | null;
  /** The view that comes first; null for the first one of the base. */
  readonly view: string | null;
  /** The file that `this` means. */
  readonly here: string;
  /** The link to its page, for a base in a note. */
  readonly title: string;
}

/** A base or canvas that is left out because it has a mistake. */
export interface BlockProblem {
  readonly path: string;
  readonly message: string;
}

/** Hits that are shown of a search, and the longest query that is run. */
const MAX_HITS = 50;
const MAX_QUERY_CHARACTERS = 2_000;
/** Rows of a view, and views of a base. */
const MAX_ROWS = 1_000;
const MAX_VIEWS = 20;

/** Shows the bases, canvases and searches of a site, made of the published notes and nothing else. */
export class PublishedBlocks {
  readonly problems: BlockProblem[] = [];
  readonly #vault: Vault;
  readonly #view: PublishedView;
  readonly #published: Published;
  /** What queries see. Most sites have no base, and need none. */
  #facts: PublishedFacts | null = null;
  #search: Search | null = null;
  /** HTML of bases by what it depends on: the same base is shown in many notes. */
  readonly #shown = new Map<string, string>();
  readonly #canvases = new Map<string, Promise<string>>();

  constructor(vault: Vault, view: PublishedView, published: Published) {
    this.#vault = vault;
    this.#view = view;
    this.#published = published;
  }

  /** Returns a block of a note as HTML with the addresses of the live page; '' for one that is left out. */
  async show({ kind, path, source, view, context }: Block): Promise<string> {
    if (kind === 'query') return this.#query(source.trim());
    const name = path === null ? 'Base' : nameOf(path);
    const title = path === null ? '' : `<span class="block-title">${fileHtml(path, name)}</span> `;
    if (kind === 'canvas' && path !== null) {
      const html = await this.#canvas(path);
      return `<section class="block" aria-label="Canvas ${escapeHtml(name)}">\n<header class="block-head">${title}</header>\n${html}</section>`;
    }
    if (kind !== 'base') return '';
    const html = this.#base(path === null ? source : this.#read(path), { path, view, here: context, title });
    return `<section class="block bases-block" aria-label="${escapeHtml(name)}">\n${html}</section>`;
  }

  /** Returns the page of a base or canvas. */
  async page(path: string): Promise<string> {
    if (extensionOf(path) === 'canvas') return `<section class="block">\n${await this.#canvas(path)}</section>`;
    return `<section class="block bases-block">\n${this.#base(this.#read(path), { path, view: null, here: '', title: '' })}</section>`;
  }

  async close(): Promise<void> {
    await this.#search?.close();
  }

  /** Shows the notes that a search finds. Its words are not for readers, and neither is the source of a note, from which excerpts are cut. */
  async #query(query: string): Promise<string> {
    if (query === '' || query.length > MAX_QUERY_CHARACTERS) return '';
    const { graph } = this.#queried();
    const readText = (path: NotePath): string | null => {
      const found = this.#view.notes.readUnstable(path);
      return found === null ? null : searchText(found.note.text);
    };
    this.#search ??= openSearch({ graph, readText, log: this.#vault.ports.log, isStartedOnDemand: true });
    const { hits, total } = await this.#search.search({ query, mode: 'keyword', limit: MAX_HITS, snippetLength: 0 });
    const items = hits.map(({ path }) => {
      const folder = folderOf(path) === '' ? '' : ` <bdi class="quiet">${escapeHtml(folderOf(path))}</bdi>`;
      return `<li>${noteLinkHtml(path, this.#view.graph.get(path)?.title ?? path)}${folder}</li>\n`;
    });
    const found = total === 1 ? '1 note' : total > hits.length ? `The first ${hits.length} notes of more` : `${total} notes`;
    const list = hits.length === 0 ? '<p class="quiet">Nothing found.</p>' : `<ul class="query-hits">\n${items.join('')}</ul>`;
    return `<section class="block query-block" aria-label="Search">
<header class="block-head"><span class="quiet">${hits.length === 0 ? '' : found}</span></header>
${list}
</section>`;
  }

  #queried(): PublishedFacts {
    this.#facts ??= publishedFacts(this.#vault, this.#view, this.#published);
    return this.#facts;
  }

  #base(text: string, place: Place): string {
    const { path, view, here, title } = place;
    const key = JSON.stringify([path ?? text, view, title, /\bthis\b/.test(text) ? here : null]);
    const known = this.#shown.get(key);
    if (known !== undefined) return known;
    const html = this.#showBase(text, place);
    this.#shown.set(key, html);
    return html;
  }

  #showBase(text: string, { path, view, here, title }: Place): string {
    const facts = this.#queried();
    const name = path === null ? 'This block' : fileName(path);
    try {
      const base = onlyPublished(readBase(text, name), this.#published.hasProperty);
      const first = findView(base, view ?? undefined);
      const views = [first, ...base.views.filter((each) => each !== first)].slice(0, MAX_VIEWS);
      const omitted = base.views.length - views.length;
      const shown = views.map((each) => showView(facts, base, { name, path: path ?? undefined, view: each, here, limit: MAX_ROWS }));
      return new BaseHtml((file) => facts.pathOf(file)).write(shown, { title, omitted });
    } catch (error) {
      if (!(error instanceof RouxError) || error.code !== 'INVALID_PARAMS') throw error;
      const problem = { path: path ?? here, message: error.message };
      if (!this.problems.some((each) => each.path === problem.path && each.message === problem.message)) this.problems.push(problem);
      return `<p class="quiet">This base has a mistake, so it is not shown.</p>\n`;
    }
  }

  /** Shows a canvas with what of it is published: a card of another note is left out, with the lines to it. */
  #canvas(path: string): Promise<string> {
    const known = this.#canvases.get(path);
    if (known !== undefined) return known;
    const files = (file: string): boolean => this.#published.attachments.has(file) || this.#published.pages.has(file);
    const shown = showCanvas(
      { view: this.#view, isFile: files, base: (file, view) => this.#baseInside(file, view, path) },
      path,
      textOf(this.#vault.notes.readAttachment(path)) ?? '',
    );
    const html = shown.then((each) => {
      if (each !== null) return each;
      this.problems.push({ path, message: 'This file is not a canvas, or it is too large.' });
      return '<p class="quiet">This canvas cannot be shown.</p>\n';
    });
    this.#canvases.set(path, html);
    return html;
  }

  #baseInside(path: string, view: string | null, here: string): string {
    return this.#base(this.#read(path), { path, view, here, title: `<span class="block-title">${fileHtml(path, nameOf(path))}</span> ` });
  }

  /** Reads a base. One that is too long is cut to a length that is refused. */
  #read(path: string): string {
    return (textOf(this.#vault.notes.readAttachment(path)) ?? '').slice(0, baseLimits.characters + 1);
  }
}

/** Returns a base without the properties that are not published, so that not even their names are shown. */
function onlyPublished(base: Base, hasProperty: Published['hasProperty']): Base {
  const isShown = (name: string): boolean => /^(?:file|formula)\./.test(name) || hasProperty(name.replace(/^note\./, ''));
  const change = (view: BaseView): BaseView => ({
    ...view,
    order: view.order.filter(isShown),
    groupBy: view.groupBy !== null && isShown(view.groupBy.property) ? view.groupBy : null,
    summaries: new Map([...view.summaries].filter(([name]) => isShown(name))),
    layout: { ...view.layout, image: view.layout.image !== null && isShown(view.layout.image) ? view.layout.image : null },
  });
  return { ...base, views: base.views.map(change) };
}
