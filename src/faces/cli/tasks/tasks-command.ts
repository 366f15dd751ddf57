import type { AnswerOf } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { graphHistory } from '../../../ops/tasks/graph-history.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { CommandContext } from '../command.ts';
import { describeAction, describeAgent, formatTime } from '../history/words.ts';
import { defineOperationCommand, LIMIT, statusOfList } from '../operation-command.ts';
import { NOT_WRITTEN_HERE } from '../show.ts';
import { PROJECT } from './tasks.ts';

const MAX_FIELDS = 8;
const MAX_VALUE_CHARACTERS = 80;

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
    limit: { ...LIMIT, help: 'how many events' },
    cursor: { value: 'C', help: 'where the last page ended' },
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
  const { timestamp, action, agent, foreign, summary, merged_into: target, deleted, changes } = event;
  const what = `${describeAction(action)} by ${describeAgent(agent)}`;
  const mark = foreign === true ? paint.yellow(`  ${NOT_WRITTEN_HERE}`) : '';
  const end = target === undefined ? (deleted === true ? ' (deleted)' : '') : ` (merged into ${target})`;
  const task = summary === undefined ? '' : `  ${shorten(summary, 2 * MAX_VALUE_CHARACTERS)}${end}`;
  print(`${paint.bold(formatTime(timestamp))}  ${visibleLine(what)}${paint.dim(visibleLine(task))}${mark}`);
  const told = changes.filter(({ field }) => !['path', 'body', 'parent', 'summary', 'resolved'].includes(field) || action === 'updated');
  for (const { field, after } of told.slice(0, MAX_FIELDS))
    print(`  ${shorten(visibleLine(field), MAX_VALUE_CHARACTERS)}: ${showValue(after)}`);
}

function showValue(value: unknown): string {
  if (value === null) return 'nothing';
  return shorten(visibleLine(typeof value === 'string' ? value : JSON.stringify(value)), MAX_VALUE_CHARACTERS);
}
