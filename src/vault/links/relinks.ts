import { linkKey, resolverOf } from '../../graph/links/resolve.ts';
import type { FileLookup } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';
import type { Relink } from '../../note/change.ts';
import type { LinkForm } from '../../note/note.ts';
import { baseName, fileName, foldKey, isNotePath } from '../../note/path.ts';
import { movedLookup } from './file-lookup.ts';
import type { FileMoves } from './file-lookup.ts';
import type { LinkFormat } from './link-style.ts';
import { relativePath, writeLinkpath } from './write-linkpath.ts';

/** One link of a file, as far as its rewriting goes. */
export interface LinkUse {
  readonly form: LinkForm;
  readonly linkpath: string;
  readonly subpath: string;
}

/** What becomes of a link: nothing (null), a new text, or `stuck` when no link text can lead to the file's new place. */
export type LinkFate = { readonly kind: 'relink'; readonly relink: Relink } | { readonly kind: 'stuck'; readonly target: string } | null;

/** Headings and blocks that get other names in a step, as far as links to them are concerned. */
export interface PartRenames {
  /** The notes that they stand in, by their paths before the step. */
  readonly notes: Iterable<string>;
  /** What a subpath (`#heading`, `#^block`) into a file becomes; null where it stays. */
  subpathAfter(path: string, subpath: string): string | null;
}

/** Decides for any link of any file what a step of files makes of it: resolve before, resolve after, rewrite where they differ. */
export class LinkFates {
  readonly #before: ReturnType<typeof resolverOf>;
  readonly #after: ReturnType<typeof resolverOf>;
  readonly #files: FileMoves;
  readonly #format: LinkFormat;
  readonly #parts: PartRenames | null;

  constructor(before: FileLookup, files: FileMoves, format: LinkFormat, parts: PartRenames | null = null) {
    this.#before = resolverOf(before);
    this.#after = resolverOf(movedLookup(before, files));
    this.#files = files;
    this.#format = format;
    this.#parts = parts;
  }

  /** Where a file is after the step. */
  pathAfter(path: string): string {
    return this.#files.moves.get(path) ?? path;
  }

  /** The file that a link led to before the step, or null. */
  targetOf(link: Pick<LinkUse, 'linkpath'>, from: string): string | null {
    return link.linkpath === '' ? null : this.#before({ linkpath: link.linkpath, from }).path;
  }

  /** The file that a link leads to after the step if its text stays, or null. */
  afterOf(link: Pick<LinkUse, 'linkpath'>, from: string): string | null {
    return this.#after({ linkpath: link.linkpath, from: this.pathAfter(from) }).path;
  }

  fateOf(link: LinkUse, from: string): LinkFate {
    const before = this.targetOf(link, from);
    const subpath = this.subpathAfter(link.linkpath === '' ? from : before, link.subpath);
    const target = before === null ? null : this.pathAfter(before);
    const linkpath = before === null || target === null ? link.linkpath : this.#linkpathAfter(link, { from, before, target });
    if (linkpath === null) return { kind: 'stuck', target: target ?? '' };
    if (linkpath === link.linkpath && subpath === link.subpath) return null;
    const relink: Relink = { link: link.linkpath + link.subpath, form: link.form, to: linkpath + subpath };
    const label = linkpath === link.linkpath || before === null || target === null ? null : labelChange(link, before, target);
    return { kind: 'relink', relink: label === null ? relink : { ...relink, label } };
  }

