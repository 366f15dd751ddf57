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

/** What an edit of a note's text does to links that lead into it. */
export interface EditedHeadings {
  /** The heading whose text changed while every other one stayed, where links lead to it or through it; else null. */
  readonly renamed: { readonly from: string; readonly to: string } | null;
  /** For `planMoves` or `planRename`, where the note is moved in the same plan; null where no link follows. */
  readonly parts: PartRenames | null;
  /** Changes that rewrite the links, in notes and canvases; one of the note itself is applied after its new text. */
  readonly files: readonly FileChange[];
  /** Links that lead to a heading or a block which the edit takes away. */
  readonly warnings: readonly string[];
}

/**
 * What follows from a note's new text (E-19). Where exactly one heading has another text, on the same level and in the same place, the
 * links to it follow; links to headings and blocks that are gone are named. `before` and `after` are texts of the note, with or without frontmatter.
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
  const warnings = [...brokenLinks(path, { linked, old, now, links }), ...turnedLinks(path, { linked, old, now, links })];
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

/** Whether a heading or a block that one of these subpaths leads to is gone from the note's new text. */
export function breaksPart(
  path: NotePath,
  subpaths: readonly string[],
  { before, after }: { readonly before: string; readonly after: string },
): boolean {
  const [old, now] = [parseNote(path, before), parseNote(path, after)];
  return subpaths.some((subpath) => subpath !== '' && leads(old, subpath) && !leads(now, subpath));
}

/** The index of the one heading whose text is another, -1 where none or more than that changed. */
function changedHeading(before: readonly OutlineHeading[], after: readonly OutlineHeading[]): number {
  if (before.length !== after.length || before.some(({ level }, index) => level !== after[index]?.level)) return -1;
  const changed = before.flatMap(({ text }, index) => (headingKey(text) === headingKey(after[index]?.text ?? '') ? [] : [index]));
  return changed.length === 1 ? (changed[0] ?? -1) : -1;
}

/** Links of the new text to the heading under its old name. */
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

/** A note before and after an edit, and what leads into it: files and the subpaths of their links. */
interface Edited<Side> {
  readonly linked: readonly { readonly from: string; readonly subpath: string }[];
  readonly old: Side;
  readonly now: Side;
  readonly links: PartLinks;
}

function brokenLinks(path: NotePath, { linked, old, now, links }: Edited<Outline>): readonly string[] {
  const sources = new Map<string, Set<string>>();
  for (const { from, subpath } of linked) {
    // What the note says of itself is the editor's own business.
    if (from === path || !leads(old, subpath) || leads(now, links.subpathAfter(subpath) ?? subpath)) continue;
    const known = sources.get(subpath) ?? new Set();
    sources.set(subpath, known.add(from));
  }
  return [...sources].map(([subpath, from]) => {
    const named = [...from].slice(0, MAX_LISTED).join(', ');
    const more = from.size > MAX_LISTED ? ` and ${from.size - MAX_LISTED} more` : '';
    return `${path} has no ${subpath.slice(1)} any more, and links in ${named}${more} lead to it; change them, or bring it back.`;
  });
}

/** Links that still lead to a heading of that name, which is another one than before: two were swapped, or one came to stand above it. */
function turnedLinks(path: NotePath, { linked, old, now, links }: Edited<Note>): readonly string[] {
  const others = linked.filter(({ from }) => from !== path);
  if (others.length === 0) return [];
  const same = sameHeadings(old, now);
  const isTurned = (subpath: string): boolean => {
    const was = followHeadings(old.headings, subpath)?.at(-1);
    const is = followHeadings(now.headings, links.subpathAfter(subpath) ?? subpath)?.at(-1);
    return was !== undefined && is !== undefined && same[was] !== is;
  };
  const turned = others.filter(({ subpath }) => isTurned(subpath));
  if (turned.length === 0) return [];
  const named = [...new Set(turned.map(({ from, subpath }) => `${from} (${subpath})`))].slice(0, MAX_LISTED).join(', ');
  return [
    `Several headings of ${path} changed: the links in ${named} lead to another one of that name now; rename swaps headings with their links, and a link to "Above#Name" tells headings of one name apart.`,
  ];
}

/** Which heading of the new text each one of the old text is; null for one that is gone. */
function sameHeadings(old: Note, now: Note): readonly (number | null)[] {
  const [before, after] = [old.text.slice(old.bodyStart), now.text.slice(now.bodyStart)];
  const [count, countNow] = [old.headings.length, now.headings.length];
  const [head, tail] = commonEnds(before, after);
  const firsts = old.headings.filter(({ end }) => end - old.bodyStart <= head).length;
  const lasts = old.headings.filter(({ start }) => old.text.length - start <= tail).length;
  const stays = Math.min(lasts, count - firsts, countNow - firsts);
  // Between what both ends have in common they are told by what stands in them, else by their place.
  const middle = now.headings.slice(firsts, countNow - stays);
  const keys = middle.map((heading) => keyOf(heading));
  const isPlaced = count === countNow;
  let from = 0;
  return old.headings.map((heading, index) => {
    if (index < firsts) return index;
    if (index >= count - stays) return countNow - (count - index);
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

/** How many characters two texts have in common at their beginning and at their end, of which the longer counts where they overlap. */
function commonEnds(a: string, b: string): readonly [head: number, tail: number] {
  const most = Math.min(a.length, b.length);
  let [head, tail] = [0, 0];
  while (head < most && a.charCodeAt(head) === b.charCodeAt(head)) head += 1;
  while (tail < most && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail += 1;
  return head >= tail ? [head, Math.min(tail, most - head)] : [Math.min(head, most - tail), tail];
}

const MAX_LISTED = 5;

function leads({ headings, blocks }: Outline, subpath: string): boolean {
  const block = /^#\^(.+)$/.exec(subpath)?.[1]?.trim().toLowerCase();
  if (block !== undefined) return blocks.some(({ id }) => id.toLowerCase() === block);
  return followHeadings(headings, subpath) !== null;
}
