import { isLinkable } from '../../note/markdown/link-text.ts';
import type { LinkForm } from '../../note/note.ts';
import { fileName, isNotePath, normalizeId } from '../../note/path.ts';
import type { LinkFormat } from './link-style.ts';

/** A link that needs a new path part. */
export interface LinkToWrite {
  readonly format: LinkFormat;
  readonly form: LinkForm;
  /** The present path part. */
  readonly linkpath: string;
  /** The file that it leads to: its old and new path. */
  readonly before: string;
  readonly target: string;
  /** The new path of the file that contains the link. */
  readonly source: string;
  /** The top folder of the bundle (Open Knowledge Format) that `source` is in; null if it is in none. */
  readonly top: string | null;
  /** Resolves a linkpath from `source` as after the change. */
  readonly resolve: (linkpath: string) => { readonly path: string | null; readonly isAmbiguous: boolean };
}

/** Returns a path part that leads to the target, in the requested format if that works; null when no link can express it. */
export function writeLinkpath(link: LinkToWrite): string | null {
  const target = normalizeId(link.target);
  if (!isLinkable(target)) return null;
  const named = candidates(link, target);
  return named.find((linkpath) => link.resolve(linkpath).path === link.target) ?? null;
}

/** Returns candidates, best first. The last ones work unless two files differ only by case or Unicode form. */
function candidates(link: LinkToWrite, target: string): string[] {
  const isNote = isNotePath(target) || /\.md$/i.test(target);
  const hasExtension = hasExtensionAfter(link);
  const named = (path: string): string => (isNote && !hasExtension ? path.replace(/\.md$/i, '') : path);
  const full = named(target);
  const relative = relativePath(link.source, full);
  if (link.top !== null && link.form !== 'wikilink') return inBundle(link, { target, relative: relativePath(link.source, target) });
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

/** Returns what other programs that read the bundle understand: from its top, or from the folder of the note, with the whole name. */
function inBundle({ top, linkpath }: LinkToWrite, { target, relative }: { target: string; relative: string }): string[] {
  const isInside = top === '' || target.startsWith(`${top ?? ''}/`);
  const rooted = isInside ? [`/${target.slice(top === '' || top === null ? 0 : top.length + 1)}`] : [];
  const plain = relative.replace(/^\.\//, '');
  if (linkpath.startsWith('/')) return [...rooted, relative];
  return [...(linkpath.startsWith('./') ? [relative, plain] : [plain, relative]), ...rooted];
}

/** Keeps the old form with the new path: relative stays relative, rooted stays rooted, with as many folders as before or more if needed. */
function sameForm(link: LinkToWrite, full: string, relative: string): string[] {
  if (link.linkpath.startsWith('./') || link.linkpath.startsWith('../')) return [relative];
  if (link.linkpath.startsWith('/')) return [`/${full}`];
  const segments = full.split('/');
  const isFull = link.linkpath.split('/').length === link.before.split('/').length;
  const from = isFull && segments.length > 1 && link.linkpath.includes('/') ? segments.length : link.linkpath.split('/').length;
  return segments.map((_, index) => segments.slice(-(index + 1)).join('/')).slice(from - 1);
}

/** Returns whether `.md` is written: always in Markdown links, never in wikilinks; `minimal` keeps what there was. */
function hasExtensionAfter(link: LinkToWrite): boolean {
  if (link.format === 'minimal') return /\.md$/i.test(link.linkpath);
  return link.form !== 'wikilink';
}

/** Returns a path relative to the folder of a file, starting with `./` or `../`. */
export function relativePath(source: string, target: string): string {
  const folder = source.split('/').slice(0, -1);
  const path = target.split('/');
  let shared = 0;
  while (shared < folder.length && shared < path.length - 1 && folder[shared] === path[shared]) shared += 1;
  const up = '../'.repeat(folder.length - shared);
  return `${up === '' ? './' : up}${path.slice(shared).join('/')}`;
}
