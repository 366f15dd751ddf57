import type { BundleView } from '../../graph/links/bundles.ts';
import { resolverOf } from '../../graph/links/resolve.ts';
import { linkKey, baseName, fileName, foldKey, isNotePath } from '../../note/path.ts';
import type { FileLookup } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';
import type { Relink } from '../../note/change.ts';
import type { LinkForm } from '../../note/note.ts';
import { movedLookup } from './file-lookup.ts';
import type { FileMoves } from './file-lookup.ts';
import type { LinkFormat } from './link-style.ts';
import { relativePath, writeLinkpath } from './write-linkpath.ts';

/** One link of a file, as far as rewriting needs it. */
export interface LinkUse {
  readonly form: LinkForm;
  readonly linkpath: string;
  readonly subpath: string;
}

/** What a step does to a link: nothing (null), a new text, or `stuck` when no link text can lead to the file's new path. */
export type LinkOutcome = { readonly kind: 'relink'; readonly relink: Relink } | { readonly kind: 'stuck'; readonly target: string } | null;

/** Headings and blocks that are renamed in a step. */
export interface PartRenames {
  /** The notes that contain them, by their paths before the step. */
  readonly notes: Iterable<string>;
  /** Returns the new form of a subpath (`#heading`, `#^block`) into a file; null if it does not change. */
  subpathAfter(path: string, subpath: string): string | null;
  /** Returns where a part is after the step if it moves to another note, or null. */
  partAfter?(path: string, subpath: string): MovedPart | null;
}

/** The note that a heading or block is in, and the subpath that leads to it there: `''` if it is the whole note. */
export interface MovedPart {
  readonly path: string;
  readonly subpath: string;
}

/** Decides what a step does to a link: resolves it before and after, and rewrites it if the results differ. */
export class LinkRewriter {
  readonly #before: ReturnType<typeof resolverOf>;
  readonly #after: ReturnType<typeof resolverOf>;
  readonly #bundles: BundleView;
  readonly #files: FileMoves;
  readonly #format: LinkFormat;
  readonly #parts: PartRenames | null;

  constructor(before: FileLookup, files: FileMoves, format: LinkFormat, parts: PartRenames | null = null) {
    this.#before = resolverOf(before);
    const after = movedLookup(before, files);
    this.#bundles = after.bundles;
    this.#after = resolverOf(after);
    this.#files = files;
    this.#format = format;
    this.#parts = parts;
  }

  /** Returns the path of a file after the step. */
  pathAfter(path: string): string {
    return this.#files.moves.get(path) ?? path;
  }

  /** Returns the file that a link leads to before the step, or null. */
  targetBefore(link: Pick<LinkUse, 'linkpath'>, from: string): string | null {
    return link.linkpath === '' ? null : this.#before({ linkpath: link.linkpath, from }).path;
  }

  /** Returns the file that a link leads to after the step with an unchanged text, or null. */
  targetAfter(link: Pick<LinkUse, 'linkpath'>, from: string): string | null {
    return this.#after({ linkpath: link.linkpath, from: this.pathAfter(from) }).path;
  }

  decide(link: LinkUse, from: string): LinkOutcome {
    const before = this.targetBefore(link, from);
    const own = link.linkpath === '' ? from : before;
    const moved = this.partAfter(own, link.subpath);
    const subpath = this.subpathAfter(own, link.subpath);
    const target = moved?.path ?? (before === null ? null : this.pathAfter(before));
    const linkpath = own === null || target === null ? link.linkpath : this.#linkpathAfter(link, { from, before: own, target, subpath });
    if (linkpath === null) return { kind: 'stuck', target: target ?? '' };
    if (linkpath === link.linkpath && subpath === link.subpath) return null;
    const relink: Relink = { link: link.linkpath + link.subpath, form: link.form, to: linkpath + subpath };
    const label = linkpath === link.linkpath || before === null || target === null ? null : labelChange(link, before, target);
    return { kind: 'relink', relink: label === null ? relink : { ...relink, label } };
  }

  /** Returns the subpath of a link into a file after the step. */
  subpathAfter(path: string | null, subpath: string): string {
    if (path === null || subpath === '') return subpath;
    return this.partAfter(path, subpath)?.subpath ?? this.#parts?.subpathAfter(path, subpath) ?? subpath;
  }

