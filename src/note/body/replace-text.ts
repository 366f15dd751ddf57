import { RouxError } from '../../errors.ts';
import { lineEnd, lineStart } from '../text.ts';
import type { Splice } from '../text.ts';
import { countLines } from './find-heading.ts';

/** So many places are named in a message, each with so many characters around it. */
const MOST_PLACES = 10;
const MOST_AROUND = 60;
/** So many places are counted of a text that should stand in one: long ones that overlap themselves would take for ever. */
const MOST_COUNTED = 1_000;

/** An exact text to find in a body, and what it becomes. */
interface Replacement {
  readonly find: string;
  readonly by: string;
  readonly all: boolean;
  /** Names it in errors: `edits[0]`. */
  readonly field: string;
  /** Nothing before this offset is looked at: that is frontmatter (E-04). */
  readonly bodyStart: number;
  readonly eol: string;
  readonly isRepeat: boolean;
}

/** The splices that replace a text, which must stand there once unless `all` is said; `INVALID_PARAMS` with the places otherwise (E-01). */
export function replaceText(text: string, edit: Replacement): readonly Splice[] {
  const { find, by, all, field, bodyStart, eol, isRepeat } = edit;
  if (find === '')
    throw new RouxError('INVALID_PARAMS', `${field}.find: it is empty; give the text to replace.`, { field: `${field}.find` });
  const { needle, places } = placesOf(text, edit);
  const written = by.replace(/\r\n|\n/g, eol);
  if (isRepeat && isDone(text, bodyStart, needle, written)) return [];
  if (places.length === 0) throw notFound(text, edit);
  if (places.length > 1 && !all) throw ambiguous(text, field, places);
  return places.map((start) => ({ start, end: start + needle.length, text: written }));
}

/** Where a text stands in the body, with the line ends that the body has. Where it should stand once, places that overlap count each. */
function placesOf(text: string, { find, all, bodyStart }: Replacement): { readonly needle: string; readonly places: readonly number[] } {
  const lines = find.replaceAll('\r\n', '\n');
  for (const needle of new Set([find, lines, lines.replaceAll('\n', '\r\n')])) {
    const places: number[] = [];
    const step = all ? needle.length : 1;
    const most = all ? Infinity : MOST_COUNTED;
    for (let at = text.indexOf(needle, bodyStart); at >= 0 && places.length < most; at = text.indexOf(needle, at + step)) places.push(at);
    if (places.length > 0) return { needle, places };
  }
  return { needle: find, places: [] };
}

/** After a crash: whether what was to come stands there, and what was to go only as a part of it. */
function isDone(text: string, bodyStart: number, needle: string, written: string): boolean {
  const body = text.slice(bodyStart);
  if (written === '') return !body.includes(needle);
  return body.includes(written) && !body.replaceAll(written, '').includes(needle);
}

function ambiguous(text: string, field: string, places: readonly number[]): RouxError {
  let [line, counted] = [1, 0];
  const named = places.slice(0, MOST_PLACES).map((at) => {
    line += countLines(text, counted, at);
    counted = at;
    return { line, text: around(text, at) };
  });
  const list = named.map((place) => `line ${place.line} ${JSON.stringify(place.text)}`).join(', ');
  const more = places.length > MOST_PLACES ? ` and ${places.length - MOST_PLACES} more` : '';
  return new RouxError(
    'INVALID_PARAMS',
    `${field}.find stands there ${places.length === MOST_COUNTED ? 'at least ' : ''}${places.length} times: ${list}${more}. Give more of the text around the one that you mean, or all: true.`,
    { field: `${field}.find`, places: named },
  );
}

function notFound(text: string, { find, field, bodyStart }: Replacement): RouxError {
  const fail = (why: string): RouxError => new RouxError('INVALID_PARAMS', `${field}.find ${why}`, { field: `${field}.find` });
  if (text.slice(0, bodyStart).includes(find)) return fail('stands in the frontmatter only; change that with properties, tags or title.');
  const near = findLoosely(text, find, bodyStart);
  if (near === null) return fail('stands nowhere in the body as it is now; read the note again and give the text exactly.');
  const line = 1 + countLines(text, 0, near);
  return fail(`stands nowhere exactly; line ${line} has it in other case or with other spaces: ${JSON.stringify(around(text, near))}.`);
}

/** So long may a text be that is looked for in other case and with other spaces: its words are tried at every place. */
const MOST_LOOSE = 300;

/** Where a text stands with other spaces or in other case, or null. */
function findLoosely(text: string, find: string, bodyStart: number): number | null {
  const words = find.trim().split(/\s+/);
  if (find.length > MOST_LOOSE || words[0] === '') return null;
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const match = new RegExp(pattern, 'iu').exec(text.slice(bodyStart));
  return match === null ? null : bodyStart + match.index;
}

/** The line at an offset, or what of it stands around. */
function around(text: string, at: number): string {
  const start = Math.max(lineStart(text, at), at - MOST_AROUND / 2);
  return text.slice(start, Math.min(lineEnd(text, at), start + MOST_AROUND));
}
