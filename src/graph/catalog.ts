import { baseName, foldKey, isConflictCopy } from '../note/path.ts';
import { compareText } from '../note/text.ts';
import type { Entry } from './entry.ts';
import type { Files } from './links/files.ts';
import { IdMultimap } from './multimap.ts';
import { SortedPaths } from './sorted-paths.ts';

/** The notes by everything they are asked for: id, title, alias, tag, type, folder. */
export class Catalog {
  readonly #files: Files;
  readonly #ids = new IdMultimap();
  /** Titles that are not the file name: those are found by path. */
  readonly #titles = new IdMultimap();
  readonly #aliases = new IdMultimap();
  readonly #tags = new IdMultimap();
  readonly #types = new IdMultimap();
  readonly #notes = new SortedPaths();
  readonly #attachments = new SortedPaths();

  constructor(files: Files) {
    this.#files = files;
  }

  add(id: number, entry: Entry): void {
    this.#notes.add(entry.path);
    this.#index(entry, (ids, key) => ids.add(key, id));
  }

  remove(id: number, entry: Entry): void {
    this.#notes.remove(entry.path);
    this.#index(entry, (ids, key) => ids.remove(key, id));
  }

  /** A note whose path stayed. */
  replace(id: number, change: { before: Entry; after: Entry }): void {
    this.#index(change.before, (ids, key) => ids.remove(key, id));
    this.#index(change.after, (ids, key) => ids.add(key, id));
  }

  addAttachment(path: string): void {
    this.#attachments.add(path);
  }

  removeAttachment(path: string): void {
    this.#attachments.remove(path);
  }

  notePaths(folder: string): readonly string[] {
    return this.#notes.below(folder);
  }

  attachmentPaths(): readonly string[] {
    return this.#attachments.below('');
  }

  byId(id: string): readonly Entry[] {
    return this.#entries(this.#ids.get(foldKey(id)));
  }

  byTitle(title: string): readonly Entry[] {
    return this.#entries(this.#titles.get(foldKey(title)));
  }

  byAlias(alias: string): readonly Entry[] {
    return this.#entries(this.#aliases.get(foldKey(alias)));
  }

  byType(type: string): readonly Entry[] {
    return this.visible(this.#types.get(type));
  }

  /** Notes with the tag or one nested below it. */
  byTag(tag: string, { includeHidden = false }: { includeHidden?: boolean } = {}): readonly Entry[] {
    const key = foldKey(tag.replace(/^#/, '')).replace(/\/+$/, '');
    const ids = new Set(this.#tags.get(key));
    for (const other of this.#tags.keys()) if (other.startsWith(`${key}/`)) for (const id of this.#tags.get(other)) ids.add(id);
    return includeHidden ? this.#entries([...ids]) : this.visible([...ids]);
  }

  /** Each tag with its notes, in the case of the first of them by path; the most used first. */
  tags(): readonly { readonly tag: string; readonly count: number }[] {
    // By note and key: one note may have twenty thousand tags, and be the first of all of them.
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

  /** The notes of these numbers that are not hidden, by path. */
  visible(ids: readonly number[]): readonly Entry[] {
    return this.#entries(ids).filter((entry) => !entry.isHidden);
  }

  /** The keys that visible notes have, with the first of those by path and their number. */
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
    if (isConflictCopy(entry.path)) return;
    if (entry.hasOwnId) update(this.#ids, foldKey(entry.id));
    const name = baseName(entry.path);
    if (entry.title !== name) {
      const title = foldKey(entry.title);
      if (title !== foldKey(name)) update(this.#titles, title);
    }
    for (const alias of entry.aliases) update(this.#aliases, foldKey(alias));
  }
}
