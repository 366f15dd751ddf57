import type { GraphLink, NoteEntry } from '../graph/view.ts';
import { CREATED_KEYS, UPDATED_KEYS } from '../note/frontmatter/reserved-keys.ts';
import type { Properties } from '../note/note.ts';
import type { NoteOnDisk } from '../vault/sync/read-note-now.ts';
import { beginningOf } from './beginnings.ts';
import { listLinks } from './links.ts';
import type { LinkInfo } from './links.ts';
import { asFits, isShownAsField, isTaskNote, readTime, showFrontmatter, specialOf } from './node-properties.ts';
import type { Special } from './node-properties.ts';
import type { OperationContext } from './operation.ts';
import type { Reading } from './readings.ts';
import { CUT_SUFFIX, excerptOf, firstThatFit, shorten } from './shorten.ts';

/** Most characters of a body in one answer, by where it stands (S2-03). */
export const NODE_CONTENT = 10_000;
export const LIST_CONTENT = 500;
export const NEIGHBOR_CONTENT = 200;

const MAX_LINKS = 100;
const MAX_LIST_LINKS = 25;
const MAX_PROPERTIES = 6_000;
const MAX_LIST_PROPERTIES = 600;
/** What the targets of one note's links may take of an answer, by itself and in a list: each may be as long as a path can be. */
const MAX_LINKS_LENGTH = 8_000;
const MAX_LIST_LINKS_LENGTH = 3_000;
/** What a note by itself may take of an answer, and the least of its body that is shown even so. */
const MAX_NODE = 38_000;
const MIN_CONTENT_CHARACTERS = 500;
/** What a list may take of the 40,000 characters that a result has; the warnings of its last note come on top. */
const MAX_LIST = 36_500;
/** Most characters of warnings about one note of a list; the others come with the next answer that shows it. */
const MAX_LIST_WARNINGS = 1_500;

/** The shortest way to name a note. */
export interface NoteName {
  readonly id: string;
  readonly title: string;
  readonly path: string;
}

/** A note by its id, title and path. */
export function toNoteName({ id, title, path }: NoteEntry): NoteName {
  return { id, title, path };
}

/** A note in a list. */
export interface NodeSummary extends Special {
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
  /** Top-level keys that the note's `properties` map has too, which hides them. */
  readonly properties_shadowed?: Properties;
  readonly _warnings?: readonly string[];
}

/** A note by itself. */
export interface NodeResponse extends NodeSummary {
  readonly rev: number | null;
  readonly etag: string;
  readonly created: string;
  readonly updated: string;
  readonly format?: string;
  readonly encoding?: string;
  /** There where the note has the key. */
  readonly aliases?: readonly string[];
  readonly created_by?: string;
  /** The keys of a task that the task tools change. */
  readonly task?: Properties;
  /** Where to go on reading a body that was cut. */
  readonly next_offset?: number;
}

/** What an answer shows of one note: its body from an offset to an end, so many characters of it at most, and so many links. */
interface Shown {
  readonly offset: number;
  readonly end: number;
  readonly content: number;
  readonly links: number;
}

/** A part of a body, from a place in it on. */
export interface BodyPart {
  readonly start: number;
  readonly text: string;
}

/** A note to show. `links`: where they are not those of the graph, which knows what is there now. `part`: what is shown of a body that is not read whole. */
interface ShownNote {
  readonly entry: NoteEntry;
  readonly onDisk: NoteOnDisk;
  readonly part?: BodyPart;
  readonly links?: readonly GraphLink[];
}

/** One note with its body, or the part of it that is asked for. `isEcho`: a body that is cut was not asked for, and does not count as read; the frontmatter does. */
export function toNodeResponse(
  context: OperationContext,
  found: ShownNote,
  { isEcho = false, ...wanted }: Partial<Shown> & { readonly isEcho?: boolean } = {},
): NodeResponse {
  const reading = readingOf(found.onDisk);
  const length = reading.body.length;
  const show = { offset: 0, end: length, content: NODE_CONTENT, links: MAX_LINKS, ...wanted };
  const answer = describeWithin(context, found, show);
  // Nothing of it can be written, so that nobody asks what was read of it.
  if (found.onDisk.isPartial) return answer;
  if (isEcho && answer.next_offset !== undefined) context.readings?.showProperties(found.entry.path, reading);
  else context.readings?.show(found.entry.path, reading, [Math.min(show.offset, length), answer.next_offset ?? show.end]);
  return answer;
}

function describeWithin(context: OperationContext, found: ShownNote, show: Shown): NodeResponse {
  const whole = describeWhole(context, found, show);
  const length = JSON.stringify(whole).length;
  if (length <= MAX_NODE) return whole;
  // Less of the body, and a cursor that knows it: cut afterwards, the rest of it would be passed over.
  const room = MAX_NODE - (length - JSON.stringify(whole.content).length);
  const { _warnings: told } = whole;
  const shorter = describeWhole(context, found, { ...show, content: Math.max(MIN_CONTENT_CHARACTERS, Math.floor(room / 2)) });
  return told === undefined ? shorter : { ...shorter, _warnings: told };
}

