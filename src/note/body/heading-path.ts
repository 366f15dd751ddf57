import type { OutlineHeading } from '../note.ts';
import { foldKey } from '../path.ts';

/** Returns the indexes of the headings along a subpath (`#a#b`); null when there is none, or for a block. */
export function followHeadings(headings: readonly OutlineHeading[], subpath: string): number[] | null {
  const segments = subpath.split('#').slice(1);
  if (segments.length === 0 || segments.some((segment) => segment.trim() === '' || segment.startsWith('^'))) return null;
  const found: number[] = [];
  let level = 0;
  for (const segment of segments) {
    const wanted = headingKey(segment);
    let at = (found.at(-1) ?? -1) + 1;
    while (at < headings.length && ((headings[at]?.level ?? 0) <= level || headingKey(headings[at]?.text ?? '') !== wanted)) {
      // A heading's content ends at the next one of its level.
      if (level > 0 && (headings[at]?.level ?? 0) <= level) return null;
      at += 1;
    }
    const heading = headings[at];
    if (heading === undefined) return null;
    found.push(at);
    level = heading.level;
  }
  return found;
}

/** Returns a key that is equal for headings that links cannot distinguish: words and numbers, ignoring case. */
export function headingKey(text: string): string {
  return foldKey(text.replace(/[\p{P}\p{S}\s]+/gu, ' ').trim());
}

/** Returns a heading as used in links, without characters that have a meaning there. */
export function headingLink(text: string): string {
  return text
    .replace(/[:#|^\\]|%%|\[\[|\]\]/g, ' ')
    .replace(/[[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns headings, outermost first, as a link names them: `Setup#On Linux`. */
export function headingPathLink(above: readonly OutlineHeading[]): string {
  return above.map(({ text }) => headingLink(text)).join('#');
}

/** Returns whether a path of headings, as a link has it, may name another heading of its note too, or none. */
export function isUnclearPath(headings: readonly OutlineHeading[], path: string): boolean {
  const [whole, last] = [headingKey(path), headingKey(path.slice(path.lastIndexOf('#') + 1))];
  const alike = headings.filter(({ text }) => [whole, last].includes(headingKey(text)));
  return alike.length > 1 || path.includes(' > ');
}
