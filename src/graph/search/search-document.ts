import { bodyStartOf, findFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { baseName } from '../../note/path.ts';
import type { NoteEntry } from '../view.ts';
import type { SearchDocument, SearchField } from './inverted/text-index.ts';

/** The other names of a note: its aliases, and the file name where the title is something else. */
export function otherNames(entry: NoteEntry): readonly string[] {
  const name = baseName(entry.path);
  return name === entry.title ? entry.aliases : [...entry.aliases, name];
}

/** The title and the other names, a line each. */
export function allNames(entry: NoteEntry): string {
  return [entry.title, ...otherNames(entry)].join('\n');
}

/** What is looked at in a note, field by field. The whole text is in it, however long. */
export function fieldTexts({ entry, text }: { readonly entry: NoteEntry; readonly text: string }): Readonly<Record<SearchField, string>> {
  const found = findFrontmatter(text);
  return {
    title: entry.title,
    aliases: otherNames(entry).join('\n'),
    headings: entry.headings.map((heading) => heading.text).join('\n'),
    tags: entry.tags.join('\n'),
    properties: found === null ? '' : text.slice(found.yaml.start, found.yaml.end),
    body: text.slice(bodyStartOf(text, found?.block ?? null)),
  };
}

/** How long the fields of a note are whose length counts, by what the graph knows: characters of its names, bytes of its file. */
export function fieldLengths(entry: NoteEntry): SearchDocument['lengths'] {
  return {
    title: entry.title.length,
    aliases: otherNames(entry).reduce((sum, name) => sum + name.length, 0),
    body: entry.stamp.size,
  };
}

/** A note as the index takes it. */
export function toSearchDocument(key: number, note: { entry: NoteEntry; text: string }): SearchDocument {
  return { key, ...fieldTexts(note), lengths: fieldLengths(note.entry) };
}
