import type { CheckReport } from '../../../../ops/care/check/check.ts';
import { visibleLine } from '../../../../terminal-text.ts';
import { count } from '../../show.ts';
import { countFailing, groupByKind, toFile } from './report.ts';
import type { MessagePart } from './report.ts';
import { SHOWN_KINDS } from './shown-kinds.ts';

/** A comment on GitHub may have 65,536 characters. */
const MAX_CHARACTERS = 60_000;
/** Files that a line names. */
const MAX_FILES = 5;

/** Returns a report as Markdown for a comment on a pull request. What notes and files are called is shown as code: there it mentions nobody and links nowhere. */
export function toMarkdown(report: CheckReport): string {
  const { notes, since, findings, incomplete } = report;
  const failing = countFailing(report);
  const found = groupByKind(report).map(([kind, group]): Section => {
    const { title, advice } = SHOWN_KINDS[kind];
    const lines = group.map(
      ({ path, line, message }) => `- ${toCode(`${toFile(report, path)}:${line}`)}: ${message.map(toMarkdownPart).join('')}`,
    );
    return {
      head: `**${title}** (${group.length})\n`,
      lines,
      foot: `\n${advice.replace(/roux confirm NOTE(?: --until DATE)?/, toCode)}\n`,
    };
  });
  const touched = (since?.touched ?? []).map(({ path, files, isNoteChanged }) => {
    const names = files.slice(0, MAX_FILES).map(toCode).join(', ');
    const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
    return `- ${toCode(toFile(report, path))}${isNoteChanged ? ' (changed too)' : ''}: ${names}${more}`;
  });
  const about: readonly Section[] =
    touched.length === 0 ? [] : [{ head: `**Notes about what was changed** (${touched.length})\n`, lines: touched, foot: '' }];
  const outcome =
    findings.length === 0
      ? 'nothing found'
      : `${count(findings.length, 'finding')}, ${failing === 0 ? 'none fails' : `${failing} to resolve`}`;
  const foot =
    since === undefined
      ? `${count(notes, 'note')} checked by \`roux check\`.`
      : `\`roux check\` looked at the notes that the changes touch: ${notes}.`;
  return [
    `### Notes: ${outcome}\n`,
    ...fitInto([...found, ...about], MAX_CHARACTERS),
    ...incomplete.map((text) => `${toCode(text)}\n`),
    foot,
  ].join('\n');
}

interface Section {
  readonly head: string;
  readonly lines: readonly string[];
  readonly foot: string;
}

/** Leaves out the last lines of sections that are too long together, and says how many. */
function fitInto(sections: readonly Section[], characters: number): readonly string[] {
  let left = characters;
  return sections.map(({ head, lines, foot }) => {
    const shown: string[] = [];
    for (const line of lines) {
      left -= line.length + 1;
      if (left < 0) break;
      shown.push(line);
    }
    const omitted = lines.length - shown.length;
    return [head, ...shown, ...(omitted === 0 ? [] : [`- … and ${omitted} more`]), foot].join('\n');
  });
}

function toMarkdownPart(part: MessagePart): string {
  return typeof part === 'string' ? part : toCode(part.name);
}

/** Returns a text as a code span, with a fence longer than any run of backticks in it. */
function toCode(text: string): string {
  const line = visibleLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 || /^\s|\s$|^$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
