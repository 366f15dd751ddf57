import { Link } from './values.ts';

const external = /^[a-z][a-z0-9+.-]*:/i;

/** Parses a link: `[[path#part|display]]`, or only the path. */
export function readLink(text: string, from: string): Link {
  const isWikilink = text.startsWith('[[') && text.endsWith(']]');
  const inner = isWikilink ? text.slice(2, -2) : text;
  const bar = isWikilink ? inner.indexOf('|') : -1;
  const path = bar < 0 ? inner : inner.slice(0, bar);
  const display = bar < 0 ? null : inner.slice(bar + 1);
  if (external.test(path) && path.includes('/')) return new Link({ linkpath: path, display, from, target: null });
  const hash = path.indexOf('#');
  const [linkpath, subpath] = hash < 0 ? [path, ''] : [path.slice(0, hash), path.slice(hash)];
  return new Link({ linkpath: linkpath.trim(), subpath, display, from });
}

/** Formats a link as notes write it. */
export function linkText({ linkpath, subpath, display }: Link): string {
  if (external.test(linkpath) && linkpath.includes('/')) return display === null ? linkpath : `[${display}](${linkpath})`;
  return `[[${linkpath}${subpath}${display === null ? '' : `|${display}`}]]`;
}
