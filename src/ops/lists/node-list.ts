import * as z from 'zod';
import type { Explained, Via } from '../../graph/search/search.ts';
import type { Direction, NoteEntry } from '../../graph/view.ts';
import { CREATED_KEYS, UPDATED_KEYS } from '../../note/frontmatter/reserved-keys.ts';
import { isoTime } from '../../note/iso-date.ts';
import type { PropertyValue } from '../../note/note.ts';
import type { Origin } from '../../note/origin.ts';
import { showLowOrigin } from '../call/origin.ts';
import { showStale } from '../freshness/show.ts';
import type { ShownFreshness } from '../freshness/show.ts';
import type { ShownConnection } from '../connections/show-connections.ts';
import { isShownAsField, isTaskNote, listProperties, readTime } from '../node-properties.ts';
import type { OperationContext } from '../operation.ts';
import { TRUNCATED_SUFFIX, shorten, takeWhileFits } from '../shorten.ts';
import { etagOf, showLinks, showProperties } from '../view.ts';
import type { NodeFields } from '../view.ts';
import { readBodyExcerpt } from './body-excerpt.ts';

/** Maximum characters of the body of a note in a list, and of a neighbor (S2-03). */
export const LIST_CONTENT_CHARACTERS = 500;
export const NEIGHBOR_CONTENT_CHARACTERS = 200;

const MAX_LIST_LINKS = 25;
const MAX_LIST_LINKS_CHARACTERS = 3_000;
const MAX_LIST_PROPERTIES_CHARACTERS = 600;
/** Maximum characters of a list, of the 40,000 of a result; the warnings about its last note come on top. */
const MAX_LIST_CHARACTERS = 36_500;
/** Maximum characters of warnings about one note of a list; the rest come with the next answer that shows it. */
const MAX_LIST_WARNINGS_CHARACTERS = 1_500;

/** An argument of every tool that lists notes. */
export const fieldsInput = z.array(z.string()).optional().describe('More of each: links, properties, etag, updated, due');

/** A note in a list: no empty field, and of the others those that the caller names. */
export interface NodeSummary extends Partial<NodeFields>, ListExtras, Partial<ShownFreshness> {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly etag?: string;
  readonly created?: string;
  readonly updated?: string;
  /** Absent when the caller wants none. */
  readonly content?: string;
  /** Who the text comes from, if that is less than an agent. */
  readonly _origin?: Origin;
  readonly _warnings?: readonly string[];
}

/** What a list can say about a note besides its own fields. */
export interface ListExtras {
  /** The direction of the link. */
  readonly direction?: Direction;
  /** The connections to the note in question. */
  readonly connections?: readonly ShownConnection[];
  /** The entries of its `applies_to` that match the path in question. */
  readonly applies_to?: readonly string[];
  /** Relevance, 0 to 1. */
  readonly score?: number;
  /** How likely any note of the answer fits, 0 to 1: on the first one of it. */
  readonly confidence?: number;
  /** The headings above what matched, in the form that `get_node` accepts as `section`: `Setup#On Linux`. */
  readonly heading?: string;
  /** The line of the file, from 1, with what matched. */
  readonly line?: number;
  /** The hit through which a search with hops reached it. */
  readonly via?: Via;
  /** Why a search found it, where that was asked. */
  readonly explained?: Explanation;
}

/** Why a search found a note. */
export interface Explanation extends Pick<Explained, 'words' | 'missing'> {
  /** The line, from 1, at which the passage with most of its words begins. */
  readonly line?: number;
  /** Shares of the score, together 1. */
  readonly by_words: number;
  readonly by_meaning: number;
}

/** A note to list. */
export interface Listed extends ListExtras {
  readonly entry: NoteEntry;
  /** The part of the body to show; absent: its first characters. */
  readonly snippet?: string;
  readonly freshness?: Partial<ShownFreshness>;
}

/** How much of each note a list shows. */
interface ListOptions {
  readonly contentLength: number;
  readonly includeContent: boolean;
  /** More to show: `links`, `properties`, `aliases`, `etag`, `created`, `updated`, or names of properties. */
  readonly fields?: readonly string[] | undefined;
  readonly characters?: number;
}

