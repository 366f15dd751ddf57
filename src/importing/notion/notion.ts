import { Tally } from '../imported.ts';
import type { ExportReader, FileOutline, ImportedNote, NoteOutline, Outline } from '../imported.ts';
import { MAX_PAGE_BYTES } from '../source/limits.ts';
import { readText, readTextOrLeave } from '../source/read-file.ts';
import { resolveSourcePath, sourceFolder, sourceName } from '../source/source-path.ts';
import type { SourceFile, SourceFiles } from '../source/source-files.ts';
import { cleanLine } from '../text/clean.ts';
import { parseCsv } from '../text/csv.ts';
import { replaceLinks } from '../text/replace-links.ts';
import { tame } from '../text/tame.ts';
import { linkToken } from '../tokens.ts';
import { formatDatabase, rowFolders } from './database.ts';
import type { Database } from './database.ts';
import { idInAddress, notionFolder, notionId, titleInName } from './names.ts';
import { readPage, tamePage, titleOf } from './page.ts';

const MAX_CSV_BYTES = 64 * 1024 * 1024;
/** The start page that Notion adds. */
const INDEX = /^index\.html$/i;

/** Reads an export of Notion in Markdown and CSV. */
export class NotionReader implements ExportReader {
  readonly tally = new Tally();
  readonly #source: SourceFiles;
  readonly #paths: ReadonlySet<string>;
  /** Pages by their paths. */
  readonly #pages = new Map<string, NoteOutline & { readonly file: SourceFile }>();
  readonly #databases: Database[] = [];
  /** What links mean, by path: pages, databases and other files. */
  readonly #targets = new Map<string, { readonly kind: 'note' | 'file'; readonly target: string }>();
  readonly #ids = new Set<string>();
  readonly #used = new Set<string>();

  constructor(source: SourceFiles) {
    this.#source = source;
    this.#paths = new Set(source.files.map(({ path }) => path));
  }