  /** Returns where a part is after the step if it moves to another note, or null. */
  partAfter(path: string | null, subpath: string): MovedPart | null {
    return path === null ? null : (this.#parts?.partAfter?.(path, subpath) ?? null);
  }

  /** Returns the path part of a link after the step; null when none can lead there. */
  #linkpathAfter(
    link: LinkUse,
    { from, before, target, subpath }: { from: string; before: string; target: string; subpath: string },
  ): string | null {
    const source = this.pathAfter(from);
    const resolve = (linkpath: string) => this.#after({ linkpath, from: source });
    const isRoundabout = this.#format === 'minimal' && isDirect(link, from, before) && !isDirect(link, source, target);
    const isEmpty = link.linkpath === '' && subpath === '';
    if (!isEmpty && resolve(link.linkpath).path === target && !isRespelled(link, before, target) && !isRoundabout) return link.linkpath;
    return writeLinkpath({
      format: this.#format,
      form: link.form,
      linkpath: link.linkpath,
      before,
      target,
      source,
      top: this.#bundles.topOf(source),
      resolve,
    });
  }
}

/**
 * Plans the link rewrites of every note that a step affects, by the note's old path, and lists the links that cannot be rewritten.
 * `hasHappened`: the graph shows the files after the step already, because somebody else moved them; only broken links are rewritten then.
 */
export function planRelinks(
  graph: GraphView,
  rewriter: LinkRewriter,
  files: FileMoves,
  { hasHappened = false, parts = null }: { readonly hasHappened?: boolean; readonly parts?: PartRenames | null } = {},
): { relinks: ReadonlyMap<string, readonly Relink[]>; stuck: readonly { from: string; link: string; target: string }[] } {
  const relinks = new Map<string, Relink[]>();
  const stuck: { from: string; link: string; target: string }[] = [];
  const seen = new Set<string>();
  const places = new Map([...files.moves].map(([from, to]) => (hasHappened ? [to, from] : [from, from])));
  // Many folders can have a `README.md`: links that share a key are looked up once.
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
    const outcome = rewriter.decide(link, from);
    if (outcome?.kind === 'relink') {
      const own = relinks.get(from);
      if (own === undefined) relinks.set(from, [outcome.relink]);
      else own.push(outcome.relink);
    }
    if (outcome?.kind === 'stuck') stuck.push({ from: link.from, link: link.linkpath + link.subpath, target: outcome.target });
  }
  return { relinks: new Map([...relinks].sort(([a], [b]) => (a < b ? -1 : 1))), stuck };
}

/** Returns whether a relative link takes the shortest way: `../b/x` from folder `b` does not. True for links that are not relative. */
function isDirect({ linkpath }: LinkUse, source: string, target: string): boolean {
  if (!/^\.\.?\//.test(linkpath)) return true;
  const direct = relativePath(source, target).normalize('NFC');
  const written = linkpath.normalize('NFC');
  return written === direct || `${written}.md` === direct;
}

/** Returns whether a rename changed only case or Unicode form: links still lead there, but should show the new spelling. */
function isRespelled(link: LinkUse, before: string, target: string): boolean {
  if (before === target || foldKey(before) !== foldKey(target)) return false;
  const written = fileName(link.linkpath).replace(/\.md$/i, '').normalize('NFC');
  const name = fileName(target).replace(/\.md$/i, '').normalize('NFC');
  return written !== name && fileName(link.linkpath).normalize('NFC') !== fileName(target).normalize('NFC');
}

/** Labels that show the old file name, as path aliases and Markdown labels do, show the new one (docs/links.md, Writing and renaming). */
function labelChange(link: LinkUse, before: string, target: string): { from: string; to: string } | null {
  const isShown = link.form === 'markdown' || (link.form === 'wikilink' && link.linkpath.includes('/'));
  const [from, to] = [shownName(before), shownName(target)];
  return isShown && from !== to ? { from, to } : null;
}

function shownName(path: string): string {
  return (isNotePath(path) ? baseName(path) : fileName(path)).normalize('NFC');
}
