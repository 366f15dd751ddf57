import { followHeadings, headingKey } from '../../note/body/heading-path.ts';
import { readLinks } from '../../note/body/relink.ts';
import type { Relink } from '../../note/change.ts';
import type { Note, OutlineHeading } from '../../note/note.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { parseNote } from '../../note/parse.ts';
import type { NotePath } from '../../note/path.ts';
import type { FileChange } from '../plan/plan.ts';
import { planMoves } from './move.ts';
import type { MoveContext } from './move.ts';
import { PartLinks, partRenames } from './part-links.ts';
import type { PartRenames } from './relinks.ts';

/** What an edit of a note does to links to its headings and blocks. */
export interface EditedHeadings {
  /** The one heading whose text changed, if links lead to it or through it; else null. */
  readonly renamed: { readonly from: string; readonly to: string } | null;
  /** For `planMoves` or `planRename`, if the note is moved in the same plan; null when no link needs to follow. */
  readonly parts: PartRenames | null;
  /** Changes that rewrite the links in notes and canvases. A change to the note itself must be applied after its new text. */
  readonly files: readonly FileChange[];
  /** Describes links to headings or blocks that the edit removes. */
  readonly warnings: readonly string[];
}

const MAX_LISTED = 5;

/**
 * Plans what follows from a note's new text (E-19). If exactly one heading changed its text, at the same level and position, the links to
 * it follow; links to removed headings and blocks are reported. `before` and `after` are texts of the note, with or without frontmatter.
 */
export function planEditedHeadings(
  context: MoveContext,
  path: NotePath,
  { before, after }: { readonly before: string; readonly after: string },
): EditedHeadings {
  const nothing: EditedHeadings = { renamed: null, parts: null, files: [], warnings: [] };
  const linked = context.graph.backlinks(path).filter(({ subpath }) => subpath !== '');
  if (linked.length === 0) return nothing;
  const [old, now] = [parseNote(path, before), parseNote(path, after)];
  const index = changedHeading(old.headings, now.headings);
  const heading = now.headings[index];
  const links = new PartLinks(old.headings, { texts: new Map(heading === undefined ? [] : [[index, heading.text]]), ids: new Map() });
  const isFollowing = linked.some(({ subpath }) => links.subpathAfter(subpath) !== null);
  const warnings = [...brokenLinks(path, { linked, old, now, links }), ...redirectedLinks(path, { linked, old, now, links })];
  if (!isFollowing || heading === undefined) return { ...nothing, warnings };
  const parts = partRenames(new Map([[path, links]]));
  const { files, warnings: more = [] } = planMoves(context, [], { parts });
  const own = ownLinks(context, path, { after, links });
  return {
    renamed: { from: old.headings[index]?.text ?? '', to: heading.text },
    parts,
    files: [...files.filter((file) => !('path' in file) || file.path !== path), ...own],
    warnings: [...warnings, ...more],
  };
}

/** Returns whether an edit removes a heading or block that one of these subpaths leads to. */
export function breaksPart(
  path: NotePath,
  subpaths: readonly string[],
  { before, after }: { readonly before: string; readonly after: string },
): boolean {
  const [old, now] = [parseNote(path, before), parseNote(path, after)];
  return subpaths.some((subpath) => subpath !== '' && hasPart(old, subpath) && !hasPart(now, subpath));
}

/** Returns the index of the only heading with a changed text; -1 when none or several changed. */
function changedHeading(before: readonly OutlineHeading[], after: readonly OutlineHeading[]): number {
  if (before.length !== after.length || before.some(({ level }, index) => level !== after[index]?.level)) return -1;
  const changed = before.flatMap(({ text }, index) => (headingKey(text) === headingKey(after[index]?.text ?? '') ? [] : [index]));
  return changed.length === 1 ? (changed[0] ?? -1) : -1;
}

/** Rewrites the note's own links to the renamed heading. */
function ownLinks(
  { graph }: MoveContext,
  path: NotePath,
  { after, links }: { readonly after: string; readonly links: PartLinks },
): readonly FileChange[] {
  const relinks = readLinks(after).flatMap(({ link, form }): Relink[] => {
    const { linkpath, subpath } = splitLinkText(link);
    const target = linkpath === '' ? null : graph.resolve({ linkpath, from: path });
    const isOwn = target === null || (target.kind === 'note' && target.path === path);
    const to = isOwn ? links.subpathAfter(subpath) : null;
    return to === null ? [] : [{ form, link: linkpath + subpath, to: linkpath + to }];
  });
  return relinks.length === 0 ? [] : [{ kind: 'change', path, changes: [{ op: 'relink', links: relinks }] }];
}

