import type { Section } from '../../../note/body/find-heading.ts';
import { followHeadings } from '../../../note/body/heading-path.ts';
import { readLinks } from '../../../note/body/relink.ts';
import type { Relink } from '../../../note/change.ts';
import { splitLinkText } from '../../../note/markdown/link-text.ts';
import type { Note, Span } from '../../../note/note.ts';
import { toNotePath } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { FileChange } from '../../plan/plan.ts';
import { fileLookup } from '../file-lookup.ts';
import type { FileMoves } from '../file-lookup.ts';
import { planLinks, withRevision } from '../move.ts';
import type { MoveContext } from '../move.ts';
import { LinkRewriter } from '../relinks.ts';
import type { MovedPart, PartRenames } from '../relinks.ts';

/** A section that becomes a note of its own. Its heading stays where it is. */
export interface MovedSection {
  readonly note: Note & { readonly path: NotePath };
  /** In the text of the note. */
  readonly section: Pick<Section, 'start' | 'headingEnd' | 'end'>;
  /** Path of the new note. */
  readonly to: NotePath;
  /** The text of the new note, without frontmatter. */
  readonly content: string;
  /** The text of the note without what is below the heading. */
  readonly rest: string;
}

/** What it does to the links of the vault. */
export interface MovedSectionLinks {
  /** The links of the new note to rewrite. */
  readonly inner: readonly Relink[];
  /** The links that stay in the note to rewrite. */
  readonly outer: readonly Relink[];
  /** Changes to all other files. */
  readonly files: readonly FileChange[];
  readonly warnings: readonly string[];
}

/** Plans the rewriting of every link to a section, to headings and blocks in it, and from it, so that each leads where it led. */
export function planMovedSection(context: MoveContext, moved: MovedSection): MovedSectionLinks {
  const { to } = moved;
  const { path } = moved.note;
  const created: FileMoves = { moves: new Map(), created: [to] };
  const parts: PartRenames = {
    notes: [path],
    subpathAfter: () => null,
    partAfter: (target, subpath) => (target === path ? partAfter(moved, subpath) : null),
  };
  const { relinks, others, warnings } = planLinks(context, created, { inner: { parts } });
  const files = [...relinks].flatMap(([from, links]): FileChange[] => {
    const source = from === path ? null : toNotePath(from);
    return source === null ? [] : [{ kind: 'change', path: source, changes: withRevision(context, source, [{ op: 'relink', links }]) }];
  });
  const { format } = context.style;
  const outer = relinksOf(moved.rest, path, new LinkRewriter(fileLookup(context.graph), created, format, parts));
  // The text leaves for the new note, while the note itself stays.
  const leaving: FileMoves = { moves: new Map([[path, to]]), created: [path] };
  const stays = (subpath: string): MovedPart => partAfter(moved, subpath) ?? { path, subpath };
  const own: PartRenames = { ...parts, partAfter: (target, subpath) => (target === path ? stays(subpath) : null) };
  const inner = relinksOf(moved.content, path, new LinkRewriter(fileLookup(context.graph), leaving, format, own));
  return { inner: inner.relinks, outer: outer.relinks, files: [...files, ...others], warnings: [...warnings, ...inner.warnings] };
}

/** Returns where a heading or block of the section is afterwards; null for what stays in the note. */
function partAfter({ note, section, to }: MovedSection, subpath: string): MovedPart | null {
  const isInside = ({ start }: Span): boolean => start >= section.start && start < section.end;
  const id = /^#\^(.+)$/.exec(subpath)?.[1]?.trim().toLowerCase();
  if (id !== undefined) {
    const block = note.blocks.find((each) => each.id.toLowerCase() === id);
    // The id of the heading stays with it.
    return block !== undefined && isInside(block) && block.start >= section.headingEnd ? { path: to, subpath } : null;
  }
  const through = followHeadings(note.headings, subpath);
  const target = note.headings[through?.at(-1) ?? -1];
  if (through === null || target === undefined || !isInside(target)) return null;
  const first = note.headings.findIndex(isInside);
  const names = subpath.split('#').slice(1);
  const below = names.filter((_, at) => (through[at] ?? -1) > first);
  return { path: to, subpath: below.map((name) => `#${name}`).join('') };
}

function relinksOf(
  text: string,
  from: NotePath,
  rewriter: LinkRewriter,
): { readonly relinks: readonly Relink[]; readonly warnings: readonly string[] } {
  const relinks: Relink[] = [];
  const warnings: string[] = [];
  for (const { form, link } of readLinks(text)) {
    const outcome = rewriter.decide({ form, ...splitLinkText(link) }, from);
    if (outcome?.kind === 'relink') relinks.push(outcome.relink);
    if (outcome?.kind === 'stuck') {
      warnings.push(`${from}: the link [[${link}]] cannot be written so that it leads to ${outcome.target}; it was left alone.`);
    }
  }
  return { relinks, warnings };
}
