import type { GraphLink, NoteEntry } from '../graph/view.ts';
import { CREATED_KEYS, UPDATED_KEYS } from '../note/frontmatter/reserved-keys.ts';
import type { Properties } from '../note/note.ts';
import type { Origin } from '../note/origin.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';
import { showStale } from './freshness/show.ts';
import type { ShownFreshness } from './freshness/show.ts';
import { readBodyExcerpt } from './body-excerpt.ts';
import { showLowOrigin } from './call/note-origin.ts';
import { listLinks } from './links.ts';
import type { LinkInfo } from './links.ts';
import { truncateTaskValues, isShownAsField, isTaskNote, readTime, showFrontmatter, formatListExtras } from './node-properties.ts';
import type { ListExtras } from './node-properties.ts';
import type { OperationContext } from './operation.ts';
import type { ReadRecord } from './read-log.ts';
import { TRUNCATED_SUFFIX, sliceText, takeWhileFits, shorten } from './shorten.ts';

/** Maximum characters of a body in an answer (S2-03): of one node, of a node in a list, of a neighbor. */
export const MAX_NODE_CONTENT_CHARACTERS = 10_000;
export const LIST_CONTENT_CHARACTERS = 500;
export const NEIGHBOR_CONTENT_CHARACTERS = 200;

const MAX_LINKS = 100;
const MAX_LIST_LINKS = 25;
const MAX_PROPERTIES_CHARACTERS = 6_000;
const MAX_LIST_PROPERTIES_CHARACTERS = 600;
/** Maximum characters of link targets, of one node and of a node in a list: each target may be as long as a path. */
const MAX_LINKS_CHARACTERS = 8_000;
const MAX_LIST_LINKS_CHARACTERS = 3_000;
/** Maximum characters of one node, and the minimum of its body that is shown regardless. */
const MAX_NODE_CHARACTERS = 38_000;
const MIN_CONTENT_CHARACTERS = 500;
/** Maximum characters of a list, of the 40,000 of a result; the warnings about its last note come on top. */
const MAX_LIST_CHARACTERS = 36_500;
/** Maximum characters of warnings about one note of a list; the rest come with the next answer that shows it. */
const MAX_LIST_WARNINGS_CHARACTERS = 1_500;

/** The shortest way to name a note. */
export interface NoteName {
  readonly id: string;
  readonly title: string;
  readonly path: string;
}

export function toNoteName({ id, title, path }: NoteEntry): NoteName {
  return { id, title, path };
}

/** A note in a list. */
export interface NodeSummary extends ListExtras, Partial<ShownFreshness> {
  readonly id: string;
  readonly title: string;
  /** Null for a link target that no note stands for yet; absent when the caller wants none. */
  readonly content?: string | null;
  readonly tags: readonly string[];
  readonly links: readonly LinkInfo[];
  readonly links_omitted?: number;
  readonly path: string | null;
  readonly type: string | null;
  readonly properties: Properties;
  readonly properties_omitted?: readonly string[];
  /** Top-level keys that are hidden by a key of the note's `properties` map. */
  readonly properties_shadowed?: Properties;
  /** Who the text comes from; in lists only if that is less than an agent. */
  readonly _origin?: Origin;
  readonly _warnings?: readonly string[];
}

