import { RouxError } from '../../errors.ts';
import type { Span } from '../note.ts';
import { lineEnd, lineStart, wholeEnd, countLines } from '../text.ts';
import type { Splice } from '../text.ts';
import { findNearestText } from './nearest-text.ts';

/** Matches listed in a message, and context characters of each. */
const MAX_PLACES = 10;
const MAX_CONTEXT_CHARACTERS = 60;
/** Lines of a text that are looked for one by one. */
const MAX_WANTED_LINES = 50;
/** Characters of the nearest line that a message shows. */
const MAX_LINE_CHARACTERS = 300;
/** Matches counted for a text that must be unique; self-overlapping ones could take forever. */
const MAX_COUNTED = 1_000;

/** An exact text to find in a body, and its replacement. */
interface Replacement {
  readonly find: string;
  readonly by: string;
  readonly all: boolean;
  /** Names it in errors: `edits[0]`. */
  readonly field: string;
  /** Start of the body; frontmatter is not searched (E-04). */
  readonly bodyStart: number;
  readonly eol: string;
  readonly isRepeat: boolean;
}

const LINE_ENDS = /\r\n|\n|\r/g;

/**
 * Returns the splices that replace a text, which must be unique unless `all` is set. Throws `INVALID_PARAMS` with the matches otherwise
 * (E-01).
 */
export function replaceText(text: string, edit: Replacement): readonly Splice[] {
  const { find, by, all, field, bodyStart, eol, isRepeat } = edit;
  if (find === '')
    throw new RouxError('INVALID_PARAMS', `${field}.find: it is empty; give the text to replace.`, { field: `${field}.find` });
  const places = placesOf(text, edit);
  const written = by.replace(LINE_ENDS, eol);
  if (isRepeat && isDone(text.slice(bodyStart), find, by)) return [];
  if (places.length === 0) throw notFound(text, edit);
  if (places.length > 1 && !all)
    throw ambiguous(
      text,
      field,
      places.map(({ start }) => start),
    );
  return places.map((place) => ({ ...place, text: written }));
}

/** Converts line ends to LF, so that a text is found with any line ends, even mixed ones. */
function unix(text: string): string {
  return text.includes('\r') ? text.replace(LINE_ENDS, '\n') : text;
}

/** Returns the matches of a text in the body. If it must be unique, overlapping matches count. */
function placesOf(text: string, { find, all, bodyStart }: Replacement): readonly Span[] {
  const [body, needle] = [unix(text.slice(bodyStart)), unix(find)];
  const places: Span[] = [];
  const step = all ? needle.length : 1;
  const most = all ? Infinity : MAX_COUNTED;
  for (let at = body.indexOf(needle); at >= 0 && places.length < most; at = body.indexOf(needle, at + step))
    places.push({ start: at, end: at + needle.length });
  return inText(text, bodyStart, places);
}

/** Converts ranges in a body with LF line ends to ranges of the original text. */
function inText(text: string, bodyStart: number, places: readonly Span[]): readonly Span[] {
  const offsets = [...new Set(places.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const own = new Map<number, number>();
  let pair = text.indexOf('\r\n', bodyStart);
  let longer = bodyStart;
  for (const offset of offsets) {
    for (; pair >= 0 && pair < offset + longer; pair = text.indexOf('\r\n', pair + 2)) longer += 1;
    own.set(offset, offset + longer);
  }
  return places.map(({ start, end }) => ({ start: own.get(start) ?? 0, end: own.get(end) ?? 0 }));
}

/** Returns whether a replacement was made before a crash: its result is there, and the replaced text only as part of it. */
function isDone(body: string, find: string, by: string): boolean {
  const [now, needle, written] = [unix(body), unix(find), unix(by)];
  if (written === '') return !now.includes(needle);
  return now.includes(written) && !now.replaceAll(written, '').includes(needle);
}

function ambiguous(text: string, field: string, places: readonly number[]): RouxError {
  let [line, counted] = [1, 0];
  const named = places.slice(0, MAX_PLACES).map((at) => {
    line += countLines(text, counted, at);
    counted = at;
    return { line, text: around(text, at) };
  });
  const list = named.map((place) => `line ${place.line} ${JSON.stringify(place.text)}`).join(', ');
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : '';
  return new RouxError(
    'INVALID_PARAMS',
    `${field}.find occurs ${places.length === MAX_COUNTED ? 'at least ' : ''}${places.length} times: ${list}${more}. Give more of the text around the one that you mean, or all: true.`,
    { field: `${field}.find`, places: named },
  );
}

function notFound(text: string, { find, field, bodyStart }: Replacement): RouxError {
  const fail = (why: string): RouxError => new RouxError('INVALID_PARAMS', `${field}.find ${why}`, { field: `${field}.find` });
  if (text.slice(0, bodyStart).includes(find)) return fail('occurs only in the frontmatter; change that with properties, tags or title.');
  const near = findLoosely(text, find, bodyStart);
  if (near === null) {
    const line = findNearestLine(text.slice(bodyStart), find);
    const nearest = line === null ? '' : ` Nearest line: ${JSON.stringify(shortLine(line))}.`;
    return fail(`does not occur in the body as it is now; read the note again and copy the text exactly.${nearest}`);
  }
  const line = 1 + countLines(text, 0, near);
  return fail(`does not occur exactly like this; line ${line} has it with other case or spacing: ${JSON.stringify(around(text, near))}.`);
}

/** Returns the line of a body that is most like the first line of a text that is not in it; null if none is like it. */
function findNearestLine(body: string, find: string): string | null {
  const lines = body.split(LINE_ENDS);
  const wanted = find.split(LINE_ENDS, MAX_WANTED_LINES);
  const missing = wanted.find((line) => line.trim() !== '' && !body.includes(line)) ?? '';
  const at = findNearestText(missing, lines);
  return at === null ? null : (lines[at] ?? null);
}

function shortLine(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS ? line : `${line.slice(0, wholeEnd(line, MAX_LINE_CHARACTERS - 1))}…`;
}

/** Longest text for the loose search, which tries its words at every position. */
const MAX_LOOSE_CHARACTERS = 300;

/** Returns the position of a text ignoring white space and case; null for none. */
function findLoosely(text: string, find: string, bodyStart: number): number | null {
  const words = find.trim().split(/\s+/);
  if (find.length > MAX_LOOSE_CHARACTERS || words[0] === '') return null;
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const match = new RegExp(pattern, 'iu').exec(text.slice(bodyStart));
  return match === null ? null : bodyStart + match.index;
}

/** Returns the line at an offset, or the part around it. */
function around(text: string, at: number): string {
  const start = Math.max(lineStart(text, at), at - MAX_CONTEXT_CHARACTERS / 2);
  return text.slice(start, Math.min(lineEnd(text, at), start + MAX_CONTEXT_CHARACTERS));
}
