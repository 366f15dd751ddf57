import type { GraphLink, NoteEntry } from '../graph/view.ts';
import type { Properties } from '../note/note.ts';
import type { Origin } from '../note/origin.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';
import { listLinks } from './links.ts';
import type { LinkInfo } from './links.ts';
import { truncateTaskValues, isShownAsField, isTaskNote, readTimes, showFrontmatter, tellRevision } from './node-properties.ts';
import type { OperationContext } from './operation.ts';
import type { ReadRecord } from './read-log.ts';
import { sliceText, takeWhileFits } from './shorten.ts';

/** Maximum characters of the body of one node in an answer (S2-03). */
export const MAX_NODE_CONTENT_CHARACTERS = 10_000;

const MAX_LINKS = 100;
const MAX_PROPERTIES_CHARACTERS = 6_000;
/** Maximum characters of link targets: each may be as long as a path. */
const MAX_LINKS_CHARACTERS = 8_000;
/** Maximum characters of one node, and the minimum of its body that is shown regardless. */
const MAX_NODE_CHARACTERS = 38_000;
const MIN_CONTENT_CHARACTERS = 500;

/** The shortest way to name a note. */
export interface NoteName {
  readonly id: string;
  readonly title: string;
  readonly path: string;
}

export function toNoteName({ id, title, path }: NoteEntry): NoteName {
  return { id, title, path };
}

/** What the frontmatter and the links of a note are. */
export interface NodeFields {
  readonly id: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly links: readonly LinkInfo[];
  readonly links_omitted?: number;
  readonly path: string;
  readonly type: string | null;
  readonly properties: Properties;
  readonly properties_omitted?: readonly string[];
  /** Top-level keys that are hidden by a key of the note's `properties` map. */
  readonly properties_shadowed?: Properties;
}

/** One note in full. */
export interface NodeResponse extends NodeFields {
  /** Who the text comes from. */
  readonly _origin?: Origin;
  readonly content: string;
  readonly _warnings?: readonly string[];
  readonly rev: number | null;
  readonly etag: string;
  readonly created: string;
  readonly updated: string;
  readonly format?: string;
  readonly encoding?: string;
  /** Present when the note has the key. */
  readonly aliases?: readonly string[];
  readonly created_by?: string;
  /** The keys of a task that the task tools change. */
  readonly task?: Properties;
  /** Where to continue reading a truncated body. */
  readonly next_offset?: number;
}

/** Which part of a note an answer shows: its body from `offset` to `end`, at most `content` characters of it, and at most `links` links. */
interface ShownPart {
  readonly offset: number;
  readonly end: number;
  readonly content: number;
  readonly links: number;
}

/** A part of a body that begins at `start`. */
export interface BodyPart {
  readonly start: number;
  readonly text: string;
}

/** A note to show. `links`: given when they differ from those of the graph, which has the current ones. `part`: the shown part of a body that was not read whole. */
interface ShownNote {
  readonly entry: NoteEntry;
  readonly onDisk: NoteOnDisk;
  readonly part?: BodyPart;
  readonly links?: readonly GraphLink[];
}

/** Builds the answer for one note with its body or the wanted part. `isOutline`: only the frontmatter counts as read. */
export function toNodeResponse(
  context: OperationContext,
  found: ShownNote,
  { isOutline = false, ...wanted }: Partial<ShownPart> & { readonly isOutline?: boolean } = {},
): NodeResponse {
  const record = toReadRecord(found.onDisk);
  const length = record.body.length;
  const show = { offset: 0, end: length, content: MAX_NODE_CONTENT_CHARACTERS, links: MAX_LINKS, ...wanted };
  const answer = describeWithin(context, found, show);
  // It cannot be written, so what was read of it does not matter.
  if (found.onDisk.isPartial) return answer;
  if (isOutline) context.readLog?.addProperties(found.entry.path, record);
  else context.readLog?.add(found.entry.path, record, [Math.min(show.offset, length), answer.next_offset ?? show.end]);
  return answer;
}

function describeWithin(context: OperationContext, found: ShownNote, show: ShownPart): NodeResponse {
  const whole = describeWhole(context, found, show);
  const length = JSON.stringify(whole).length;
  if (length <= MAX_NODE_CHARACTERS) return whole;
  // A shorter body needs a matching cursor; truncated afterwards, its rest would be skipped.
  const room = MAX_NODE_CHARACTERS - (length - JSON.stringify(whole.content).length);
  const { _warnings: warnings } = whole;
  const shorter = describeWhole(context, found, { ...show, content: Math.max(MIN_CONTENT_CHARACTERS, Math.floor(room / 2)) });
  return warnings === undefined ? shorter : { ...shorter, _warnings: warnings };
}

