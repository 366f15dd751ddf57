import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import { lineEnd, lineStart } from '../../note/text.ts';
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

/** A title as it stands in the frontmatter: a quote or a colon in it ends no value there. */
function inYaml(title: string, text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  const before = text.slice(lineStart(text, start), start);
  const quote = /(["'])[^"']*$/.exec(before)?.[1];
  if (quote === '"') return JSON.stringify(title).slice(1, -1);
  if (quote === "'") return title.replaceAll("'", "''");
  const isWhole = /:[ \t]+$|-[ \t]+$/.test(before) && text.slice(end, lineEnd(text, end)).trim() === '';
  return isWhole && !/^[\p{L}\p{N}][\p{L}\p{N} ,.()-]*$/u.test(title) ? JSON.stringify(title) : title;
}

/** Longer than any format that a person wrote. */
const MOST_FORMAT = 100;

/** The text of a template with `{{title}}`, `{{date}}` and `{{time}}` filled in, with their formats if they have any (E-25). All else stays as it is. */
export async function fillTemplate(text: string, { title, date, time, settings }: TemplateValues): Promise<string> {
  if (!text.includes('{{')) return text;
  const { default: moment } = await import('moment');
  const formats = { date: textSetting(settings, 'dateFormat') ?? 'YYYY-MM-DD', time: textSetting(settings, 'timeFormat') ?? 'HH:mm' };
  const body = bodyStartOf(text);
  return text.replace(VARIABLE, (whole: string, name: string, format: string | undefined, at: number) => {
    const variable = name.toLowerCase();
    if (variable === 'title') {
      if (format !== undefined) return whole;
      return at < body ? inYaml(title, text, { start: at, end: at + whole.length }) : title;
    }
    const isDate = variable === 'date';
    const wanted = format?.trim() ?? (isDate ? formats.date : formats.time);
    if (wanted === '' || wanted.length > MOST_FORMAT) return whole;
    // A day has no hour of its own: formats that show one show that of now.
    const shown = isDate
      ? moment(time).set({ year: moment(date).year(), month: moment(date).month(), date: moment(date).date() })
      : moment(time);
    return shown.format(wanted);
  });
}
