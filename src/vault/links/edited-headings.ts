import { followHeadings, headingKey } from '../../note/body/heading-path.ts';
import { readLinks } from '../../note/body/relink.ts';
import type { Relink } from '../../note/change.ts';
import type { OutlineHeading } from '../../note/note.ts';
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
  const warnings = [...brokenLinks(path, { linked, old, now, links }), ...(index >= 0 ? [] : turnedLinks(path, { linked, old, now }))];
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

function brokenLinks(
  path: NotePath,
  {
    linked,
    old,
    now,
    links,
  }: {
    readonly linked: readonly { readonly from: string; readonly subpath: string }[];
    readonly old: Outline;
    readonly now: Outline;
    readonly links: PartLinks;
  },
): readonly string[] {
  const sources = new Map<string, Set<string>>();
  for (const { from, subpath } of linked) {
    // What the note says of itself is the editor's own business.
    if (from === path || !leads(old, subpath) || leads(now, links.subpathAfter(subpath) ?? subpath)) continue;
    const known = sources.get(subpath) ?? new Set();
    sources.set(subpath, known.add(from));
  }
  return [...sources].map(([subpath, from]) => {
    const named = [...from].slice(0, MOST_NAMED).join(', ');
    const more = from.size > MOST_NAMED ? ` and ${from.size - MOST_NAMED} more` : '';
    return `${path} has no ${subpath.slice(1)} any more, and links in ${named}${more} lead to it; change them, or bring it back.`;
  });
}

/** Links that still lead to a heading of that name, which stands elsewhere than before while their own has another one: two were swapped. */
function turnedLinks(
  path: NotePath,
  {
    linked,
    old,
    now,
  }: { readonly linked: readonly { readonly from: string; readonly subpath: string }[]; readonly old: Outline; readonly now: Outline },
): readonly string[] {
  const isTurned = (subpath: string): boolean => {
    const [was, is] = [followHeadings(old.headings, subpath)?.at(-1), followHeadings(now.headings, subpath)?.at(-1)];
    if (was === undefined || is === undefined || was === is || old.headings.length !== now.headings.length) return false;
    return headingKey(now.headings[was]?.text ?? '') !== headingKey(old.headings[was]?.text ?? '');
  };
  const turned = linked.filter(({ from, subpath }) => from !== path && isTurned(subpath));
  if (turned.length === 0) return [];
  const named = [...new Set(turned.map(({ from, subpath }) => `${from} (${subpath})`))].slice(0, MOST_NAMED).join(', ');
  return [
    `Several headings of ${path} changed: the links in ${named} lead to another one of that name now; rename swaps headings with their links.`,
  ];
}

const MOST_NAMED = 5;

function leads({ headings, blocks }: Outline, subpath: string): boolean {
  const block = /^#\^(.+)$/.exec(subpath)?.[1]?.trim().toLowerCase();
  if (block !== undefined) return blocks.some(({ id }) => id.toLowerCase() === block);
  return followHeadings(headings, subpath) !== null;
}
