import { RouxError } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { tagRenames } from '../../../note/body/retag.ts';
import type { TagRenames } from '../../../note/body/retag.ts';
import type { TagRename } from '../../../note/change.ts';
import { checkTag, tagEnd } from '../../../note/markdown/tag.ts';
import { foldKey } from '../../../note/path.ts';
import { PartLinks } from '../part-links.ts';

/** Renamed tags, and the notes that have them. */
export interface TagPlan {
  readonly renames: TagRenames;
  readonly notes: readonly NoteEntry[];
  /** Links to headings that hold one of the tags, by the paths of their notes. */
  readonly parts: ReadonlyMap<string, PartLinks>;
  /** Number of notes per tag. */
  readonly counts: ReadonlyMap<string, number>;
}

const MAX_LISTED = 10;

/** Normalizes a tag: without `#` and a trailing slash. */
export function cleanTag(tag: string): string {
  return tag.trim().replace(/^#/, '').replace(/\/$/, '');
}

/**
 * Finds what renaming tags affects, by the tag index (E-20). Throws `NODE_NOT_FOUND` for a tag that no note has, and `INVALID_PARAMS` for a
 * name that Obsidian would not read as a tag, for the same name, and for a name below the tag itself.
 */
export function planTags(graph: GraphView, tags: readonly TagRename[]): TagPlan {
  const seen = new Set<string>();
  for (const tag of tags) {
    checkRename(tag);
    if (seen.has(foldKey(tag.from))) throw new RouxError('INVALID_PARAMS', `#${tag.from} is renamed twice in one call. Name it once.`);
    seen.add(foldKey(tag.from));
  }
  const renames = tagRenames(tags);
  const found = tags.map(({ from }) => {
    const notes = graph.facets.byTag(from, { includeHidden: true });
    if (notes.length > 0) return [from, notes] as const;
    const known = graph.facets.tags().slice(0, MAX_LISTED);
    const named = known.length === 0 ? 'There are no tags.' : `The most used are ${known.map(({ tag }) => `#${tag}`).join(', ')}.`;
    throw new RouxError('NODE_NOT_FOUND', `No note has the tag #${from}. ${named}`, { tag: from });
  });
  const notes = [...new Set(found.flatMap(([, entries]) => [...entries]))];
  const parts = new Map(notes.flatMap((entry) => partLinks(entry, renames)));
  return { renames, notes, parts, counts: new Map(found.map(([from, entries]) => [from, entries.length])) };
}

function checkRename({ from, to }: TagRename): void {
  const problem = checkTag(to);
  if (problem !== null) throw new RouxError('INVALID_PARAMS', `#${to} cannot be a tag: ${problem}. Choose another name.`, { tag: to });
  if (from === to) throw new RouxError('INVALID_PARAMS', `#${from} is called that already. Give another name.`, { tag: from });
  if (foldKey(to).startsWith(`${foldKey(from)}/`))
    throw new RouxError('INVALID_PARAMS', `#${from} cannot be moved below itself (#${to}). Choose a name outside of it.`, { tag: from });
}

/** A tag in a heading is part of the heading's name in links. */
function partLinks({ path, headings }: NoteEntry, renames: TagRenames): readonly (readonly [string, PartLinks])[] {
  const texts = new Map(
    headings.flatMap(({ text }, index): [number, string][] => {
      const after = text.includes('#') ? retagLine(text, renames) : text;
      return after === text ? [] : [[index, after]];
    }),
  );
  return texts.size === 0 ? [] : [[path, new PartLinks(headings, { texts, ids: new Map() })]];
}

function retagLine(text: string, { tagAfter }: TagRenames): string {
  let result = '';
  let at = 0;
  for (let hash = text.indexOf('#'); hash !== -1; hash = text.indexOf('#', hash + 1)) {
    const end = tagEnd(text, hash, text.length);
    const after = end === -1 || /\S/.test(text[hash - 1] ?? ' ') ? null : tagAfter(text.slice(hash + 1, end));
    if (after === null) continue;
    result += `${text.slice(at, hash)}#${after}`;
    at = end;
  }
  return result + text.slice(at);
}