  async outline(): Promise<Outline> {
    this.tally.reset();
    const files: SourceFile[] = [];
    for (const file of this.#source.files) {
      if (/\.md$/i.test(file.path)) await this.#addPage(file);
      else if (/\.csv$/i.test(file.path)) await this.#addTable(file, files);
      else if (!INDEX.test(sourceName(file.path))) files.push(file);
    }
    for (const { path } of files) this.#targets.set(path, { kind: 'file', target: path });
    // A database is a note, whose file is beside it.
    for (const { id, path } of this.#databases) this.#targets.set(path, { kind: 'note', target: id });
    // What notes show is known once all of them are read.
    for await (const note of this.notes()) for (const path of note.files) this.#used.add(path);
    return {
      notes: [...this.#pages.values(), ...this.#databases.map(outlineOf)],
      files: files.map((file): FileOutline => ({
        file,
        name: cleanLine(sourceName(file.path).replace(/ ?[0-9a-f]{32}(?:_all)?(?=\.csv$)/, ''), 'file'),
        folder: notionFolder(file.path),
        isAlone: !this.#used.has(file.path),
      })),
    };
  }

  async *notes(): AsyncIterable<ImportedNote> {
    this.tally.counts.clear();
    const columns = this.#columnsByFolder();
    for (const { file, id, title, folder } of this.#pages.values()) {
      const text = await readText(file, MAX_PAGE_BYTES);
      const here = sourceFolder(file.path);
      const resolve = (path: string): string | null => this.#find(here, decodePath(path), 'note');
      const page = readPage(text, { title, columns: columns.get(here) ?? null, resolve });
      const files = new Set<string>();
      yield { id, title, folder, properties: page.properties, body: this.#link(page.body, here, files), files: [...files] };
    }
    const pages = this.#pagesByFolder();
    for (const database of this.#databases) yield this.#toNote(database, pages);
  }

  async #addPage(file: SourceFile): Promise<void> {
    const text = await readTextOrLeave(file, MAX_PAGE_BYTES, this.tally);
    if (text === null) return;
    const id = notionId(file.path);
    this.#pages.set(file.path, { id, title: titleOf(text) ?? titleInName(file.path), folder: notionFolder(file.path), file });
    this.#targets.set(file.path, { kind: 'note', target: id });
    this.#ids.add(id);
  }

  /** Of the two tables of a database, the one with all rows counts. */
  async #addTable(file: SourceFile, files: SourceFile[]): Promise<void> {
    const id = notionId(file.path);
    const isAll = /_all\.csv$/i.test(file.path);
    const twin = isAll ? file.path.replace(/_all(?=\.csv$)/i, '') : file.path.replace(/(?=\.csv$)/i, '_all');
    if (!isAll && this.#paths.has(twin)) return void this.#targets.set(file.path, { kind: 'note', target: id });
    const isTooLarge = file.size > MAX_CSV_BYTES;
    if (isTooLarge) this.tally.leave(file.path, 'the table is too large to be shown; its file is copied');
    const text = isTooLarge ? '' : await readTextOrLeave(file, MAX_CSV_BYTES, this.tally);
    if (text === null) return;
    files.push(file);
    const [columns = [], ...rows] = parseCsv(text);
    if (columns.length === 0) return;
    this.#databases.push({ id, title: titleInName(file.path), path: file.path, columns, rows });
    this.#ids.add(id);
    this.#targets.set(twin, { kind: 'note', target: id });
  }

  #columnsByFolder(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.#databases.flatMap(({ path, columns }) => rowFolders(path).map((folder) => [folder, columns] as const)));
  }

  /** Returns what a path means from a folder of the export; null if it is not of this kind. */
  #find(folder: string, path: string, kind: 'note' | 'file'): string | null {
    const found = this.#targets.get(resolveSourcePath(folder, path));
    return found?.kind === kind ? found.target : null;
  }

  #link(body: string, folder: string, files: Set<string>): string {
    const linked = replaceLinks(body, ({ form, kind, link }, label) => {
      if (form !== 'markdown') return null;
      // What is behind a number sign may be a part of the name.
      const [path = ''] = link.split('#', 1);
      const found = this.#targets.get(resolveSourcePath(folder, link)) ?? this.#targets.get(resolveSourcePath(folder, path));
      if (found === undefined) return null;
      if (found.kind === 'file') files.add(found.target);
      return linkToken({ ...found, shown: label, isEmbed: found.kind === 'file' && kind === 'embed' });
    });
    const addressed = linked.replace(/\[([^[\]\n]{0,1000})\]\((https:\/\/[^\s()]{1,2000})\)/g, (whole, label: string, address: string) => {
      const id = idInAddress(address);
      return id !== null && this.#ids.has(id) ? linkToken({ kind: 'note', target: id, shown: label }) : whole;
    });
    return tamePage(addressed);
  }

  #pagesByFolder(): ReadonlyMap<string, readonly NoteOutline[]> {
    const byFolder = new Map<string, NoteOutline[]>();
    for (const [path, page] of this.#pages) addTo(byFolder, sourceFolder(path), page);
    return byFolder;
  }

  #toNote(database: Database, pages: ReadonlyMap<string, readonly NoteOutline[]>): ImportedNote {
    const byTitle = new Map<string, string[]>();
    for (const folder of new Set(rowFolders(database.path))) for (const { id, title } of pages.get(folder) ?? []) addTo(byTitle, title, id);
    // Rows with one title are in the order of their pages.
    const pageOf = (row: readonly string[]): string | null => byTitle.get(cleanLine(row[0] ?? ''))?.shift() ?? null;
    const folders = [sourceFolder(database.path), ...rowFolders(database.path)];
    const resolve = (path: string): string | null => {
      for (const folder of folders) {
        const id = this.#find(folder, decodePath(path), 'note');
        if (id !== null) return id;
      }
      return null;
    };
    const body = tame(formatDatabase(database, { pageOf, resolve }));
    return { ...outlineOf(database), properties: {}, body, files: [database.path] };
  }
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function outlineOf({ id, title, path }: Database): NoteOutline {
  return { id, title, folder: notionFolder(path) };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
