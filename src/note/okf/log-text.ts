import { encodeDestination } from '../markdown/link-text.ts';
import { oneLine } from './index-text.ts';

/** One change of a concept, as a log tells it. */
export interface LogEntry {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly what: 'Creation' | 'Update' | 'Renaming' | 'Removal';
  readonly title: string;
  /** The path from the top of the bundle; null if there is no such file any more. */
  readonly path: string | null;
}

const MAX_TITLE_CHARACTERS = 300;
/** Lines that a generated log has at most. */
export const MAX_LOG_LINES = 2_000;

/**
 * Writes the entries of a `log.md`, newest day first. Of earlier lines, those of days before the first day of the entries are kept. Ends
 * with a line end.
 */
export function composeLog(entries: readonly LogEntry[], earlier: string): string {
  const days = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { day, what, title, path } of entries) {
    const name = oneLine(title, MAX_TITLE_CHARACTERS);
    const line = `* **${what}**: ${path === null ? name : `[${name}](/${encodeDestination(path, false)})`}`;
    // A concept that was changed ten times on a day was changed on that day.
    if (seen.has(`${day}${line}`)) continue;
    seen.add(`${day}${line}`);
    days.set(day, [...(days.get(day) ?? []), line]);
  }
  const oldest = [...days.keys()].sort()[0] ?? '9999';
  for (const [day, lines] of readDays(earlier)) if (day < oldest) days.set(day, lines);
  let left = MAX_LOG_LINES;
  const sections: string[] = [];
  for (const day of [...days.keys()].sort().reverse()) {
    const lines = (days.get(day) ?? []).slice(0, left);
    left -= lines.length;
    if (lines.length > 0) sections.push(`## ${day}\n\n${lines.join('\n')}\n`);
  }
  return sections.length === 0 ? '' : sections.join('\n');
}

/** Reads the days of a generated log with their lines. */
function readDays(text: string): ReadonlyMap<string, string[]> {
  const days = new Map<string, string[]>();
  let lines: string[] | null = null;
  for (const line of text.split(/\r?\n/)) {
    const day = /^## (\d{4}-\d{2}-\d{2})$/.exec(line)?.[1];
    if (day !== undefined) days.set(day, (lines = []));
    else if (line.trim() !== '') lines?.push(line);
  }
  return days;
}