/** One note in full. */
export interface NodeResponse extends NodeSummary {
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

/** Builds the answer for one note with its body or the wanted part. `isEcho`: the body was not asked for, so a truncated one does not count as read; the frontmatter does. */
export function toNodeResponse(
  context: OperationContext,
  found: ShownNote,
  { isEcho = false, ...wanted }: Partial<ShownPart> & { readonly isEcho?: boolean } = {},
): NodeResponse {
  const record = toReadRecord(found.onDisk);
  const length = record.body.length;
  const show = { offset: 0, end: length, content: MAX_NODE_CONTENT_CHARACTERS, links: MAX_LINKS, ...wanted };
  const answer = describeWithin(context, found, show);
  // It cannot be written, so what was read of it does not matter.
  if (found.onDisk.isPartial) return answer;
  if (isEcho && answer.next_offset !== undefined) context.readLog?.addProperties(found.entry.path, record);
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
    ...describe(context, entry, {
      links,
      linksLength: MAX_LINKS_CHARACTERS,
      properties: MAX_PROPERTIES_CHARACTERS,
      content: text,
      of: found.links,
    }),
    rev: onDisk.rev,
    etag: etagOf(onDisk.hash),
    created: readTime(data, CREATED_KEYS) ?? new Date(onDisk.createdMs).toISOString(),
    updated: readTime(data, UPDATED_KEYS) ?? new Date(onDisk.modifiedMs).toISOString(),
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

/** A note to list. */
export interface Listed extends ListExtras {
  readonly entry: NoteEntry;
  /** The part of the body to show; absent: its first characters. */
  readonly snippet?: string;
  readonly freshness?: ShownFreshness;
}

/** Builds a list of notes that fits into one answer; a warning says how many did not fit. */
export function toNodeList(
  context: OperationContext,
  listed: readonly Listed[],
  options: { readonly contentLength: number; readonly includeContent: boolean; readonly characters?: number },
): readonly NodeSummary[] {
  const most = options.characters ?? MAX_LIST_CHARACTERS;
  const shown: NodeSummary[] = [];
  let used = 0;
  for (const each of listed) {
    const summary = summarize(context, each, options);
    const length = JSON.stringify(summary).length + 1;
    if (used + length > most && (shown.length > 0 || options.characters !== undefined)) break;
    // Warnings count as delivered only for notes that are in the answer.
    const warnings = context.takeWarnings(each.entry, MAX_LIST_WARNINGS_CHARACTERS);
    shown.push(warnings.length === 0 ? summary : { ...summary, _warnings: warnings });
    used += length + (warnings.length === 0 ? 0 : JSON.stringify(warnings).length + 13);
  }
  if (shown.length < listed.length) {
    context.warn(
      `${listed.length - shown.length} of ${listed.length} nodes were left out to keep the answer short; ask for fewer at a time.`,
    );
  }
  return shown;
}

function summarize(
  context: OperationContext,
  { entry, snippet, freshness, ...special }: Listed,
  options: { readonly contentLength: number; readonly includeContent: boolean },
): NodeSummary {
  return {
    ...describe(context, entry, {
      links: MAX_LIST_LINKS,
      linksLength: MAX_LIST_LINKS_CHARACTERS,
      properties: MAX_LIST_PROPERTIES_CHARACTERS,
      content: options.includeContent ? (snippet ?? readExcerpt(context, entry, options.contentLength)) : undefined,
    }),
    ...formatListExtras(special),
    ...showLowOrigin(entry),
    ...(freshness ?? showStale(context.vault, entry)),
  };
}

/** Warns how to continue when a page of a list is not, or may not be, the last one. `isLowerBound`: `total` is what is known so far. */
export function warnOfMore(
  context: Pick<OperationContext, 'warn'>,
  page: { readonly kind: string; readonly total: number; readonly isLowerBound?: boolean; readonly offset: number; readonly shown: number },
): void {
  const { kind, total, isLowerBound = false, offset, shown } = page;
  const end = offset + shown;
  if (shown > 0 && (end < total || isLowerBound))
    context.warn(`${isLowerBound ? 'At least ' : ''}${total} ${kind}; this is ${offset + 1} to ${end}. Use offset ${end} for more.`);
}

/** Builds the list entry for an unresolved link target. */
export function toGhost(linkpath: string): NodeSummary {
  return { id: linkpath, title: linkpath, content: null, tags: [], links: [], path: null, type: null, properties: {} };
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

function describe(
  context: Pick<OperationContext, 'vault' | 'config'>,
  entry: NoteEntry,
  show: {
    readonly links: number;
    readonly linksLength: number;
    readonly properties: number;
    readonly content: string | undefined;
    readonly of?: readonly GraphLink[] | undefined;
  },
): NodeSummary {
  const links = listLinks(context.vault.graph, entry.path, show.of);
  const shownLinks = takeWhileFits(links.slice(0, show.links), show.linksLength, { least: 0 });
  const frontmatter = showFrontmatter(entry.properties, isTaskNote(context, entry));
  const own = Object.entries(frontmatter.properties);
  const properties =
    JSON.stringify(own).length <= show.properties
      ? own
      : takeWhileFits(own, show.properties).filter((pair) => isShort(pair, show.properties));
  const shown = new Set(properties.map(([key]) => key));
  const omitted = own.map(([key]) => key).filter((key) => !shown.has(key));
  return {
    id: entry.id,
    title: entry.title,
    ...(show.content === undefined ? {} : { content: show.content }),
    tags: entry.tags,
    links: shownLinks,
    ...(links.length > shownLinks.length ? { links_omitted: links.length - shownLinks.length } : {}),
    path: entry.path,
    type: entry.type,
    properties: Object.fromEntries(properties),
    ...(omitted.length === 0 ? {} : { properties_omitted: omitted.slice(0, 50) }),
    ...(Object.keys(frontmatter.shadowed).length === 0 ? {} : { properties_shadowed: frontmatter.shadowed }),
  };
}

function isShort(value: unknown, characters: number): boolean {
  return JSON.stringify(value).length <= characters;
}

/** Returns the first characters of a note's body; `''` when the note no longer exists. */
function readExcerpt({ vault }: OperationContext, entry: NoteEntry, length: number): string {
  const excerpt = readBodyExcerpt(vault, entry);
  if (excerpt === null) return '';
  const { text, isWhole } = excerpt;
  return isWhole && text.length <= length ? text : shorten(`${text}${isWhole ? '' : TRUNCATED_SUFFIX}`, length, TRUNCATED_SUFFIX);
}
