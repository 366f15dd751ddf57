import type moment from 'moment';
import type { Config } from '../../config.ts';
import { RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { checkPath, joinPath, toNotePath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { textSetting } from './settings-file.ts';
import type { ObsidianFile, ObsidianSettings } from './settings-file.ts';

type Moment = typeof moment;

/** How long the time is that a note is for. */
export type Period = 'daily' | 'weekly' | 'monthly';

/** The note of a day, a week or a month. */
export interface PeriodicNote {
  readonly period: Period;
  readonly path: NotePath;
  /** The first moment of its time, in milliseconds since 1970. */
  readonly start: number;
  /** The note that it is made from, as the settings name it. */
  readonly template: string | null;
}

/** What is needed to tell which note is meant. */
export interface PeriodicContext {
  readonly config: Pick<Config, 'periodic'>;
  /** Now, in milliseconds since 1970. */
  readonly now: number;
  readonly obsidian: (file: ObsidianFile) => ObsidianSettings;
}

const DEFAULT_FORMATS: Readonly<Record<Period, string>> = { daily: 'YYYY-MM-DD', weekly: 'gggg-[W]ww', monthly: 'YYYY-MM' };

const ISO_WEEK = 'GGGG-[W]WW';

const REFERENCE = /^@(?:(today|yesterday|tomorrow)|(this|last|next)-(week|month)|(\d{4}-\d\d-\d\d)|(\d{4}-W\d\d)|(\d{4}-\d\d))$/i;

/** Whether a format counts weeks as ISO 8601 does, from Monday on, and not as Moment's own language does. */
function isIsoWeek(format: string): boolean {
  return format.replace(/\[[^[\]]*\]/g, '').includes('W');
}

/** Whether a reference means the note of a time: `@today`, `@2026-11-22`, `@this-week`, `@2026-W47`, `@last-month`, `@2026-11`. */
export function isPeriodicReference(reference: string): boolean {
  return REFERENCE.test(reference);
}

/**
 * The note that such a reference means, by the vault's own settings: those of the plugin Periodic Notes, else of Obsidian's daily notes,
 * else of `periodic` in `.rouxrc.json` (E-24). Days are those of this machine's time zone. Null for other references; `INVALID_PARAMS`
 * where there is no such day, or the settings name no path of the vault.
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

/** What a reference means; a week is the one that has this number in the format of its notes. */
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
    // A year has 52 weeks or 53: what is read of one too many is the first of the next year.
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
