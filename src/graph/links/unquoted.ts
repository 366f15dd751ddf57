import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../note/note.ts';
import type { NoteEntry } from '../view.ts';

/** A nested list, which is how YAML reads `[[X]]` without quotes. After a quotation mark, brackets are text: no list follows it directly. */
const NESTED = /(?:^|[\s,]|(?<!["'])\[)\[\s*\[|-\s+-|-\s+\[/m;

/** Text in a property that looks like a link but is not one. */
export interface UnquotedLink {
  readonly property: string;
  readonly text: string;
}

/** Returns texts that are the only item of a nested list, as YAML reads `[[X]]` without quotes. */
export function unquotedLinksOf(entry: Pick<NoteEntry, 'yaml' | 'properties'>): readonly UnquotedLink[] {
  if (!NESTED.test(entry.yaml ?? '')) return [];
  return Object.entries(entry.properties).flatMap(([key, value]) => nestedTexts(value, key));
}

function nestedTexts(value: PropertyValue, property: string): readonly UnquotedLink[] {
  if (isPropertyList(value)) {
    const only = value[0];
    if (value.length === 1 && isPropertyList(only) && only.length === 1 && typeof only[0] === 'string')
      return [{ property, text: only[0] }];
    return value.flatMap((entry) => nestedTexts(entry, property));
  }
  return isPropertyMap(value) ? Object.entries(value).flatMap(([key, entry]) => nestedTexts(entry, `${property}.${key}`)) : [];
}
