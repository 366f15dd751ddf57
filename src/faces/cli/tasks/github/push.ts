import { errorMessage, RouxError } from '../../../../errors.ts';
import { linkedIssues } from '../../../../ops/tasks/github/linked-issues.ts';
import { planPush } from '../../../../ops/tasks/github/plan-push.ts';
import { pullIssues } from '../../../../ops/tasks/github/pull-issues.ts';
import type { AnswerOf } from '../../../../ops/operation.ts';
import { visibleLine } from '../../../../terminal-text.ts';
import { DONE, FAILED, FINDINGS } from '../../command.ts';
import type { CommandContext, Status } from '../../command.ts';
import { refuseReadOnly } from '../../care/setup-outcome.ts';
import { UsageError } from '../../options.ts';
import { count, showWarnings } from '../../show.ts';
import { agree, REFUSED } from '../../pick/agree.ts';
import type { Asked } from './asked.ts';
import { openGitHub } from '../../programs/gh.ts';
import { Issues } from './issues.ts';
import type { Issue } from './issues.ts';

type Plan = AnswerOf<typeof planPush>;
type Push = Plan['pushes'][number];
type Opened = Plan['opened'][number];

/** Changes that are made without a pause; GitHub asks for a second between more of them. */
const MAX_SWIFT_CHANGES = 20;
const PAUSE_MS = 1_000;
const MAX_BODY_LINES = 12;
/** Errors after which no other change can succeed either. */
const ENDS_ALL: ReadonlySet<string> = new Set(['UNAVAILABLE', 'FORBIDDEN', 'IO_ERROR', 'TOO_LARGE']);

/** `roux tasks push github`: brings to issues what changed in their tasks. Nothing happens on GitHub before the user agrees. */
export async function pushToGitHub(context: CommandContext, asked: Asked): Promise<Status> {
  const { output: linked } = await context.run(linkedIssues, {});
  const prefix = asked.repository === undefined ? '' : `${asked.repository.toLowerCase()}#`;
  const meant = linked.issues.filter(({ issue }) => issue.toLowerCase().startsWith(prefix));
  const target = asked.repository ?? (linked.repositories.length === 1 ? linked.repositories[0]?.repository : undefined);
  if (asked.opened.length > 0 && target === undefined)
    throw new UsageError('name the repository for new issues: roux tasks push github OWNER/NAME --new TASK');
  // gh is not needed to say that there is nothing.
  if (meant.length + asked.opened.length === 0) return reportUnlinked(context);
  const ids = meant.flatMap(({ id }) => id ?? []);
  const issues = new Issues(openGitHub({ vault: context.host.root }));
  const found = await context.program.withProgress((step) => issues.byId(ids, (done) => step(done, ids.length, 'issues')));
  // A vault from anywhere may name one issue and have the node id of another.
  const named = new Map(meant.map(({ id, issue }) => [id, issue.toLowerCase()]));
  const seen = [...found].flatMap(([id, each]) =>
    each.issue.id === id && keyOf(each.issue).toLowerCase() === named.get(id) ? [each] : [],
  );
  const { output: plan } = await context.run(planPush, {
    issues: seen.map(({ issue }) => issue),
    opened: asked.opened,
    force: asked.isForced,
  });
  const isChanged = plan.pushes.length + plan.opened.length > 0;
  // What GitHub has then is recorded here.
  if (isChanged && !asked.isDryRun) refuseReadOnly(context, 'A push');
  const repository = target ?? '';
  const ask = { show: () => show(context, plan, repository), question: 'Change this on GitHub?' };
  const { isGiven: isPushed, isShown } = isChanged ? await agree(context, asked, ask) : REFUSED;
  if (!isPushed && !isShown && !context.isJson) show(context, plan, repository);
  const updated = new Map(seen.map(({ issue, updatedAt }) => [issue.id, updatedAt]));
  const done = isPushed ? await new Pushing(context, issues, updated).all(plan, repository) : null;
  report(context, { plan, done, gone: ids.length - seen.length, unsynced: meant.length - ids.length });
  if (done !== null && done.failures.length > 0) return FAILED;
  return plan.conflicts.length + plan.problems.length > 0 ? FINDINGS : DONE;
}

async function reportUnlinked(context: CommandContext): Promise<Status> {
  const { output: plan } = await context.run(planPush, { issues: [], opened: [], force: false });
  report(context, { plan, done: null, gone: 0, unsynced: 0 });
  if (!context.isJson)
    context.note(
      'No task here has such an issue. "roux tasks pull github OWNER/NAME" makes tasks of issues, --new TASK an issue of a task.',
    );
  return DONE;
}

/** What a push has done. */
interface Pushed {
  readonly issues: readonly string[];
  readonly failures: readonly { readonly issue: string; readonly message: string }[];
}

/** Carries a plan out, issue by issue. Each is recorded in the vault as soon as GitHub has it. */
class Pushing {
  readonly #context: CommandContext;
  readonly #issues: Issues;
  readonly #updated: ReadonlyMap<string, string>;
  #changes = 0;

  constructor(context: CommandContext, issues: Issues, updated: ReadonlyMap<string, string>) {
    this.#context = context;
    this.#issues = issues;
    this.#updated = updated;
  }

