import { MONTHS, readPeriod, WEEKDAYS } from './moment.ts';
import type { Missing, Period } from './moment.ts';

/** From when and until when something holds, as a text says it; ISO 8601 UTC with milliseconds. */
export interface Times {
  readonly validAt: string | null;
  readonly invalidAt: string | null;
}

const NUMBER_DATE = String.raw`\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)?|\d{1,2}[./]\d{1,2}[./]\d{4}`;
const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d)?(?:[ \t]?[ap]m)?|\d{1,2}[ \t]?[ap]m|noon|midnight|UTC|GMT`;
const CALENDAR = `${MONTHS}|${WEEKDAYS}|yesterday|today|tomorrow|tonight|now|q[1-4]`;
const AROUND =
  'last|next|this|past|ago|the|of|end|start|beginning|(?:quarter|week|month|year|day|hour|minute)s?|at|on|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
const WORD = String.raw`(?:\[\[)?(?:${NUMBER_DATE}|${CLOCK}|\d{1,4}(?:st|nd|rd|th)?|(?:${CALENDAR}|${AROUND})\.?)(?:\]\])?(?![\p{L}\p{N}_:/])`;

/** A run of words of which dates are made. */
const phrasePattern = new RegExp(String.raw`[ \t]*${WORD}(?:[ \t]*(?:,[ \t]*)?${WORD}){0,9}`, 'iuy');
/** What names a date, and not only a number or a span of time. */
const namesDate = new RegExp(
  String.raw`(?:${NUMBER_DATE}|(?<![\p{L}\p{N}])(?:${CALENDAR}|ago|(?:last|next|this|past)[ \t]+\p{L}+|[12]\d{3})(?![\p{L}\p{N}]))`,
  'iu',
);
const connectivePattern =
  /(?<![\p{L}\p{N}_[-])(since|from|between|as of|starting(?: on| in| from)?|beginning(?: on| in| from)?|effective(?: from| as of)?|until|till|through)(?=[ \t])/giu;
const untilWords: ReadonlySet<string> = new Set(['until', 'till', 'through']);
/** Behind a number that may count something, these show that it is a year. */
const closesYear = /^[ \t]*(?:$|[.,;:!?()[\]"”’]|(?:in|at|as|for|with|when|on|and|but|while|until|till|through|by)(?![\p{L}\p{N}]))/iu;

/** A phrase of date words behind a connective. */
interface Phrase {
  readonly text: string;
  readonly end: number;
}

/** A connective with the date behind it, or both dates of a range. */
interface Clause {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly first: Phrase;
  readonly second: (Phrase & { readonly isInclusive: boolean }) | null;
}

/**
 * From when and until when, by the words of one fact: `since March 2024`, `until last Friday`, `from 2020 to 2022`, `between … and …`,
 * `as of yesterday`, `from … through …`. A period begins with its first moment; `until` and `to` end before it, `through` behind it. What
 * may be read in two ways, or is said twice differently, gives no date.
 */
export async function readTimes(text: string, referenceTime: string): Promise<Times> {
  const reference = Date.parse(referenceTime);
  const from = new Set<number>();
  const until = new Set<number>();
  const clauses = [...clausesOf(text)];
  // So many times are of several things.
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

/** Where words about time begin that go on to the end of a text, or -1. */
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

/** The clauses about time of a text, in their order. Linear: none overlaps another. */
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

/** A date that a field gives: as in text, and without a connective. Null where it is none. */
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
  // A time of day in another zone is another moment.
  const isElsewhere =
    /\d:\d|\d[ \t]?[ap]m/i.test(phrase) &&
    /^[ \t]*(?:[A-Z]{2,5}(?![\p{L}\p{N}])|[+-]\d)/u.test(text.slice(at + kept.length, at + kept.length + 12));
  return namesDate.test(phrase) && !isElsewhere ? { text: phrase, end: at + kept.length } : null;
}

/** A phrase without the words at its end that begin what follows. */
function withoutLastWords(phrase: string): string {
  const shorter = phrase.replace(/(?<![ \t,])[ \t,]+(?:the|an?|of|at|on)$/i, '');
  return shorter === phrase ? phrase : withoutLastWords(shorter);
}

/** The second date of `from … to …` or `between … and …`, directly behind the first, or null. */
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

/** Both periods of a range; the first has the year of the second where it names none. */
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
