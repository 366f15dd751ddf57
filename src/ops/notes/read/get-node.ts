import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { findSection, listSections, noSuchHeading } from '../../../note/body/find-heading.ts';
import type { AsOf } from '../../../vault/history/as-of.ts';
import type { NoteOnDisk } from '../../../vault/sync/read-note-now.ts';
import { findOrigin, statedOrigin } from '../../call/origin.ts';
import { withConnections } from '../../connections/show-connections.ts';
import { showNoteFreshness } from '../../freshness/show.ts';
import { tellNotesAbout, warnOfCode } from '../../names/code-notes.ts';
import { warnOfMissingNotes } from '../../names/near-names.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { findGhost, readNote } from '../../reference.ts';
import type { FoundNote, Ghost } from '../../reference.ts';
import { takeWhileFits } from '../../shorten.ts';
import { describeAttachment, findAttachment, splitPage } from '../files/attachment.ts';
import { bodyOf, MAX_NODE_CONTENT_CHARACTERS, toNodeResponse } from '../../view.ts';
import type { BodyPart, NodeResponse } from '../../view.ts';
import { NEIGHBOR_CONTENT_CHARACTERS, toNodeList } from '../../lists/node-list.ts';
import { readPastNote } from './past-note.ts';

const MAX_NEIGHBORS = 20;
/** Maximum number of notes named that link to a missing one. */
const MAX_SOURCES = 5;
/** Maximum characters of a note with its neighbors; the note has priority, get_neighbors lists the rest. */
const MAX_ANSWER_CHARACTERS = 36_500;
/** Maximum characters of the headings of one note. */
const MAX_OUTLINE_CHARACTERS = 20_000;

/** Returns one note, optionally with its neighbors. */
export const getNode = defineOperation({
  name: 'get_node',
  toolset: 'vault',
  title: 'Read a note',
  summary: 'Read a note or a PDF; depth 1 adds neighbors; offset goes on past 10,000 characters.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    id: z.string().describe('Id, path, title or alias; path of a file: x.pdf#page=3'),
    depth: z.int().min(0).max(1).default(0).describe('1: with neighbors'),
    offset: z.int().min(0).default(0).describe('Characters to skip: next_offset'),
    section: z.string().optional().describe('Heading: only its section'),
    outline: z.boolean().default(false).describe('Headings with sizes, no content'),
    as_of: z.string().optional().describe('State as of 2026-01-31, a rev or git commit'),
  }),
  early: ({ id, depth, as_of: at }) => (depth === 0 && at === undefined ? { notes: [id] } : null),
  async run(context, { id, depth, offset, section, outline: isOutline, as_of: at }) {
    if (at !== undefined) return getPastNode(context, { id, at, depth, section, offset, isOutline });
    const read = await readNote(context, id);
    const later = read === null || section !== undefined || isOutline ? null : await readPart(context, read, offset);
    const found = read === null || later === null ? read : { ...read, part: later };
    if (found === null) {
      const { file: name, page } = splitPage(id);
      const file = findAttachment(context, name);
      if (file !== null) {
        await tellNotesAbout(context, `./${file}`);
        return describeAttachment(context, file, { offset, page });
      }
      const ghost = findGhost(context.vault.graph, id);
      if (ghost !== null) return showGhost(ghost);
      if (!(await warnOfCode(context, id))) warnOfMissingNotes(context, [id]);
      return null;
    }
    const beside = { ...showNoteFreshness(context.vault, found.entry), _origin: await findOrigin(context.vault, found.entry) };
    if (isOutline) {
      const { content: _, next_offset: __, ...node } = toNodeResponse(context, found, { content: 0, links: 0, isOutline: true });
      return withConnections(context.vault, found.entry, { ...node, ...outlineOf(found.onDisk), ...beside });
    }
    const part = section === undefined ? { offset } : findSectionRange(found.onDisk, section, offset);
    const node = withConnections(context.vault, found.entry, { ...toNodeResponse(context, found, part), ...beside });
    if (depth === 0) return node;
    const { entry } = found;
    const { graph } = context.vault;
    const degree = graph.walk.degree(entry.path);
    const neighbors = graph.walk.neighbors(entry.path, 'both').slice(0, MAX_NEIGHBORS);
    const characters = Math.max(0, MAX_ANSWER_CHARACTERS - JSON.stringify(node).length);
    return {
      ...node,
      neighbors: toNodeList(context, neighbors, { contentLength: NEIGHBOR_CONTENT_CHARACTERS, includeContent: true, characters }),
      incomingCount: degree.in,
      outgoingCount: degree.out,
    };
  },
});

