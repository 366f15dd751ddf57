import { isLinkable } from '../../note/markdown/link-text.ts';
import type { LinkForm } from '../../note/note.ts';
import { fileName, isNotePath, normalizeId } from '../../note/path.ts';
import type { LinkFormat } from './link-style.ts';

/** A link that has to name its target anew. */
export interface LinkToWrite {
  readonly format: LinkFormat;
  readonly form: LinkForm;
  /** The path part as it was written. */
  readonly linkpath: string;
  /** The file that it led to, and where that file is now. */
  readonly before: string;
  readonly target: string;
  /** The file that holds the link, where it is now. */
  readonly source: string;
  /** Where a linkpath leads from `source` once the change is made. */
  readonly resolve: (linkpath: string) => { readonly path: string | null; readonly isAmbiguous: boolean };
}

/** The path part that leads to the target, in the format asked for where that works; null when no link can say it. */
export function writeLinkpath(link: LinkToWrite): string | null {
  const target = normalizeId(link.target);
  if (!isLinkable(target)) return null;
  const named = candidates(link, target);
  return named.find((linkpath) => link.resolve(linkpath).path === link.target) ?? null;
}

/** What to try, best first; the last ones lead there unless two files differ by case or Unicode form only. */
function candidates(link: LinkToWrite, target: string): string[] {
  const isNote = isNotePath(target) || /\.md$/i.test(target);
  const hasExtension = keepsExtension(link);
  const named = (path: string): string => (isNote && !hasExtension ? path.replace(/\.md$/i, '') : path);
  const full = named(target);
  const relative = relativePath(link.source, full);
  const last = [full, `/${full}`, relative, ...(isNote ? [target, `/${target}`] : [])];
  switch (link.format) {
    case 'absolute':
      return last;
    case 'relative':
      return [relative.replace(/^\.\//, ''), relative, ...last];
    case 'shortest': {
      const name = fileName(full);
      return link.resolve(name).isAmbiguous ? last : [name, ...last];
    }
    case 'minimal':
      return [...sameForm(link, full, relative), ...last];
  }
}

/** The old form with the new place: relative stays relative, rooted stays rooted, as many folders as before, more where needed. */
function sameForm(link: LinkToWrite, full: string, relative: string): string[] {
  if (link.linkpath.startsWith('./') || link.linkpath.startsWith('../')) return [relative];
  if (link.linkpath.startsWith('/')) return [`/${full}`];
  const segments = full.split('/');
  const isFull = link.linkpath.split('/').length === link.before.split('/').length;
  const from = isFull && segments.length > 1 && link.linkpath.includes('/') ? segments.length : link.linkpath.split('/').length;
  return segments.map((_, index) => segments.slice(-(index + 1)).join('/')).slice(from - 1);
}

/** Whether `.md` is written: always in Markdown links, in wikilinks never; with `minimal` as it was. */
function keepsExtension(link: LinkToWrite): boolean {
  if (link.format === 'minimal') return /\.md$/i.test(link.linkpath);
  return link.form !== 'wikilink';
}

/** A path seen from the folder of a file, with `./` or `../` in front. */
export function relativePath(source: string, target: string): string {
  const folder = source.split('/').slice(0, -1);
  const path = target.split('/');
  let shared = 0;
  while (shared < folder.length && shared < path.length - 1 && folder[shared] === path[shared]) shared += 1;
  const up = '../'.repeat(folder.length - shared);
  return `${up === '' ? './' : up}${path.slice(shared).join('/')}`;
}
