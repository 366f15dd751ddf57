import type { OutlineHeading } from '../note.ts';
import { foldKey } from '../path.ts';

/** The headings that a subpath (`#a#b`) leads through, as indices, or null when it leads to none (or to a block). */
export function followHeadings(headings: readonly OutlineHeading[], subpath: string): number[] | null {
  const segments = subpath.split('#').slice(1);
  if (segments.length === 0 || segments.some((segment) => segment.trim() === '' || segment.startsWith('^'))) return null;
  const found: number[] = [];
  let level = 0;
  for (const segment of segments) {
    const wanted = headingKey(segment);
    let at = (found.at(-1) ?? -1) + 1;
    while (at < headings.length && ((headings[at]?.level ?? 0) <= level || headingKey(headings[at]?.text ?? '') !== wanted)) {
      // Below a heading means before the next one of its level.
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

/** What two headings have in common when a link cannot tell them apart: words and numbers, case aside. */
export function headingKey(text: string): string {
  return foldKey(text.replace(/[\p{P}\p{S}\s]+/gu, ' ').trim());
}

/** A heading as a link names it: without what links read as something else. */
export function headingLink(text: string): string {
  return text
    .replace(/[:#|^\\]|%%|\[\[|\]\]/g, ' ')
    .replace(/[[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