/** Shows a name that no note has, and the notes with links to it. */
function showGhost({ linkpath, sources }: Ghost) {
  const omitted = sources.length - MAX_SOURCES;
  return {
    id: linkpath,
    title: linkpath,
    content: null,
    tags: [],
    links: [],
    path: null,
    type: null,
    properties: {},
    in: sources.slice(0, MAX_SOURCES),
    ...(omitted > 0 ? { in_omitted: omitted } : {}),
  };
}

/** Reads the requested part of a large note if it is beyond the part in memory; returns null otherwise. */
async function readPart({ vault }: OperationContext, { entry, onDisk }: FoundNote, offset: number): Promise<BodyPart | null> {
  if (!onDisk.isPartial || offset + MAX_NODE_CONTENT_CHARACTERS < bodyOf(onDisk).length) return null;
  let [at, text] = [-onDisk.note.bodyStart, ''];
  for await (const chunk of vault.notes.readInChunks(entry.path)) {
    const end = at + chunk.length;
    // Reads more than is shown to know whether anything follows.
    if (end > offset && at < offset + 2 * MAX_NODE_CONTENT_CHARACTERS)
      text += chunk.slice(Math.max(0, offset - at), offset + 2 * MAX_NODE_CONTENT_CHARACTERS - at);
    at = end;
  }
  return { start: offset, text };
}

/**
 * Returns an earlier version of a note in the same form, and where it was found. It is not logged as read, since it is not the current text
 * (E-32).
 */
async function getPastNode(
  context: OperationContext,
  { id, at, depth, section, offset, isOutline }: PastWanted,
): Promise<Omit<NodeResponse, 'content'> & { readonly content?: string; readonly as_of: AsOf }> {
  if (depth !== 0)
    throw new RouxError('INVALID_PARAMS', 'depth: the neighbors of then are not known; leave it out with as_of.', { field: 'depth' });
  const past = await readPastNote(context, id, at);
  const _origin = statedOrigin({ properties: past.onDisk.note.frontmatter.data });
  const silent: OperationContext = { ...context, readLog: null, takeWarnings: () => [] };
  if (isOutline) {
    const { content: _, next_offset: __, ...node } = toNodeResponse(silent, past, { content: 0, links: 0, isOutline: true });
    return { ...node, ...outlineOf(past.onDisk), _origin, as_of: past.asOf };
  }
  const node = toNodeResponse(silent, past, section === undefined ? { offset } : findSectionRange(past.onDisk, section, offset));
  return { ...node, _origin, as_of: past.asOf };
}

interface PastWanted {
  readonly id: string;
  readonly at: string;
  readonly depth: number;
  readonly section: string | undefined;
  readonly offset: number;
  readonly isOutline: boolean;
}

/** Lists the headings of a note, each with its line in the file and the size of its section, heading included (E-13). */
function outlineOf({ note }: NoteOnDisk): { readonly outline: readonly object[]; readonly outline_omitted?: number } {
  const all = listSections(note.text).map(({ heading: { text, level }, line, start, end }) => ({
    heading: text,
    level,
    line,
    characters: end - start,
  }));
  const outline = takeWhileFits(all, MAX_OUTLINE_CHARACTERS, { least: 0 });
  return { outline, ...(outline.length < all.length ? { outline_omitted: all.length - outline.length } : {}) };
}

/** Returns the range of a section in the body, from its heading or a later offset (E-13). */
function findSectionRange(
  { note }: NoteOnDisk,
  name: string,
  offset: number,
): { readonly offset: number; readonly end: number; readonly links: 0 } {
  const sections = listSections(note.text);
  const found = findSection(sections, name, 'section');
  if (found === null) throw noSuchHeading(sections, name, { field: 'section', hint: ' outline: true shows them with their sizes.' });
  const [start, end] = [found.start - note.bodyStart, found.end - note.bodyStart].map((at) => Math.max(0, at)) as [number, number];
  if (offset > 0 && (offset < start || offset >= end)) {
    throw new RouxError(
      'INVALID_PARAMS',
      `offset: that section has the characters ${start} to ${end} of the body; go on from next_offset.`,
      {
        field: 'offset',
      },
    );
  }
  // The links are those of the whole note.
  return { offset: Math.max(start, offset), end, links: 0 };
}