interface Outline {
  readonly headings: readonly OutlineHeading[];
  readonly blocks: readonly { readonly id: string }[];
}

/** A note before and after an edit, with the links that lead into it. */
interface Edited<Side> {
  readonly linked: readonly { readonly from: string; readonly subpath: string }[];
  readonly old: Side;
  readonly now: Side;
  readonly links: PartLinks;
}

function brokenLinks(path: NotePath, { linked, old, now, links }: Edited<Outline>): readonly string[] {
  const sources = new Map<string, Set<string>>();
  for (const { from, subpath } of linked) {
    // Links of the note to itself are up to its editor.
    if (from === path || !hasPart(old, subpath) || hasPart(now, links.subpathAfter(subpath) ?? subpath)) continue;
    const known = sources.get(subpath) ?? new Set();
    sources.set(subpath, known.add(from));
  }
  return [...sources].map(([subpath, from]) => {
    const named = [...from].slice(0, MAX_LISTED).join(', ');
    const more = from.size > MAX_LISTED ? ` and ${from.size - MAX_LISTED} more` : '';
    return `${path} has no ${subpath.slice(1)} any more, and links in ${named}${more} lead to it; change them, or bring it back.`;
  });
}

/** Describes links that now lead to another heading of the same name: two were swapped, or one was added above. */
function redirectedLinks(path: NotePath, { linked, old, now, links }: Edited<Note>): readonly string[] {
  const others = linked.filter(({ from }) => from !== path);
  if (others.length === 0) return [];
  const same = sameHeadings(old, now);
  const isRedirected = (subpath: string): boolean => {
    const was = followHeadings(old.headings, subpath)?.at(-1);
    const is = followHeadings(now.headings, links.subpathAfter(subpath) ?? subpath)?.at(-1);
    return was !== undefined && is !== undefined && same[was] !== is;
  };
  const redirected = others.filter(({ subpath }) => isRedirected(subpath));
  if (redirected.length === 0) return [];
  const named = [...new Set(redirected.map(({ from, subpath }) => `${from} (${subpath})`))].slice(0, MAX_LISTED).join(', ');
  return [
    `Several headings of ${path} changed: the links in ${named} lead to another one of that name now; rename swaps headings with their links, and a link to "Above#Name" tells headings of one name apart.`,
  ];
}

/** Maps each heading of the old text to its index in the new text; null for removed ones. */
function sameHeadings(old: Note, now: Note): readonly (number | null)[] {
  const [before, after] = [old.text.slice(old.bodyStart), now.text.slice(now.bodyStart)];
  const [count, countNow] = [old.headings.length, now.headings.length];
  const [head, tail] = commonEnds(before, after);
  const firsts = old.headings.filter(({ end }) => end - old.bodyStart <= head).length;
  const lasts = old.headings.filter(({ start }) => old.text.length - start <= tail).length;
  const kept = Math.min(lasts, count - firsts, countNow - firsts);
  // Between the common start and end, headings are matched by text, or by position if their number did not change.
  const middle = now.headings.slice(firsts, countNow - kept);
  const keys = middle.map((heading) => keyOf(heading));
  const isPlaced = count === countNow;
  let from = 0;
  return old.headings.map((heading, index) => {
    if (index < firsts) return index;
    if (index >= count - kept) return countNow - (count - index);
    if (isPlaced) return index;
    const at = keys.indexOf(keyOf(heading), from);
    if (at < 0) return null;
    from = at + 1;
    return firsts + at;
  });
}

function keyOf({ level, text }: OutlineHeading): string {
  return `${level} ${headingKey(text)}`;
}

/** Returns the lengths of the common start and end of two texts. Where they overlap, the longer one is kept whole. */
function commonEnds(a: string, b: string): readonly [head: number, tail: number] {
  const most = Math.min(a.length, b.length);
  let [head, tail] = [0, 0];
  while (head < most && a.charCodeAt(head) === b.charCodeAt(head)) head += 1;
  while (tail < most && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail += 1;
  return head >= tail ? [head, Math.min(tail, most - head)] : [Math.min(head, most - tail), tail];
}

function hasPart({ headings, blocks }: Outline, subpath: string): boolean {
  const block = /^#\^(.+)$/.exec(subpath)?.[1]?.trim().toLowerCase();
  if (block !== undefined) return blocks.some(({ id }) => id.toLowerCase() === block);
  return followHeadings(headings, subpath) !== null;
}
