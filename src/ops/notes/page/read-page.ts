import * as z from 'zod';
import { folderOf } from '../../../note/path.ts';
import { readTimes } from '../../node-properties.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { findGhost, throwNoteNotFound, readNote } from '../../reference.ts';
import { etagOf } from '../../view.ts';
import { backlinkSources } from './backlinks.ts';
import { isUtf8 } from './edit/source-text.ts';
import { showProperties } from './properties.ts';
import { renderNote } from './render.ts';

/** Backlinks of a page. */
const MAX_BACKLINKS = 50;
const MAX_PREVIEW_CHARACTERS = 1_200;

/** Returns a note as a page. */
export const readPage = defineOperation({
  name: 'read_page',
  toolset: null,
  title: 'Page of a note',
  summary: 'A note rendered as sanitised HTML, part by part where it is long, with its outline, properties and backlinks.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({
    path: z.string().min(1).max(4_096),
    /** Start of a part: `next_offset` of the previous one. */
    offset: z.int().min(0).default(0),
  }),
  early: ({ path }) => ({ notes: [path] }),
  async run(context, { path, offset }) {
    const found = await readNote(context, path);
    if (found === null) return noPage(context, path);
    const { entry, onDisk } = found;
    const { vault } = context;
    const { html, outline, nextOffset, notices } = await renderNote(vault, onDisk.note, { offset });
    const backlinks = backlinkSources(vault, entry.path, { offset: 0, limit: MAX_BACKLINKS });
    return {
      kind: 'note' as const,
      path: entry.path,
      id: entry.id,
      title: entry.title,
      folder: folderOf(entry.path),
      type: entry.type,
      tags: entry.tags,
      aliases: entry.aliases,
      html,
      outline,
      notices: [...noticesOf(context), ...notices, ...entry.problems.map(({ message }) => message)],
      ...(nextOffset === null ? {} : { next_offset: nextOffset }),
      properties: showProperties(vault.graph, entry.path, onDisk.note.frontmatter.data),
      backlinks: backlinks.sources,
      backlink_count: backlinks.total,
      /** If false, the page offers no edit. */
      is_utf8: isUtf8(onDisk.note),
      etag: etagOf(onDisk.hash),
      ...readTimes(onDisk),
    };
  },
});

function noticesOf({ vault }: OperationContext): readonly string[] {
  const reading = vault.health.readingProgress();
  if (reading === null) return [];
  return [
    `The vault is still being read, ${reading.read} of ${reading.total ?? 'all'} notes so far: links and backlinks are not complete yet.`,
  ];
}

/** Returns the answer for an address without a note: the unresolved link, or nothing. */
function noPage(context: OperationContext, reference: string) {
  const ghost = findGhost(context.vault.graph, reference.replace(/\.md$/i, ''));
  if (ghost === null) return throwNoteNotFound(context, reference);
  const sources = ghost.sources.slice(0, MAX_BACKLINKS).map((path) => ({ path, title: context.vault.graph.get(path)?.title ?? path }));
  return { kind: 'wanted' as const, title: ghost.linkpath, sources, source_count: ghost.sources.length };
}

/** Returns more backlinks of a note. */
export const moreBacklinks = defineOperation({
  name: 'page_backlinks',
  toolset: null,
  title: 'Backlinks of a page',
  summary: 'Notes that link to a note, with the lines in which they do, from an offset on.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096), offset: z.int().min(0).default(0) }),
  run({ vault }, { path, offset }) {
    const { sources, total } = backlinkSources(vault, path, { offset, limit: MAX_BACKLINKS });
    return { backlinks: sources, backlink_count: total };
  },
});

/** Returns the beginning of a note or section, for a preview on hover. */
export const previewPage = defineOperation({
  name: 'preview_page',
  toolset: null,
  title: 'Preview of a note',
  summary: 'The beginning of a note or of one of its sections as sanitised HTML.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({ path: z.string().min(1).max(4_096), heading: z.string().max(1_000).optional() }),
  early: ({ path }) => ({ notes: [path] }),
  async run(context, { path, heading }) {
    const found = await readNote(context, path);
    if (found === null) return throwNoteNotFound(context, path);
    const { entry, onDisk } = found;
    const subpath = heading === undefined ? {} : { subpath: `#${heading}` };
    const { html, nextOffset } = await renderNote(context.vault, onDisk.note, {
      ...subpath,
      maxCharacters: MAX_PREVIEW_CHARACTERS,
      isPreview: true,
    });
    return { path: entry.path, title: entry.title, folder: folderOf(entry.path), html, is_whole: nextOffset === null };
  },
});
