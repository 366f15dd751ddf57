import { encodeDestination, linkLabel, splitLinkText } from '../markdown/link-text.ts';
import type { Link, Note } from '../note.ts';
import { applySplices } from '../text.ts';
import type { Splice } from '../text.ts';

const PICTURE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i;

/** What a bundle cannot say as a vault does. */
export type Loss = 'embed' | 'size' | 'block' | 'outside' | 'missing' | 'property' | 'inline-tag' | 'comment';

/** Where a link leads in the bundle. `null`: a file that is not in it. */
export type LinkPlace = { readonly path: string; readonly exists: boolean } | null;

export interface Converted {
  readonly text: string;
  /** How often each was met. */
  readonly losses: ReadonlyMap<Loss, number>;
}

/**
 * Rewrites the links in the body of a note as the Open Knowledge Format has them: Markdown links from the top of the bundle. Links that
 * mean the same there already keep their bytes, and so does everything else. `placeOf`: where a link leads; `keeps`: whether a destination
 * as written leads there in the bundle.
 */
export function toMarkdownLinks(
  note: Note,
  { placeOf, keeps }: { readonly placeOf: (linkpath: string) => LinkPlace; readonly keeps: (linkpath: string, path: string) => boolean },
): Converted {
  const { text } = note;
  const losses = new Map<Loss, number>();
  const lose = (loss: Loss): void => void losses.set(loss, (losses.get(loss) ?? 0) + 1);
  const splices: Splice[] = [];
  // A link in the label of another one: the first of them is rewritten.
  const add = (splice: Splice): void => {
    if (splice.start >= (splices.at(-1)?.end ?? 0)) splices.push(splice);
  };
  for (const link of note.links) {
    if (link.property !== undefined) {
      lose('property');
      continue;
    }
    const { linkpath, subpath } = splitLinkText(link.link);
    const place = linkpath === '' ? { path: '', exists: true } : placeOf(linkpath);
    if (place?.exists === false) lose('missing');
    if (subpath.includes('#^')) lose('block');
    if (place === null) {
      lose('outside');
      if (link.form !== 'reference') add({ start: link.start, end: link.end, text: labelOf(text, link) });
    } else if (link.form === 'wikilink') add(fromWikilink(text, link, { path: place.path, subpath, lose }));
    else if (linkpath !== '' && place.exists && !keeps(linkpath, place.path)) {
      const isAngled = text[link.target.start - 1] === '<' && text[link.target.end] === '>';
      add({ ...link.target, text: encodeDestination(`/${place.path}${subpath}`, isAngled) });
    }
  }
  for (const _ of note.tagUses) lose('inline-tag');
  if (text.slice(note.bodyStart).includes('%%')) lose('comment');
  return { text: applySplices(text, splices), losses };
}

function fromWikilink(
  text: string,
  link: Link,
  { path, subpath, lose }: { readonly path: string; readonly subpath: string; readonly lose: (loss: Loss) => void },
): Splice {
  const target = encodeDestination(path === '' ? subpath : `/${path}${subpath}`, false);
  const isPicture = link.kind === 'embed' && PICTURE.test(path);
  if (link.kind === 'embed' && !isPicture) lose('embed');
  const size = isPicture ? /(?:^|\|)\s*\d+(?:x\d+)?\s*$/.exec(link.alias ?? '') : null;
  if (size !== null) lose('size');
  const label = size === null ? labelOf(text, link) : escapeLabel((link.alias ?? '').slice(0, size.index) || linkLabel(link.link));
  return { start: link.start, end: link.end, text: `${isPicture ? '!' : ''}[${label}](${target})` };
}

/** Returns what a link shows. */
function labelOf(text: string, link: Link): string {
  if (link.form !== 'wikilink') {
    const open = link.start + (link.kind === 'embed' ? 2 : 1);
    return text.slice(open, text.lastIndexOf('](', link.target.start));
  }
  const alias = link.alias?.trim() ?? '';
  // The text after the bar is taken as written, so that a bar in a table stays escaped.
  const bar = text.indexOf('|', link.target.end);
  return alias === '' || bar === -1 ? escapeLabel(linkLabel(link.link)) : escapeLabel(text.slice(bar + 1, link.end - 2).trim());
}

function escapeLabel(text: string): string {
  return text.replace(/(?<!\\)[[\]]/g, (bracket) => `\\${bracket}`);
}
