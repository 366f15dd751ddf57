import type { AnswerOf } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { graphHistory } from '../../../ops/tasks/graph-history.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { CommandContext } from '../command.ts';
import { formatEvent, formatField } from '../history/words.ts';
import { defineOperationCommand, EVENTS_PAGE, statusOfList } from '../operation-command.ts';
import { PROJECT } from './tasks.ts';

const MAX_FIELDS = 8;
const MAX_SUMMARY_CHARACTERS = 160;
/** Fields that say no more than that a task was created, resolved, merged and so on. */
const SAID_BY_ACTION: ReadonlySet<string> = new Set(['path', 'body', 'parent', 'summary', 'resolved']);

type Event = AnswerOf<typeof graphHistory>['events'][number];

/** `roux tasks log`: who did what to the tasks of a project. */
export const tasks = defineOperationCommand({
  operation: graphHistory,
  name: 'tasks',
  summary: 'tasks log: who did what to tasks since when; newest first',
  usage: 'log [ref]',
  group: 'tasks',
  positionals: [
    { name: 'action', choices: ['log'] },
    { name: 'ref', completes: 'note', isOptional: true, isJoined: true },
  ],
  isPaged: true,
  isReadOnly: () => true,
  options: {
    project: { ...PROJECT, help: 'only this project' },
    agent: { value: 'NAME', help: 'only what this agent did' },
    since: { value: 'TIME', help: 'only from 2026-01-31 on; may have a time' },
    ...EVENTS_PAGE,
  },
  prepare: (given, { args: [, ref] }) => ({ ...given, ...(ref === undefined ? {} : { node_id: ref }) }),
  show({ events, next_cursor: cursor }, context) {
    for (const event of events) showEvent(event, context);
    if (cursor !== undefined) context.note(context.paint.dim(`more: --cursor ${cursor}`));
  },
  status: ({ events }) => statusOfList(events),
  emptyText: 'No changes.',
});

function showEvent(event: Event, { print, paint }: Pick<CommandContext, 'print' | 'paint'>): void {
  const { action, summary, merged_into: target, deleted, changes } = event;
  const end = target === undefined ? (deleted === true ? ' (deleted)' : '') : ` (merged into ${target})`;
  const task = summary === undefined ? '' : `  ${shorten(summary, MAX_SUMMARY_CHARACTERS)}${end}`;
  print(formatEvent(event, paint.dim(visibleLine(task)), paint));
  const shown = changes.filter(({ field }) => action === 'updated' || !SAID_BY_ACTION.has(field));
  for (const { field, after } of shown.slice(0, MAX_FIELDS)) print(`  ${formatField(field)}: ${formatField(after)}`);
}
