import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../note/note.ts';
import type { NoteEntry } from '../view.ts';

/** A list in a list, which is what `[[X]]` is in YAML where no quote stands before it. */
const NESTED = /(?:^|[\s,[])\[\s*\[|-\s+-|-\s+\[/m;

/** A text in a property that looks like a link and is none. */
export interface UnquotedLink {
  readonly property: string;
  readonly text: string;
}

/** Texts that are the only entry of a list in a list: what `[[X]]` without quotes is in YAML. */
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
