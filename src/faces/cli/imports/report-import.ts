import { visibleLine } from '../../../terminal-text.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { count, showUndo, showWarnings } from '../show.ts';
import type { ImportRecord } from './import-record.ts';

/** Lines of each list that people are shown; `--json` has all. */
const MAX_SHOWN = 15;
const MAX_WARNINGS = 20;

/** Prints what an import makes of each note. */
export function showImport(context: CommandContext, record: ImportRecord, { isWritten }: { readonly isWritten: boolean }): void {
  const { print, paint } = context;
  const list = (mark: string, lines: readonly string[]): void => {
    for (const line of lines.slice(0, MAX_SHOWN)) print(`${mark}  ${line}`);
    if (lines.length > MAX_SHOWN) print(paint.dim(`${' '.repeat(10)}and ${lines.length - MAX_SHOWN} more; --json lists them`));
  };
  list(
    paint.green('new     '),
    record.of('new').map(({ path }) => visibleLine(path)),
  );
  list(
    paint.cyan('updated '),
    record.of('updated').map(({ path, fields = [] }) => `${visibleLine(path)}${paint.dim(`  ${fields.join(', ')}`)}`),
  );
  list(
    paint.red('conflict'),
    record.conflicts.map(({ path, conflicts = [] }) => `${visibleLine(path)}  ${conflicts.join(', ')} changed here and at the source`),
  );
  list(
    paint.dim('skipped '),
    record.of('skipped').map(({ title, reason = '' }) => `${visibleLine(title)}: ${reason}`),
  );
  list(paint.green('copied  '), record.copied.map(visibleLine));
  list(
    paint.yellow('left out'),
    record.left.map(({ path, reason }) => `${visibleLine(path)}: ${reason}`),
  );
  for (const [what, times] of record.changed) print(paint.dim(`${what}: ${times}`));
  print(summarize(record, isWritten));
}

/** Prints the end of an import, or all of it as JSON. */
export function reportImport(
  context: CommandContext,
  record: ImportRecord,
  { isWritten, isShown }: { readonly isWritten: boolean; readonly isShown: boolean },
): Status {
  const { isJson, note } = context;
  const { conflicts, left, batches } = record;
  if (isJson)
    context.printJson({
      written: isWritten,
      from: record.source,
      into: record.into === '' ? '.' : record.into,
      notes: record.rows,
      unchanged: record.unchanged,
      copied: record.copied,
      left,
      changed: Object.fromEntries(record.changed),
      batches,
    });
  else {
    if (!isShown) showImport(context, record, { isWritten });
    else if (isWritten) context.print(summarize(record, true));
    if (conflicts.length > 0)
      note(`${count(conflicts.length, 'conflict')}: what is here stays. --force takes what the source has; undo brings yours back.`);
    if (isWritten) showUndo(note, batches.toReversed());
    else note(record.isChanged ? 'Nothing is written yet. Add --yes to write it into the vault.' : 'There is nothing to write.');
  }
  const warnings = [...record.warnings];
  const more = warnings.length - MAX_WARNINGS;
  showWarnings(context, more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `${more} more like these.`] : warnings);
  return conflicts.length > 0 || left.length > 0 ? FINDINGS : DONE;
}

function summarize(record: ImportRecord, isWritten: boolean): string {
  const [made, updated, skipped] = [record.of('new').length, record.of('updated').length, record.of('skipped').length];
  const parts = [
    `${count(made, 'note')} ${isWritten ? 'made' : 'to make'}`,
    `${updated} ${isWritten ? 'updated' : 'to update'}`,
    `${record.unchanged} unchanged`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    `${count(record.copied.length, 'file')} ${isWritten ? 'copied' : 'to copy'}`,
    ...(record.left.length === 0 ? [] : [`${record.left.length} left out`]),
  ];
  return `From ${record.source} into ${record.into === '' ? 'the vault' : visibleLine(record.into)}: ${parts.join(', ')}.`;
}
