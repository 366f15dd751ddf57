import { isConflictCopy } from '../note/conflict-copy.ts';
import { baseName, foldKey } from '../note/path.ts';
import { compareText } from '../note/text.ts';
import type { Entry } from './entry.ts';
import { IdMultimap } from './id-multimap.ts';
import type { Files } from './links/files.ts';
import { unquotedLinksOf } from './links/unquoted.ts';
import type { PackedFacets, PackedGraph } from './packed-graph.ts';
import { SortedPaths } from './sorted-paths.ts';
import type { EntryQuery, Listed } from './view.ts';

/** Keys packed per step: less than a millisecond of work. */
const KEYS_PER_STEP = 500;
/** Tags with a cached sorted list of notes. */
const MAX_TAG_LISTS = 64;
const UNQUOTED = '';

/** Indexes of the notes by id, title, alias, tag, type and folder. */
export class Catalog {
  readonly #files: Files;
  readonly #ids = new IdMultimap();
  /** Titles other than the file name, which is found by path. */
  readonly #titles = new IdMultimap();
  readonly #aliases = new IdMultimap();
  readonly #tags = new IdMultimap();
  readonly #types = new IdMultimap();
  /** Notes with unquoted links in properties, all under one key. */
  readonly #unquoted = new IdMultimap();
  readonly #notes = new SortedPaths();
  /** Paths of visible notes. */
  readonly #shown = new SortedPaths();
  /** Paths of the notes with a tag, for requested tags, least recently used first. */
  readonly #tagged = new Map<string, SortedPaths>();
  readonly #attachments = new SortedPaths();

  readonly #facets = [this.#ids, this.#titles, this.#aliases, this.#tags, this.#types, this.#unquoted];

  constructor(files: Files) {
    this.#files = files;
  }

  /** Packs the indexes by id, title, alias, tag, type and unquoted links, with the numbers of notes as `numberOf` has them. */
  *pack(numberOf: (id: number) => number): Generator<void, PackedFacets> {
    const keys: string[][] = [];
    const [counts, notes]: [number[], number[]] = [[], []];
    for (const ids of this.#facets) {
      const own: string[] = [];
      for (const key of ids.keys()) {
        const found = ids.get(key);
        own.push(key);
        counts.push(found.length);
        for (const id of found) notes.push(numberOf(id));
        if (own.length % KEYS_PER_STEP === 0) yield;
      }
      keys.push(own);
    }
    return { facets: keys, facetCount: Int32Array.from(counts), facetNotes: Int32Array.from(notes) };
  }

  /** Loads the notes and attachments of a packed graph. There must be no others. */
  unpack({ entries, attachments, facets, columns }: PackedGraph): void {
    const { facetCount, facetNotes } = columns;
    // Somebody may have asked before there was anything.
    this.#tagged.clear();
    this.#notes.fill(entries.map(({ path }) => path));
    this.#shown.fill(entries.filter(({ isExcluded }) => !isExcluded).map(({ path }) => path));
    this.#attachments.fill(attachments);
    let [list, start] = [0, 0];
    for (const [at, ids] of this.#facets.entries()) {
      for (const key of facets[at] ?? []) {
        const end = start + (facetCount[list++] ?? 0);
        ids.fill(key, facetNotes.subarray(start, end));
        start = end;
      }
    }
  }

  add(id: number, entry: Entry): void {
    this.#notes.add(entry.path);
    this.#index(entry, (ids, key) => ids.add(key, id));
    this.#show(entry.path, null, entry);
  }

  remove(id: number, entry: Entry): void {
    this.#notes.remove(entry.path);
    this.#index(entry, (ids, key) => ids.remove(key, id));
    this.#show(entry.path, entry, null);
  }

  /** Updates a note whose path did not change. */
  replace(id: number, change: { before: Entry; after: Entry }): void {
    this.#index(change.before, (ids, key) => ids.remove(key, id));
    this.#index(change.after, (ids, key) => ids.add(key, id));
    this.#show(change.after.path, change.before, change.after);
  }

