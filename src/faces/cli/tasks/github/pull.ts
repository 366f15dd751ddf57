import { linkedIssues } from '../../../../ops/tasks/github/linked-issues.ts';
import { MAX_ISSUES, pullIssues } from '../../../../ops/tasks/github/pull-issues.ts';
import type { AnswerOf } from '../../../../ops/operation.ts';
import { visibleLine } from '../../../../terminal-text.ts';
import { DONE, FINDINGS } from '../../command.ts';
import type { CommandContext, Status } from '../../command.ts';
import { UsageError } from '../../options.ts';
import { count, showUndo, showWarnings } from '../../show.ts';
import { agree, REFUSED } from '../../pick/agree.ts';
import type { Asked } from './asked.ts';
import { openGitHub } from '../../programs/gh.ts';
import { Issues } from './issues.ts';
import type { Issue } from './issues.ts';

type Linked = AnswerOf<typeof linkedIssues>;
type Row = AnswerOf<typeof pullIssues>['issues'][number];

const MAX_WARNINGS = 20;

/** What a pull found, or wrote. */
interface Pulled {
  readonly rows: readonly Row[];
  readonly unchanged: number;
  readonly batches: readonly string[];
  readonly warnings: readonly string[];
}

/** `roux tasks pull github`: makes tasks of the open issues of a repository. */
export async function pullFromGitHub(context: CommandContext, asked: Asked): Promise<Status> {
  const { output: linked } = await context.run(linkedIssues, {});
  const repositories = asked.repository === undefined ? linked.repositories.map((each) => each.repository) : [asked.repository];
  if (repositories.length === 0) throw new UsageError('name a repository: roux tasks pull github OWNER/NAME');
  const issues = new Issues(openGitHub({ vault: context.host.root }));
  const groups: { project: string; issues: readonly Issue[] }[] = [];
  const gone: string[] = [];
  // Everything is read before anything is written.
  await context.program.withProgress(async (step) => {
    for (const repository of repositories) {
      const found = await read(issues, { repository, linked }, (done) => step(done, done, `issues of ${repository}`));
      groups.push({ project: asked.project ?? projectFor(linked, repository), issues: found.issues });
      gone.push(...found.gone);
    }
  });
  const run = (isRehearsal: boolean): Promise<Pulled> => pull(context, groups, { isRehearsal, isForced: asked.isForced });
  const planned = await run(true);
  const isChanged = planned.rows.some(({ change }) => change !== 'none' && change !== 'skipped');
  const agreement = isChanged
    ? await agree(context, asked, { show: () => show(context, planned), question: 'Write this into the vault?' })
    : REFUSED;
  const isWritten = agreement.isGiven;
  const done = isWritten ? await run(false) : planned;
  report(context, { done, gone, isWritten, isChanged, isShown: agreement.isShown, seconds: linked.seconds });
  return done.rows.some(({ conflicts = [] }) => conflicts.length > 0) ? FINDINGS : DONE;
}

function projectFor(linked: Linked, repository: string): string {
  const known = linked.repositories.find((each) => each.repository.toLowerCase() === repository.toLowerCase());
  return known?.project ?? repository.slice(repository.indexOf('/') + 1);
}

/** Reads the open issues of a repository, and those that have tasks and are not open there any more. */
async function read(
  issues: Issues,
  { repository, linked }: { readonly repository: string; readonly linked: Linked },
  onPage: (count: number) => void,
): Promise<{ readonly issues: readonly Issue[]; readonly gone: readonly string[] }> {
  const { name, issues: open } = await issues.open(repository, onPage);
  const found = new Map(open.map(({ issue }) => [issue.id, issue]));
  const seen = new Set(open.flatMap(({ issue: { id, repository: own, number } }) => [id, `${own}#${number}`]));
  const names = [repository, name].map((each) => each.toLowerCase());
  const others = linked.issues.filter(({ issue, id }) => names.includes(repositoryOf(issue)) && !seen.has(id ?? issue));
  const byId = await issues.byId(
    others.flatMap(({ id }) => id ?? []),
    (done) => onPage(open.length + done),
  );
  const gone: string[] = [];
  for (const { issue: key, id } of others) {
    const present = byId.get(id ?? '') ?? (await issues.byName(repositoryOf(key), Number(key.slice(key.indexOf('#') + 1))));
    // An issue that has the name of one that is gone is another one, unless GitHub finds it by the id of that one.
    const isOther = present !== null && id !== null && !byId.has(id) && `${present.issue.repository}#${present.issue.number}` === key;
    if (present === null || isOther) gone.push(key);
    // Its node id may be another one now.
    else found.set(present.issue.id, { ...present.issue, ...(present.issue.id === id ? {} : { previously: key }) });
  }
  return { issues: [...found.values()], gone };
}

