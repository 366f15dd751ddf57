import { bodyStartOf, findFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { baseName } from '../../note/path.ts';
import type { NoteEntry } from '../view.ts';
import type { SearchDocument } from './inverted/text-index.ts';

/** The other names of a note: its aliases, and the file name where the title is something else. */
export function otherNames(entry: NoteEntry): readonly string[] {
  const name = baseName(entry.path);
  return name === entry.title ? entry.aliases : [...entry.aliases, name];
}

/** The title and the other names, a line each. */
export function allNames(entry: NoteEntry): string {
  return [entry.title, ...otherNames(entry)].join('\n');
}

/** A note as the index takes it. The whole text is in it, however long. */
export function toSearchDocument(key: number, note: { entry: NoteEntry; text: string }): SearchDocument {
  const { entry, text } = note;
  const found = findFrontmatter(text);
  return {
    key,
    title: entry.title,
    aliases: otherNames(entry).join('\n'),
    headings: entry.headings.map((heading) => heading.text).join('\n'),
    tags: entry.tags.join('\n'),
    properties: found === null ? '' : text.slice(found.yaml.start, found.yaml.end),
    body: text.slice(bodyStartOf(text, found?.block ?? null)),
  };
}
