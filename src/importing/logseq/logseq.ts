import { Tally } from '../imported.ts';
import type { ExportReader, FileOutline, ImportedNote, Outline } from '../imported.ts';
import { MAX_PAGE_BYTES } from '../source/limits.ts';
import { readText } from '../source/read-file.ts';
import { resolveSourcePath, sourceFolder, sourceName } from '../source/source-path.ts';
import type { SourceFiles } from '../source/source-files.ts';
import { cleanLine, cleanText } from '../text/clean.ts';
import { replaceLinks } from '../text/replace-links.ts';
import { tame } from '../text/tame.ts';
import { linkToken } from '../tokens.ts';
import { convertBlocks } from './blocks.ts';
import { LogseqGraph, readGraph } from './graph.ts';
import type { LogseqPage } from './graph.ts';
import { readPageProperties, toFrontmatter } from './properties.ts';

const EMBEDDED_BLOCK = /\{\{embed +\(\(([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})\)\) *\}\}/g;
const LABELLED_BLOCK = /\[([^[\]\n]{1,500})\]\(\(\(([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})\)\)\)/g;
const BLOCK = /\(\(([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})\)\)/g;
/** Links to pages, in their four forms; one pass, since what is written for one looks like another. */
const PAGE_LINK =
  /\{\{embed +\[\[(?<embedded>[^[\]\n]{1,500})\]\] *\}\}|\[(?<label>[^[\]\n]{1,500})\]\(\[\[(?<labelled>[^[\]\n]{1,500})\]\]\)|(?<tag>#?)\[\[(?<plain>[^[\]\n]{1,500})\]\]/g;
/** A link to a file whose path has spaces, which Markdown does not take for one and Logseq does. */
const SPACED_LINK = /(?<!\\)(!?)\[([^[\]\n]{0,500})\]\(((?:[^()<>\n]|\([^()<>\n]{0,100}\)){1,500})\)/g;
const ADDRESS = /\{\{(?:video|youtube|vimeo|bilibili|tweet|twitter) +(https?:\/\/[^\s{}]{1,2000}) *\}\}/g;
const MACRO = /\{\{(?:query|renderer|cloze|namespace|function|cards?|youtube-timestamp|zotero[\w-]{0,40})\b[^{}\n]{0,2000}\}\}/g;

/** Reads a graph of Logseq that is kept as Markdown files. */
export class LogseqReader implements ExportReader {
  readonly tally = new Tally();
  readonly #source: SourceFiles;
  #graph = new LogseqGraph('');
  #files = new Set<string>();

  constructor(source: SourceFiles) {
    this.#source = source;
  }

  async outline(): Promise<Outline> {
    this.tally.reset();
    this.#graph = await readGraph(this.#source, this.tally);
    this.#files = new Set(this.#graph.files.map(({ path }) => path));
    const used = new Set<string>();
    for await (const note of this.notes()) for (const path of note.files) used.add(path);
    const files = this.#graph.files.map((file): FileOutline => ({
      file,
      name: cleanLine(sourceName(file.path), 'file'),
      folder: sourceFolder(file.path.slice(this.#graph.top.length)),
      isAlone: !used.has(file.path),
    }));
    return { notes: this.#graph.pages.map(({ id, title, folder }) => ({ id, title, folder })), files };
  }

  async *notes(): AsyncIterable<ImportedNote> {
    this.tally.counts.clear();
    this.tally.count('pages in Org mode, copied as files', this.#graph.files.filter(({ path }) => /\.org$/i.test(path)).length);
    for (const page of this.#graph.pages) yield await this.#toNote(page);
  }

  async #toNote({ id, file, title, folder, aliases }: LogseqPage): Promise<ImportedNote> {
    const text = cleanText(await readText(file, MAX_PAGE_BYTES)).trimEnd();
    const { properties, lines: skipped } = readPageProperties(text);
    const lines = convertBlocks(text.split('\n').slice(skipped), (what) => this.tally.count(what));
    const files = new Set<string>();
    const body = this.#link(lines.join('\n').replace(/^\s*\n/, ''), sourceFolder(file.path), files);
    return {
      id,
      title,
      folder,
      aliases,
      properties: toFrontmatter(properties, (name) => this.#pageLink(name)),
      body: body.trim() === '' ? '' : `${body}\n`,
      files: [...files],
    };
  }

  #link(body: string, folder: string, files: Set<string>): string {
    const link = (to: string, shown: string, isEmbed: boolean): string | null => {
      const path = resolveSourcePath(folder, to);
      if (!this.#files.has(path)) return null;
      files.add(path);
      return linkToken({ kind: 'file', target: path, shown, isEmbed });
    };
    const linked = replaceLinks(body, ({ form, kind, link: to }, label) =>
      form === 'markdown' ? link(to, label, kind === 'embed') : null,
    );
    const linkSpaced = (whole: string, embed: string, label: string, path: string): string =>
      (path.includes(' ') ? link(path, label, embed === '!') : null) ?? whole;
    return tame(linked, (prose) => this.#linkProse(prose.replace(SPACED_LINK, linkSpaced)));
  }

  #linkProse(prose: string): string {
    return (
      prose
        .replace(EMBEDDED_BLOCK, (whole, id: string) => this.#blockLink(id, { isEmbed: true }) ?? whole)
        .replace(LABELLED_BLOCK, (whole, label: string, id: string) => this.#blockLink(id, { shown: label }) ?? whole)
        .replace(BLOCK, (whole, id: string) => this.#blockLink(id) ?? whole)
        .replace(PAGE_LINK, (...args) => this.#replacePage(args.at(-1) as Readonly<Record<string, string | undefined>>))
        .replace(ADDRESS, '$1')
        .replace(MACRO, (macro) => {
          this.tally.count('queries and macros as text');
          return `\`${macro.replaceAll('`', "'")}\``;
        })
        // The size of a picture: its width is what Obsidian knows.
        .replace(
          /(\ue000f!\ue001[^\ue000-\ue002]*\ue001[^\ue000-\ue002]*\ue001)[^\ue000-\ue002]*(\ue002)\{:[^{}\n]{0,200}?:width (\d{1,4})[^{}\n]{0,200}\}/g,
          '$1$3$2',
        )
        .replace(/\^\^([^^\n]{1,2000})\^\^/g, '==$1==')
    );
  }

  #replacePage({ embedded, label, labelled, tag, plain = '' }: Readonly<Record<string, string | undefined>>): string {
    if (embedded !== undefined) return this.#pageLink(embedded, { isEmbed: true });
    if (labelled !== undefined) return this.#pageLink(labelled, { shown: label ?? labelled });
    return this.#pageLink(plain, tag === '#' ? { shown: `#${plain}` } : {});
  }

  /** Links of Logseq to pages without a file stay links to what is not there yet. */
  #pageLink(name: string, { shown, isEmbed = false }: { readonly shown?: string; readonly isEmbed?: boolean } = {}): string {
    const id = this.#graph.find(name);
    if (id !== null) return linkToken({ kind: 'note', target: id, shown: shown ?? name, isEmbed });
    const label = shown === undefined ? '' : `|${shown.replace(/[|[\]]/g, ' ')}`;
    return `${isEmbed ? '!' : ''}[[${cleanLine(name.replace(/[|#^[\]]/g, ' '), 'Untitled')}${label}]]`;
  }

  #blockLink(id: string, { shown, isEmbed = false }: { readonly shown?: string; readonly isEmbed?: boolean } = {}): string | null {
    const block = this.#graph.blocks.get(id.toLowerCase());
    if (block === undefined) {
      this.tally.count('references to blocks that are not in the graph, as text');
      return null;
    }
    const label = shown ?? (block.text.replace(/[[\]#^*_`(){}]/g, '') || 'block');
    return linkToken({ kind: 'note', target: block.page, subpath: `#^${id.toLowerCase()}`, shown: label, isEmbed });
  }
}
