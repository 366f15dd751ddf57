import type { LinkText } from '../../note/note.ts';
import type { GraphLink } from '../view.ts';

const EMBED = 4;
/** More than one file fits the link. */
export const AMBIGUOUS = 8;
const FORMS = ['wikilink', 'markdown', 'reference'] as const;

/** How a link is written, as one number. */
export function flagsOf({ form, kind }: LinkText): number {
  return FORMS.indexOf(form) | (kind === 'embed' ? EMBED : 0);
}

/** How the link of such a number is written. */
export function formOf(flags: number): Pick<GraphLink, 'isEmbed' | 'form'> {
  return { isEmbed: (flags & EMBED) !== 0, form: FORMS[flags & 3] ?? 'wikilink' };
}

/** The linkpath of a link, and the subpath with its `#`; null where it has none. */
export function partsOf({ link }: LinkText): { readonly linkpath: string; readonly subpath: string | null } {
  const hash = link.indexOf('#');
  return { linkpath: (hash < 0 ? link : link.slice(0, hash)).trim(), subpath: hash < 0 ? null : link.slice(hash) };
}

/** A link of a graph as it is written. */
export function textOf({ linkpath, subpath, form, isEmbed, property }: GraphLink): LinkText {
  return { link: linkpath + subpath, form, kind: isEmbed ? 'embed' : 'link', ...(property === null ? {} : { property }) };
}