  async all({ pushes, opened }: Plan, repository: string): Promise<Pushed> {
    const done: string[] = [];
    const failures: { issue: string; message: string }[] = [];
    const steps = [
      ...pushes.map((push) => ({ name: push.issue, run: () => this.#push(push) })),
      ...opened.map((each) => ({ name: each.title, run: () => this.#open(each, repository) })),
    ];
    for (const { name, run } of steps) {
      try {
        const issue = await run();
        done.push(issue);
        if (!this.#context.isJson) this.#context.print(`${this.#context.paint.green('pushed')}  ${visibleLine(issue)}`);
      } catch (error) {
        if (!(error instanceof RouxError)) throw error;
        failures.push({ issue: name, message: errorMessage(error) });
        if (ENDS_ALL.has(error.code)) break;
      }
    }
    return { issues: done, failures };
  }

  async #push({ id, issue: key, title, body, state, comment }: Push): Promise<string> {
    const before = await this.#issues.look(id);
    if (before === null) throw new RouxError('NOT_FOUND', 'it is gone from GitHub, or cannot be seen.');
    if (before.updatedAt !== this.#updated.get(id))
      throw new RouxError('CONFLICT', 'it was changed on GitHub a moment ago. Run the push again.');
    let after: Issue = before.issue;
    if (title !== undefined || body !== undefined)
      after = await this.#change(() =>
        this.#issues.update({ id, ...(title === undefined ? {} : { title: title.to }), ...(body === undefined ? {} : { body: body.to }) }),
      );
    if (comment !== undefined && !before.comments.some((text) => text.includes(comment.mark)))
      await this.#change(() => this.#issues.comment(id, comment.text));
    if (state === 'open') after = await this.#change(() => this.#issues.reopen(id));
    else if (state !== undefined)
      after = await this.#change(() => this.#issues.close(id, state === 'completed' ? 'COMPLETED' : 'NOT_PLANNED'));
    await this.#record(after);
    return key;
  }

  async #open({ task, title, body, mark }: Opened, repository: string): Promise<string> {
    const { repositoryId, known } = await this.#issues.opened(repository, mark);
    const issue = known?.issue ?? (await this.#change(() => this.#issues.create({ repositoryId, title, body })));
    await this.#record({ ...issue, task });
    return keyOf(issue);
  }

  /** Writes into the task that both sides agree now. */
  async #record(issue: Issue): Promise<void> {
    await this.#context.run(pullIssues, { issues: [issue], project: issue.repository.slice(issue.repository.indexOf('/') + 1) });
  }

  async #change<T>(change: () => Promise<T>): Promise<T> {
    this.#changes += 1;
    if (this.#changes > MAX_SWIFT_CHANGES) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return await change();
  }
}

/** Returns `owner/name#12`. */
function keyOf({ repository, number }: Issue): string {
  return `${repository}#${number}`;
}

function show({ print, paint }: CommandContext, { pushes, opened, conflicts }: Plan, repository: string): void {
  for (const { issue, summary, title, body, state, comment } of pushes) {
    print(`${visibleLine(issue)}  ${paint.bold(visibleLine(summary))}`);
    if (title !== undefined) print(`  title: ${paint.red(visibleLine(title.from))} → ${paint.green(visibleLine(title.to))}`);
    if (body !== undefined) print(`  text: ${count(linesOf(body.from), 'line')} → ${count(linesOf(body.to), 'line')}`);
    if (state !== undefined)
      print(`  ${state === 'open' ? 'reopen' : state === 'completed' ? 'close as completed' : 'close as not planned'}`);
    if (comment !== undefined) showText({ print, paint }, comment.text);
  }
  for (const { title, body } of opened) {
    print(`${paint.green('new issue')} in ${visibleLine(repository)}  ${paint.bold(visibleLine(title))}`);
    showText({ print, paint }, body);
  }
  for (const { issue, summary, fields } of conflicts)
    print(
      `${paint.red('conflict')}  ${visibleLine(issue)}  ${paint.bold(visibleLine(summary))}  ${fields.join(', ')} changed on both sides`,
    );
}

function showText({ print, paint }: Pick<CommandContext, 'print' | 'paint'>, text: string): void {
  const lines = text.trimEnd().split('\n');
  for (const line of lines.slice(0, MAX_BODY_LINES)) print(`    ${visibleLine(line)}`);
  if (lines.length > MAX_BODY_LINES) print(paint.dim(`    … and ${count(lines.length - MAX_BODY_LINES, 'more line')}; --json has all`));
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

interface Reported {
  readonly plan: Plan;
  readonly done: Pushed | null;
  /** Issues that GitHub does not find by their ids. */
  readonly gone: number;
  /** Tasks that a person linked and no pull has compared yet. */
  readonly unsynced: number;
}

function report(context: CommandContext, { plan, done, gone, unsynced }: Reported): void {
  const { note } = context;
  const { conflicts, problems, behind, pushes, opened } = plan;
  if (context.isJson) context.printJson({ pushed: done?.issues ?? [], failures: done?.failures ?? [], ...plan });
  else {
    for (const { issue, message } of done?.failures ?? []) note(`${visibleLine(issue)}: ${visibleLine(message)}`);
    if (conflicts.length > 0)
      note(
        `${count(conflicts.length, 'conflict')}: nothing is overwritten. --force sends what the task has; pull --force takes what GitHub has.`,
      );
    if (behind > 0) note(`${count(behind, 'issue')} changed on GitHub; "roux tasks pull github" brings that here.`);
    if (gone > 0) note(`${count(gone, 'issue')} gone from GitHub or moved; "roux tasks pull github" looks for them.`);
    if (unsynced > 0) note(`${count(unsynced, 'task')} with an issue that was never pulled; "roux tasks pull github" compares both first.`);
    const left = pushes.length + opened.length - (done?.issues.length ?? 0);
    if (done === null) note(left === 0 ? 'There is nothing to push.' : 'Nothing is changed on GitHub. Add --yes to push this.');
    else if (left > 0) note(`${done.issues.length} pushed, ${left} not. Running it again does nothing twice.`);
  }
  showWarnings(context, problems);
}
