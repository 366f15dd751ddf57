import type { PropertyValue } from '../note/note.ts';

const [START, SEPARATOR, END] = ['\ue000', '\ue001', '\ue002'];
const TOKEN = /\ue000([nf])([!t]?)\ue001([^\ue000-\ue002]*)\ue001([^\ue000-\ue002]*)\ue001([^\ue000-\ue002]*)\ue002/g;

/** A link whose target has no path yet. */
export interface LinkToken {
  /** A note by its id, or a file by its path in the export. */
  readonly kind: 'note' | 'file';
  readonly target: string;
  readonly shown?: string | undefined;
  /** From `#` on. */
  readonly subpath?: string | undefined;
  readonly isEmbed?: boolean;
  /** It stands in a table, where a bar would end the cell. */
  readonly isInTable?: boolean;
}

/** Where notes and files will be; null for what is not imported. */
export interface Places {
  /** Returns what a link writes to lead to a note, and the note's title. */
  note(id: string): { readonly link: string; readonly title: string } | null;
  /** Returns the path of a file in the vault. */
  file(sourcePath: string): string | null;
}

/** Returns a stand-in for a link, which `placeLinks` replaces. Texts of a source hold none (`cleanText`). */
export function linkToken({ kind, target, shown = '', subpath = '', isEmbed = false, isInTable = false }: LinkToken): string {
  const parts = [target, subpath, toShown(shown)].map((part) => part.replace(/[\ue000-\ue002\n]/g, ' '));
  return `${START}${[`${kind === 'note' ? 'n' : 'f'}${isEmbed ? '!' : isInTable ? 't' : ''}`, ...parts].join(SEPARATOR)}${END}`;
}

/** Replaces stand-ins by wikilinks. What is not imported is named without a link. */
export function placeLinks(text: string, places: Places): string {
  return text.replace(TOKEN, (_, kind: string, mark: string, target: string, subpath: string, shown: string) => {
    const embed = mark === '!' ? '!' : '';
    const write = (link: string, label: string): string => {
      // Of what is embedded, only a width is said.
      const isSaid = label !== '' && label !== link && (embed === '' || /^\d{1,4}$/.test(label));
      return `${embed}[[${link}${isSaid ? `${mark === 't' ? '\\' : ''}|${label}` : ''}]]`;
    };
    if (kind === 'f') {
      const path = places.file(target);
      return path === null
        ? `*(a file that is not imported: ${shown === '' ? toShown(target.replace(/^.*\//s, '')) : shown})*`
        : write(path, shown);
    }
    const place = places.note(target);
    if (place === null) return shown;
    return write(`${place.link}${subpath}`, shown === '' && subpath === '' ? toShown(place.title) : shown);
  });
}

/** The same for a property. */
export function placeLinksIn(value: PropertyValue, places: Places): PropertyValue {
  if (typeof value === 'string') return placeLinks(value, places);
  if (Array.isArray(value)) return value.map((each: PropertyValue) => placeLinksIn(each, places));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, placeLinksIn(each as PropertyValue, places)]));
}

/** Removes what the shown text of a link cannot hold. */
function toShown(text: string): string {
  return text
    .replace(/[[\]|\\\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .trim();
}
