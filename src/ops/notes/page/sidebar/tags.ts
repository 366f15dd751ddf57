import * as z from 'zod';
import { folderOf } from '../../../../note/path.ts';
import { pageCursor } from '../../../lists/page-cursor.ts';
import { isoTime } from '../../../../note/iso-date.ts';
import { defineOperation } from '../../../operation.ts';
import { countNotes, findTag, openTagTree, sortedChildren } from './tag-tree.ts';
import type { TagNode } from './tag-tree.ts';
import type { GraphView } from '../../../../graph/view.ts';

/** Tags of a page of the sidebar, and subtags of a tag's own page. */
const MAX_TAGS = 500;
const MAX_NOTES = 100;
const MAX_TAG_CHARACTERS = 1_000;

/** Lists the tags nested in a tag for the sidebar. */
export const tagLevel = defineOperation({
  name: 'tag_level',
  toolset: null,
  title: 'Tags of the sidebar',
  summary: 'The tags that are nested in a tag, or the outermost ones, with their numbers of notes.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.strictObject({ tag: z.string().max(MAX_TAG_CHARACTERS).default(''), offset: z.int().min(0).default(0) }),
  async run({ vault }, { tag, offset }) {
    await vault.refresh('changed');
    const node = findTag(vault.derived(openTagTree)(), tag);
    const children = node === null ? [] : sortedChildren(node);
    return {
      tag,
      is_there: node !== null,
      offset,
      total: children.length,
      page_size: MAX_TAGS,
      entries: children.slice(offset, offset + MAX_TAGS).map((child) => toShown(vault.graph, child)),
    };
  },
});

/** Returns the page of a tag: its notes, newest first, and the tags nested in it. */
export const tagPage = defineOperation({
  name: 'tag_page',
  toolset: null,
  title: 'Page of a tag',
  summary: 'The notes with a tag or one nested in it, changed last first, page by page, and the nested tags.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'refuse',
  input: z.strictObject({ tag: z.string().max(MAX_TAG_CHARACTERS).default(''), cursor: pageCursor }),
  async run({ vault }, { tag, cursor }) {
    const offset = Number(cursor ?? 0);
    await vault.refresh('changed');
    const { graph } = vault;
    const node = findTag(vault.derived(openTagTree)(), tag);
    const children = node === null ? [] : sortedChildren(node);
    const notes = node === null || node.tag === '' ? [] : byTime(graph, node.tag);
    const next = offset + MAX_NOTES;
    return {
      tag: node?.tag ?? tag.replace(/^#/, ''),
      is_there: node !== null,
      subtags: children.slice(0, MAX_TAGS).map((child) => toShown(graph, child)),
      subtag_total: children.length,
      notes: notes.slice(offset, next).map(({ path, title, stamp }) => ({
        path,
        title,
        folder: folderOf(path),
        updated: isoTime(stamp.mtimeNs),
      })),
      total: notes.length,
      ...(next < notes.length ? { next_cursor: String(next) } : {}),
    };
  },
});

function byTime(graph: GraphView, tag: string) {
  // Sorting is stable, so notes of one time stay ordered by path.
  return graph.facets.byTag(tag).toSorted((a, b) => Number(b.stamp.mtimeNs - a.stamp.mtimeNs));
}

function toShown(graph: GraphView, node: TagNode) {
  return { tag: node.tag, name: node.tag.replace(/^.*\//, ''), count: countNotes(graph, node), has_subtags: node.children.size > 0 };
}
