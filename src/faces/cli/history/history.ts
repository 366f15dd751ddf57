import { activityDiff } from '../../../ops/care/history/activity-diff.ts';
import { noteHistory } from '../../../ops/care/history/history.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand, EVENTS_PAGE, NOTE, statusOfList } from '../operation-command.ts';
import { count } from '../show.ts';
import { formatMarkedDiff } from './marked-diff.ts';
import { formatEvent, formatField } from './words.ts';

/** Limits of what is shown of an event; --json prints all of it. */
const MAX_FIELDS = 20;
const MAX_DIFF_LINES = 12;

type Event = AnswerOf<typeof noteHistory>['events'][number];

/** `roux history`: who changed a note, when and how. */
export const history = defineOperationCommand({
  operation: noteHistory,
  name: 'history',
  summary: 'who changed a note, when and how; newest first',
  group: 'read',
  positionals: [NOTE],
  canPick: true,
  isPaged: () => true,
  options: EVENTS_PAGE,
  async show({ events, nextCursor }, context, { id = '' }) {
    const { print, note, paint } = context;
    let path = events[0]?.path;
    for (const event of events) {
      const { batch } = event;
      const undo = batch === undefined ? '' : paint.dim(`  roux undo ${visibleLine(batch)}`);
      // A batch of another folder cannot be undone here.
      print(formatEvent(event, event.foreign === true ? '' : undo, paint));
      if (event.path !== path) print(paint.dim(`  at ${visibleLine(event.path)}`));
      path = event.path;
      await showChange(event, context);
    }
    if (nextCursor !== null) note(paint.dim(`more: roux history ${JSON.stringify(visibleLine(id))} --cursor ${nextCursor}`));
  },
  status: ({ events }) => statusOfList(events),
  emptyText: 'No changes yet.',
});

/** Prints the lines that an event changed, or its fields where the texts are not stored. */
async function showChange(event: Event, context: CommandContext): Promise<void> {
  const { print, paint } = context;
  const diff = event.foreign === true ? null : await readDiff(event, context);
  if (diff !== null) {
    for (const line of formatMarkedDiff(diff, { paint, maxLines: MAX_DIFF_LINES })) print(`  ${line}`);
    return;
  }
  // A body is known by its size and hash alone, which tell nobody anything.
  const fields = event.changes.filter(({ field }) => field !== 'body');
  for (const { field, before, after } of fields.slice(0, MAX_FIELDS))
    print(`  ${formatField(field)}: ${formatField(before)} → ${formatField(after)}`);
  if (fields.length > MAX_FIELDS) print(`  … and ${count(fields.length - MAX_FIELDS, 'more field')}`);
}

async function readDiff({ batch, seq, path }: Event, context: CommandContext) {
  try {
    const { output } = await context.run(activityDiff, { id: batch ?? `seq-${seq}`, path });
    return output.files.find((file) => file.path === path || file.was === path)?.diff ?? null;
  } catch {
    // The write is no longer stored.
    return null;
  }
}
