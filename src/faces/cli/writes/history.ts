import { listTrash, noteHistory, restore as restoreFiles, undo as undoWrites } from '../../../ops/care/past/history.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { BAD_USAGE, defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { count, NOT_WRITTEN_HERE, showDiff, showWarnings } from '../show.ts';
import { WRITE_OPTIONS } from './write.ts';

/** Limits of what is shown of an event; --json prints all of it. */
const MAX_VALUE_CHARACTERS = 80;
const MAX_FIELDS = 100;
const MAX_AGENT_CHARACTERS = 200;

/** `roux history`: who changed a note, when and how. */
export const history = defineCommand({
  name: 'history',
  summary: 'who changed a note, when and how; newest first',
  usage: '<ref>',
  group: 'read',
  arity: 1,
  isJoined: true,
  completes: ['note'],
  canPick: true,
  options: {
    limit: { type: 'number', short: 'n', min: 1, max: 10_000, help: 'how many events (20)' },
    cursor: { type: 'string', value: 'C', help: 'where the last page ended' },
  },
  async run(context) {
    const { args, options, paint } = context;
    const { output: page } = await context.run(noteHistory, { id: args[0] ?? '', limit: options.limit, cursor: options.cursor });
    if (context.isJson) context.printJson(page);
    else {
      for (const { timestamp, action, agent, path, batch, changes, foreign } of page.events) {
        // A batch of another folder cannot be undone here.
        const mark =
          foreign === true ? paint.yellow(`  ${NOT_WRITTEN_HERE}`) : batch === undefined ? '' : paint.dim(`  ${visibleLine(batch)}`);
        const who = shorten(visibleLine(agent), MAX_AGENT_CHARACTERS);
        context.print(`${paint.dim(visibleLine(timestamp))}  ${paint.bold(visibleLine(action))}  ${who}  ${visibleLine(path)}${mark}`);
        for (const { field, before, after } of changes.slice(0, MAX_FIELDS))
          context.print(`  ${shorten(visibleLine(field), MAX_VALUE_CHARACTERS)}: ${showValue(before)} → ${showValue(after)}`);
        if (changes.length > MAX_FIELDS) context.print(`  … and ${count(changes.length - MAX_FIELDS, 'more field')}`);
      }
      if (page.nextCursor !== null) context.note(paint.dim(`more: --cursor ${page.nextCursor}`));
      if (page.events.length === 0) context.note('No history.');
    }
    return page.events.length === 0 ? FINDINGS : DONE;
  },
});

function showValue(value: unknown): string {
  return shorten(visibleLine(JSON.stringify(value) ?? ''), MAX_VALUE_CHARACTERS);
}

/** `roux undo`: reverts a batch of changes, or the last changes of an agent. */
export const undo = defineCommand({
  name: 'undo',
  summary: 'take back a batch (see history), or what --by NAME wrote last',
  usage: '[batch]',
  group: 'write',
  arity: 0,
  isJoined: true,
  options: {
    by: {
      type: 'string',
      value: 'NAME',
      help: 'the agent whose last writes are taken back, as far as there is no pause of half an hour between them',
    },
    since: { type: 'string', value: 'TIME', help: 'with --by: everything since then' },
    ...WRITE_OPTIONS,
  },
  async run(context) {
    const { by, since } = context.options;
    const [batch] = context.args;
    if (batch === undefined && by === undefined) {
      context.note('roux undo: name a batch (see "roux history"), or an agent with --by.');
      return BAD_USAGE;
    }
    return showCommitted(context, (await context.run(undoWrites, { batch, agent: by, since })).output);
  },
});

/** `roux restore`: brings deleted notes back. */
export const restore = defineCommand({
  name: 'restore',
  summary: 'bring back a deleted note; without arguments lists the trash',
  usage: '[path|batch]',
  group: 'write',
  arity: 0,
  isJoined: true,
  options: WRITE_OPTIONS,
  async run(context) {
    const [reference] = context.args;
    if (reference !== undefined) return showCommitted(context, (await context.run(restoreFiles, { ref: reference })).output);
    const { output: trash } = await context.run(listTrash, {});
    if (context.isJson) context.printJson(trash);
    else for (const { ref, path } of trash) context.print(`${visibleLine(path)}  ${context.paint.dim(visibleLine(ref))}`);
    return DONE;
  },
});

function showCommitted(context: CommandContext, committed: AnswerOf<typeof restoreFiles>): Status {
  if (context.isJson) context.printJson(committed);
  else {
    if (committed.diff !== undefined) showDiff(context, committed.diff);
    else for (const file of committed.files) context.print(visibleLine(file.path));
    showWarnings(context, committed.warnings);
  }
  return DONE;
}