/** Builds a list of notes that fits into one answer; a warning says how many did not fit. */
export function toNodeList(context: OperationContext, listed: readonly Listed[], options: ListOptions): readonly NodeSummary[] {
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

function summarize(context: OperationContext, { entry, snippet, freshness, ...special }: Listed, options: ListOptions): NodeSummary {
  const { id, title, path, tags, type } = entry;
  return {
    id,
    title,
    path,
    ...(type === null ? {} : { type }),
    ...(tags.length === 0 ? {} : { tags }),
    ...formatListExtras(special),
    ...(options.includeContent ? { content: snippet ?? readExcerpt(context, entry, options.contentLength) } : {}),
    ...(options.fields === undefined ? {} : showFields(context, entry, options.fields)),
    ...showLowOrigin(entry),
    ...(freshness ?? showStale(context.vault, entry)),
  };
}

/** Returns the fields that the caller names; what a note does not have is left out. */
function showFields(context: OperationContext, entry: NoteEntry, fields: readonly string[]): Partial<NodeSummary> {
  const wanted = new Set(fields);
  const { properties } = entry;
  const [created, updated] = [readTime(properties, CREATED_KEYS), readTime(properties, UPDATED_KEYS)];
  return {
    ...(wanted.has('links') ? showLinks(context, entry, { links: MAX_LIST_LINKS, characters: MAX_LIST_LINKS_CHARACTERS }) : {}),
    ...(wanted.has('properties')
      ? showProperties(context, entry, MAX_LIST_PROPERTIES_CHARACTERS)
      : showNamedProperties(context, entry, fields)),
    ...(wanted.has('aliases') && isShownAsField(properties, 'aliases') && entry.aliases.length > 0 ? { aliases: entry.aliases } : {}),
    ...(wanted.has('etag') ? { etag: etagOf(entry.hash) } : {}),
    ...(wanted.has('created') && created !== null ? { created } : {}),
    ...(wanted.has('updated') ? { updated: updated ?? isoTime(entry.stamp.mtimeNs) } : {}),
  };
}

function showNamedProperties(
  context: OperationContext,
  entry: NoteEntry,
  fields: readonly string[],
): Pick<NodeSummary, 'properties' | 'properties_omitted'> {
  const own = listProperties(entry.properties, isTaskNote(context, entry));
  const named = [...new Set(fields)].flatMap((key): [string, PropertyValue][] =>
    Object.hasOwn(own, key) ? [[key, own[key] ?? null]] : [],
  );
  if (named.length === 0) return {};
  const size = ([, value]: [string, PropertyValue]): number => JSON.stringify(value).length;
  const shortest = named.toSorted((a, b) => size(a) - size(b));
  const shown = new Set(takeWhileFits(shortest, MAX_LIST_PROPERTIES_CHARACTERS, { least: 0 }));
  const omitted = named.filter((each) => !shown.has(each)).map(([key]) => key);
  return {
    properties: Object.fromEntries(named.filter((each) => shown.has(each))),
    ...(omitted.length === 0 ? {} : { properties_omitted: omitted }),
  };
}

/** Picks the extras that are present, with scores rounded. */
function formatListExtras({ score, confidence, direction, connections, applies_to: anchors, ...rest }: ListExtras): ListExtras {
  const { heading, line, via, explained } = rest;
  return {
    ...(direction === undefined ? {} : { direction }),
    ...(anchors === undefined ? {} : { applies_to: anchors }),
    ...(connections === undefined ? {} : { connections }),
    ...(score === undefined ? {} : { score: Math.round(score * 1000) / 1000 }),
    ...(confidence === undefined ? {} : { confidence: Math.round(confidence * 1000) / 1000 }),
    ...(heading === undefined ? {} : { heading }),
    ...(line === undefined ? {} : { line }),
    ...(explained === undefined ? {} : { explained }),
    ...(via === undefined ? {} : { via }),
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

/** Returns the first characters of a note's body; `''` when the note no longer exists. */
function readExcerpt({ vault }: OperationContext, entry: NoteEntry, length: number): string {
  const excerpt = readBodyExcerpt(vault, entry);
  if (excerpt === null) return '';
  const { text, isWhole } = excerpt;
  return isWhole && text.length <= length ? text : shorten(`${text}${isWhole ? '' : TRUNCATED_SUFFIX}`, length, TRUNCATED_SUFFIX);
}