/** Returns the repository of an issue as GitHub compares names: without their case. */
function repositoryOf(issue: string): string {
  return issue.slice(0, issue.indexOf('#')).toLowerCase();
}

/** Pulls in writes of a bounded size. Issues that are linked to ones of later writes are sent again. */
async function pull(
  context: CommandContext,
  groups: readonly { readonly project: string; readonly issues: readonly Issue[] }[],
  { isRehearsal, isForced }: { readonly isRehearsal: boolean; readonly isForced: boolean },
): Promise<Pulled> {
  const [rows, batches, warnings] = [new Map<string, Row>(), [] as string[], new Set<string>()];
  const send = async (project: string, issues: readonly Issue[]): Promise<void> => {
    for (let at = 0; at < issues.length; at += MAX_ISSUES) {
      const part = issues.slice(at, at + MAX_ISSUES);
      const answer = await context.run(pullIssues, { issues: part, project, force: isForced, is_rehearsal: isRehearsal });
      for (const row of answer.output.issues) rows.set(row.issue, merge(rows.get(row.issue), row));
      if (answer.output.batch !== null) batches.push(answer.output.batch);
      for (const warning of answer.warnings) warnings.add(warning);
    }
  };
  for (const { project, issues } of groups) await send(project, issues);
  const isMissing = ({ missing = [] }: Row): boolean => missing.some((key) => rows.has(key));
  if (!isRehearsal) {
    for (const { project, issues } of groups) {
      const again = issues.filter(({ repository, number }) => isMissing(rows.get(`${repository}#${number}`) ?? NO_ROW));
      await send(project, again);
    }
  }
  const total = groups.reduce((sum, { issues }) => sum + issues.length, 0);
  return { rows: [...rows.values()], unchanged: total - rows.size, batches, warnings: [...warnings] };
}

const NO_ROW: Row = { issue: '', title: '', change: 'none', assignees: [] };

/** Joins what two writes did to one task. */
function merge(before: Row | undefined, after: Row): Row {
  if (before === undefined || before.change === 'none') return after;
  return { ...after, change: before.change, fields: [...new Set([...(before.fields ?? []), ...(after.fields ?? [])])] };
}

function show({ print, paint }: CommandContext, { rows }: Pulled): void {
  const colors = {
    new: paint.green,
    updated: paint.cyan,
    resolved: paint.green,
    reopened: paint.yellow,
    skipped: paint.dim,
    none: paint.dim,
  };
  for (const { issue, title, change, fields = [], conflicts = [], assignees } of rows) {
    const who = assignees.length === 0 ? '' : paint.dim(`  @${visibleLine(assignees.join(', @'))}`);
    const what = change === 'updated' ? paint.dim(`  ${fields.length === 0 ? 'as on GitHub already' : fields.join(', ')}`) : '';
    const name = `${visibleLine(issue)}  ${paint.bold(visibleLine(title))}`;
    if (change !== 'none') print(`${colors[change](change.padEnd(8))}  ${name}${what}${who}`);
    if (conflicts.length > 0) print(`${paint.red('conflict')}  ${name}  ${conflicts.join(', ')} changed on both sides`);
  }
}

interface Reported {
  readonly done: Pulled;
  readonly gone: readonly string[];
  readonly isWritten: boolean;
  readonly isChanged: boolean;
  /** The plan was shown already. */
  readonly isShown: boolean;
  readonly seconds: Linked['seconds'];
}

function report(context: CommandContext, { done, gone, isWritten, isChanged, isShown, seconds }: Reported): void {
  const { isJson, note } = context;
  const { rows, unchanged, batches, warnings } = done;
  if (isJson) context.printJson({ written: isWritten, issues: rows, unchanged, gone, batches });
  else {
    if (!isShown) show(context, done);
    const conflicts = rows.filter(({ conflicts: fields = [] }) => fields.length > 0).length;
    const skipped = rows.filter(({ change }) => change === 'skipped').length;
    for (const key of gone) note(`${key} is gone from GitHub, or cannot be seen. Its task stays as it is.`);
    for (const { issue, path } of seconds) note(`${visibleLine(path)} is a second task of ${issue} and is left as it is.`);
    if (conflicts > 0)
      note(`${count(conflicts, 'conflict')}: nothing is overwritten. --force takes what GitHub has; push --force sends what the task has.`);
    if (skipped > 0) note(`${count(skipped, 'task')} deleted or unlinked here, not created again; --force does.`);
    if (unchanged > 0) note(`${count(unchanged, 'issue')} unchanged.`);
    if (isWritten) showUndo(note, batches.toReversed());
    else note(isChanged ? 'Nothing is written yet. Add --yes to write it into the vault.' : 'There is nothing to write.');
  }
  const shown = warnings.slice(0, MAX_WARNINGS);
  const left = warnings.length - shown.length;
  showWarnings(context, left > 0 ? [...shown, `${left} more like these.`] : shown);
}