function describeWhole(context: OperationContext, found: ShownNote, { offset, end, content, links }: ShownPart): NodeResponse {
  const { entry, onDisk } = found;
  const { data } = onDisk.note.frontmatter;
  const { text, nextOffset } = excerptShown(found, { offset, end, content });
  const { format, encoding, created_by: author } = data;
  const warnings = context.takeWarnings(entry);
  const { task } = showFrontmatter(data, isTaskNote(context, entry));
  return {
    id: entry.id,
    title: entry.title,
    content: text,
    tags: entry.tags,
    ...showLinks(context, entry, { links, characters: MAX_LINKS_CHARACTERS, of: found.links }),
    path: entry.path,
    type: entry.type,
    ...showProperties(context, entry, MAX_PROPERTIES_CHARACTERS),
    rev: tellRevision(context, found),
    etag: etagOf(onDisk.hash),
    ...readTimes(onDisk),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof encoding === 'string' ? { encoding } : {}),
    ...(data['aliases'] !== undefined && isShownAsField(data, 'aliases') ? { aliases: entry.aliases } : {}),
    ...(typeof author === 'string' ? { created_by: author } : {}),
    ...(Object.keys(task).length === 0 ? {} : { task: truncateTaskValues(task) }),
    ...(nextOffset === null ? {} : { next_offset: nextOffset }),
    ...(warnings.length === 0 ? {} : { _warnings: warnings }),
  };
}

function excerptShown({ onDisk, part }: ShownNote, { offset, end, content }: Omit<ShownPart, 'links'>): ReturnType<typeof sliceText> {
  if (part === undefined) return sliceText(bodyOf(onDisk).slice(0, end), { limit: content, offset });
  const { text, nextOffset } = sliceText(part.text, { limit: content, offset: offset - part.start });
  return { text, nextOffset: nextOffset === null ? null : nextOffset + part.start };
}

/** Returns the body of a note: everything after the frontmatter, unchanged. */
export function bodyOf(onDisk: NoteOnDisk): string {
  return onDisk.note.text.slice(onDisk.note.bodyStart);
}

/** Returns what the read log records of a note. */
export function toReadRecord(onDisk: NoteOnDisk): Omit<ReadRecord, 'shown'> {
  return { hash: onDisk.hash, body: bodyOf(onDisk), properties: onDisk.note.frontmatter.data };
}

/** Returns the `etag` of tools: the first characters of the content hash. */
export function etagOf(hash: string): string {
  return hash.slice(0, 16);
}

/** Returns the links of a note, as many as fit. `of`: given when they differ from those of the graph. */
export function showLinks(
  { vault }: Pick<OperationContext, 'vault'>,
  entry: NoteEntry,
  most: { readonly links: number; readonly characters: number; readonly of?: readonly GraphLink[] | undefined },
): Pick<NodeFields, 'links' | 'links_omitted'> {
  const links = listLinks(vault.graph, entry.path, most.of);
  const shown = takeWhileFits(links.slice(0, most.links), most.characters, { least: 0 });
  return { links: shown, ...(links.length > shown.length ? { links_omitted: links.length - shown.length } : {}) };
}

/** Returns the properties of a note, as many as fit. */
export function showProperties(
  context: Pick<OperationContext, 'config'>,
  entry: NoteEntry,
  characters: number,
): Pick<NodeFields, 'properties' | 'properties_omitted' | 'properties_shadowed'> {
  const frontmatter = showFrontmatter(entry.properties, isTaskNote(context, entry));
  const own = Object.entries(frontmatter.properties);
  const isShort = (value: unknown): boolean => JSON.stringify(value).length <= characters;
  const shown = isShort(own) ? own : takeWhileFits(own, characters).filter(isShort);
  const names = new Set(shown.map(([key]) => key));
  const omitted = own.map(([key]) => key).filter((key) => !names.has(key));
  return {
    properties: Object.fromEntries(shown),
    ...(omitted.length === 0 ? {} : { properties_omitted: omitted.slice(0, 50) }),
    ...(Object.keys(frontmatter.shadowed).length === 0 ? {} : { properties_shadowed: frontmatter.shadowed }),
  };
}
