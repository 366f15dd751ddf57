import { fileName } from '../../../../note/path.ts';
import { isPageFile } from '../../../../render/syntax/live-blocks.ts';
import { encodePath } from '../../../../render/syntax/links.ts';
import { escapeHtml } from '../../../../render/syntax/html-tokens.ts';

/** Returns the path in the vault of a file as the graph of what is published names it. */
export type PathOf = (file: string) => string;

/** Returns a link to a note with the address of the live page, which the site replaces by its own. */
export function noteLinkHtml(path: string, text: string): string {
  return `<a class="internal" href="/note/${escapeHtml(encodePath(path))}" data-note="${escapeHtml(path)}" dir="auto">${escapeHtml(text)}</a>`;
}

/** Returns a link to a file, or to the page of a base or canvas. */
export function fileHtml(path: string, text: string): string {
  const target = isPageFile(path)
    ? `class="internal" href="/note/${escapeHtml(encodePath(path))}"`
    : `class="file" data-file="${escapeHtml(path)}"`;
  return `<a ${target} dir="auto">${escapeHtml(text)}</a>`;
}

/** Returns the name of a base or canvas, as its page has it for a title. */
export function nameOf(path: string): string {
  return fileName(path).replace(/\.(?:base|canvas)$/i, '');
}
