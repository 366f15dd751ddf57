import { readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { isPropertyList, splitTags } from '../../note/frontmatter/property-value.ts';
import { toTag } from '../../note/markdown/tag.ts';
import type { Properties, PropertyValue } from '../../note/note.ts';
import { Tally } from '../imported.ts';
import type { ExportReader, FileOutline, ImportedNote, NoteOutline, Outline } from '../imported.ts';
import { MAX_PAGE_BYTES } from '../source/limits.ts';
import { readText, readTextOrLeave } from '../source/read-file.ts';
import { resolveSourcePath, sourceFolder, sourceName } from '../source/source-path.ts';
import type { SourceFile, SourceFiles } from '../source/source-files.ts';
import { cleanLine, cleanText } from '../text/clean.ts';
import { foreignKey } from '../text/foreign-keys.ts';
import { replaceLinks } from '../text/replace-links.ts';
import { tame } from '../text/tame.ts';
import { linkToken } from '../tokens.ts';

/** The program's own files. */
const OTHERS = /(?:^|\/)(?:\.basic-memory|memory\.db|config\.json)(?:$|\/)/;
/** Said otherwise in the note of an entity. */
const SILENT: ReadonlySet<string> = new Set(['title', 'type', 'tags']);
const RELATION_WITH_CONTEXT = /^([ \t]*- [^[\]\n]{1,200} \ue000n[^\ue002\n]{1,3000}\ue002) \(([^\n]{1,2000})\)[ \t]*$/gm;
const MEMORY_ADDRESS = /memory:\/\/([\p{L}\p{N}_./-]{1,500})/gu;

interface Read extends NoteOutline {
  readonly file: SourceFile;
  readonly permalink: string;
}

/** Reads a project of basic-memory: a folder of Markdown, whose notes become entities of the memory. */
export class BasicMemoryReader implements ExportReader {
  readonly tally = new Tally();
  readonly #source: SourceFiles;
  readonly #notes: Read[] = [];
  /** Notes by permalink, path and title, folded. */
  readonly #byName = new Map<string, string>();
  #files = new Set<string>();

  constructor(source: SourceFiles) {
    this.#source = source;
  }

  async outline(): Promise<Outline> {
    this.tally.reset();
    const files: SourceFile[] = [];
    for (const file of this.#source.files) {
      if (/\.md$/i.test(file.path)) await this.#addNote(file);
      else if (!OTHERS.test(file.path)) files.push(file);
    }
    this.#dividePermalinks();
    // A permalink goes before a path, and both before a title that several may have.
    for (const { id, permalink } of this.#notes) this.#name(permalink, id);
    for (const { id, file } of this.#notes) this.#name(file.path.replace(/\.md$/i, ''), id);
    for (const { id, title } of this.#notes) this.#name(title, id);
    for (const { id, file } of this.#notes) this.#name(sourceName(file.path).replace(/\.md$/i, ''), id);
    this.#files = new Set(files.map(({ path }) => path));
    const used = new Set<string>();
    for await (const note of this.notes()) for (const path of note.files) used.add(path);
    return {
      notes: this.#notes.map(({ id, title, folder }) => ({ id, title, folder })),
      files: files.map((file): FileOutline => ({
        file,
        name: cleanLine(sourceName(file.path), 'file'),
        folder: sourceFolder(file.path),
        isAlone: !used.has(file.path),
      })),
    };
  }

  async *notes(): AsyncIterable<ImportedNote> {
    this.tally.counts.clear();
    for (const note of this.#notes) {
      const text = cleanText(await readText(note.file, MAX_PAGE_BYTES));
      const { block, data, isReadable } = readFrontmatter(text);
      // What YAML cannot read stays as text, below a block of our own.
      const body = isReadable ? text.slice(block?.end ?? 0) : text;
      if (!isReadable) this.tally.count('notes whose frontmatter cannot be read, as text');
      const files = new Set<string>();
      yield {
        id: note.id,
        title: note.title,
        folder: note.folder,
        properties: toProperties(isReadable ? data : {}),
        body: this.#link(body.replace(/^\s*\n/, ''), sourceFolder(note.file.path), files),
        files: [...files],
      };
    }
  }

  async #addNote(file: SourceFile): Promise<void> {
    const text = await readTextOrLeave(file, MAX_PAGE_BYTES, this.tally);
    if (text === null) return;
    const { data, isReadable } = readFrontmatter(cleanText(text));
    const values = isReadable ? data : {};
    const permalink = typeof values['permalink'] === 'string' ? cleanLine(values['permalink']) : '';
    const stem = cleanLine(sourceName(file.path).replace(/\.md$/i, ''), 'Untitled');
    const title =
      typeof values['title'] === 'string' || typeof values['title'] === 'number' ? cleanLine(String(values['title']), stem) : stem;
    this.#notes.push({ id: permalink === '' ? file.path : permalink, title, folder: sourceFolder(file.path), file, permalink });
  }

  /** Of notes with one permalink, as copies of files have it, the one that lies there keeps it, and the others go by their paths. */
  #dividePermalinks(): void {
    const owners = new Map<string, Read>();
    const liesThere = ({ file, permalink }: Read): boolean => foldName(file.path.replace(/\.md$/i, '')) === foldName(permalink);
    for (const note of this.#notes) {
      const owner = owners.get(note.permalink);
      if (owner === undefined || (liesThere(note) && !liesThere(owner))) owners.set(note.permalink, note);
    }
    for (const [at, note] of this.#notes.entries())
      if (note.permalink !== '' && owners.get(note.permalink) !== note) this.#notes[at] = { ...note, id: note.file.path, permalink: '' };
  }

  #name(name: string, id: string): void {
    const key = foldName(name);
    if (key !== '' && !this.#byName.has(key)) this.#byName.set(key, id);
  }

  #find(name: string): string | null {
    return this.#byName.get(foldName(name)) ?? null;
  }

  #link(body: string, folder: string, files: Set<string>): string {
    const linked = replaceLinks(body, ({ form, kind, link }, label) => {
      // A number sign may be a part of the name.
      const isName = this.#find(form === 'markdown' ? resolveSourcePath(folder, link).replace(/\.md$/i, '') : link) !== null;
      const at = isName || this.#files.has(resolveSourcePath(folder, link)) ? -1 : link.indexOf('#');
      const [name, subpath] = at === -1 ? [link, ''] : [link.slice(0, at), link.slice(at)];
      const path = resolveSourcePath(form === 'markdown' ? folder : '', name);
      if (form === 'markdown' && this.#files.has(path)) {
        files.add(path);
        return linkToken({ kind: 'file', target: path, shown: label, isEmbed: kind === 'embed' });
      }
      const id = form === 'markdown' ? this.#find(path.replace(/\.md$/i, '')) : this.#find(name);
      if (id === null) return null;
      return linkToken({
        kind: 'note',
        target: id,
        subpath,
        shown: label === '' && subpath === '' ? name : label,
        isEmbed: kind === 'embed',
      });
    });
    const addressed = tame(linked, (prose) =>
      prose
        .replace(/\[([^[\]\n]{1,500})\]\(memory:\/\/([^\s()]{1,500})\)/g, (whole, label: string, name: string) => {
          const id = this.#find(name);
          return id === null ? whole : linkToken({ kind: 'note', target: id, shown: label });
        })
        .replace(MEMORY_ADDRESS, (whole, name: string) => {
          const id = this.#find(name);
          return id === null ? whole : linkToken({ kind: 'note', target: id, shown: name });
        }),
    );
    // In a relation of roux, what is said about it stands behind a colon.
    return addressed.replace(RELATION_WITH_CONTEXT, '$1: $2');
  }
}

function toProperties(data: Properties): Readonly<Record<string, PropertyValue>> {
  const kind = typeof data['type'] === 'string' ? cleanLine(data['type'], 'note') : 'note';
  const values: Record<string, PropertyValue> = { type: 'entity', kind };
  const tags = tagsOf(data['tags']);
  if (tags.length > 0) values['tags'] = tags;
  for (const [key, value] of Object.entries(data)) {
    if (SILENT.has(key) || value === null) continue;
    // It is how basic-memory calls the note, and means nothing in Obsidian but when a vault is published.
    values[key === 'permalink' || key === 'created' || key === 'modified' || key === 'updated' ? key : foreignKey(key, 'basic_memory')] =
      value;
  }
  return values;
}

function tagsOf(value: PropertyValue | undefined): readonly string[] {
  const names =
    typeof value === 'string'
      ? splitTags(value)
      : isPropertyList(value)
        ? value.flatMap((each) => (typeof each === 'string' ? [each] : []))
        : [];
  return [...new Set(names.flatMap((name) => toTag(cleanLine(name.replace(/^#/, '')), 'tag') ?? []))];
}

function foldName(name: string): string {
  return name
    .trim()
    .replace(/^\/+|\/+$/g, '')
    .normalize('NFC')
    .toLowerCase();
}
