import { activity } from '../../../ops/care/history/activity.ts';
import { undoPreview } from '../../../ops/care/history/activity-diff.ts';
import { undo as undoWrites } from '../../../ops/care/history/history.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { CANCELLED, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { UsageError, WRITE_OPTIONS } from '../options.ts';
import { showWarnings } from '../show.ts';
import { formatMarkedDiff } from './marked-diff.ts';
import { showCommitted } from './restore.ts';
import { describeAgent, formatTime } from './words.ts';

/** Writes that are looked at for one that can be taken back. */
const MAX_WRITES = 50;
const MAX_FILES = 10;
const MAX_DIFF_LINES = 12;

type Write = AnswerOf<typeof activity>['entries'][number] & { readonly batch: string };
type Preview = AnswerOf<typeof undoPreview>;

/** `roux undo`: reverts a batch of changes, the last changes of an agent, or the last write after a question. */
export const undo = defineOperationCommand({
  operation: undoWrites,
  name: 'undo',
  summary: 'take back the last write, a batch (see history), or what --by NAME wrote last',
  details: ['Without words it shows what the last write was and what undoing it does, and asks.'],
  group: 'write',
  positionals: [{ name: 'batch', argument: 'batch', isOptional: true, isJoined: true }],
  options: {
    by: {
      argument: 'agent',
      value: 'NAME',
      help: 'the agent whose last writes are taken back, as far as there is no pause of half an hour between them',
    },
    since: { value: 'TIME', help: 'with --by: everything since then' },
    ...WRITE_OPTIONS,
  },
  async run(context, args) {
    const isLast = args.batch === undefined && args.agent === undefined;
    if (isLast && args.since !== undefined) throw new UsageError('--since needs --by NAME: whose writes since then are taken back');
    if (isLast) return undoLast(context);
    const { output, warnings } = await context.run(undoWrites, args);
    if (context.isJson) context.printJson(output);
    else showCommitted(output, context);
    showWarnings(context, warnings);
    return DONE;
  },
});

/** Shows the last write that is not undone yet, and takes it back if the user says so. */
async function undoLast(context: CommandContext): Promise<Status> {
  const last = await findLast(context);
  if (last === null) {
    if (context.isJson) context.printJson(null);
    else context.note('There is no write to undo. "roux history" shows what happened to a note.');
    return FINDINGS;
  }
  const { write, preview } = last;
  const isAsked = context.program.canAsk && !context.isJson;
  if (!isAsked && context.options['dry-run'] !== true)
    throw new UsageError(`the last write was ${describe(write)}; name it to take it back: roux undo ${write.batch}`);
  if (context.isJson) {
    context.printJson(preview);
    return DONE;
  }
  show(write, preview, context);
  if (context.options['dry-run'] === true) return DONE;
  const { confirm } = await import('../pick/prompts.ts');
  if (!(await confirm('Undo this?'))) return CANCELLED;
  const { output } = await context.run(undoWrites, { batch: write.batch });
  showCommitted(output, context);
  return DONE;
}

/** Finds the newest write whose undo would change something; null if there is none among the last. Throws why the undo is refused. */
async function findLast(context: CommandContext): Promise<{ readonly write: Write; readonly preview: Preview } | null> {
  const { output } = await context.run(activity, { limit: MAX_WRITES });
  for (const entry of output.entries) {
    const { batch, is_kept: isKept, is_undo: isUndo, foreign } = entry;
    if (batch === null || !isKept || isUndo || foreign === true) continue;
    const { output: preview } = await context.run(undoPreview, { batch });
    if (preview.file_count > 0) return { write: { ...entry, batch }, preview };
  }
  return null;
}

/** Describes a write on one line: `edited Tomato.md and 2 more, by you, in a terminal, 29 Nov 2026, 08:42`. */
function describe({ files: [first], changes, file_count: files, agent, timestamp }: Write): string {
  const action = first?.change ?? changes[0]?.kind ?? 'edited';
  const more = files > 1 ? ` and ${files - 1} more` : '';
  return visibleLine(`${action} ${first?.path ?? ''}${more}, by ${describeAgent(agent)}, ${formatTime(timestamp)}`);
}

function show(write: Write, { files, file_count: all, warnings }: Preview, context: CommandContext): void {
  const { print, paint } = context;
  print(`The last write: ${paint.bold(describe(write))}`);
  print('Undoing it:');
  for (const { path, was, kind, diff } of files.slice(0, MAX_FILES)) {
    const from = was === undefined ? '' : ` from ${was}`;
    print(`  ${paint.bold(visibleLine(path))} ${visibleLine(kind + from)}`);
    for (const line of formatMarkedDiff(diff, { paint, maxLines: MAX_DIFF_LINES })) print(`    ${line}`);
  }
  if (all > MAX_FILES) print(paint.dim(`  … and ${all - MAX_FILES} more files`));
  showWarnings(context, warnings);
}
