import { MONTHS, readPeriod, WEEKDAYS } from './moment.ts';
import type { Missing, Period } from './moment.ts';

/** When something is true according to a text: from `validAt` until `invalidAt`, in ISO 8601 UTC with milliseconds. */
export interface Times {
  readonly validAt: string | null;
  readonly invalidAt: string | null;
}

const NUMBER_DATE = String.raw`\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)?|\d{1,2}[./]\d{1,2}[./]\d{4}`;
const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d)?(?:[ \t]?[ap]m)?|\d{1,2}[ \t]?[ap]m|noon|midnight|UTC|GMT`;
const CALENDAR = `${MONTHS}|${WEEKDAYS}|yesterday|today|tomorrow|tonight|now|q[1-4]`;
const AROUND =
  'last|next|this|past|ago|the|of|end|start|beginning|(?:quarter|week|month|year|day|hour|minute)s?|at|on|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
/** Not the beginning of a date in another form, such as 2024-5-3, 2024.05.03 or 2024-W05. */
const NUMBER = String.raw`\d{1,4}(?:st|nd|rd|th)?(?!\.\d|-\d{1,3}(?!\d)|-W\d)`;
const WORD = String.raw`(?:\[\[)?(?:${NUMBER_DATE}|${CLOCK}|${NUMBER}|(?:${CALENDAR}|${AROUND})\.?)(?:\]\])?(?![\p{L}\p{N}_:/])`;

/** Matches a sequence of the words that dates consist of. */
const phrasePattern = new RegExp(String.raw`[ \t]*${WORD}(?:[ \t]*(?:,[ \t]*)?${WORD}){0,9}`, 'iuy');
/** Matches what names a date, and not only a number or a duration. */
const namesDate = new RegExp(
  String.raw`(?:${NUMBER_DATE}|(?<![\p{L}\p{N}])(?:${CALENDAR}|ago|(?:last|next|this|past)[ \t]+\p{L}+|[12]\d{3})(?![\p{L}\p{N}]))`,
  'iu',
);
const connectivePattern =
  /(?<![\p{L}\p{N}_[-])(since|from|between|as of|starting(?: on| in| from)?|beginning(?: on| in| from)?|effective(?: from| as of)?|until|till|through)(?=[ \t])/giu;
const untilWords: ReadonlySet<string> = new Set(['until', 'till', 'through']);
/** What follows a year. Other words after a number mean that it counts something. */
const closesYear = /^[ \t]*(?:$|[.,;:!?()[\]"”’]|(?:in|at|as|for|with|when|on|and|but|while|until|till|through|by)(?![\p{L}\p{N}]))/iu;

/** A phrase of date words after a connective. */
interface Phrase {
  readonly text: string;
  readonly end: number;
}

/** A connective with the date after it, or with both dates of a range. */
interface Clause {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly first: Phrase;
  readonly second: (Phrase & { readonly isInclusive: boolean }) | null;
}

/**
 * Parses from a fact's text when it is true: `since March 2024`, `until last Friday`, `from 2020 to 2022`, `between … and …`,
 * `as of yesterday`, `from … through …`. `until` and `to` end before the named period, `through` ends after it. Ambiguous or contradictory
 * text gives no date.
 */
export async function readTimes(text: string, referenceTime: string): Promise<Times> {
  const reference = Date.parse(referenceTime);
  const from = new Set<number>();
  const until = new Set<number>();
  const clauses = [...clausesOf(text)];
  // More clauses than this are about several things.
  if (clauses.length > 4) return { validAt: null, invalidAt: null };
  for (const { word, first, second } of clauses) {
    if (second !== null) {
      const range = await readRange(first, second, reference);
      if (range === null) continue;
      from.add(range[0].start);
      until.add(second.isInclusive ? range[1].end : range[1].start);
      continue;
    }
    const period = await readPeriod(first.text, reference, word === 'since' ? 'past' : null);
    if (period === null) continue;
    if (untilWords.has(word)) until.add(word === 'through' ? period.end : period.start);
    else from.add(period.start);
  }
  return timesOf(from, until);
}

/** Returns the offset from which a text consists only of words about time, or -1. */
export function timesBehind(text: string): number {
  let start = -1;
  let before = text.length;
  for (const clause of [...clausesOf(text)].reverse()) {
    if (!/^[ \t,]*(?![ \t,])(?:and[ \t]+(?![ \t]))?[).]?[ \t]*$/i.test(text.slice(clause.end, before))) break;
    const open = /\([ \t]*$/.exec(text.slice(Math.max(0, clause.start - 4), clause.start));
    start = before = clause.start - (open?.[0].length ?? 0);
  }
  return start;
}

/** Yields the clauses about time of a text, in order. Linear, since clauses do not overlap. */
function* clausesOf(text: string): Generator<Clause> {
  let read = 0;
  for (const match of text.matchAll(connectivePattern)) {
    const start = match.index;
    const isNegated = /(?:\bnot|\bnever|n['’]t)[ \t]+(?:ever[ \t]+)?$/i.test(text.slice(Math.max(0, start - 16), start));
    const word = (match[1] ?? '').toLowerCase();
    const first = start < read || isNegated ? null : phraseAt(text, start + word.length);
    if (first === null) continue;
    const second = untilWords.has(word) ? null : rangeEnd(text, first, word);
    const mayCount =
      word === 'from' && second === null && /^\d+$/.test(first.text) && !closesYear.test(text.slice(first.end, first.end + 16));
    if (mayCount || (word === 'between' && second === null)) continue;
    read = second?.end ?? first.end;
    yield { word, start, end: read, first, second };
  }
}

/** Parses the date in a field, which has the forms of dates in text but no connective. Null if it is not a date. */
export async function readTimeField(value: string | null, referenceTime: string): Promise<string | null> {
  if (value === null) return null;
  const phrase = value.replace(/^\[\[([^\][|]*)(?:\|[^\][]*)?\]\]$/, '$1').trim();
  if (phrase === '' || phrase.length > 64) return null;
  const period = await readPeriod(phrase, Date.parse(referenceTime), null);
  return period === null ? null : isoOf(period.start);
}

function phraseAt(text: string, at: number): Phrase | null {
  phrasePattern.lastIndex = at;
  const [found] = phrasePattern.exec(text) ?? [];
  if (found === undefined) return null;
  const kept = withoutLastWords(found).replace(/\.$/, '');
  const phrase = kept.replace(/\[\[|\]\]/g, '').trim();
  const after = text.slice(at + kept.length, at + kept.length + 12);
  // A time with another time zone is another moment than in UTC.
  const isElsewhere = /\d:\d|\d[ \t]?[ap]m/i.test(phrase) && /^[ \t]*(?:[A-Z]{2,5}(?![\p{L}\p{N}])|[+-]\d)/u.test(after);
  // Years that cannot be written here.
  const isFar = /^[ \t]*(?:B\.?C|(?:,[ \t]*)?\d{5})/.test(after);
  return namesDate.test(phrase) && !isElsewhere && !isFar ? { text: phrase, end: at + kept.length } : null;
}

/** Removes words from the end of a phrase that belong to what follows. */
function withoutLastWords(phrase: string): string {
  const shorter = phrase.replace(/(?<![ \t,])[ \t,]+(?:the|an?|of|at|on)$/i, '');
  return shorter === phrase ? phrase : withoutLastWords(shorter);
}

/** Returns the second date of `from … to …` or `between … and …`, directly after the first one; else null. */
function rangeEnd(text: string, first: Phrase, word: string): Clause['second'] {
  const separator =
    word === 'between'
      ? /(?:[ \t]*,)?[ \t]+(and)(?=[ \t])/iuy
      : /(?:[ \t]*,)?[ \t]+(to|until|till|through)(?=[ \t])|[ \t]*(?:[–—]|-(?=[ \t]|\d{4}(?!\d)))/iuy;
  separator.lastIndex = first.end;
  const match = separator.exec(text);
  const second = match === null ? null : phraseAt(text, separator.lastIndex);
  if (second === null || (/^\d+$/.test(second.text) && !closesYear.test(text.slice(second.end, second.end + 16)))) return null;
  return { ...second, isInclusive: match?.[1]?.toLowerCase() === 'through' };
}

/** Returns both periods of a range. If the first one has no year, it is in the year of the second. */
async function readRange(first: Phrase, second: Phrase, reference: number): Promise<readonly [Period, Period] | null> {
  const last = await readPeriod(second.text, reference, null);
  if (last === null) return null;
  const year = new Date(last.start).getUTCFullYear();
  for (const missing of [{ year }, { year: year - 1 }] satisfies readonly Missing[]) {
    const begin = await readPeriod(first.text, reference, missing);
    if (begin !== null && begin.start < last.start) return [begin, last];
  }
  return null;
}

function timesOf(from: ReadonlySet<number>, until: ReadonlySet<number>): Times {
  const [validAt, invalidAt] = [from, until].map((moments) => (moments.size === 1 ? Math.min(...moments) : null));
  const isTurned = validAt != null && invalidAt != null && invalidAt <= validAt;
  if (isTurned || from.size > 1 || until.size > 1) return { validAt: null, invalidAt: null };
  return { validAt: validAt == null ? null : isoOf(validAt), invalidAt: invalidAt == null ? null : isoOf(invalidAt) };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
