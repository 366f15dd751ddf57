import { listTrash, noteHistory, restore as restoreFiles, undo as undoWrites } from '../../../ops/care/history/history.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand, LIMIT, NOTE, statusOfList } from '../operation-command.ts';
import { UsageError, WRITE_OPTIONS } from '../options.ts';
import { count, NOT_WRITTEN_HERE, showDiff, showWarnings } from '../show.ts';

/** Limits of what is shown of an event; --json prints all of it. */
const MAX_VALUE_CHARACTERS = 80;
const MAX_FIELDS = 100;
const MAX_AGENT_CHARACTERS = 200;

/** `roux history`: who changed a note, when and how. */
export const history = defineOperationCommand({
  operation: noteHistory,
  name: 'history',
  summary: 'who changed a note, when and how; newest first',
  group: 'read',
  positionals: [NOTE],
  canPick: true,
  options: { limit: { ...LIMIT, help: 'how many events' }, cursor: { value: 'C', help: 'where the last page ended' } },
  show(page, { print, note, paint }) {
    for (const { timestamp, action, agent, path, batch, changes, foreign } of page.events) {
      // A batch of another folder cannot be undone here.
      const mark =
        foreign === true ? paint.yellow(`  ${NOT_WRITTEN_HERE}`) : batch === undefined ? '' : paint.dim(`  ${visibleLine(batch)}`);
      const who = shorten(visibleLine(agent), MAX_AGENT_CHARACTERS);
      print(`${paint.dim(visibleLine(timestamp))}  ${paint.bold(visibleLine(action))}  ${who}  ${visibleLine(path)}${mark}`);
      for (const { field, before, after } of changes.slice(0, MAX_FIELDS))
        print(`  ${shorten(visibleLine(field), MAX_VALUE_CHARACTERS)}: ${showValue(before)} → ${showValue(after)}`);
      if (changes.length > MAX_FIELDS) print(`  … and ${count(changes.length - MAX_FIELDS, 'more field')}`);
    }
    if (page.nextCursor !== null) note(paint.dim(`more: --cursor ${page.nextCursor}`));
  },
  status: ({ events }) => statusOfList(events),
  emptyText: 'No history.',
});

function showValue(value: unknown): string {
  return shorten(visibleLine(JSON.stringify(value) ?? ''), MAX_VALUE_CHARACTERS);
}

/** `roux undo`: reverts a batch of changes, or the last changes of an agent. */
export const undo = defineOperationCommand({
  operation: undoWrites,
  name: 'undo',
  summary: 'take back a batch (see history), or what --by NAME wrote last',
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
  prepare(args) {
    if (args.batch === undefined && args.agent === undefined)
      throw new UsageError('name a batch (see "roux history"), or an agent with --by');
    return args;
  },
  show: showCommitted,
});

/** `roux restore`: brings deleted notes back. */
export const restore = defineOperationCommand({
  operation: restoreFiles,
  name: 'restore',
  summary: 'bring back a deleted note; without arguments lists the trash',
  group: 'write',
  positionals: [{ name: 'path|batch', argument: 'ref', isOptional: true, isJoined: true }],
  options: WRITE_OPTIONS,
  async run(context, { ref }) {
    const { output } = ref === undefined ? await context.run(listTrash, {}) : await context.run(restoreFiles, { ref });
    if (context.isJson) context.printJson(output);
    else if ('files' in output) showCommitted(output, context);
    else for (const { ref: name, path } of output) context.print(`${visibleLine(path)}  ${context.paint.dim(visibleLine(name))}`);
    return DONE;
  },
});

function showCommitted({ diff, files, warnings }: AnswerOf<typeof restoreFiles>, context: CommandContext): void {
  if (diff !== undefined) showDiff(context, diff);
  else for (const file of files) context.print(visibleLine(file.path));
  showWarnings(context, warnings);
}
