import type { AnswerOf } from '../../../ops/operation.ts';
import { shorten } from '../../../ops/shorten.ts';
import { graphHistory } from '../../../ops/tasks/graph-history.ts';
import { REPOSITORY } from '../../../ops/tasks/github/issue.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { CommandContext, Status } from '../command.ts';
import { formatEvent, formatField } from '../history/words.ts';
import { defineOperationCommand, EVENTS_PAGE, statusOfList } from '../operation-command.ts';
import { UsageError } from '../options.ts';
import type { OptionValues } from '../options.ts';
import { showWarnings } from '../show.ts';
import { PROJECT } from './tasks.ts';

const MAX_FIELDS = 8;
const MAX_SUMMARY_CHARACTERS = 160;
/** Fields that say no more than that a task was created, resolved, merged and so on. */
const SAID_BY_ACTION: ReadonlySet<string> = new Set(['path', 'body', 'parent', 'summary', 'resolved']);

type Event = AnswerOf<typeof graphHistory>['events'][number];

/** `roux tasks`: who did what to the tasks of a project, and its issues on GitHub. */
export const tasks = defineOperationCommand({
  operation: graphHistory,
  name: 'tasks',
  summary: 'tasks log: who did what to tasks; pull and push: issues of GitHub',
  usage: 'log|pull|push [ref]',
  details: [
    '"log [ref]" lists what happened to tasks, newest first.',
    '"pull github [OWNER/NAME]" makes tasks of the open issues of a repository, and brings known ones up to date.',
    '"push github [OWNER/NAME]" brings to the issues what changed in their tasks.',
    'Both ask GitHub through your own program gh, show what would change, and change it when you agree, or at once with --yes.',
  ],
  group: 'tasks',
  positionals: [
    { name: 'action', choices: ['log', 'pull', 'push'] },
    { name: 'ref', completes: 'note', isOptional: true, isJoined: true },
  ],
  isPaged: ([action]) => action === 'log',
  isReadOnly: (_, [action]) => action === 'log',
  options: {
    project: { ...PROJECT, help: 'log: only this project; pull: where new tasks go, made when it is new' },
    agent: { value: 'NAME', help: 'log: only what this agent did' },
    since: { value: 'TIME', help: 'log: only from 2026-01-31 on; may have a time' },
    limit: { ...EVENTS_PAGE.limit, help: 'log: how many events' },
    cursor: { ...EVENTS_PAGE.cursor, help: 'log: where the last page ended' },
    yes: { type: 'boolean', help: 'pull, push: do it without asking' },
    'dry-run': { type: 'boolean', help: 'pull, push: only show what would change' },
    new: { type: 'string', value: 'A,B', help: 'push: open issues for these tasks', completes: 'note' },
    force: {
      type: 'boolean',
      help: 'where both sides changed, pull takes what GitHub has, push sends what the task has; pull also brings back deleted tasks',
    },
  },
  async run(context, args) {
    const [action = '', rest] = context.args;
    if (action !== 'log') return await syncIssues(context, action, rest);
    refuseOptions(context.options, ['yes', 'new', 'force'], action);
    const given = { ...args, ...(rest === undefined ? {} : { node_id: rest }) };
    const { output, warnings } = await context.run(graphHistory, given);
    const { events, claims = [], next_cursor: cursor } = output;
    if (context.isJson) context.printJson(output);
    else {
      for (const event of events) showEvent(event, context);
      // Those of a git repository are in no note, and so in a list of their own.
      if (claims.length > 0) context.print(context.paint.dim('Claims:'));
      for (const claim of claims) showEvent(claim, context);
      if (cursor !== undefined) context.note(context.paint.dim(`more: --cursor ${cursor}`));
    }
    showWarnings(context, warnings);
    if (events.length === 0 && !context.isJson) context.note('No changes.');
    return statusOfList(events);
  },
});

/** Pulls or pushes: `github`, or `github owner/name`. */
async function syncIssues(context: CommandContext, action: string, rest: string | undefined): Promise<Status> {
  const [from, repository, ...more] = (rest ?? '').split(/\s+/).filter((word) => word !== '');
  const example = `roux tasks ${action} github OWNER/NAME`;
  if (from !== 'github' && !(from === undefined && action === 'push'))
    throw new UsageError(`${action} needs a place, and knows github: ${example}`);
  if (more.length > 0 || (repository !== undefined && !REPOSITORY.test(repository)))
    throw new UsageError(`name one repository by its owner and name: ${example}`);
  const { project, new: opened, yes, force, 'dry-run': dryRun } = context.options as OptionValues;
  refuseOptions(context.options, ['agent', 'since', 'limit', 'cursor', action === 'pull' ? 'new' : 'project'], action);
  const asked = {
    repository,
    project: typeof project === 'string' ? project : undefined,
    opened: typeof opened === 'string' ? opened.split(',').map((each) => each.trim()) : [],
    isForced: force === true,
    isAgreed: yes === true,
    isDryRun: dryRun === true,
  };
  if (action === 'pull') return await (await import('./github/pull.ts')).pullFromGitHub(context, asked);
  return await (await import('./github/push.ts')).pushToGitHub(context, asked);
}

/** Throws for an option of another action: if it were ignored, the command would do what it was not asked to do. */
function refuseOptions(options: OptionValues, names: readonly string[], action: string): void {
  const given = names.find((name) => options[name] !== undefined && options[name] !== false);
  if (given !== undefined) throw new UsageError(`tasks ${action} does not know --${given}`);
}

function showEvent(event: Event, { print, paint }: Pick<CommandContext, 'print' | 'paint'>): void {
  const { action, summary, merged_into: target, deleted, changes } = event;
  const end = target === undefined ? (deleted === true ? ' (deleted)' : '') : ` (merged into ${target})`;
  const task = summary === undefined ? '' : `  ${shorten(summary, MAX_SUMMARY_CHARACTERS)}${end}`;
  print(formatEvent(event, paint.dim(visibleLine(task)), paint));
  const shown = changes.filter(({ field }) => action === 'updated' || !SAID_BY_ACTION.has(field));
  for (const { field, after } of shown.slice(0, MAX_FIELDS)) print(`  ${formatField(field)}: ${formatField(after)}`);
}
