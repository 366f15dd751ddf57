/** What a graph of Logseq sets in `logseq/config.edn`, as far as the names of its files depend on it. */
export interface LogseqConfig {
  readonly pages: string;
  readonly journals: string;
  /** How journals are called in links, in the pattern letters of Java. */
  readonly titleFormats: readonly string[];
  /** How the files of journals are called, in the same letters. */
  readonly fileFormat: string;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const DEFAULT_TITLE = 'MMM do, yyyy';
const DEFAULT_FILE = 'yyyy_MM_dd';

/** Reads the settings; a line behind `;` is a comment. */
export function readConfig(edn: string): LogseqConfig {
  const text = edn.replace(/^\s{0,99};[^\n]*$/gm, '');
  const texts = new Map([...text.matchAll(/:([a-z/-]{1,60})\s{1,9}"([^"\n]{1,100})"/g)].map(([, key = '', value = '']) => [key, value]));
  const read = (key: string): string | undefined => texts.get(key);
  const format = read('journal/page-title-format');
  return {
    pages: read('pages-directory') ?? 'pages',
    journals: read('journals-directory') ?? 'journals',
    fileFormat: read('journal/file-name-format') ?? DEFAULT_FILE,
    titleFormats: [...new Set([DEFAULT_TITLE, 'yyyy-MM-dd', 'yyyy_MM_dd', ...(format === undefined ? [] : [format])])],
  };
}

/** Returns the day of a journal by the name of its file, `2024_01_31` or as `format` has it; null for any other name. */
export function journalDay(name: string, format = DEFAULT_FILE): string | null {
  const [, year = '', month = '', day = ''] = /^(\d{4})[_-]?(\d{2})[_-]?(\d{2})$/.exec(name) ?? digitsOf(name, format);
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return year === '' || Number.isNaN(date.getTime()) ? null : `${year}-${month}-${day}`;
}

/** Returns the year, month and day of a name behind an element that is none of them, if it has the letters of `format` in their places. */
function digitsOf(name: string, format: string): readonly string[] {
  const others = (text: string): string => text.replace(/\d/g, '');
  const isLike = name.length === format.length && others(name) === format.replace(/yyyy|MM|dd/g, '');
  const parts = ['yyyy', 'MM', 'dd'].map((letters) => {
    const at = format.indexOf(letters);
    return at === -1 ? '' : name.slice(at, at + letters.length);
  });
  return isLike && parts.every((part) => /^\d{2,4}$/.test(part)) ? ['', ...parts] : [];
}

/** Returns a day as links to its journal write it. */
export function formatDay(day: string, format: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const [year, month, number, weekday] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCDay()];
  const values: Readonly<Record<string, string>> = {
    yyyy: String(year),
    yy: String(year).slice(-2),
    MMMM: MONTHS[month] ?? '',
    MMM: (MONTHS[month] ?? '').slice(0, 3),
    MM: String(month + 1).padStart(2, '0'),
    M: String(month + 1),
    dd: String(number).padStart(2, '0'),
    do: `${number}${ordinal(number)}`,
    d: String(number),
    EEEE: DAYS[weekday] ?? '',
    EEE: (DAYS[weekday] ?? '').slice(0, 3),
    E: (DAYS[weekday] ?? '').slice(0, 3),
  };
  return format.replace(/yyyy|yy|M{1,4}|dd|do|d|E{3,4}|E/g, (letters) => values[letters] ?? letters);
}

function ordinal(number: number): string {
  if (number > 10 && number < 14) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}
