import { relative, resolve } from 'node:path';
import type { CheckReport } from '../../../../ops/care/check/check.ts';
import { visibleLine } from '../../../../terminal-text.ts';
import type { CommandContext } from '../../command.ts';
import { count } from '../../show.ts';
import { countFailing, groupByKind, toText } from './report.ts';
import { SHOWN_KINDS } from './shown-kinds.ts';

/** Findings of one kind that are shown; `--json` has all. */
const MAX_SHOWN = 50;
/** Files that a line names. */
const MAX_FILES = 3;

/** Prints a report for people: what was touched, then what fails, each kind with what to do about it. Paths are relative to the current folder. */
export function showText(report: CheckReport, context: CommandContext): void {
  const { print, note, paint } = context;
  showTouched(report, context);
  for (const [kind, findings] of groupByKind(report)) {
    const { title, advice } = SHOWN_KINDS[kind];
    const color = report.fail.includes(kind) ? paint.red : paint.yellow;
    print(color(paint.bold(`${title} (${findings.length})`)));
    for (const finding of findings.slice(0, MAX_SHOWN)) print(describe(finding, context));
    if (findings.length > MAX_SHOWN) print(paint.dim(`  … and ${findings.length - MAX_SHOWN} more; --json lists all`));
    print(`${paint.dim(`  ${advice}`)}\n`);
  }
  note(summarize(report));
}

/** Prints the notes about code that was changed. */
function showTouched({ since }: CheckReport, context: CommandContext): void {
  const { print, paint } = context;
  if (since === undefined || since.touched.length === 0) return;
  print(paint.bold(`About what was changed (${since.touched.length})`));
  for (const { path, files, isNoteChanged } of since.touched.slice(0, MAX_SHOWN)) {
    const own = isNoteChanged ? ', changed too' : '';
    print(`  ${visibleLine(toShownFile(path, context))}${own}  ${paint.dim(visibleLine(describeFiles(files)))}`);
  }
  if (since.touched.length > MAX_SHOWN) print(paint.dim(`  … and ${since.touched.length - MAX_SHOWN} more; --json lists all`));
  print('');
}

/** Names the first of the files that a note is about. */
function describeFiles(files: readonly string[]): string {
  const shown = files.slice(0, MAX_FILES).join(', ');
  return files.length > MAX_FILES ? `${shown} and ${files.length - MAX_FILES} more` : shown;
}

function toShownFile(path: string, { host, program }: CommandContext): string {
  return relative(program.cwd, resolve(host.root, path));
}

function describe({ path, line, message }: CheckReport['findings'][number], context: CommandContext): string {
  return `  ${visibleLine(`${toShownFile(path, context)}:${line}`)}  ${context.paint.dim(visibleLine(toText(message)))}`;
}

function summarize(report: CheckReport): string {
  const { notes, since, findings } = report;
  const failing = countFailing(report);
  const found =
    findings.length === 0
      ? 'nothing found'
      : `${count(findings.length, 'finding')}, ${failing === 0 ? 'none fails' : `${failing} to resolve`}`;
  if (notes === 0 && findings.length === 0) return since === undefined ? 'No notes to check.' : 'The changes touch no notes.';
  if (since === undefined) return `${count(notes, 'note')} checked: ${found}.`;
  return `The changes touch ${count(notes, 'note')}: ${found}.`;
}