function describeWhole(context: OperationContext, found: ShownNote, { offset, end, content, links }: Shown): NodeResponse {
  const { entry, onDisk } = found;
  const { data } = onDisk.note.frontmatter;
  const { text, nextOffset } = excerptShown(found, { offset, end, content });
  const { format, encoding, created_by: author } = data;
  const warnings = context.takeWarnings(entry);
  const { task } = showFrontmatter(data, isTaskNote(context, entry));
  return {
    ...describe(context, entry, {
      links,
      linksLength: MAX_LINKS_LENGTH,
      properties: MAX_PROPERTIES,
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
    ...(Object.keys(task).length === 0 ? {} : { task: asFits(task) }),
    ...(nextOffset === null ? {} : { next_offset: nextOffset }),
    ...(warnings.length === 0 ? {} : { _warnings: warnings }),
  };
}

function excerptShown({ onDisk, part }: ShownNote, { offset, end, content }: Omit<Shown, 'links'>): ReturnType<typeof excerptOf> {
  if (part === undefined) return excerptOf(bodyOf(onDisk).slice(0, end), { limit: content, offset });
  const { text, nextOffset } = excerptOf(part.text, { limit: content, offset: offset - part.start });
  return { text, nextOffset: nextOffset === null ? null : nextOffset + part.start };
}

/** A note to list, with what is special about it there. */
export interface Listed extends Special {
  readonly entry: NoteEntry;
  /** The stretch of the body to show; without it the beginning. */
  readonly snippet?: string;
}

/** Notes as a list that fits into one answer; the call's warnings say how many did not. */
export function toNodeList(
  context: OperationContext,
  listed: readonly Listed[],
  options: { readonly contentLength: number; readonly includeContent: boolean; readonly characters?: number },
): readonly NodeSummary[] {
  const most = options.characters ?? MAX_LIST;
  const shown: NodeSummary[] = [];
  let used = 0;
  for (const each of listed) {
    const summary = summarize(context, each, options);
    const length = JSON.stringify(summary).length + 1;
    if (used + length > most && (shown.length > 0 || options.characters !== undefined)) break;
    // Only what is delivered counts as told.
    const warnings = context.takeWarnings(each.entry, MAX_LIST_WARNINGS);
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
  { entry, snippet, ...special }: Listed,
  options: { readonly contentLength: number; readonly includeContent: boolean },
): NodeSummary {
  return {
    ...describe(context, entry, {
      links: MAX_LIST_LINKS,
      linksLength: MAX_LIST_LINKS_LENGTH,
      properties: MAX_LIST_PROPERTIES,
      content: options.includeContent ? (snippet ?? readBeginning(context, entry, options.contentLength)) : undefined,
    }),
    ...specialOf(special),
  };
}

/** Says how to go on where a page of a list is not the last one, or may not be: `isLowerBound`, `total` is what is known so far. */
export function warnOfRest(
  context: Pick<OperationContext, 'warn'>,
  page: { readonly kind: string; readonly total: number; readonly isLowerBound?: boolean; readonly offset: number; readonly shown: number },
): void {
  const { kind, total, isLowerBound = false, offset, shown } = page;
  const end = offset + shown;
  if (shown > 0 && (end < total || isLowerBound))
    context.warn(`${isLowerBound ? 'At least ' : ''}${total} ${kind}; this is ${offset + 1} to ${end}. Use offset ${end} for more.`);
}

/** A link target that no note stands for yet. */
export function toGhost(linkpath: string): NodeSummary {
  return { id: linkpath, title: linkpath, content: null, tags: [], links: [], path: null, type: null, properties: {} };
}

/** The body of a note: all after the frontmatter, byte for byte. */
export function bodyOf(onDisk: NoteOnDisk): string {
  return onDisk.note.text.slice(onDisk.note.bodyStart);
}

/** A note as a session that is shown some of it remembers it. */
export function readingOf(onDisk: NoteOnDisk): Omit<Reading, 'shown'> {
  return { hash: onDisk.hash, body: bodyOf(onDisk), properties: onDisk.note.frontmatter.data };
}

/** What tools call `etag`: the beginning of the hash of the bytes. */
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
  const shownLinks = firstThatFit(links.slice(0, show.links), show.linksLength, { least: 0 });
  const frontmatter = showFrontmatter(entry.properties, isTaskNote(context, entry));
  const own = Object.entries(frontmatter.properties);
  const properties =
    JSON.stringify(own).length <= show.properties
      ? own
      : firstThatFit(own, show.properties).filter((pair) => isShort(pair, show.properties));
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

/** The beginning of a note's body; `''` when the note is gone. */
function readBeginning({ vault }: OperationContext, entry: NoteEntry, length: number): string {
  const beginning = beginningOf(vault, entry);
  if (beginning === null) return '';
  const { text, isWhole } = beginning;
  return isWhole && text.length <= length ? text : shorten(`${text}${isWhole ? '' : CUT_SUFFIX}`, length, CUT_SUFFIX);
}