  addAttachment(path: string): void {
    this.#attachments.add(path);
  }

  removeAttachment(path: string): void {
    this.#attachments.remove(path);
  }

  notePaths(folder: string, { withUnquotedLinks = false }: { readonly withUnquotedLinks?: boolean } = {}): readonly string[] {
    if (!withUnquotedLinks) return this.#notes.below(folder);
    return new SortedPaths(this.#entries(this.#unquoted.get(UNQUOTED)).map(({ path }) => path)).below(folder);
  }

  /** Yields the visible notes in a folder, by path. Costs only the notes that are read. */
  *entries(options: EntryQuery = {}): IterableIterator<Entry> {
    for (const path of this.notePaths((options.under ?? '').replace(/(?<!\/)\/+$/, ''), options)) {
      const entry = this.#files.entryOf(this.#files.idOf(path));
      if (entry !== null && (options.includeHidden === true || !entry.isHidden)) yield entry;
    }
  }

  listed({ under = '', tag }: { readonly under?: string; readonly tag?: string }): Listed {
    const paths = tag === undefined ? this.#shown : this.#pathsTagged(tagKey(tag));
    return {
      size: paths.countBelow(under),
      slice: (from, to) => paths.sliceBelow(under, from, to).flatMap((path) => this.#files.entryOf(this.#files.idOf(path)) ?? []),
    };
  }

  attachmentPaths(): readonly string[] {
    return this.#attachments.below('');
  }

  hasSharedIds(): boolean {
    return this.#ids.shared > 0;
  }

  byId(id: string): readonly Entry[] {
    return this.#entries(this.#ids.get(foldKey(id)));
  }

  byTitle(title: string): readonly Entry[] {
    return this.#entries(this.#titles.get(nameKey(title)));
  }

  byAlias(alias: string): readonly Entry[] {
    return this.#entries(this.#aliases.get(nameKey(alias)));
  }

  byType(type: string): readonly Entry[] {
    return this.visible(this.#types.get(type));
  }

  /** Returns the notes with the tag or one nested in it. */
  byTag(tag: string, { includeHidden = false }: { includeHidden?: boolean } = {}): readonly Entry[] {
    const key = tagKey(tag);
    const ids = new Set(this.#tags.get(key));
    for (const other of this.#tags.keys()) if (other.startsWith(`${key}/`)) for (const id of this.#tags.get(other)) ids.add(id);
    return includeHidden ? this.#entries([...ids]) : this.visible([...ids]);
  }

  /** Returns a test for visible notes with the tag or one nested in it, which costs nothing for the notes that are not asked about. */
  tagTest(tag: string): (entry: Pick<Entry, 'path' | 'isHidden'>) => boolean {
    const key = tagKey(tag);
    const nested = [...this.#tags.keys()].filter((other) => other.startsWith(`${key}/`));
    const tests = [key, ...nested].map((each) => this.#tags.test(each));
    return (entry) => {
      const id = entry.isHidden ? -1 : this.#files.idOf(entry.path);
      return id >= 0 && tests.some((has) => has(id));
    };
  }

  /** Returns each tag with its number of notes, in the spelling of the first note by path, most used first. */
  tags(): readonly { readonly tag: string; readonly count: number }[] {
    // By note and key: one note may have twenty thousand tags and be the first of all of them.
    const spellings = new Map<Entry, ReadonlyMap<string, string>>();
    const spellingsOf = (entry: Entry): ReadonlyMap<string, string> => {
      const known = spellings.get(entry) ?? new Map(entry.tags.toReversed().map((tag) => [foldKey(tag), tag]));
      spellings.set(entry, known);
      return known;
    };
    const rows = this.#counts(this.#tags).map(({ key, first, count }) => ({ tag: spellingsOf(first).get(key) ?? key, count }));
    return rows.sort((a, b) => b.count - a.count || compareText(a.tag, b.tag));
  }

  types(): readonly { readonly type: string; readonly count: number }[] {
    const rows = this.#counts(this.#types).map(({ key, count }) => ({ type: key, count }));
    return rows.sort((a, b) => b.count - a.count || compareText(a.type, b.type));
  }

  /** Returns the visible notes with these numbers, by path. */
  visible(ids: readonly number[]): readonly Entry[] {
    return this.#entries(ids).filter((entry) => !entry.isHidden);
  }

  /** Updates the lists for a changed note. */
  #show(path: string, before: Entry | null, after: Entry | null): void {
    const [was, is] = [before?.isHidden === false, after?.isHidden === false];
    if (was !== is) this.#shown.set(path, is);
    if (this.#tagged.size === 0) return;
    const [had, has] = [keysOf(before), keysOf(after)];
    for (const [key, paths] of this.#tagged) if (had.has(key) !== has.has(key)) paths.set(path, has.has(key));
  }

  #pathsTagged(key: string): SortedPaths {
    const paths = this.#tagged.get(key) ?? new SortedPaths(this.byTag(key).map((entry) => entry.path));
    this.#tagged.delete(key);
    this.#tagged.set(key, paths);
    for (const oldest of this.#tagged.keys()) {
      if (this.#tagged.size <= MAX_TAG_LISTS) break;
      this.#tagged.delete(oldest);
    }
    return paths;
  }

  /** Returns the keys of visible notes, with the first note by path and their number. */
  #counts(ids: IdMultimap): { key: string; first: Entry; count: number }[] {
    const rows: { key: string; first: Entry; count: number }[] = [];
    for (const key of ids.keys()) {
      let first: Entry | null = null;
      let count = 0;
      for (const id of ids.get(key)) {
        const entry = this.#files.entryOf(id);
        if (entry === null || entry.isHidden) continue;
        count += 1;
        if (first === null || entry.path < first.path) first = entry;
      }
      if (first !== null) rows.push({ key, first, count });
    }
    return rows;
  }

  #entries(ids: readonly number[]): readonly Entry[] {
    return ids
      .map((id) => this.#files.entryOf(id))
      .filter((entry) => entry !== null)
      .toSorted((a, b) => compareText(a.path, b.path));
  }

  #index(entry: Entry, update: (ids: IdMultimap, key: string) => void): void {
    for (const tag of entry.tags) update(this.#tags, foldKey(tag));
    if (entry.type !== null) update(this.#types, entry.type);
    if (unquotedLinksOf(entry).length > 0) update(this.#unquoted, UNQUOTED);
    if (isConflictCopy(entry.path)) return;
    if (entry.fields.ownId !== null) update(this.#ids, foldKey(entry.id));
    const name = baseName(entry.path);
    if (entry.title !== name) {
      const title = nameKey(entry.title);
      if (title !== nameKey(name)) update(this.#titles, title);
    }
    for (const alias of entry.aliases) update(this.#aliases, nameKey(alias));
  }
}

/** Returns the key of a title or alias. References have `/` for `\\`. */
function nameKey(name: string): string {
  return foldKey(name.trim().replaceAll('\\', '/'));
}

/** Returns whether a note has a tag or one nested in it, as the catalogue tells it of many. */
export function hasTag({ tags }: Pick<Entry, 'tags'>, tag: string): boolean {
  const key = tagKey(tag);
  return tags.some((own) => `${foldKey(own)}/`.startsWith(`${key}/`));
}

/** Returns the form of a tag that is asked for, by which it is compared: `#x/` is `x`. */
export function tagKey(tag: string): string {
  return foldKey(tag.replace(/^#/, '')).replace(/(?<!\/)\/+$/, '');
}

/** Returns the keys of a visible note's tags and their parent tags. */
function keysOf(entry: Entry | null): ReadonlySet<string> {
  const keys = new Set<string>();
  if (entry === null || entry.isHidden) return keys;
  for (const tag of entry.tags) {
    const key = foldKey(tag);
    keys.add(key);
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) keys.add(key.slice(0, at));
  }
  return keys;
}
