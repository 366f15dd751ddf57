import { createHash } from 'node:crypto';
import type { StoredEntity } from './memory-index.ts';
import type { Entity } from './shapes.ts';

/** Observations with more characters of JSON are truncated in an answer. */
const MAX_OBSERVATION_CHARACTERS = 20_000;

/** An entity as far as it fits into an answer. */
export interface FittedEntity {
  readonly entity: Entity;
  /** Length as JSON in characters. */
  readonly length: number;
  /** Number of observations shown. */
  readonly shown: number;
  /** Number of those that are truncated. */
  readonly cutTexts: number;
  /** Whether something was left out because of its length, rather than because of `max`. */
  readonly isCut: boolean;
  /** The offset of the rest of the text that was read from `textOffset`; null at its end. */
  readonly nextText: number | null;
}

/** The part of an entity to show: its newest observations, those from `from` on, or the text of one from `textOffset` on. */
export interface Wanted {
  readonly characters: number;
  readonly max?: number;
  readonly from?: number;
  readonly textOffset?: number;
  /** Words in lower case: of an entity with many observations those with most of them come first (K-17). */
  readonly first?: readonly string[];
}

/** An entity with more observations than this shows those that match a search first. */
const MAX_UNSORTED_OBSERVATIONS = 5;

/** Returns an entity with as many of the requested observations as fit, at least one. */
export function fitEntity(stored: StoredEntity, { characters, max, from, textOffset, first = [] }: Wanted): FittedEntity {
  const { name, entityType, observations } = stored;
  const count = observations.length;
  const bare = JSON.stringify({ name, entityType, observations: [] }).length;
  const available = characters - bare - 1;
  let used = 0;
  const toFitted = (shown: readonly string[], cutTexts: number, isCut: boolean, nextText: number | null = null): FittedEntity => ({
    entity: { name, entityType, observations: shown },
    length: bare + Math.max(0, used - 1),
    shown: shown.length,
    cutTexts,
    isCut,
    nextText,
  });
  if (textOffset !== undefined) {
    const text = observations[from ?? 0]?.slice(textOffset) ?? '';
    const piece = truncate(text, Math.max(1_000, available));
    used = JSON.stringify(piece).length + 1;
    return toFitted([piece], 0, true, piece.length < text.length ? textOffset + piece.length : null);
  }
  const requested = from === undefined ? Math.min(count, max ?? count) : Math.min(Math.max(0, count - from), max ?? count);
  const matches = from === undefined && first.length > 0 && count > MAX_UNSORTED_OBSERVATIONS ? countMatches(observations, first) : null;
  const matchesAt = (position: number): number => matches?.[position] ?? 0;
  const byMatches = matches === null ? null : [...observations.keys()].sort((a, b) => matchesAt(b) - matchesAt(a) || b - a);
  const shown: { readonly position: number; readonly text: string }[] = [];
  let cutTexts = 0;
  for (let step = 0; step < requested; step += 1) {
    // Prefers those that match, then the newest, but the first ones when reading from a position.
    const position = from === undefined ? (byMatches?.[step] ?? count - 1 - step) : from + step;
    const full = observations[position]!;
    const length = JSON.stringify(full).length + 1;
    const isLong = length > MAX_OBSERVATION_CHARACTERS;
    const text = isLong
      ? truncate(full, Math.max(1_000, Math.min(MAX_OBSERVATION_CHARACTERS, available) - 200)) + cutMark(full, position)
      : full;
    const size = isLong ? JSON.stringify(text).length + 1 : length;
    if (used + size > available && shown.length > 0) return toFitted(inOrder(), cutTexts, true);
    if (isLong) cutTexts += 1;
    shown.push({ position, text });
    used += size;
  }
  return toFitted(inOrder(), cutTexts, used > available || cutTexts > 0);

  function inOrder(): readonly string[] {
    return shown.sort((a, b) => matchesAt(b.position) - matchesAt(a.position) || a.position - b.position).map(({ text }) => text);
  }
}

/** Returns how many of the words each observation has. */
function countMatches(observations: readonly string[], words: readonly string[]): readonly number[] {
  return observations.map((text) => {
    const folded = text.toLowerCase();
    return words.filter((word) => folded.includes(word)).length;
  });
}

const CUT_MARK = /… \[\d+ characters in all, observations_offset \d+, ([0-9a-f]{16})\]$/;

/** Returns the end of a truncated observation: enough to read the rest and to identify it. */
function cutMark(text: string, position: number): string {
  return `… [${text.length} characters in all, observations_offset ${position}, ${hashOf(text)}]`;
}

/** Returns whether a text is a truncated observation. */
export function isCutText(shown: string): boolean {
  return CUT_MARK.test(shown);
}

/** Returns whether a text is this observation as an answer truncated it. */
export function isCutOf(shown: string, observation: string): boolean {
  const mark = CUT_MARK.exec(shown);
  return mark !== null && observation.startsWith(shown.slice(0, mark.index)) && mark[1] === hashOf(observation);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);
}

/** Truncates a text to a number of characters of JSON, never inside a surrogate pair. */
function truncate(text: string, characters: number): string {
  let end = Math.min(text.length, characters);
  while (end > 1 && JSON.stringify(text.slice(0, end)).length > characters) {
    end = Math.max(1, Math.floor((end * characters) / JSON.stringify(text.slice(0, end)).length) - 1);
  }
  const last = text.charCodeAt(end - 1);
  return text.slice(0, end < text.length && last >= 0xd800 && last <= 0xdbff ? end + (end === 1 ? 1 : -1) : end);
}
