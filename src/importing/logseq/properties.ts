import type { PropertyValue } from '../../note/note.ts';
import { toTag } from '../../note/markdown/tag.ts';
import { cleanLine } from '../text/clean.ts';
import { foreignKey } from '../text/foreign-keys.ts';

const PROPERTY = /^([\p{L}\p{N}_./?!-]{1,100}):: ?(.*)$/u;
/** Said by the name of the note, or of no use outside of Logseq. */
const SILENT: ReadonlySet<string> = new Set(['title', 'alias', 'aliases', 'collapsed', 'id', 'filters', 'icon']);

/** The properties of a page, which stand before its first block or in it, and the lines that they take. */
export function readPageProperties(text: string): { readonly properties: ReadonlyMap<string, string>; readonly lines: number } {
  const properties = new Map<string, string>();
  const lines = text.split('\n');
  let at = 0;
  const isInBlock = /^- [^ ]/.test(lines[0] ?? '') && PROPERTY.test((lines[0] ?? '').slice(2));
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, name, value = ''] = PROPERTY.exec(isInBlock ? line.replace(at === 0 ? /^- / : /^ {2}/, '') : line) ?? [];
    if (name === undefined) break;
    properties.set(name.toLowerCase(), value.trim());
  }
  // A first block with text besides is a block like any other.
  const isOnlyProperties = at > 0 && (!isInBlock || (lines[at] ?? '').trim() === '' || /^\s{0,9}-/.test(lines[at] ?? ''));
  return isOnlyProperties ? { properties, lines: at } : { properties: new Map(), lines: 0 };
}

/** Returns the properties as frontmatter. `link`: what is written for the name of a page. */
export function toFrontmatter(
  properties: ReadonlyMap<string, string>,
  link: (name: string) => string,
): Readonly<Record<string, PropertyValue>> {
  const values: Record<string, PropertyValue> = {};
  for (const [name, value] of properties) {
    if (SILENT.has(name) || value === '') continue;
    if (name === 'tags' || name === 'tag') {
      const tags = value.split(',').flatMap((tag) => toTag(cleanLine(tag.replace(/[#[\]]/g, '')), 'tag') ?? []);
      if (tags.length > 0) values['tags'] = [...new Set(tags)];
      continue;
    }
    const names = [...value.matchAll(/\[\[([^[\]]{1,500})\]\]/g)].map(([, each = '']) => each);
    const isListOfLinks = names.length > 0 && value.replace(/\[\[[^[\]]{1,500}\]\]/g, '').replace(/[\s,]/g, '') === '';
    const key = foreignKey(name, 'logseq');
    if (isListOfLinks) values[key] = names.length === 1 ? link(names[0] ?? '') : names.map(link);
    else values[key] = value.replace(/\[\[([^[\]]{1,500})\]\]/g, (_, each: string) => each);
  }
  return values;
}
