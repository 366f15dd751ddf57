import type { LinkText, Note } from '../note/note.ts';
import { hasReservedName, INDEX } from '../note/okf/reserved.ts';
import { fileName, folderOf } from '../note/path.ts';
import type { NotePath } from '../note/path.ts';
import { Catalog } from './catalog.ts';
import { Changes } from './changes.ts';
import { Entry, toFields } from './entry.ts';
import type { FileFacts } from './entry.ts';
import type { CountedGraph } from './graph.ts';
import { InternedStrings } from './interned-strings.ts';
import { Bundles, declaresBundle } from './links/bundles.ts';
import { Files } from './links/files.ts';
import { LinkTable } from './links/link-table.ts';
import { ReadLinks } from './links/read-links.ts';
import { RESERVED_KEYS } from './links/resolve.ts';
import { Unresolved } from './links/unresolved.ts';
import { lookUp } from './lookup.ts';
import { packGraph, unpackGraph } from './pack.ts';
import type { GraphParts } from './pack.ts';
import type { PackedGraph } from './packed-graph.ts';
import { PropertyColumns, PropertyReader } from './properties.ts';
import type { Facets, GraphChange, GraphLink, LinkTarget, Listed, Lookup, NoteEntry, NoteWalk, UnresolvedTarget } from './view.ts';
import { Walk } from './walk.ts';

/** Creates an empty graph. */
export function openGraph(): CountedGraph {
  return new OpenGraph();
}