  /** The subpath of a link into a file after the step. */
  subpathAfter(path: string | null, subpath: string): string {
    return path === null || subpath === '' ? subpath : (this.#parts?.subpathAfter(path, subpath) ?? subpath);
  }

  /** The path part of a link after the step; null when none can lead there. */
  #linkpathAfter(link: LinkUse, { from, before, target }: { from: string; before: string; target: string }): string | null {
    const source = this.pathAfter(from);
    const resolve = (linkpath: string) => this.#after({ linkpath, from: source });
    const isRoundabout = this.#format === 'minimal' && isDirect(link, from, before) && !isDirect(link, source, target);
    if (resolve(link.linkpath).path === target && !isRespelled(link, before, target) && !isRoundabout) return link.linkpath;
    return writeLinkpath({ format: this.#format, form: link.form, linkpath: link.linkpath, before, target, source, resolve });
  }
}

/**
 * The relinks of every note that a step of files concerns, by the note's old path, with the links that nothing can be done for.
 * `hasHappened`: the graph shows the files after the step already, because somebody else made it; a link that leads somewhere is left to them.
 */
export function planRelinks(
  graph: GraphView,
  fates: LinkFates,
  files: FileMoves,
  { hasHappened = false, parts = null }: { readonly hasHappened?: boolean; readonly parts?: PartRenames | null } = {},
): { relinks: ReadonlyMap<string, readonly Relink[]>; stuck: readonly { from: string; link: string; target: string }[] } {
  const relinks = new Map<string, Relink[]>();
  const stuck: { from: string; link: string; target: string }[] = [];
  const seen = new Set<string>();
  const places = new Map([...files.moves].map(([from, to]) => (hasHappened ? [to, from] : [from, from])));
  // Every folder may have its `README.md`: links that share a key are looked at once.
  const names = new Map([...files.moves.keys(), ...files.moves.values(), ...files.created].map((path) => [linkKey(path), path]));
  const lists = [...names.values()].map((path) => graph.linksByKey(path));
  for (const path of places.keys()) lists.push(graph.links(path));
  for (const path of parts?.notes ?? []) lists.push(graph.backlinks(path));
  for (const link of lists.flat()) {
    if (hasHappened && link.target.kind !== 'unresolved') continue;
    const from = places.get(link.from) ?? link.from;
    const use = `${from}\n${link.form}\n${link.linkpath}\n${link.subpath}`;
    if (seen.has(use)) continue;
    seen.add(use);
    const fate = fates.fateOf(link, from);
    if (fate?.kind === 'relink') {
      const own = relinks.get(from);
      if (own === undefined) relinks.set(from, [fate.relink]);
      else own.push(fate.relink);
    }
    if (fate?.kind === 'stuck') stuck.push({ from: link.from, link: link.linkpath + link.subpath, target: fate.target });
  }
  return { relinks: new Map([...relinks].sort(([a], [b]) => (a < b ? -1 : 1))), stuck };
}

/** Whether a relative link goes the shortest way: `../b/x` in the folder `b` goes out and in again. Other links have no way. */
function isDirect({ linkpath }: LinkUse, source: string, target: string): boolean {
  if (!/^\.\.?\//.test(linkpath)) return true;
  const direct = relativePath(source, target).normalize('NFC');
  const written = linkpath.normalize('NFC');
  return written === direct || `${written}.md` === direct;
}

/** A file that changed only the case or Unicode form of its name: links still lead there, and are to show the new spelling. */
function isRespelled(link: LinkUse, before: string, target: string): boolean {
  if (before === target || foldKey(before) !== foldKey(target)) return false;
  const written = fileName(link.linkpath).replace(/\.md$/i, '').normalize('NFC');
  const name = fileName(target).replace(/\.md$/i, '').normalize('NFC');
  return written !== name && fileName(link.linkpath).normalize('NFC') !== fileName(target).normalize('NFC');
}

/** A path-form alias and a Markdown label that show the old file name show the new one (docs/links.md, Writing and renaming). */
function labelChange(link: LinkUse, before: string, target: string): { from: string; to: string } | null {
  const isShown = link.form === 'markdown' || (link.form === 'wikilink' && link.linkpath.includes('/'));
  const [from, to] = [shownName(before), shownName(target)];
  return isShown && from !== to ? { from, to } : null;
}

function shownName(path: string): string {
  return (isNotePath(path) ? baseName(path) : fileName(path)).normalize('NFC');
}
