import type { LinkText } from '../../note/note.ts';
import type { GraphLink } from '../view.ts';

const EMBED = 4;
/** Set when several files match the link. */
export const AMBIGUOUS = 8;
const FORMS = ['wikilink', 'markdown', 'reference'] as const;

/** Encodes the form of a link as a number. */
export function flagsOf({ form, kind }: LinkText): number {
  return FORMS.indexOf(form) | (kind === 'embed' ? EMBED : 0);
}

/** Decodes the form of a link. */
export function formOf(flags: number): Pick<GraphLink, 'isEmbed' | 'form'> {
  return { isEmbed: (flags & EMBED) !== 0, form: FORMS[flags & 3] ?? 'wikilink' };
}

/** Splits a link into linkpath and subpath with `#`; null for no subpath. */
export function partsOf({ link }: LinkText): { readonly linkpath: string; readonly subpath: string | null } {
  const hash = link.indexOf('#');
  return { linkpath: (hash < 0 ? link : link.slice(0, hash)).trim(), subpath: hash < 0 ? null : link.slice(hash) };
}

/** Returns a graph link as written. */
export function textOf({ linkpath, subpath, form, isEmbed, property }: GraphLink): LinkText {
  return { link: linkpath + subpath, form, kind: isEmbed ? 'embed' : 'link', ...(property === null ? {} : { property }) };
}
