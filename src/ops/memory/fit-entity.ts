import { createHash } from 'node:crypto';
import type { StoredEntity } from './memory-index.ts';
import type { Entity } from './shapes.ts';

/** Most characters of JSON that one observation may take of an answer. */
const LONG_TEXT = 20_000;

/** An entity as far as an answer shows it. */
export interface FittedEntity {
  readonly entity: Entity;
  /** Characters that it takes as JSON. */
  readonly length: number;
  /** So many observations are shown. */
  readonly shown: number;
  /** So many of them only by their beginning. */
  readonly cutTexts: number;
  /** Something was left out for its length, not because of `most`. */
  readonly isCut: boolean;
  /** Where the text goes on that was asked for from a place in it; null at its end. */
  readonly nextText: number | null;
}

/** What is wanted of an entity: its newest observations, or those from one on, or the text of one from a place on. */
export interface Wanted {
  readonly characters: number;
  readonly most?: number;
  readonly from?: number;
  readonly textOffset?: number;
}

/** The observations of an entity that fit, at least one of those wanted. */
export function fitEntity(stored: StoredEntity, { characters, most, from, textOffset }: Wanted): FittedEntity {
  const { name, entityType, observations } = stored;
  const count = observations.length;
  const bare = JSON.stringify({ name, entityType, observations: [] }).length;
  const room = characters - bare - 1;
  const toFitted = (shown: readonly string[], cutTexts: number, isCut: boolean, nextText: number | null = null): FittedEntity => ({
    entity: { name, entityType, observations: shown },
    length: bare + Math.max(0, used - 1),
    shown: shown.length,
    cutTexts,
    isCut,
    nextText,
  });
  let used = 0;
  if (textOffset !== undefined) {
    const text = observations[from ?? 0]?.slice(textOffset) ?? '';
    const piece = beginning(text, Math.max(1_000, room));
    used = JSON.stringify(piece).length + 1;
    return toFitted([piece], 0, true, piece.length < text.length ? textOffset + piece.length : null);
  }
  const wanted = from === undefined ? Math.min(count, most ?? count) : Math.min(Math.max(0, count - from), most ?? count);
  const shown: string[] = [];
  let cutTexts = 0;
  for (let step = 0; step < wanted; step += 1) {
    // The newest are kept where not all fit; from a place on, the first ones are.
    const position = from === undefined ? count - 1 - step : from + step;
    const whole = observations[position]!;
    const length = JSON.stringify(whole).length + 1;
    const isLong = length > LONG_TEXT;
    const text = isLong ? beginning(whole, Math.max(1_000, Math.min(LONG_TEXT, room) - 200)) + cutMark(whole, position) : whole;
    const size = isLong ? JSON.stringify(text).length + 1 : length;
    if (used + size > room && shown.length > 0) return toFitted(inOrder(), cutTexts, true);
    if (isLong) cutTexts += 1;
    shown.push(text);
    used += size;
  }
  return toFitted(inOrder(), cutTexts, used > room || cutTexts > 0);

  function inOrder(): readonly string[] {
    return from === undefined ? shown.toReversed() : shown;
  }
}

const CUT_MARK = /… \[\d+ characters in all, observations_offset \d+, ([0-9a-f]{16})\]$/;

/** What an observation ends with where only its beginning is shown: enough to read the rest of it and to name it. */
function cutMark(text: string, position: number): string {
  return `… [${text.length} characters in all, observations_offset ${position}, ${hashOf(text)}]`;
}

/** Whether a text says of itself that it is only the beginning of an observation. */
export function isCutText(shown: string): boolean {
  return CUT_MARK.test(shown);
}

/** Whether a text is how an answer showed the beginning of this observation. */
export function isCutOf(shown: string, observation: string): boolean {
  const mark = CUT_MARK.exec(shown);
  return mark !== null && observation.startsWith(shown.slice(0, mark.index)) && mark[1] === hashOf(observation);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);
}

/** As much of a text as fits into so many characters of JSON, never ending inside a surrogate pair. */
function beginning(text: string, characters: number): string {
  let end = Math.min(text.length, characters);
  while (end > 1 && JSON.stringify(text.slice(0, end)).length > characters) {
    end = Math.max(1, Math.floor((end * characters) / JSON.stringify(text.slice(0, end)).length) - 1);
  }
  const last = text.charCodeAt(end - 1);
  return text.slice(0, end < text.length && last >= 0xd800 && last <= 0xdbff ? end + (end === 1 ? 1 : -1) : end);
}
