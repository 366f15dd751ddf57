import type { Link } from '../../note/note.ts';
import { readBody } from '../../note/parse.ts';
import { applySplices } from '../../note/text.ts';

/** Replaces links of a text. `replace` returns what stands in the place of a link, or null to leave it; `label`: what a Markdown link shows. */
export function replaceLinks(text: string, replace: (link: Link, label: string) => string | null): string {
  const splices = readBody(text).links.flatMap((link) => {
    if (link.property !== undefined || link.form === 'reference') return [];
    const replaced = replace(link, link.form === 'wikilink' ? (link.alias ?? '') : labelOf(text, link));
    return replaced === null ? [] : [{ start: link.start, end: link.end, text: replaced }];
  });
  return applySplices(text, splices);
}

function labelOf(text: string, { start, target }: Link): string {
  const head = text.slice(start, target.start);
  return head.slice(head.indexOf('[') + 1, Math.max(head.lastIndexOf(']('), 0)).replace(/\\([\\[\]*_`#])/g, '$1');
}
