import { bodyStartOf, findFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { baseName } from '../../note/path.ts';
import type { NoteEntry } from '../view.ts';
import type { SearchDocument, SearchField } from './inverted/text-index.ts';

/** Returns the other names of a note: its aliases, and the file name if the title differs. */
export function otherNames(entry: NoteEntry): readonly string[] {
  const name = baseName(entry.path);
  return name === entry.title ? entry.aliases : [...entry.aliases, name];
}

/** Returns the title and the other names, one per line. */
export function allNames(entry: NoteEntry): string {
  return [entry.title, ...otherNames(entry)].join('\n');
}

/** Returns the searched text of a note, field by field, including its whole text. */
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

/** Returns the lengths of the measured fields as far as the graph knows: characters of names, bytes of the file. */
export function fieldLengths(entry: NoteEntry): SearchDocument['lengths'] {
  return {
    title: entry.title.length,
    aliases: otherNames(entry).reduce((sum, name) => sum + name.length, 0),
    body: entry.stamp.size,
  };
}

/** Converts a note to an index document. */
export function toSearchDocument(key: number, note: { entry: NoteEntry; text: string }): SearchDocument {
  return { key, ...fieldTexts(note), lengths: fieldLengths(note.entry) };
}