class OpenGraph implements CountedGraph {
  readonly #keys = new InternedStrings();
  readonly bundles = new Bundles();
  readonly #files = new Files(this.#keys, this.bundles);
  readonly #catalog = new Catalog(this.#files);
  readonly #links = new LinkTable(this.#files, this.#keys, ({ source, before, after }) => {
    this.#walk.invalidate(source);
    if (before >= 0) this.#walk.invalidate(before);
    if (after >= 0) this.#walk.invalidate(after);
  });
  readonly #walk = new Walk(this.#files, this.#links);
  readonly #reader = new PropertyReader();
  readonly #properties = new PropertyColumns();
  readonly #changes = new Changes(this.#files);
  readonly #parts: GraphParts = {
    keys: this.#keys,
    files: this.#files,
    catalog: this.#catalog,
    links: this.#links,
    changes: this.#changes,
    reader: this.#reader,
  };
  readonly #readLinks = new ReadLinks(this.#links, this.#files);
  readonly #unresolved = new Unresolved(this.#links, this.#files);

  readonly facets: Facets = {
    hasSharedIds: () => this.#catalog.hasSharedIds(),
    tags: () => this.#catalog.tags(),
    byTag: (tag, options = {}) => this.#catalog.byTag(tag, options),
    tagTest: (tag) => this.#catalog.tagTest(tag),
    types: () => this.#catalog.types(),
    byType: (type) => this.#catalog.byType(type),
    // Every entry of this graph is one of its own.
    propertyOf: (entry, key) => this.#properties.valueOf(this.#files.idOf(entry.path), entry as Entry, key),
  };

  readonly walk: NoteWalk = {
    neighbors: (path, direction) => this.#resolvedWalk().neighbors(this.#files.idOf(path), direction),
    degree: (path) => this.#resolvedWalk().degree(this.#files.idOf(path)),
    findPath: ({ source, target, direction }) =>
      this.#resolvedWalk().findPath({ source: this.#files.idOf(source), target: this.#files.idOf(target), direction }),
    hubs: (query) => this.#resolvedWalk().hubs(query),
    orphans: () => this.walk.deadEnds().filter((entry) => this.walk.degree(entry.path).in === 0),
    deadEnds: () =>
      [...this.entries()].filter(({ path }) => this.walk.degree(path).out === 0 && !this.#links.hasUnresolved(this.#files.idOf(path))),
  };

  #resolvedWalk(): Walk {
    this.#links.resolveAll();
    return this.#walk;
  }

  get size(): number {
    return this.#files.noteCount;
  }

  get version(): number {
    return this.#changes.version;
  }

  get resolvedCount(): number {
    this.#links.resolveAll();
    return this.#links.resolvedCount;
  }

  // Changes

  put(note: Note, file: FileFacts): void {
    this.adopt(new Entry(toFields(note, file), this.#reader), note.links);
  }

  move(from: NotePath, note: Note, file: FileFacts): void {
    this.adopt(new Entry(toFields(note, file), this.#reader), note.links, from);
  }

  adopt(entry: NoteEntry, links: readonly LinkText[], from: NotePath = entry.path): void {
    this.batch(() => {
      const isMove = from !== entry.path && this.get(from) !== null;
      if (isMove || this.isAttachment(entry.path)) this.remove(entry.path);
      if (isMove) this.#rename(this.#files.idOf(from), entry.path);
      const id = this.#files.idOf(entry.path);
      this.#write(id < 0 ? this.#addFile(entry.path) : id, entry as Entry, links);
    });
  }

  remove(path: string): void {
    const id = this.#files.idOf(path);
    if (id < 0) return;
    this.batch(() => {
      this.#changes.record(id);
      if (this.#files.entryOf(id) === null) this.#catalog.removeAttachment(path);
      else this.#clearEntry(id);
      this.#links.drop(id);
      this.#links.touchKey(this.#files.keyOf(id));
      this.#files.remove(id);
    });
  }

  putAttachment(path: string): void {
    if (this.isAttachment(path)) return;
    this.batch(() => {
      this.remove(path);
      this.#changes.record(this.#addFile(path));
      this.#catalog.addAttachment(path);
    });
  }

  batch(change: () => void): void {
    this.#changes.batch(change);
  }

  onChange(listener: (changes: readonly GraphChange[]) => void): () => void {
    return this.#changes.subscribe(listener);
  }

  resolvePending(): Generator<void> {
    return this.#links.resolvePending();
  }

  *pack(): Generator<void, PackedGraph> {
    yield* this.#links.resolvePending();
    this.#links.resolveAll();
    return yield* packGraph(this.#parts);
  }

  *unpack(packed: PackedGraph): Generator<void> {
    yield* unpackGraph(this.#parts, packed);
    // Earlier queries may have been answered from a part of the graph.
    this.#walk.forget();
    this.batch(() => {
      const indexes = this.#catalog.notePaths('').flatMap((path) => (hasReservedName(path) ? (this.get(path) ?? []) : []));
      // The links were resolved with these bundles, and need not be again.
      for (const index of indexes) if (declaresBundle(index)) this.bundles.declare(folderOf(index.path), true);
      for (const index of indexes)
        if (this.bundles.isReserved(index.path)) this.#write(this.#files.idOf(index.path), index, this.linkTexts(index.path));
    });
    this.#unresolved.forget();
  }

  #rename(id: number, path: string): void {
    this.#changes.record(id);
    this.#clearEntry(id);
    // The target of a link depends on the path of its note.
    this.#links.drop(id);
    this.#links.touchKey(this.#files.keyOf(id));
    this.#files.rename(id, path);
    this.#links.touchKey(this.#files.keyOf(id));
  }

  /** Adds a file, which is an attachment until it gets an entry. */
  #addFile(path: string): number {
    const id = this.#files.add(path);
    this.#links.touchKey(this.#files.keyOf(id));
    return id;
  }

  #write(id: number, given: Entry, links: readonly LinkText[]): void {
    this.#changes.record(id);
    const before = this.#files.entryOf(id);
    const isReserved = this.bundles.isReserved(given.path);
    const after = given.isReserved === isReserved ? given : given.withReserved(isReserved);
    this.#files.setEntry(id, after);
    if (before === null) this.#catalog.add(id, after);
    else this.#catalog.replace(id, { before, after });
    this.#properties.update(id, { before, after });
    this.#links.put(id, links);
    this.#walk.touch(id);
    if (before?.isHidden !== after.isHidden) {
      this.#walk.invalidateAround(id);
      this.#unresolved.forget();
    }
    this.#declareBundle(after.path, declaresBundle(after));
  }

  #declareBundle(path: string, isBundle: boolean): void {
    if (fileName(path) === INDEX && this.bundles.declare(folderOf(path), isBundle)) this.#rebundle(folderOf(path));
  }

  /** Follows a folder that became a bundle or ceased to be one: what its links mean, and what its reserved files are. */
  #rebundle(folder: string): void {
    for (const path of this.#catalog.notePaths(folder)) {
      const id = this.#files.idOf(path);
      const entry = this.#files.entryOf(id);
      if (entry === null) continue;
      this.#links.touchLinksOf(id);
      if (hasReservedName(path)) this.#write(id, entry, this.linkTexts(path));
    }
    for (const key of [...RESERVED_KEYS].map((name) => this.#keys.find(name))) if (key >= 0) this.#links.touchKey(key);
    this.#unresolved.forget();
  }

  #clearEntry(id: number): void {
    const before = this.#files.entryOf(id);
    if (before === null) return;
    this.#catalog.remove(id, before);
    this.#properties.update(id, { before, after: null });
    this.#walk.touch(id);
    this.#files.setEntry(id, null);
    this.#declareBundle(before.path, false);
  }

  // Notes

  get(path: string): Entry | null {
    return this.#files.entryOf(this.#files.idOf(path));
  }

  lookup(reference: string): Lookup {
    return lookUp({ files: this.#files, catalog: this.#catalog }, reference);
  }

  entries(...query: Parameters<Catalog['entries']>): IterableIterator<NoteEntry> {
    return this.#catalog.entries(...query);
  }

  listed(query: { readonly under?: string; readonly tag?: string }): Listed {
    return this.#catalog.listed(query);
  }

  *attachments(): IterableIterator<string> {
    yield* this.#catalog.attachmentPaths();
  }

  byKey(key: string): readonly string[] {
    return this.#files.byKey(key);
  }

  nameBundles(folders: readonly string[]): void {
    this.batch(() => {
      for (const folder of this.bundles.name(folders)) this.#rebundle(folder);
    });
  }

  isAttachment(path: string): boolean {
    return this.#files.isAttachment(path);
  }

  // Links

  resolve(query: { linkpath: string; from: string }): LinkTarget & { readonly isAmbiguous?: boolean } {
    return this.#files.resolve(query);
  }

  links(path: string, only?: 'unresolved'): readonly GraphLink[] {
    return this.#readLinks.outOf(path, only);
  }

  linkTexts(path: string): readonly LinkText[] {
    return this.#readLinks.textsOf(path);
  }

  backlinks(path: string): readonly GraphLink[] {
    return this.#readLinks.into(path);
  }

  linksByKey(path: string): readonly GraphLink[] {
    return this.#readLinks.byKey(path);
  }

  unresolved(): readonly UnresolvedTarget[] {
    return this.#unresolved.list;
  }

  mostWanted(limit: number): readonly UnresolvedTarget[] {
    return this.#unresolved.mostWanted(limit);
  }

  ambiguous(): readonly GraphLink[] {
    return this.#readLinks.ambiguous();
  }
}
