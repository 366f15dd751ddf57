import { applySplices } from '../../note/text.ts';
import type { Splice } from '../../note/text.ts';
import { fillYaml } from './fill-yaml.ts';
import { textSetting } from './settings-file.ts';
import type { ObsidianSettings } from './settings-file.ts';

/** What the variables of a template stand for. */
export interface TemplateValues {
  readonly title: string;
  /** What `{{date}}` means, in milliseconds since 1970: now, or the day that a note is for. */
  readonly date: number;
  /** What `{{time}}` means: now. */
  readonly time: number;
  /** Obsidian's settings of templates: their formats of dates and times. */
  readonly settings: ObsidianSettings;
}

const VARIABLE = /\{\{[ \t]*(title|date|time)[ \t]*(?::([^{}\r\n]*))?\}\}/gi;

/** Longer than any format that a person wrote. */
const MAX_FORMAT_CHARACTERS = 100;

/** The text of a template with `{{title}}`, `{{date}}` and `{{time}}` filled in, with their formats if they have any (E-25). All else stays as it is. */
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
    // A day has no hour of its own: formats that show one show that of now.
    const shown = isDate
      ? moment(time).set({ year: moment(date).year(), month: moment(date).month(), date: moment(date).date() })
      : moment(time);
    return splice(shown.format(wanted));
  });
  return applySplices(text, fillYaml(text, fillings));
}
