import { applySplices } from '../../note/text.ts';
import type { Splice } from '../../note/text.ts';
import { fillYaml } from './fill-yaml.ts';
import { textSetting } from './settings-file.ts';
import type { ObsidianSettings } from './settings-file.ts';

/** Values of the variables of a template. */
export interface TemplateValues {
  readonly title: string;
  /** Value of `{{date}}`, in milliseconds since 1970: now, or the day that a note is for. */
  readonly date: number;
  /** Value of `{{time}}`: now, in milliseconds since 1970. */
  readonly time: number;
  /** Obsidian's template settings, with formats of dates and times. */
  readonly settings: ObsidianSettings;
}

const VARIABLE = /\{\{[ \t]*(title|date|time)[ \t]*(?::([^{}\r\n]*))?\}\}/gi;

/** Longer than any format that a person would write. */
const MAX_FORMAT_CHARACTERS = 100;

/** Returns the folder of Obsidian's templates, without slashes around it; `''` for none. */
export function templateFolder(settings: ObsidianSettings): string {
  return textSetting(settings, 'folder')?.replace(/^\/+|(?<!\/)\/+$/g, '') ?? '';
}

/** Fills in `{{title}}`, `{{date}}` and `{{time}}` of a template, with their formats if given (E-25). All other text stays unchanged. */
export async function fillTemplate(text: string, { title, date, time, settings }: TemplateValues): Promise<string> {
  if (!text.includes('{{')) return text;
  const { default: moment } = await import('moment');
  const formats = { date: textSetting(settings, 'dateFormat') ?? 'YYYY-MM-DD', time: textSetting(settings, 'timeFormat') ?? 'HH:mm' };
  const fillings = [...text.matchAll(VARIABLE)].flatMap((match): Splice[] => {
    const [whole, name = '', format] = match;
    const splice = (by: string): Splice[] => [{ start: match.index, end: match.index + whole.length, text: by }];
    const variable = name.toLowerCase();
    if (variable === 'title') return format === undefined ? splice(title) : [];
    const isDate = variable === 'date';
    const wanted = format?.trim() ?? (isDate ? formats.date : formats.time);
    if (wanted === '' || wanted.length > MAX_FORMAT_CHARACTERS) return [];
    // A date has no time of day: formats that show one get the present time.
    const shown = isDate
      ? moment(time).set({ year: moment(date).year(), month: moment(date).month(), date: moment(date).date() })
      : moment(time);
    return splice(shown.format(wanted));
  });
  return applySplices(text, fillYaml(text, fillings));
}
