import type moment from 'moment';
import type { Config } from '../../config.ts';
import { RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { checkPath, joinPath, toNotePath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { textSetting } from './settings-file.ts';
import type { ObsidianFile, ObsidianSettings } from './settings-file.ts';

type Moment = typeof moment;

export type Period = 'daily' | 'weekly' | 'monthly';

/** The note of a day, a week or a month. */
export interface PeriodicNote {
  readonly period: Period;
  readonly path: NotePath;
  /** Start of the period, in milliseconds since 1970. */
  readonly start: number;
  /** The template note, as the settings name it. */
  readonly template: string | null;
}

/** What a reference is resolved with. */
export interface PeriodicContext {
  readonly config: Pick<Config, 'periodic'>;
  /** Now, in milliseconds since 1970. */
  readonly now: number;
  readonly obsidian: (file: ObsidianFile) => ObsidianSettings;
}

const DEFAULT_FORMATS: Readonly<Record<Period, string>> = { daily: 'YYYY-MM-DD', weekly: 'gggg-[W]ww', monthly: 'YYYY-MM' };

const ISO_WEEK = 'GGGG-[W]WW';

const REFERENCE = /^@(?:(today|yesterday|tomorrow)|(this|last|next)-(week|month)|(\d{4}-\d\d-\d\d)|(\d{4}-W\d\d)|(\d{4}-\d\d))$/i;

/** Returns whether a format uses ISO 8601 weeks, which start on Monday, instead of those of the locale. */
function isIsoWeek(format: string): boolean {
  return format.replace(/\[[^[\]]*\]/g, '').includes('W');
}

/** Returns whether a reference names a periodic note: `@today`, `@2026-11-22`, `@this-week`, `@2026-W47`, `@last-month`, `@2026-11`. */
export function isPeriodicReference(reference: string): boolean {
  return REFERENCE.test(reference);
}

/**
 * Resolves such a reference by the vault's own settings: those of the plugin Periodic Notes, else of Obsidian's daily notes, else of
 * `periodic` in `.rouxrc.json` (E-24). Days are in this machine's time zone. Returns null for other references. Throws `INVALID_PARAMS` for
 * a day that does not exist, and for settings that produce no valid path.
 */
export async function findPeriodicNote(context: PeriodicContext, reference: string): Promise<PeriodicNote | null> {
  if (!isPeriodicReference(reference)) return null;
  const { default: dates } = await import('moment');
  const { period, dateIn } = readReference(dates, reference, context.now);
  const { folder, format, template } = settingsOf(context, period);
  const date = dateIn(format);
  const name = date.format(format).replace(/\.md$/i, '');
  const path = joinPath(folder.replace(/^\/+|(?<!\/)\/+$/g, ''), `${name}.md`);
  const notePath = toNotePath(path);
  const problem = checkPath(path);
  if (problem !== null || notePath === null) {
    throw new RouxError(
      'INVALID_PARAMS',
      `${reference}: the settings of ${period} notes make ${JSON.stringify(path)} of it, which is no path of a note (${problem ?? 'not .md'}); correct their folder or date format.`,
    );
  }
  return { period, path: notePath, start: date.valueOf(), template };
}

/** Parses a reference. A numbered week is read by the week numbering of its notes' format. */
function readReference(
  dates: Moment,
  reference: string,
  now: number,
): { readonly period: Period; readonly dateIn: (format: string) => ReturnType<Moment> } {
  const [, day, which, length, date, week, month] = REFERENCE.exec(reference) ?? [];
  const steps: Readonly<Record<string, number>> = { yesterday: -1, last: -1, today: 0, this: 0, tomorrow: 1, next: 1 };
  const step = steps[(day ?? which ?? '').toLowerCase()] ?? 0;
  if (day !== undefined) return { period: 'daily', dateIn: () => dates(now).startOf('day').add(step, 'day') };
  if (length?.toLowerCase() === 'month') return { period: 'monthly', dateIn: () => dates(now).startOf('month').add(step, 'month') };
  if (length !== undefined) {
    const dateIn = (format: string) =>
      dates(now)
        .startOf(isIsoWeek(format) ? 'isoWeek' : 'week')
        .add(step, 'week');
    return { period: 'weekly', dateIn };
  }
  const read = (text: string, format: string): ReturnType<Moment> => {
    const given = dates(text, format, true);
    // Moment reads week 53 of a year with 52 weeks as the first week of the next year.
    if (given.isValid() && given.format(format) === text) return given;
    throw new RouxError('INVALID_PARAMS', `${reference} is no time that there is; write @2026-11-22, @2026-W47 or @2026-11.`);
  };
  if (week !== undefined) {
    const dateIn = (format: string) => read(week.toUpperCase(), isIsoWeek(format) ? ISO_WEEK : DEFAULT_FORMATS.weekly);
    return { period: 'weekly', dateIn };
  }
  const period = date === undefined ? 'monthly' : 'daily';
  return { period, dateIn: () => read(date ?? month ?? '', DEFAULT_FORMATS[period]) };
}

interface PeriodSettings {
  readonly folder: string;
  readonly format: string;
  readonly template: string | null;
}

function settingsOf({ config, obsidian }: PeriodicContext, period: Period): PeriodSettings {
  const plugin = obsidian('plugins/periodic-notes/data.json')[period];
  const core = period === 'daily' ? obsidian('daily-notes.json') : {};
  const own = config.periodic[period];
  const sources: readonly unknown[] = [
    ...(isRecord(plugin) && plugin['enabled'] === true ? [plugin] : []),
    ...(Object.keys(core).length > 0 ? [core] : []),
    own,
  ];
  const [source] = sources;
  return {
    folder: textSetting(source, 'folder') ?? '',
    format: textSetting(source, 'format') ?? DEFAULT_FORMATS[period],
    template: textSetting(source, 'template') ?? null,
  };
}
