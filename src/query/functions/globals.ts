import { findExtreme } from '../compare.ts';
import { durationMs, readDate, readDuration, startOfDay } from '../dates.ts';
import { readLink } from '../links.ts';
import { toText } from '../texts.ts';
import { DateValue, Duration, FileValue, isEmpty, isList, isTruthy, Link } from '../values.ts';
import type { Value } from '../values.ts';
import { fileMembers } from './files.ts';
import { onlyNumbers } from './lists.ts';
import { chargedText, flattenArguments } from './method.ts';
import type { GlobalFunction } from './method.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The global functions. The compiler handles `if`, which evaluates only one of its results. */
export const globalFunctions: ReadonlyMap<string, GlobalFunction> = new Map<string, GlobalFunction>(
  Object.entries({
    escapeHTML: (run, [text = null]) => run.text(toText(run, text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)),
    date(run, [value = null]) {
      if (value instanceof DateValue) return value;
      if (typeof value === 'number') return Math.abs(value) <= 8.64e15 ? new DateValue(value, true) : null;
      return value === null ? null : readDate(chargedText(run, toText(run, value)).trim());
    },
    duration: (run, [value = null]) => (value instanceof Duration ? value : value === null ? null : readDuration(toText(run, value))),
    file: (run, [value = null]) => run.toFile(value),
    // Only views draw. Here the value is the argument itself.
    html: (_run, [text = null]) => text,
    image: (_run, [value = null]) => value,
    icon: (_run, [name = null]) => name,
    link(run, [value = null, display = null]) {
      const shown = display === null ? null : toText(run, display);
      if (value instanceof FileValue) return fileMembers.methods.get('asLink')?.(run, value, [display]) ?? null;
      const link = value instanceof Link ? value : value === null ? null : readLink(chargedText(run, toText(run, value)), run.file.path);
      return link === null || shown === null
        ? link
        : new Link({ linkpath: link.linkpath, subpath: link.subpath, from: link.from, display: shown });
    },
    list: (_run, [value = null]) => (isList(value) ? value : value === null ? [] : [value]),
    max: (run, values) => findExtreme(onlyNumbers(flattenArguments(run, values)), -1),
    min: (run, values) => findExtreme(onlyNumbers(flattenArguments(run, values)), 1),
    now: (run) => new DateValue(run.source.now, true),
    number: (run, [value = null]) => toNumber(typeof value === 'string' ? chargedText(run, value) : value),
    today: (run) => startOfDay(run.source.now),
    random: (run) => run.source.random(),
    // The first versions of Bases had this, and old files still use it.
    not: (_run, [value = null]) => !isTruthy(value),
    empty: (_run, [value = null]) => isEmpty(value),
  } satisfies Readonly<Record<string, GlobalFunction>>),
);

/** Converts a value to a number; null if it is none. */
function toNumber(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof DateValue) return value.ms;
  if (value instanceof Duration) return durationMs(value);
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/.test(value)) return null;
  return Number(value);
}
