import type { okfCheck } from '../../../../ops/care/okf/okf-check.ts';
import type { okfExport } from '../../../../ops/care/okf/okf-export.ts';
import type { okfImport } from '../../../../ops/care/okf/okf-import.ts';
import type { okfIndex } from '../../../../ops/care/okf/okf-index.ts';
import type { AnswerOf } from '../../../../ops/operation.ts';
import { visibleLine } from '../../../../terminal-text.ts';
import type { CommandContext } from '../../command.ts';
import { count } from '../../show.ts';

type Finding = AnswerOf<typeof okfCheck>['findings'][number];
type Exported = Omit<AnswerOf<typeof okfExport>, 'files'> & { readonly files: readonly string[] };

/** Lines of each list that people are shown; `--json` has all. */
const MAX_SHOWN = 20;

/** Bundles that the last line names. */
const MAX_NAMED = 5;

/** What a bundle cannot say, in words for people. */
const LOSSES: Readonly<Record<Exported['losses'][number]['kind'], string>> = {
  embed: 'embedded notes and files that became links',
  size: 'sizes of pictures that are gone',
  block: 'links to blocks, which other programs do not follow',
  outside: 'links to notes that are not in the bundle, which became text',
  missing: 'links to notes that are not there',
  property: 'links in properties, which stay as they are',
  'inline-tag': 'tags in the text; the format knows those of the frontmatter',
  comment: 'notes with %% comments %%, which other programs show',
  type: 'notes whose type is not text',
  frontmatter: 'notes that stay as they are, since their frontmatter or text cannot be read',
};

const OUTCOMES = { new: 'new', changed: 'changed', same: 'up to date', yours: 'yours' } as const;

/** Prints what a check found. `named`: the folder as the user named it. */
export function showFindings(context: CommandContext, report: AnswerOf<typeof okfCheck>, named: string): void {
  const { note, paint } = context;
  // A folder that is no bundle has the same finding in each note.
  const groups = new Map<string, Finding[]>();
  for (const finding of report.findings) {
    const key = `${finding.level} ${finding.rule} ${finding.remedy}`;
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, [finding]);
    else alike.push(finding);
  }
  for (const findings of groups.values()) {
    const { level, rule, remedy } = findings[0] as Finding;
    showList(
      context,
      `${level === 'error' ? paint.red(rule) : paint.yellow(rule)} (${findings.length}): ${visibleLine(remedy)}`,
      findings.map(({ path, line, message }) => `${path}:${line}  ${message}`),
    );
  }
  const errors = report.findings.filter(({ level }) => level === 'error').length;
  const advice = report.findings.length - errors;
  const bundles = report.bundles.length > MAX_NAMED ? count(report.bundles.length, 'bundle') : report.bundles.join(', ');
  const where = visibleLine(named === '' ? bundles : named);
  const verdict = report.conforms ? 'conforms to OKF 0.2' : `does not conform to OKF 0.2: ${count(errors, 'error')}`;
  note(`${where}: ${count(report.concepts, 'concept')}, ${verdict}${advice === 0 ? '' : `; ${advice} to look at`}.`);
}

/** Prints which indexes were generated. */
export function showIndexes(context: CommandContext, files: AnswerOf<typeof okfIndex>['files'], isWritten: boolean): void {
  const { print, note, paint } = context;
  const told = files.filter(({ what }) => what !== 'same');
  for (const { path, what } of told) print(`${paint.yellow(OUTCOMES[what])}  ${visibleLine(path)}`);
  if (told.length === 0) print('Every index is up to date.');
  else if (!isWritten && told.some(({ what }) => what !== 'yours')) note('Nothing was written; --write does it.');
  if (told.some(({ what }) => what === 'yours'))
    note(
      'Yours are left alone. Put the lines <!-- roux:index --> and <!-- /roux:index --> into one, and roux keeps the list between them.',
    );
}

/** Prints what is, or would be, in an exported bundle, and what it cannot say. */
export function showExport(context: CommandContext, report: Exported, out: string | null): void {
  const { print, note } = context;
  const what = `${count(report.concepts, 'concept')} in ${count(report.files.length, 'file')}`;
  if (out === null) showList(context, `Would export ${what}:`, report.files);
  else print(`${what} written to ${visibleLine(out)}`);
  for (const { kind, count: times, notes } of report.losses) print(`${times} ${LOSSES[kind]}: ${visibleLine(notes.join(', '))}`);
  showList(
    context,
    'Renamed, since the format reserves the name:',
    report.renamed.map(({ from, to }) => `${from} → ${to}`),
  );
  showLeft(context, report.left);
  if (out === null) note('Nothing was written; --out FOLDER --write does it.');
}

/** Prints what an import brought in, or would. */
export function showImport(
  context: CommandContext,
  { created, same, left, isKnown }: AnswerOf<typeof okfImport>,
  { isWriting, name }: { readonly isWriting: boolean; readonly name: string },
): void {
  const { print, note } = context;
  if (isWriting) print(`${count(created.length, 'file')} new in ${name === '.' ? 'the vault' : visibleLine(name)}.`);
  else showList(context, `Would bring in ${count(created.length, 'file')}:`, created);
  if (same.length > 0) print(`${count(same.length, 'file')} there already.`);
  showLeft(context, left);
  if (isWriting && !isKnown) print(`The setting okf.bundles in .rouxrc.json names ${visibleLine(name)} now.`);
  if (!isWriting) note('Nothing was written; --write does it.');
}

function showLeft(context: CommandContext, left: readonly { readonly path: string; readonly reason: string }[]): void {
  showList(
    context,
    'Left out:',
    left.map(({ path, reason }) => `${path}: ${reason}`),
  );
}

function showList({ print, paint }: CommandContext, title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  print(paint.bold(title));
  for (const line of lines.slice(0, MAX_SHOWN)) print(`  ${visibleLine(line)}`);
  if (lines.length > MAX_SHOWN) print(paint.dim(`  and ${lines.length - MAX_SHOWN} more; --json lists them`));
}
